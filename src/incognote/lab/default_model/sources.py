"""Real clinical text to train on and to measure with: MTSamples and ACI-Bench, as they are or with synthetic PHI in them."""

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from incognote.document import Document, Span
from incognote.lab.synthetic import inject
from incognote.lexicon import word_list
from incognote.lexicon.calendar import MONTHS, WEEKDAYS
from incognote.pipeline import Pipeline
from incognote.shipped import build_pipeline

MTSAMPLES = "mtsamples/mtsamples.jsonl.gz"
SOURCES = (MTSAMPLES, "aci-bench/notes.jsonl.gz")

_WORD = re.compile(r"[a-z']+")
_SPEAKER = re.compile(r"\[(\w+)\]\s*")
_MARKS: tuple[dict[str, str], ...] = (
    {"doctor": "[doctor] ", "patient": "[patient] "},
    {"doctor": "DR: ", "patient": "PT: "},
    {"doctor": "Doctor: ", "patient": "Patient: "},
    {"doctor": "- ", "patient": "- "},
    {},
)
# Words beside names, ages, dates and places; "may" and "will" are no names in spoken text.
_CUES = frozenset(
    "doctor dr mister mr missus mrs miss named year years birthday born christmas thanksgiving easter summer winter spring autumn "
    "hospital clinic street".split()
).union(MONTHS, WEEKDAYS) - {"may"}


def is_held_out(source: str) -> bool:
    """One source note in ten, the same ones always."""
    return zlib.crc32(source.encode()) % 10 == 0


def read_real_notes(data: Path, count: int) -> list[Document]:
    """So many transcriptions, first those that nothing was trained or fitted on; the held-out ones are over 200."""
    rows = list(_read_rows(data / MTSAMPLES))
    ordered = sorted(rows, key=lambda row: (not is_held_out(row["id"]), zlib.crc32(row["id"].encode())))
    return [Document(row["id"], row["text"]) for row in ordered[:count]]


def read_injected_notes(data: Path, count: int) -> list[Document]:
    """So many held-out notes with synthetic PHI and gold; the model was trained on others, and on none of the names in these.

    There are some 200 such notes; further ones are the same with other PHI.
    """
    held = [document for document in read_sources(data) if is_held_out(document.id)]
    made = chain.from_iterable(inject(held, find_phi, seed=seed, part="test") for seed in (0, 4))
    return list(islice(made, count))


def read_sources(data: Path) -> list[Document]:
    """All real notes, those of MTSamples first."""
    return [Document(row["id"], row["text"]) for name in SOURCES for row in _read_rows(data / name)]


def inject_sources(sources: list[Document], seed: int) -> Iterator[Document]:
    """Notes with synthetic PHI whose patient is their source; those of held-out sources take names of the test part."""
    for part in ("train", "test"):
        chosen = [document for document in sources if is_held_out(document.id) == (part == "test")]
        for document in inject(chosen, find_phi, seed=seed, part=part):
            yield Document(document.id, document.text, str(document.meta["source"]), document.spans)


def read_dialogues(data: Path) -> Iterator[str]:
    """The dialogues of ACI-Bench as they are."""
    return (row["dialogue"] for row in _read_rows(data / SOURCES[1]))


def clean_dialogues(data: Path) -> Iterator[Document]:
    """Dialogues without the turns that may hold PHI: names in them are in lower case, so any word of the name lists counts."""
    names = word_list("given-names") | word_list("cities-us") | word_list("cities-world") | word_list("countries") | word_list("states")
    suspect = names - (word_list("common-words") - word_list("ambiguous-names")) | _CUES
    for row in _read_rows(data / SOURCES[1]):
        lines = row["dialogue"].splitlines()
        turns = [(match[1] if (match := _SPEAKER.match(line)) else "", _SPEAKER.sub("", line)) for line in lines]
        kept = [
            (speaker, turn)
            for speaker, turn in turns
            if turn.strip() and not suspect.intersection(_WORD.findall(turn.casefold())) and not find_phi(turn)
        ]
        number = zlib.crc32(row["id"].encode())
        tidy, marks = number // 10 % 2, _MARKS[number // 20 % len(_MARKS)]
        written = [marks.get(speaker, "") + (tidy_turn(turn) if tidy else turn) for speaker, turn in kept]
        if len(written) > 8:
            yield Document(f"{row['id']}-talk", "\n".join(written), row["id"])


def tidy_turn(turn: str) -> str:
    """
    >>> tidy_turn("i'm okay , thanks . i guess")
    "I'm okay, thanks. I guess"
    """
    joined = re.sub(r" (?=[.,?!]|n't)", "", re.sub(r"\bi\b", "I", turn.strip()))
    return re.sub(r"(^|[.?!] )([a-z])", lambda match: match[1] + match[2].upper(), joined)


@cache
def find_phi(text: str) -> tuple[Span, ...]:
    """What looks like PHI to the rules, so that something synthetic can take its place."""
    return _load_rules().tag([text])[0]


@cache
def _load_rules() -> Pipeline:
    return build_pipeline(())


def _read_rows(file: Path) -> Iterator[Any]:
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        yield from map(json.loads, stream)
