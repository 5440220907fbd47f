"""The Deidentifier of a command: the same for the same notes, whether they are tagged or scrubbed."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.cli.output import say

if TYPE_CHECKING:
    from incognote.pipeline import Deidentifier

_FEW_FILES, _FEW_BYTES = 100, 100_000


def open_deidentifier(source: str, *, models: Sequence[str], runtime: str, **options: Any) -> "Deidentifier":
    """The Deidentifier for the notes in ``source`` (``-`` is one note); ``options`` are those of :meth:`Deidentifier.default`.

    Where a runtime was tried and did not work, that is said; a run that remembers it does not say it again.
    """
    from incognote.find.model import begin_loading

    carrier = _pick_runtime(runtime, source)
    begin_loading(models, runtime=carrier)  # the rules, which take a while to load, come next
    from incognote.pipeline import Deidentifier

    deidentifier = Deidentifier.default(models=models, runtime=carrier, **options)
    for choice in deidentifier.choices:
        if choice.setbacks and not choice.cached:
            say(f"warning: {'; '.join(choice.setbacks)}; {choice.runtime} is used instead (incognote doctor shows what was tried)")
    return deidentifier


def _pick_runtime(runtime: str, source: str) -> str:
    """For a few notes, what is open soonest in place of what is fastest."""
    from incognote.find.model.runtimes.loading import AUTO, QUICK

    return QUICK if runtime == AUTO and (source == "-" or _is_small(Path(source))) else runtime


def _is_small(source: Path) -> bool:
    """Whether a job is done before a slower start would have paid: few files and few bytes."""
    found = source.rglob("*") if source.is_dir() else iter((source,))
    files = list(islice((file for file in found if file.is_file()), _FEW_FILES + 1))
    return len(files) <= _FEW_FILES and sum(file.stat().st_size for file in files) <= _FEW_BYTES
