"""The incognote command: registers every subcommand and prints every error."""

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
from incognote.cli.grouped_help import GroupedHelp
from incognote.cli.key import key
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
    cls=GroupedHelp,
    help="Find and replace protected health information (PHI) in clinical notes.",
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


GROUPS = {
    "Notes": (scrub, tag, explain, pipeline, policy, key, reidentify, convert, split),
    "Proof": (evaluate, stats, utility, link),
    "Lab": (train, adapt, study, shrink, models, embed, fill, synthesize, bench, doctor),
}
for group, commands in GROUPS.items():
    for command in commands:
        if isinstance(command, typer.Typer):
            app.add_typer(command, rich_help_panel=group)
        else:
            app.command(rich_help_panel=group)(command)


# 128 plus the number of the signal, as a shell reports SIGINT and SIGPIPE.
_INTERRUPTED, _CLOSED_PIPE = 130, 141
# Errors of the disk or its permissions: not ours, and their messages hold no more than a file name.
_OUTSIDE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> None:
    """Run a command. Exit code 0: done; 2: bad input, said in one message; 3: done, but some documents are in quarantine."""
    # SIGTERM, and SIGHUP of a closed terminal, stop a command as Ctrl-C does: half-written files, often notes with PHI, are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup sets it
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    _buffer_output()
    try:
        _run()
    except BrokenPipeError:
        # The reader has closed the pipe, as head does: there is no one to print to.
        for stream in (sys.__stdout__, sys.__stderr__):
            _drop_buffer(stream)
        sys.exit(_CLOSED_PIPE)


def _buffer_output() -> None:
    """Buffer standard output: unbuffered (PYTHONUNBUFFERED), Python loses what a full disk or a pipe does not take at once."""
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        sys.stdout = open(sys.stdout.fileno(), "w", 1, sys.stdout.encoding, sys.stdout.errors, closefd=False)  # noqa: SIM115


def _run() -> None:
    try:
        app()
    except IncognoteError as error:
        say(f"error: {error.render(name_option)}")
        sys.exit(2)
    except SystemExit as ended:
        # typer and rich turn a closed pipe into an exit without a message, and typer an interrupt
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
    except Exception as error:  # noqa: BLE001 - the message may hold note text
        if isinstance(error, OSError) and error.errno in _OUTSIDE:
            _give_up(error)
        say_internal_error(type(error), error, error.__traceback__)
        sys.exit(1)


def _flush() -> None:
    """Write buffered output now, so that a full disk is an error and not a remark of Python at exit."""
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
        _drop_buffer(sys.stdout)
    say(f"error: {error.filename or 'standard output'}: {error.strerror}")
    sys.exit(2)


def _drop_buffer(stream: TextIO | None) -> None:
    """Discard buffered output; Python would write it again at exit."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
