"""A corpus scrubbed in every mode: PHI is looked for once, and what was found is replaced three times."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from incognote.corpora import write_corpus
from incognote.document import Document

MODES = ("redact", "tag", "surrogate")
KEY = b"a key for measuring, no secret at all"
_CHUNK = 50


def scrub_modes(documents: Iterable[Document], folder: Path, *, policy: str = "i2b2", gold: bool = False) -> list[Path]:
    """Write original.jsonl and a file for each mode, and return their paths; ``gold`` replaces the notes' own spans, not those found."""
    # A machine that only measures what was scrubbed elsewhere need not have what scrubbing needs.
    from incognote.deidentifier import Deidentifier
    from incognote.facts import gather_facts, patient_key
    from incognote.replace import load_policy, make_replacer

    folder.mkdir(parents=True, exist_ok=True)
    notes = list(documents)
    finder = Deidentifier.default(mode="redact", policy=policy, runtime="onnx")
    blank = [note.with_spans(()) for note in notes]
    found = notes if gold else [note for at in range(0, len(blank), _CHUNK) for note in finder.find(blank[at : at + _CHUNK])]
    facts, paths = gather_facts(found), [folder / "original.jsonl"]
    write_corpus(blank, paths[0], format="jsonl", overwrite=True)
    for mode in MODES:
        scrubber = replace(finder, replacer=make_replacer(mode, policy=load_policy(policy), key=KEY))
        clean = [scrubber.scrub_one(note, facts[patient_key(note)]).document.with_spans(()) for note in found]
        paths.append(folder / f"{mode}.jsonl")
        write_corpus(clean, paths[-1], format="jsonl", overwrite=True)
    return paths
