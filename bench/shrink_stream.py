"""The shipped model as a teacher of smaller ones, on an endless stream of notes; and the table of what they learned."""

import argparse
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from default_notes import Sample, read_notes, stream_documents
from default_training import ROOT, Stream, Streaming, make_exams, restore, say, teach
from torch import Tensor, nn
from torch.nn import functional

from incognote.corpora.synthetic import synthesize
from incognote.document import Document, scheme
from incognote.encoders.checkpoint import load_checkpoint
from incognote.encoders.encoding import encode_notes
from incognote.encoders.tokens import SubwordTokenizer, Tokens, load_tokenizer
from incognote.encoders.weights import load_model, start_model
from incognote.encoders.windows import cut_windows
from incognote.models import find_model
from incognote.shrink.lessons import list_visible, match_tokens
from incognote.shrink.quantize import quantize_dynamic
from incognote.shrink.table import format_lines, line_dict, measure
from incognote.training.ranks import join_ranks
from incognote.training.recipe import read_recipe
from incognote.training.state import begin
from incognote.training.task import Batch

TEMPERATURE, SOFT, HARD = 2.0, 1.0, 0.4


@dataclass(frozen=True, slots=True)
class Taught(Sample):
    """A window of the student with the teacher's tokens for its text; ``places`` says which of them speaks about each of the student's.

    ``inside`` marks those that begin in the middle of one of the teacher's, where what it begins has begun; ``seen`` those it judges.
    """

    teacher: Any = None
    places: Any = None
    inside: Any = None
    seen: Any = None


def make_lessons(
    number: int, folder: Path, student: Path, tags: tuple[str, ...], room: int, overlap: int, seed: int
) -> Iterator[list[Sample]]:
    """Chunks of windows of worker ``number``, for ever."""
    own, other = load_tokenizer(student), load_tokenizer(find_model())
    rng = Random(f"shrink/{seed}/{number}")
    for documents, exact in stream_documents(folder, rng, first=500_000_000 + seed * 10**7 + number * 10**5):
        yield list(pair_windows(documents, own, other, tags, room, overlap, exact))


def pair_windows(
    documents: Sequence[Document],
    own: SubwordTokenizer,
    other: SubwordTokenizer,
    tags: tuple[str, ...],
    room: int,
    overlap: int,
    exact: bool,
) -> Iterator[Sample]:
    notes = encode_notes(documents, own, tags)
    teachers = other.tokenize([document.text for document in documents])
    maps = [map_tokens(document.text, note.tokens, tokens) for document, note, tokens in zip(documents, notes, teachers, strict=True)]
    for window in cut_windows([len(note) for note in notes], room=room, overlap=overlap):
        note, tokens, (places, inside, seen) = notes[window.note], teachers[window.note], maps[window.note]
        cut = slice(window.start, window.end)
        if not len(tokens):
            continue
        first = int(places[cut][0])
        last = min(int(places[cut][-1]) + 1, first + room)
        within = np.clip(places[cut] - first, 0, last - first - 1).astype(np.int16)
        heard = seen[cut] & (places[cut] >= first) & (places[cut] < last)
        ids = tokens.ids[first:last]
        yield Taught(note.tokens.ids[cut], note.tags[cut].astype(np.int16), exact, 0, ids, within, inside[cut], heard)


def map_tokens(text: str, tokens: Tokens, other: Tokens) -> tuple[Any, Any, Any]:
    """For each token the other's that speaks about it, whether it begins inside that one, and whether it is visible at all."""
    places = match_tokens(text, tokens, other)
    seen, inside = np.zeros(len(tokens), dtype=np.bool_), np.zeros(len(tokens), dtype=np.bool_)
    visible, mine = list_visible(text, tokens)
    theirs, numbers = list_visible(text, other)
    seen[mine] = True
    starts = np.full(len(other), -1)
    starts[numbers] = theirs.starts
    inside[mine] = starts[places[mine]] != visible.starts
    return places, inside, seen


class Learning(Streaming):
    """Streaming with a teacher that judges the same text in its own tokens, live."""

    def listen(self, teacher: nn.Module, tokenizer: SubwordTokenizer) -> None:
        """Learn from this teacher from now on."""
        self.teacher, self.theirs = teacher, tokenizer
        moved = torch.eye(len(self.tags))
        for at, tag in enumerate(self.tags):
            if tag.startswith("B-"):
                moved[at, at], moved[at, self.tags.index(f"I-{tag[2:]}")] = 0, 1
        self.moved = moved

    def collate(self, indices: Sequence[int]) -> Batch:
        batch = super().collate(indices)
        chosen: list[Any] = [self.samples[i] for i in indices]
        opened, shut = list(self.theirs.before), list(self.theirs.after)
        width = max(len(one.teacher) for one in chosen) + self.theirs.specials
        ids = np.full((len(chosen), width), self.theirs.pad, dtype=np.int64)
        shape = tuple(batch["labels"].shape)
        places, inside, seen = np.zeros(shape, np.int64), np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        mask = np.zeros_like(ids)
        for row, (index, one) in enumerate(zip(indices, chosen, strict=True)):
            whole = [*opened, *one.teacher.tolist(), *shut]
            ids[row, : len(whole)], mask[row, : len(whole)] = whole, 1
            kept = len(self.windows[index])  # windows are trimmed to one length at times
            cut = slice(len(self.tokenizer.before), len(self.tokenizer.before) + kept)
            places[row, cut] = one.places[:kept] + len(opened)
            inside[row, cut], seen[row, cut] = one.inside[:kept], one.seen[:kept]
        parts = {"teacher_ids": ids, "teacher_mask": mask, "places": places, "inside": inside, "heard": seen}
        return batch | {name: torch.from_numpy(values) for name, values in parts.items()}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        return super().forward(model, {key: batch[key] for key in ("input_ids", "attention_mask", "labels", "hidden") if key in batch})

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        heard = batch["heard"]
        with torch.no_grad():
            spoken = self.teacher(input_ids=batch["teacher_ids"], attention_mask=batch["teacher_mask"]).logits.float()
            said = functional.softmax(spoken / TEMPERATURE, dim=-1)
            said = said.gather(1, batch["places"][..., None].expand(-1, -1, said.shape[-1]))
            said = torch.where(batch["inside"][..., None], said @ self.moved.to(said), said)[heard]
        own = functional.log_softmax(logits.float()[heard] / TEMPERATURE, dim=-1)
        soft = (said * (said.clamp_min(1e-8).log() - own)).sum()
        return SOFT * TEMPERATURE**2 * soft + HARD * super().loss(logits, batch, smoothing=smoothing)


def work(chunks: Any, number: int, *settings: Any) -> None:
    for chunk in make_lessons(number, *settings):
        chunks.put(chunk)


class Lessons(Stream):
    """The stream of windows with the teacher's tokens."""

    def __init__(self, workers: int, settings: tuple[Any, ...]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.chunks = context.Queue(maxsize=4 * workers)
        self.processes = [context.Process(target=work, args=(self.chunks, number, *settings), daemon=True) for number in range(workers)]
        self.held = []


def teach_student(student: Path, carry: Path, options: argparse.Namespace) -> None:
    """Teach one student for so many minutes and save it in pieces, as the shipped model's training does."""
    begun = time.time()
    recipe = replace(read_recipe(ROOT / "recipes" / "default.toml"), model=str(student), seed=options.seed)
    tags = scheme(recipe.scheme).tags
    options.out.mkdir(parents=True, exist_ok=True)
    settings = (carry, student, tags, recipe.window - 2, recipe.overlap, recipe.seed)
    with Lessons(options.workers, settings) as stream, join_ranks() as ranks:
        torch.manual_seed(recipe.seed)
        model, folder = start_model(student, tags)
        task = Learning(recipe, model, tags, load_tokenizer(folder), folder, (), (), [], [], [])
        teacher = load_checkpoint(find_model())
        if teacher.tags != tags:
            raise SystemExit("the shipped model has other tags than recipes/default.toml")
        task.listen(load_model(teacher).requires_grad_(requires_grad=False), load_tokenizer(teacher.folder))
        task.fill(stream.take(64))
        training = begin(task, recipe, ranks)
        task.teacher.to(training.device)
        exams = make_exams(carry, 16 if options.tiny else 600)
        say(f"{student.name}: {sum(p.numel() for p in model.parameters()):,} weights, {training.precision} on {training.device}")
        tokens, pool = (1024, 64) if options.tiny else (32768, 4096)
        seconds = 60 * options.minutes
        teach(training, task, stream, exams, begun=begun, seconds=seconds, tokens=tokens, pool=pool, out=options.out)


def score_students(source: Path, models: Path, out: Path, *, count: int, carry: Path) -> None:
    """Each student in int8 beside the shipped model, on held-out notes of two kinds."""
    exams = {
        "held-out synthetic notes": list(synthesize(count, seed=90_003, part="test")),
        "held-out sources with made-up PHI": read_notes(carry / "held-out.jsonl.gz")[: count // 4],
    }
    folders = {"default": find_model()}
    for place in sorted(folder for folder in source.iterdir() if (folder / "checkpoint.tar.gz").exists()):
        shutil.rmtree(models / place.name, ignore_errors=True)
        exact = restore(place, models / f"{place.name}-exact")
        (exact / "training.json").unlink()
        folders[place.name] = quantize_dynamic(exact, models / place.name)
        shutil.rmtree(exact)
    text = (
        "# The shipped model at half its size\n\n`bench/shrink_default.py` makes these figures. Students were taught by the shipped model "
    )
    text += "on its own training notes. All are int8, the model alone, strict F1 of whole spans.\n"
    rows = []
    for name, notes in exams.items():
        whole = measure(folders["default"], notes, name="default")
        lines = [whole, *(measure(folder, notes, name=each, against=whole) for each, folder in folders.items() if each != "default")]
        text += f"\n## {name} ({len(notes)})\n\n{format_lines(lines)}\n"
        rows.append({"notes": name, "count": len(notes), "lines": [line_dict(line) for line in lines]})
    sizes = {name: sum(file.stat().st_size for file in folder.iterdir()) for name, folder in folders.items()}
    shares = (f"{name} {size / 1e6:.1f} MB ({size / sizes['default']:.1%})" for name, size in sizes.items())
    text += f"\nFolders on disk: {', '.join(shares)}.\n"
    out.mkdir(parents=True, exist_ok=True)
    (out / "default.md").write_text(text, encoding="utf-8")
    (out / "default.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(text)
