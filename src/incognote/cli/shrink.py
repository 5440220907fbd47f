"""incognote shrink: make a model smaller, and see what that costs."""

import typer

shrink = typer.Typer(
    name="shrink",
    help="Make a model smaller: each way gives another model and a line that says what it cost.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
