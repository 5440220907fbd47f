"""Options that the ways of shrinking share."""

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli.options import json_option

Model = Annotated[str, typer.Argument(metavar="MODEL", help="The tagging model: a folder, a hub name, or default.")]
Output = Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the smaller model goes.")]
DATA_HELP = "Annotated notes with parts train and dev; train=PATH, validation=PATH or test=PATH for one part. May be given several times."
Data = Annotated[list[str] | None, typer.Option("--data", metavar="[PART=]PATH", help=DATA_HELP)]
Split = Annotated[str, typer.Option(metavar="RATIO", help="Divide a corpus without parts by patient, such as 80:10:10.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the model in FOLDER.")]
Json = Annotated[str | None, json_option("the table")]
