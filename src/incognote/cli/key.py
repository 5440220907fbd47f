"""incognote key: makes the secret key that surrogates are derived from."""

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli.output import say

key = typer.Typer(name="key", help="Make a secret key.", no_args_is_help=True)


@key.callback()
def _key() -> None:
    pass


@key.command("new")
def make_key(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; one that exists is never overwritten.")],
) -> None:
    """Write a new random key that only you can read.

    Whoever has the key can find out which surrogate stands for whom: keep it as you keep the notes, and a copy of it apart from them.

    Example: incognote key new secret.key
    """
    from incognote.replace import write_key

    write_key(file)
    say(f"key → {file}")
