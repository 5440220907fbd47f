"""The time that the work on a note may take."""

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from incognote.document import Document

NOTE_SECONDS = 120.0
_LENGTH = 100_000


class OverTime(BaseException):
    """The time is up. No Exception, so that no code on the way takes it for a fault that it can handle."""


def seconds_for(documents: Sequence[Document], seconds: float) -> float:
    """The seconds for a batch: as given up to 100,000 characters, then in proportion.

    >>> seconds_for([Document("n1", "Seen today.")], 120), seconds_for([Document("n1", "a" * 250_000)], 120)
    (120.0, 300.0)
    """
    return seconds * max(1.0, sum(len(document.text) for document in documents) / _LENGTH)


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raises OverTime in what runs inside once it has taken so many seconds; 0 is no limit.

    The timer of the process interrupts its main thread, expressions included. Other threads, and systems without the timer, have no limit.
    """
    if not seconds or not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(number: int, frame: FrameType | None) -> None:
    raise OverTime
