"""The incognote command: every subcommand is registered here, and every error leaves through here."""

import errno
import io
import os
import signal
import sys
from typing import Annotated, NoReturn, TextIO

import typer

from incognote.cli.adapt import adapt
from incognote.cli.bench import bench
from incognote.cli.convert import convert
from incognote.cli.doctor import doctor
from incognote.cli.embed import embed
from incognote.cli.evaluate import evaluate
from incognote.cli.explain import explain
from incognote.cli.fill import fill
from incognote.cli.link import link
from incognote.cli.models import models
from incognote.cli.output import name_option, say, say_internal_error
from incognote.cli.pipeline import pipeline
from incognote.cli.policy import policy
from incognote.cli.reidentify import reidentify
from incognote.cli.scrub import scrub
from incognote.cli.shrink import shrink
from incognote.cli.split import split
from incognote.cli.stats import stats
from incognote.cli.study import study
from incognote.cli.synthesize import synthesize
from incognote.cli.tag import tag
from incognote.cli.train import train
from incognote.cli.utility import utility
from incognote.errors import IncognoteError
from incognote.version import __version__

app = typer.Typer(
    name="incognote",
    help="Finds protected health information (PHI) in clinical notes and takes it out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"incognote {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)] = False,
) -> None:
    pass


app.command()(scrub)
app.command()(tag)
app.command()(explain)
app.command()(pipeline)
app.command()(convert)
app.command()(split)
app.command()(stats)
app.command()(evaluate)
app.add_typer(models)
app.command()(synthesize)
app.command()(train)
app.command()(adapt)
app.command()(fill)
app.command()(embed)
app.add_typer(study)
app.add_typer(shrink)
app.add_typer(policy)
app.command()(reidentify)
app.command()(utility)
app.command()(link)
app.command()(bench)
app.command()(doctor)


# 128 and the number of the signal, as a shell tells of a command that SIGINT or SIGPIPE has ended.
_INTERRUPTED, _UNHEARD = 130, 141
# What a disk or its owner refuses: no fault of ours, and its message holds no more than the name of a file.
_OUTSIDE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> None:
    """Run a command. Exit code 0: done; 2: bad input, said in one message; 3: done, but some documents are in quarantine."""
    # A plain kill stops a command as Ctrl-C does: what is half written, often notes with PHI, is taken away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _buffer_output()
    try:
        _run()
    except BrokenPipeError:
        # Who read what is printed has gone, as head does when it has enough: there is nobody to tell.
        for stream in (sys.__stdout__, sys.__stderr__):
            _drop_waiting(stream)
        sys.exit(_UNHEARD)


def _buffer_output() -> None:
    """Without a buffer (PYTHONUNBUFFERED, as containers often set it) Python drops what a full disk or a pipe did not take at once."""
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        sys.stdout = open(sys.stdout.fileno(), "w", 1, sys.stdout.encoding, sys.stdout.errors, closefd=False)  # noqa: SIM115


def _run() -> None:
    try:
        app()
    except IncognoteError as error:
        say(f"error: {error.render(name_option)}")
        sys.exit(2)
    except SystemExit as ended:
        # typer and rich make a closed pipe, and typer an interrupt, an exit and say nothing
        if isinstance(ended.__context__, BrokenPipeError):
            raise ended.__context__ from None
        if ended.code == _INTERRUPTED:
            say("stopped")
        _flush()
        raise
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence against printing note text
        if isinstance(error, OSError) and error.errno in _OUTSIDE:
            _give_up(error)
        say_internal_error(type(error), error, error.__traceback__)
        sys.exit(1)


def _flush() -> None:
    """Write what still waits to be printed, so that a full disk is an error and no remark of Python's when all is over."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno in _OUTSIDE:
            _give_up(error)


def _give_up(error: OSError) -> NoReturn:
    if error.filename is None:
        _drop_waiting(sys.stdout)
    say(f"error: {error.filename or 'standard output'}: {error.strerror}")
    sys.exit(2)


def _drop_waiting(stream: TextIO | None) -> None:
    """Give up what waits to be printed, or Python would try once more when all is over."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
