"""The incognote command: every subcommand is registered here, and every error leaves through here."""

import errno
import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from incognote.cli.adapt import adapt
from incognote.cli.bench import bench
from incognote.cli.convert import convert
from incognote.cli.doctor import doctor
from incognote.cli.embed import embed
from incognote.cli.evaluate import evaluate
from incognote.cli.fill import fill
from incognote.cli.link import link
from incognote.cli.models import models
from incognote.cli.output import say, say_internal_error
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


_INTERRUPTED = 130
# What a disk or its owner refuses: no fault of ours, and its message holds no more than the name of a file.
_OUTSIDE = (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def main() -> None:
    """Run a command. Exit code 0: done; 2: bad input, said in one message; 3: done, but some documents are in quarantine."""
    # A plain kill stops a command as Ctrl-C does: what is half written, often notes with PHI, is taken away.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app()
    except IncognoteError as error:
        say(f"error: {error}")
        sys.exit(2)
    except SystemExit as ended:
        # typer makes an interrupt this code and says nothing
        if ended.code == _INTERRUPTED:
            say("stopped")
        _flush()
        raise
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(_INTERRUPTED)
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
    except OSError as error:
        if error.errno in _OUTSIDE:
            _give_up(error)


def _give_up(error: OSError) -> NoReturn:
    if error.filename is None:
        # What waits to be printed is given up, or Python would try once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    say(f"error: {error.filename or 'standard output'}: {error.strerror}")
    sys.exit(2)
