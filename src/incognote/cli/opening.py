"""The Deidentifier of a command, from its options."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.cli.output import say
from incognote.models import choose_models
from incognote.priorities import load_priorities

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier


def open_deidentifier(*, model: list[str] | None, priorities: Path | None, **options: Any) -> "Deidentifier":
    """The Deidentifier with these ``options`` of :meth:`Deidentifier.default`. Warns of a runtime that does not work here."""
    from incognote.pipeline import Deidentifier

    roles = load_priorities(priorities) if priorities else None
    deidentifier = Deidentifier.default(models=choose_models(model), priorities=roles, **options)
    for choice in deidentifier.choices:
        if choice.faults:
            say(f"warning: {'; '.join(choice.faults)}; {choice.runtime} is used instead (incognote doctor shows what was checked)")
    return deidentifier
