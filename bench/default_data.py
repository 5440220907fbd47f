"""What the training of the default model starts from: injected notes, and an encoder with the vocabulary of clinical English."""

import gzip
import io
import json
import re
import shutil
import subprocess
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from default_notes import write_notes
from real_notes import SOURCES, find_phi, is_held_out, read_sources

from carry import copy_site
from incognote.document import Document
from incognote.find.model.tensors import Tensors, write_tensors
from incognote.find.model.tokens import load_tokenizer
from incognote.lab.shrink.vocabulary import count_tokens, prune_checkpoint
from incognote.lab.synthetic import inject, synthesize
from incognote.lexicon import word_list, word_order

VARIANTS = 5
_WORD = re.compile(r"[a-z']+")
_TURN = re.compile(r"\[(\w+)\]\s*")
_MARKS = (
    {"doctor": "[doctor] ", "patient": "[patient] "},
    {"doctor": "DR: ", "patient": "PT: "},
    {"doctor": "Doctor: ", "patient": "Patient: "},
    {"doctor": "- ", "patient": "- "},
    {},
)
# Words that stand beside names, ages, dates and places; "may" and "will" are no names in talk.
_TELLING = frozenset(
    "doctor dr mister mr missus mrs miss named year years old birthday born january february march april june july august september "
    "october november december monday tuesday wednesday thursday friday saturday sunday christmas thanksgiving easter "
    "summer winter spring fall autumn hospital clinic street".split()
) - {"fall", "old"}
NAMES = ("surnames", "given-names", "cities-us", "cities-world", "countries", "states", "known-bodies")
WORDS = ("common-words", "drugs", "eponyms", "clinical-terms", "professions", "demonyms", "street-suffixes", "lead-words")


def make_data(data: Path, encoder: Path, out: Path, *, size: int, variants: int = VARIANTS) -> None:
    """Write ``out``: injected notes to train on and to hold out, and the encoder with at most ``size`` tokens."""
    out.mkdir(parents=True, exist_ok=True)
    sources = read_sources(data)
    made: list[Document] = []
    for seed in range(variants):
        made += inject_notes(sources, seed)
        print(f"variant {seed}: {len(made):,} notes so far", flush=True)
    held = [document for document in made if is_held_out(document.patient)]
    kept = [document for document in made if not is_held_out(document.patient)]
    talk = list(plain_talk(data))
    kept += [document for document in talk if not is_held_out(document.patient)] * variants
    held += [document for document in talk if is_held_out(document.patient)]
    write_notes(kept, out / "injected.jsonl.gz")
    write_notes(held, out / "held-out.jsonl.gz")
    counts = count_words(encoder, chain((document.text for document in kept), read_talk(data)))
    tokens = prune_checkpoint(encoder, out / "granite", counts, size=size)
    halve(out / "granite")
    left = count_words(out / "granite", chain((document.text for document in kept), read_talk(data)))
    (out / "counts.json").write_text(json.dumps([left[number] for number in range(tokens)]), encoding="utf-8")
    copy_source(out)
    copy_site(out / "site")
    total = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    print(f"{len(kept):,} notes to train on, {len(held):,} held out, {tokens:,} tokens; {total / 2**20:.1f} MiB in {out}")


def read_talk(data: Path) -> Iterator[str]:
    with gzip.open(data / SOURCES[1], "rt", encoding="utf-8") as stream:
        yield from (json.loads(line)["dialogue"] for line in stream)


def plain_talk(data: Path) -> Iterator[Document]:
    """Talk between doctor and patient without the turns that may hold PHI: names in it have small letters, so any of the lists counts."""
    names = word_list("given-names") | word_list("cities-us") | word_list("cities-world") | word_list("countries") | word_list("states")
    suspect = names - (word_list("common-words") - word_list("ambiguous-names")) | _TELLING
    with gzip.open(data / SOURCES[1], "rt", encoding="utf-8") as stream:
        for row in map(json.loads, stream):
            turns = [_TURN.sub("", turn) for turn in row["dialogue"].splitlines()]
            who = [match[1] if (match := _TURN.match(turn)) else "" for turn in row["dialogue"].splitlines()]
            kept = [
                (speaker, turn)
                for speaker, turn in zip(who, turns, strict=True)
                if turn.strip() and not suspect.intersection(_WORD.findall(turn.casefold())) and not find_phi(turn)
            ]
            tidy, marks = (zlib.crc32(row["id"].encode()) // 10 % 2, _MARKS[zlib.crc32(row["id"].encode()) // 20 % len(_MARKS)])
            lines = [marks.get(speaker, "") + (tidy_turn(turn) if tidy else turn) for speaker, turn in kept]
            if len(lines) > 8:
                yield Document(f"{row['id']}-talk", "\n".join(lines), row["id"])


def tidy_turn(turn: str) -> str:
    """
    >>> tidy_turn("i'm okay , thanks . i guess")
    "I'm okay, thanks. I guess"
    """
    joined = re.sub(r" (?=[.,?!]|n't)", "", re.sub(r"\bi\b", "I", turn.strip()))
    return re.sub(r"(^|[.?!] )([a-z])", lambda match: match[1] + match[2].upper(), joined)


def inject_notes(sources: list[Document], seed: int) -> Iterator[Document]:
    """Injected notes whose patient is their source; those of held-out sources in the world of the test part."""
    for part in ("train", "test"):
        chosen = [document for document in sources if is_held_out(document.id) == (part == "test")]
        for document in inject(chosen, find_phi, seed=seed, part=part):
            yield Document(document.id, document.text, str(document.meta["source"]), document.spans)


def count_words(encoder: Path, texts: Iterator[str]) -> Counter[int]:
    """How much each token is worth keeping: by its use in notes, and a little for every name, place and term of the lists."""
    tokenizer = load_tokenizer(encoder)
    notes = [document.text for seed in range(4) for document in synthesize(6000, seed=seed, part="train")]
    counts = count_tokens(chain(texts, notes), tokenizer)
    casings = (str.lower, str.upper, str)
    for names, weight in ((NAMES, 1), (WORDS, 3)):
        entries = [f"{blank}{recase(entry)}" for name in names for entry in word_order(name) for recase in casings for blank in (" ", "")]
        for token, count in count_tokens(entries, tokenizer).items():
            counts[token] += weight * count
    return counts


def halve(folder: Path) -> None:
    """The weights in half precision, to carry."""
    weights = Tensors(folder)
    write_tensors(folder / "half", {name: weights[name].astype("float16") for name in weights}, metadata={"format": "pt"})
    (folder / "half").replace(folder / "model.safetensors")


def copy_source(out: Path) -> None:
    """The package at the last commit, so that a run does not depend on edits under way; less the model that is to be made anew."""
    shutil.rmtree(out / "src", ignore_errors=True)
    packed = subprocess.run(["git", "archive", "HEAD", "src"], cwd=Path(__file__).parent.parent, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(out, [member for member in archive if "models/default/" not in member.name], filter="data")
