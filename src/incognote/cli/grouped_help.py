"""The help of the whole command: its commands in named groups."""

from typing import Any

from typer.core import TyperGroup


class GroupedHelp(TyperGroup):
    """A command group that lists its commands under the ``rich_help_panel`` of each, without loading rich."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        wide = max(map(len, self.commands))
        groups: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            row = f"{name:{wide}}", command.get_short_help_str(formatter.width)
            groups.setdefault(getattr(command, "rich_help_panel", ""), []).append(row)
        for group, rows in groups.items():
            with formatter.section(group):
                formatter.write_dl(rows)
