"""The first stage: notes with synthetic PHI to train on and to hold out, and the student with the vocabulary of clinical English."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from incognote.document import Document
from incognote.find.model.tensors import Tensors, write_tensors
from incognote.find.model.tokens import load_tokenizer
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.notes import write_notes
from incognote.lab.default_model.sources import clean_dialogues, inject_sources, is_held_out, read_dialogues, read_sources
from incognote.lab.shrink.vocabulary import count_tokens, prune_checkpoint
from incognote.lab.synthetic import synthesize
from incognote.lexicon import word_order

INJECTED, HELD_OUT, ENCODER, COUNTS = "injected.jsonl.gz", "held-out.jsonl.gz", "encoder", "counts.json"

_NAMES = ("surnames", "given-names", "cities-us", "cities-world", "countries", "states", "known-bodies")
_WORDS = ("common-words", "drugs", "eponyms", "clinical-terms", "professions", "demonyms", "street-suffixes", "lead-words")


def make_data(build: Build, out: Path) -> None:
    """Write injected notes to train on and to hold out, and the student encoder with its vocabulary cut."""
    out.mkdir()
    notes = [note for seed in range(build.settings.variants) for note in inject_sources(read_sources(build.data), seed)]
    dialogues = list(clean_dialogues(build.data))
    kept = [note for note in notes if not is_held_out(str(note.patient))]
    kept += [note for note in dialogues if not is_held_out(str(note.patient))] * build.settings.variants
    held = [note for note in (*notes, *dialogues) if is_held_out(str(note.patient))]
    write_notes(kept, out / INJECTED)
    write_notes(held, out / HELD_OUT)
    encoder = build.encoder(build.settings.student)
    tokens = prune_checkpoint(encoder, out / ENCODER, count_words(encoder, kept, build), size=build.settings.tokens)
    halve_weights(out / ENCODER)
    left = count_words(out / ENCODER, kept, build)
    (out / COUNTS).write_text(json.dumps([left[number] for number in range(tokens)]), encoding="utf-8")
    log(f"{len(kept):,} notes to train on, {len(held):,} held out, {tokens:,} tokens")


def count_words(encoder: Path, notes: Sequence[Document], build: Build) -> Counter[int]:
    """How often notes use each token, and a little for every name, place and term of the word lists."""
    tokenizer = load_tokenizer(encoder)
    synthetic = (note.text for seed in range(4) for note in synthesize(build.settings.counted, seed=seed, part="train"))
    counts = count_tokens(chain((note.text for note in notes), read_dialogues(build.data), synthetic), tokenizer)
    for names, weight in ((_NAMES, 1), (_WORDS, 3)):
        for token, count in count_tokens(_spell(names, build.settings.listed), tokenizer).items():
            counts[token] += weight * count
    return counts


def _spell(lists: Sequence[str], most: int | None) -> Iterator[str]:
    """Each entry of the word lists in each casing, at the start of a text and within one."""
    for entry in (entry for name in lists for entry in word_order(name)[:most]):
        for spelled in (entry.lower(), entry.upper(), entry):
            yield from (" " + spelled, spelled)


def halve_weights(folder: Path) -> None:
    """Store the weights of a model in half precision."""
    weights = Tensors(folder)
    write_tensors(folder / "half", {name: weights[name].astype("float16") for name in weights}, metadata={"format": "pt"})
    (folder / "half").replace(folder / "model.safetensors")
