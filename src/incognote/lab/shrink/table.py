"""What a smaller model costs and saves: one line for each model with its size, parameters, F1, recall and speed on a processor."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.evaluate.bootstrap import ONE_PATIENT, Difference, Interval, list_ends
from incognote.evaluate.report import Evaluation, Score, compare, evaluate, find_intervals
from incognote.evaluate.summary import Estimate
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.inference import infer_notes
from incognote.find.model.runtimes import Runtime
from incognote.find.model.runtimes.loading import ONNX, ONNX_FP32, TORCH, load_runtime
from incognote.find.model.runtimes.stack import fits
from incognote.find.model.tagger import EncoderTagger
from incognote.find.model.tensors import Tensors, is_quantized
from incognote.lab.encoders.encoding import check_labels
from incognote.lab.training.data import read_source
from incognote.lab.training.recipe import Source, parse_split

F1, RECALL = Score("entity", "f1"), Score("entity", "recall")
_ROUNDS, _TOKENS = 5, 2500  # for the speed: rounds, and about so many tokens in each


@dataclass(frozen=True, slots=True)
class Line:
    """A model in the table. Sizes are bytes: ``weights`` of the safetensors, ``size`` of all files of the folder.

    ``speed`` is tokens for each second of processor time on one thread, 0 where it was not measured. ``ratio`` and ``difference`` (of
    F1, paired by patient) compare with the line that this one was measured against.
    """

    name: str
    folder: Path
    weights: int
    size: int
    parameters: int
    runtime: str
    f1: Estimate | None = None
    recall: Estimate | None = None
    speed: float = 0.0
    ratio: float | None = None
    share: float | None = None
    difference: Difference | None = None
    evaluation: Evaluation | None = field(default=None, repr=False, compare=False)


def measure(
    folder: str | Path,
    documents: Sequence[Document],
    *,
    name: str = "",
    against: Line | None = None,
    runtime: Runtime | None = None,
    timed: bool = True,
) -> Line:
    """The line of a checkpoint on annotated documents; without any, sizes alone.

    Models of int8 codes are judged and timed in int8, all others in full precision. A ``runtime`` that is loaded already judges in
    their stead (on a GPU, say); the speed is always that of this machine's processor.
    """
    checkpoint = load_checkpoint(folder)
    check_labels(documents, checkpoint.tags)
    place, own = checkpoint.folder, natural_runtime(checkpoint.folder)
    files = [file for file in place.iterdir() if file.is_file()]
    weights = sum(file.stat().st_size for file in files if file.suffix == ".safetensors")
    values: dict[str, Any] = {}
    if documents:
        evaluation = judge_checkpoint(place, documents, runtime=runtime or own)
        values = estimate(evaluation)
        if against and against.evaluation:
            values["difference"] = compare(evaluation, against.evaluation, [F1])[F1]
        if timed:
            pair = [place, *([against.folder] if against else [])]
            speeds = measure_speeds(pair, [document.text for document in documents])
            values["speed"] = median(speeds[0])
            values["ratio"] = median(one / two for one, two in zip(*speeds, strict=True)) if against else None
    return Line(
        name or checkpoint.name,
        place,
        weights,
        sum(file.stat().st_size for file in files),
        count_parameters(place),
        own,
        share=weights / against.weights if against else None,
        **values,
    )


def load_evaluation_notes(
    data: Sequence[Source], tags: Sequence[str], *, split: str = ""
) -> tuple[tuple[Document, ...], tuple[Document, ...]]:
    """The train and the validation notes of corpora, for what needs no training; ``split`` is a ratio for a corpus without parts.

    Train notes may be lacking, validation notes may not. Every label must be among the tags.
    """
    settings, faults = parse_split({"ratio": split}) if split else (None, [])
    if faults:
        raise ConfigError("split", faults)
    found = [read_source(source, "", settings) for source in data]
    train, validation = (tuple(document for parts in found for document in parts.get(part, ())) for part in ("train", "validation"))
    if data and not validation:
        raise CorpusError(
            "there is no validation note", path=", ".join(each.path for each in data), fix="name some as {data} validation=PATH"
        )
    check_labels((*train, *validation), tags)
    return train, validation


def natural_runtime(folder: Path) -> str:
    """The runtime of a model's own precision: int8 for codes, full precision otherwise; PyTorch where there is no graph of ours."""
    if not fits(load_checkpoint(folder).config):
        return TORCH
    return ONNX if is_quantized(folder) else ONNX_FP32


def judge_checkpoint(folder: Path, documents: Sequence[Document], *, runtime: Runtime | str) -> Evaluation:
    """Every score of what the model finds in the documents."""
    tagger = EncoderTagger(str(folder), device="cpu", runtime=runtime)
    found = tagger.tag([document.text for document in documents])
    return evaluate(documents, [document.with_spans(spans) for document, spans in zip(documents, found, strict=True)])


def estimate(evaluation: Evaluation) -> dict[str, Any]:
    """F1 and recall of whole spans with their intervals, and the evaluation itself, as parts of a Line."""
    intervals = find_intervals(evaluation, [F1, RECALL])
    f1, recall = (Estimate(evaluation.value(score), intervals[score]) for score in (F1, RECALL))
    return {"f1": f1, "recall": recall, "evaluation": evaluation}


def measure_speeds(folders: Sequence[Path], texts: Sequence[str]) -> list[list[float]]:
    """Tokens per second of processor time of each model, round by round, in turns over the same texts so that noise hits all alike."""
    models = [_Timed(folder, texts) for folder in folders]
    if not any(len(note) for note in models[0].notes):
        raise CorpusError("the notes hold no token at all, so nothing can be timed")
    for model in models:
        model.run()  # the first run lays out memory
    speeds: list[list[float]] = [[] for _ in models]
    for _ in range(_ROUNDS):
        for model, row in zip(models, speeds, strict=True):
            row.append(model.run())
    return speeds


class _Timed:
    """A model on one thread and the notes it is timed on."""

    def __init__(self, folder: Path, texts: Sequence[str]) -> None:
        self.tagger = EncoderTagger(str(folder), device="cpu")
        self.runtime = load_runtime(self.tagger.checkpoint, natural_runtime(folder), device="cpu", threads=1)
        self.notes, held = [], 0
        for text in texts:
            self.notes += self.tagger.tokenizer.tokenize([text])
            held += len(self.notes[-1])
            if held >= _TOKENS:
                break
        self.tokens = held

    def run(self) -> float:
        sizes = self.tagger.cutting._asdict()
        started = time.process_time()
        infer_notes(self.runtime, self.notes, self.tagger.tokenizer, columns=len(self.tagger.tags), **sizes)
        return self.tokens / (time.process_time() - started)


def count_parameters(folder: Path) -> int:
    """How many numbers the weights hold; the scales of codes are not counted, nor are numbers that are no weights."""
    weights = Tensors(folder)
    return sum(weights[name].size for name in weights if weights.quantized(name) or weights.raw(name).dtype.kind == "f")


def format_lines(lines: Sequence[Line]) -> str:
    """The lines as a Markdown table."""
    rows = [
        "| model | weights MB | of before | parameters | F1 | interval | change | recall | runtime | CPU tokens/s | ratio |",
        "|---|---:|---:|---:|---:|---|---|---:|---|---:|---:|",
    ]
    return "\n".join([*rows, *(_format(line) for line in lines)])


def _format(line: Line) -> str:
    def number(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    interval = line.f1.interval if line.f1 else None
    change = line.difference
    cells = (
        line.name,
        f"{line.weights / 1e6:.1f}",
        number(line.share, ".1%"),
        f"{line.parameters:,}",
        number(line.f1.value if line.f1 else None, ".4f"),
        f"{interval.low:.4f}–{interval.high:.4f}" if interval else "",
        f"{change.value:+.4f} ({_format_ends(change.interval)})" if change else "",
        number(line.recall.value if line.recall else None, ".4f"),
        line.runtime,
        number(line.speed or None, ",.0f"),
        number(line.ratio, ".2f"),
    )
    return f"| {' | '.join(cells)} |"


def _format_ends(interval: Interval | None) -> str:
    return f"{interval.low:+.4f} to {interval.high:+.4f}" if interval else ONE_PATIENT


def line_dict(line: Line) -> dict[str, Any]:
    """The line for JSON."""

    def plain(found: Estimate | None) -> dict[str, Any] | None:
        if found is None:
            return None
        return {"value": found.value, "interval": found.interval and [found.interval.low, found.interval.high]}

    return {
        **{key: getattr(line, key) for key in ("name", "weights", "size", "parameters", "runtime", "speed", "ratio", "share")},
        "f1": plain(line.f1),
        "recall": plain(line.recall),
        "change": line.difference and [line.difference.value, *(list_ends(line.difference.interval) or (None, None))],
    }
