"""A note that takes too long is a bad note: it goes to quarantine or stops the run, and the others are done."""

import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from incognote.batch import Job, Summary, scrub_corpus
from incognote.batch.limits import OverTime, limit_time
from incognote.batch.local import LocalPool
from incognote.batch.notes import NoteFault, find_chunk
from incognote.corpora import format_named
from incognote.deidentifier import Deidentifier
from incognote.document import Document, Span
from incognote.errors import CorpusError
from incognote.find.finder import Batch, Finder
from incognote.merge import Role

SLOW = "a" * 60 + "!"  # the expression below tries 2**60 ways to part it
NOTES = [Document("n1", "Seen by Dr. Ruiz."), Document("n2", SLOW), Document("n3", "Mr. Kaczmarek is well.")]


def find_slowly(batch: Batch) -> list[list[Span]]:
    return [[Span(*match.span(), "IDNUM") for match in re.finditer(r"(?:a|a)+b", text)] for text in batch.texts]


def count_for_ever(batch: Batch) -> list[list[Span]]:
    while any(text == SLOW for text in batch.texts):
        pass
    return [[] for _ in batch.texts]


@pytest.fixture(params=[find_slowly, count_for_ever])
def slow(request: pytest.FixtureRequest) -> Deidentifier:
    rules = Deidentifier.default(key=b"k" * 31 + b"x", models=())
    return Deidentifier(rules.pipeline.with_finder(Finder("slow", request.param, Role.GUESS)), rules.replacer)


def test_only_the_slow_note_is_a_fault(slow: Deidentifier) -> None:
    first, second, third = find_chunk(slow, NOTES, 0.5)
    assert second == NoteFault("n2", "took longer than 0.5 s")
    assert [first, third] == slow.find([NOTES[0], NOTES[2]])


def test_workers_keep_the_limit(slow: Deidentifier) -> None:
    with LocalPool(slow, 2) as pool:
        chunks = [NOTES, [NOTES[0]]]
        found = [results for _, results in pool.map(find_chunk, chunks, lambda chunk: (chunk, 0.5))]
    assert [[isinstance(each, NoteFault) for each in results] for results in found] == [[False, True, False], [False]]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for note in NOTES:
        (folder / f"{note.id}.txt").write_text(note.text, encoding="utf-8")
    return folder


def scrub(job: Job, deidentifier: Deidentifier) -> Summary:
    return scrub_corpus(job, lambda key: deidentifier, key=b"k" * 31 + b"x", settings={}, progress=lambda *_: None)


def test_a_slow_note_goes_to_quarantine_or_stops_the_run(notes: Path, tmp_path: Path, slow: Deidentifier) -> None:
    job = Job(notes, tmp_path / "clean", format_named("text"), keep_going=True, note_seconds=0.5)
    (fault,) = scrub(job, slow).quarantine
    assert fault["reason"].endswith("took longer than 0.5 s")
    assert sorted(path.name for path in job.target.iterdir()) == ["n1.txt", "n3.txt"]
    with pytest.raises(CorpusError, match=r"took longer than 0\.5 s"):
        scrub(Job(notes, tmp_path / "other", format_named("text"), note_seconds=0.5), slow)


@pytest.fixture
def handler() -> Iterator[object]:
    yield (before := signal.getsignal(signal.SIGALRM))
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_the_timer_goes_with_the_work(handler: object) -> None:
    with limit_time(60):
        assert signal.getsignal(signal.SIGALRM) is not handler
    with pytest.raises(OverTime), limit_time(0.05):
        threading.Event().wait(30)


def test_no_limit_and_another_thread_are_left_alone(handler: object) -> None:
    seen = []

    def work() -> None:
        with limit_time(0.01):
            threading.Event().wait(0.05)
            seen.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    with limit_time(0):
        assert seen == ["done"]
        assert signal.getsignal(signal.SIGALRM) is handler
