"""The work on a chunk of notes in a worker: each note is processed whole or becomes a NoteFault."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from incognote.batch.ids import ExposedError, check_exposed
from incognote.batch.text_columns import split_columns
from incognote.document import Document
from incognote.errors import IncognoteError, UnreadError
from incognote.facts import Facts, patient_key
from incognote.pipeline import Deidentifier, Scrubbed

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class NoteFault:
    """A note that could not be processed whole; the reason holds no note text.

    With ``aside`` it goes to quarantine without ``keep_going``, too, and does not stop the run.
    ``exposed`` says that its id is not to be shown.
    """

    id: str
    reason: str
    aside: bool = False
    fix: str = ""
    exposed: bool = False


def find_chunk(deidentifier: Deidentifier, documents: Sequence[Document]) -> list[Document | NoteFault]:
    """The documents with their found spans, searched as one batch, and note by note if that fails."""
    sound = [document for document in documents if "\0" not in document.text]
    try:
        found: list[Document | NoteFault] = [*deidentifier.find(sound)]
    except Exception:  # noqa: BLE001 - one bad note must not fail the chunk
        found = [_attempt(document, lambda note: deidentifier.find([note])[0]) for document in sound]
    results = iter(found)
    binary = "holds NUL characters, so it is not a text"
    return [NoteFault(document.id, binary) if "\0" in document.text else next(results) for document in documents]


def replace_chunk(
    deidentifier: Deidentifier, found: Sequence[Document], facts: Mapping[str, Facts], columns: Sequence[str] = ()
) -> list[Scrubbed | NoteFault]:
    """The found documents scrubbed, each with the facts of its patient; ``columns`` were joined to their texts."""
    return [_attempt(document, lambda note: _scrub(deidentifier, note, facts[patient_key(note)], columns)) for document in found]


def _scrub(deidentifier: Deidentifier, note: Document, facts: Facts, columns: Sequence[str]) -> Scrubbed:
    return check_exposed(split_columns(deidentifier.scrub_one(note, facts), columns), facts, deidentifier)


def _attempt(document: Document, work: Callable[[Document], Result]) -> Result | NoteFault:
    try:
        return work(document)
    except ExposedError as error:
        return NoteFault(document.id, error.what, fix=error.fix, exposed=True)
    except UnreadError as error:
        return NoteFault(document.id, f"{error.what}; {error.fix}".replace("{accept_unread}", "accept_unread"), aside=True)
    except IncognoteError as error:
        return NoteFault(document.id, str(error))
    except Exception as error:  # noqa: BLE001 - the message may hold note text, so only its type is shown
        return NoteFault(document.id, f"could not be processed whole ({type(error).__name__})")
