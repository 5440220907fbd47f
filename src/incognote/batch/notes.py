"""The work on a chunk of notes in a worker: each note is processed whole or becomes a NoteFault."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from incognote.batch.ids import ExposedError, check_exposed
from incognote.batch.limits import NOTE_SECONDS, OverTime, limit_time, seconds_for
from incognote.batch.text_columns import split_columns
from incognote.deidentifier import Deidentifier, Scrubbed
from incognote.document import Document
from incognote.errors import IncognoteError, UnreadError
from incognote.facts import Facts, patient_key

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


def find_chunk(deidentifier: Deidentifier, documents: Sequence[Document], seconds: float = NOTE_SECONDS) -> list[Document | NoteFault]:
    """The documents with their found spans, searched as one batch, and note by note if that fails or takes too long."""
    sound = [document for document in documents if "\0" not in document.text]
    try:
        with limit_time(seconds_for(sound, seconds)):
            found: list[Document | NoteFault] = [*deidentifier.find(sound)]
    except (Exception, OverTime):  # noqa: BLE001 - one bad note must not fail the chunk
        found = [_attempt(document, lambda note: deidentifier.find([note])[0], seconds) for document in sound]
    results = iter(found)
    binary = "holds NUL characters, so it is not a text"
    return [NoteFault(document.id, binary) if "\0" in document.text else next(results) for document in documents]


def replace_chunk(
    deidentifier: Deidentifier,
    found: Sequence[Document],
    facts: Mapping[str, Facts],
    columns: Sequence[str] = (),
    seconds: float = NOTE_SECONDS,
) -> list[Scrubbed | NoteFault]:
    """The found documents scrubbed, each with the facts of its patient; ``columns`` were joined to their texts."""
    return [_attempt(document, lambda note: _scrub(deidentifier, note, facts[patient_key(note)], columns), seconds) for document in found]


def _scrub(deidentifier: Deidentifier, note: Document, facts: Facts, columns: Sequence[str]) -> Scrubbed:
    return check_exposed(split_columns(deidentifier.scrub_one(note, facts), columns), facts, deidentifier)


def _attempt(document: Document, work: Callable[[Document], Result], seconds: float) -> Result | NoteFault:
    allowed = seconds_for([document], seconds)
    try:
        with limit_time(allowed):
            return work(document)
    except OverTime:
        return NoteFault(document.id, f"took longer than {allowed:,.3g} s")
    except ExposedError as error:
        return NoteFault(document.id, error.what, fix=error.fix, exposed=True)
    except UnreadError as error:
        return NoteFault(document.id, f"{error.what}; {error.fix}".replace("{accept_unread}", "accept_unread"), aside=True)
    except IncognoteError as error:
        return NoteFault(document.id, str(error))
    except Exception as error:  # noqa: BLE001 - the message may hold note text, so only its type is shown
        return NoteFault(document.id, f"could not be processed whole ({type(error).__name__})")
