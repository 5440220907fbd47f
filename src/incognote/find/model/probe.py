"""The check of one runtime, run as a program of its own: an illegal instruction kills only this process.

    python -m incognote.find.model.probe FOLDER RUNTIME

prints one line of JSON: the tags that the model gives to the tokens of a short text.
"""

import json
import sys
from importlib.resources import files

from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.inference import infer_notes
from incognote.find.model.runtimes.loading import load_runtime
from incognote.find.model.tokens import load_tokenizer


def tag_probe(folder: str, name: str) -> list[int]:
    """The likeliest tag of every token of the text, on one thread of a processor."""
    checkpoint = load_checkpoint(folder)
    tokenizer = load_tokenizer(checkpoint.folder, checkpoint.config)
    runtime = load_runtime(checkpoint, name, device="cpu", threads=1)
    note = tokenizer.tokenize([(files("incognote.find.model") / "probe.txt").read_text(encoding="utf-8")])[0]
    room = min(256, checkpoint.limit) - tokenizer.specials
    logits = infer_notes(runtime, [note], tokenizer, columns=len(checkpoint.tags), room=room, overlap=room // 8)[0]
    tags: list[int] = logits.argmax(axis=1).tolist()
    return tags


if __name__ == "__main__":
    print(json.dumps(tag_probe(*sys.argv[1:3])))  # noqa: T201 - the output of this program
