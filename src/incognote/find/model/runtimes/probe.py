"""One trial of one runtime, run as a program of its own: an instruction that the processor only claims to know kills it and nothing else.

    python -m incognote.find.model.runtimes.probe FOLDER RUNTIME

prints one line of JSON: how fast it went on one thread, and the tags it gave to the tokens of a short text. Seconds are those of the
processor: on a busy machine the clock says how busy it was, and a slower runtime that had more of it would be remembered as the faster.
"""

import json
import sys
import time
from importlib.resources import files

from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.inference import judge_notes
from incognote.find.model.runtimes.loading import load_runtime
from incognote.find.model.tokens import load_tokenizer

_FEWEST, _MOST, _ENOUGH = 3, 8, 1.0  # rounds, and seconds after which a large model has no more of them than it must


def try_runtime(folder: str, name: str) -> dict[str, object]:
    """The best tokens per second of a few rounds, and the likeliest tag of every token."""
    checkpoint = load_checkpoint(folder)
    tokenizer = load_tokenizer(checkpoint.folder)
    runtime = load_runtime(checkpoint, name, device="cpu", threads=1)
    note = tokenizer.tokenize([(files("incognote.find.model.runtimes") / "probe.txt").read_text(encoding="utf-8")])[0]
    room = min(256, checkpoint.limit) - tokenizer.specials
    seconds: list[float] = []
    while len(seconds) < _FEWEST or (len(seconds) < _MOST and sum(seconds) < _ENOUGH):
        begun = time.process_time()
        logits = judge_notes(runtime, [note], tokenizer, columns=len(checkpoint.tags), room=room, overlap=room // 8)[0]
        seconds.append(time.process_time() - begun)
    return {"speed": len(note) / min(seconds), "tags": logits.argmax(axis=1).tolist()}


if __name__ == "__main__":
    print(json.dumps(try_runtime(*sys.argv[1:3])))  # noqa: T201 - the answer of this program
