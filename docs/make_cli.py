"""Writes docs/cli.md from the commands' own help, so that the reference cannot fall behind."""

from pathlib import Path

import click
import typer

from incognote.cli.main import app


def render() -> str:
    """The whole reference as Markdown."""
    root = typer.main.get_command(app)
    parts = ["# The incognote command", "", "Made by `make docs` from the commands' own help.", ""]
    for path, command in walk(root, "incognote"):
        context = click.Context(command, info_name=path, terminal_width=110, max_content_width=110)
        parts += [f"## {path}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(parts)


def walk(command: click.Command, path: str) -> list[tuple[str, click.Command]]:
    """Every command below this one with its full name."""
    found = [(path, command)]
    for name, child in sorted(getattr(command, "commands", {}).items()):
        found += walk(child, f"{path} {name}")
    return found


if __name__ == "__main__":
    Path(__file__).with_name("cli.md").write_text(render(), encoding="utf-8")
