"""The Deidentifier of a command: the same for the same notes, whether they are tagged or scrubbed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from incognote.cli.output import say

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier


def open_deidentifier(*, models: Sequence[str], runtime: str, **options: Any) -> "Deidentifier":
    """The Deidentifier with these ``options`` of :meth:`Deidentifier.default`; a runtime that does not work here is said."""
    from incognote.pipeline import Deidentifier

    deidentifier = Deidentifier.default(models=models, runtime=runtime, **options)
    for choice in deidentifier.choices:
        if choice.faults:
            say(f"warning: {'; '.join(choice.faults)}; {choice.runtime} is used instead (incognote doctor shows what was checked)")
    return deidentifier
