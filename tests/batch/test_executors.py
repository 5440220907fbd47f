"""What every executor keeps to: one suite, run over each of them."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from incognote.batch import Job, scrub_corpus
from incognote.batch.executor import Executor, StartExecutor
from incognote.batch.local import LocalPool
from incognote.batch.notes import NoteFault, find_chunk, replace_chunk
from incognote.corpora import format_named
from incognote.deidentifier import Deidentifier
from incognote.document import Document
from incognote.facts import gather_facts

DEIDENTIFIER = Deidentifier.default(mode="surrogate", key=b"k" * 32, models=())
EXECUTORS: dict[str, StartExecutor] = {
    "one process": lambda deidentifier: LocalPool(deidentifier, 1),
    "two workers": lambda deidentifier: LocalPool(deidentifier, 2),
}
NOTES = [
    Document(f"n{at}", f"Mr. Kaczmarek came on 7/{at % 28 + 1}/2061 with Dr. Ruiz. Kaczmarek is well.", patient=f"p{at % 7}")
    for at in range(90)
]


@pytest.fixture(scope="module", params=EXECUTORS)
def executor(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with EXECUTORS[request.param](DEIDENTIFIER) as opened:
        yield opened


def double(_: Deidentifier, number: int) -> int:
    return 2 * number


def test_results_come_with_their_tasks_in_order(executor: Executor) -> None:
    found = list(executor.map(double, iter("abcdefgh"), lambda letter: (ord(letter),)))
    assert found == [(letter, 2 * ord(letter)) for letter in "abcdefgh"]
    assert list(executor.map(double, (), lambda number: (number,))) == []


def test_tasks_are_taken_as_they_are_needed(executor: Executor) -> None:
    taken: list[int] = []

    def take() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    results = executor.map(double, take(), lambda number: (number,))
    assert next(results) == (0, 0)
    assert len(taken) < 20


def test_both_passes_give_what_the_deidentifier_gives_in_one_go(executor: Executor) -> None:
    chunks = [NOTES[:40], NOTES[40:80], NOTES[80:]]
    found = [note for _, results in executor.map(find_chunk, chunks, lambda chunk: (chunk,)) for note in results]
    assert found == DEIDENTIFIER.find(NOTES)
    facts = gather_facts(found)
    parts = [found[:40], found[40:]]
    clean = [note for _, results in executor.map(replace_chunk, parts, lambda part: (part, facts)) for note in results]
    assert clean == DEIDENTIFIER.scrub(NOTES)


def test_a_note_that_breaks_comes_back_as_a_fault_among_the_others(executor: Executor) -> None:
    chunks = [[NOTES[0], Document("bad", "a\0b"), NOTES[1]], [NOTES[2]]]
    first, second = (results for _, results in executor.map(find_chunk, chunks, lambda chunk: (chunk,)))
    assert first[1] == NoteFault("bad", "holds NUL characters, so it is not a text")
    assert [first[0], first[2], *second] == DEIDENTIFIER.find(NOTES[:3])


@pytest.fixture(scope="module")
def scrub_with(tmp_path_factory: pytest.TempPathFactory) -> Callable[[StartExecutor | None], tuple[bytes, object]]:
    def scrub(start: StartExecutor | None) -> tuple[bytes, object]:
        folder: Path = tmp_path_factory.mktemp("run")
        lines = [json.dumps({"id": note.id, "patient": note.patient, "text": note.text}) for note in NOTES]
        (folder / "in.jsonl").write_text("\n".join(lines))
        job = Job(folder / "in.jsonl", folder / "out.jsonl", format_named("jsonl"))
        key = b"k" * 32
        summary = scrub_corpus(job, lambda _: DEIDENTIFIER, key=key, settings={}, progress=lambda *_: None, start=start)
        return job.target.read_bytes(), summary

    return scrub


@pytest.mark.parametrize("name", EXECUTORS)
def test_a_corpus_is_scrubbed_alike_on_every_executor(name: str, scrub_with: Callable[..., tuple[bytes, object]]) -> None:
    assert scrub_with(EXECUTORS[name]) == scrub_with(None)
