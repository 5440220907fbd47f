"""The note being written, as the slots that fill it see it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import TypeAlias

from incognote.lab.synthetic.charts import Chart
from incognote.lab.synthetic.people import Person, Segment


@dataclass(slots=True)
class NoteContext:
    """One note being written: its patient, its date, its random source, and what was already said in it."""

    chart: Chart
    today: date
    rng: Random
    said: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # lines of topics written already
    met: dict[str, Person] = field(default_factory=dict)  # bystanders who come back

    def once(self, name: str, make_value: Callable[[Random], str]) -> str:
        """A value that stays the same through this note."""
        if name not in self.said:
            self.said[name] = make_value(self.rng)
        return self.said[name]


Fill: TypeAlias = Callable[[NoteContext, str], list[Segment]]
