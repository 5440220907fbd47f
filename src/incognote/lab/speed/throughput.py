"""How fast a Deidentifier is on this machine, stage by stage, and beside the Hugging Face pipeline in the same run."""

import gzip
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from incognote.corpora import write_corpus
from incognote.deidentifier import Deidentifier
from incognote.document import Document, Span, normalize_document
from incognote.facts import gather_facts, patient_key
from incognote.find.finder import Batch, Tagger, TextFinder
from incognote.find.model.choice import uses_gpu
from incognote.find.model.machine import own_cores
from incognote.find.model.runtimes.loading import ONNX_FP32, TORCH
from incognote.find.model.tagger import EncoderTagger
from incognote.lab.encoders.work import count_flops, measure_peaks
from incognote.pipeline import run_finder

STAGES = ("read", "tokenize", "infer", "decode", "rules", "merge", "replace", "write")
MODEL_STAGES = ("tokenize", "infer", "decode")
_ROUND = 25  # notes that each contestant gets in turn
_WARM_UP = Path(__file__).with_name("warm_up.json.gz")  # 50 synthetic notes (seed 611953), which need nearly every list and expression

Rival = Callable[[Sequence[str]], tuple[object, float]]


@dataclass(slots=True)
class Clock:
    """Seconds by stage, gathered while the stages run; without a model there are fewer of them."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its size, our seconds by stage, the rival's seconds (0 without one), and the operations of the model.

    ``alike`` counts the notes whose spans of the model are those of full precision, where that was asked for.
    """

    notes: int
    words: int
    tokens: int
    flops: float
    seconds: Mapping[str, float]
    rival: float = 0.0
    alike: int | None = None


def measure_speed(
    deidentifier: Deidentifier, documents: Iterable[Document], *, rival: Rival | None = None, exact: Tagger | None = None
) -> list[Round]:
    """Every stage of a scrub over the documents, round by round, with the rival on the same notes in between.

    ``exact`` is the same model in full precision; it takes no part in the race, and its spans are compared with ours.
    """
    rounds: list[Round] = []
    remaining = iter(documents)
    _warm_up(deidentifier)
    while True:
        clock = Clock()
        with clock.time("read"):
            chunk = [document for _, document in zip(range(_ROUND), remaining, strict=False)]
        if not chunk:
            return rounds
        found, lengths, flops = _scrub(deidentifier, chunk, clock)
        texts = [document.text for document in chunk]
        seconds = 0.0 if rival is None else rival(texts)[1]
        words = sum(len(text.split()) for text in texts)
        alike = None if exact is None else sum(tuple(one) == two for one, two in zip(found, exact.tag(texts), strict=True))
        rounds.append(Round(len(chunk), words, sum(lengths), flops, clock.seconds, seconds, alike))


def _warm_up(deidentifier: Deidentifier) -> None:
    """Load what is loaded at the first note that needs it: the model, lists of words, expressions. A long run does so once."""
    rows = json.loads(gzip.decompress(_WARM_UP.read_bytes()))
    deidentifier.scrub(Document(id, text, patient=patient) for id, patient, text in rows)
    for tagger in deidentifier.taggers:
        if isinstance(tagger, EncoderTagger):
            for meter in tagger.meters:
                meter.take()


def _scrub(deidentifier: Deidentifier, chunk: Sequence[Document], clock: Clock) -> tuple[Sequence[Sequence[Span]], list[int], float]:
    """What the model found, the tokens of each note, and the operations it took."""
    readings = [normalize_document(document) for document in chunk]
    texts = [reading.document.text for reading in readings]
    pipeline, batch = deidentifier.pipeline, Batch(tuple(reading.document for reading in readings))
    layers: dict[str, Sequence[Sequence[Span]]] = {}
    found: Sequence[Sequence[Span]] = ()
    lengths: list[int] = []
    flops = 0.0
    for finder in pipeline.finders:
        if isinstance(finder.find, TextFinder) and isinstance(finder.find.tagger, EncoderTagger):
            found, lengths = _tag(finder.find.tagger, texts, clock)
            flops += count_flops(finder.find.tagger, lengths)
            layers[finder.name] = found
        else:
            with clock.time("rules"):
                layers[finder.name] = run_finder(finder, Batch(batch.documents, layers.get(finder.near), batch.memo))
    with clock.time("merge"):
        rows = ({name: spans[at] for name, spans in layers.items()} for at in range(len(texts)))
        joined = zip(chunk, readings, (pipeline.judge(text, row).merged for text, row in zip(texts, rows, strict=True)), strict=True)
        merged = [document.with_spans(reading.restore(spans)) for document, reading, spans in joined]
    with clock.time("replace"):
        facts = gather_facts(merged)
        clean = [deidentifier.scrub_one(document, facts[patient_key(document)]).document for document in merged]
    with clock.time("write"), tempfile.TemporaryDirectory() as folder:
        write_corpus([document.with_spans(()) for document in clean], Path(folder) / "clean.jsonl", format="jsonl")
    return found, lengths, flops


def _tag(tagger: EncoderTagger, texts: Sequence[str], clock: Clock) -> tuple[list[tuple[Span, ...]], list[int]]:
    with clock.time("tokenize"):
        notes = tagger.tokenize(texts)
    with clock.time("infer"):
        logits = tagger.logits(notes)
    with clock.time("decode"):
        found = [tagger.decode(*note) for note in zip(texts, notes, logits, strict=True)]
    return found, [len(note) for note in notes]


def summarize_speed(rounds: Sequence[Round], *, runtime: str, estimate: int) -> dict[str, Any]:
    """The figures of a measurement, ready for JSON.

    Inference uses every core already; scrub runs the other stages in as many processes as there are cores, so their time is shared out.
    """
    cores = own_cores()
    seconds = {stage: sum(one.seconds[stage] for one in rounds) for stage in STAGES if stage in rounds[0].seconds}
    shared = {stage: value if stage == "infer" else value / cores for stage, value in seconds.items()}
    whole = sum(shared.values())
    parts = ("notes", "words", "tokens") if "infer" in seconds else ("notes", "words")
    counts = {part: sum(getattr(one, part) for one in rounds) for part in parts}
    notes = counts["notes"]
    result: dict[str, Any] = {
        "runtime": runtime,
        "cores": cores,
        **counts,
        "seconds": {stage: round(value, 4) for stage, value in seconds.items()},
        "share": {stage: round(value / whole, 4) for stage, value in shared.items()},
        **{f"{part}_per_second": round(count / whole, 2) for part, count in counts.items()},
        "memory_mib": round(_peak_memory() / 2**20, 1),
        "estimate": {"notes": estimate, "hours": round(estimate * whole / notes / 3600, 3)},
    }
    if counts.get("tokens") and not (runtime == TORCH and uses_gpu()):  # the peak is that of the processor
        peaks = measure_peaks(cores)
        kind = "fp32" if runtime in (TORCH, ONNX_FP32) else "int8"
        rate = sum(one.flops for one in rounds) / seconds["infer"]
        rates = {"gflops": round(rate / 1e9, 1), **{f"peak_{name}": round(value / 1e9, 1) for name, value in peaks.items()}}
        result["arithmetic"] = {**rates, "share_of_peak": round(rate / peaks[kind], 3), "peak": kind}
    if any(one.rival for one in rounds):
        result |= _compare(rounds, cores)
    if all(one.alike is not None for one in rounds):
        result["documents_alike"] = round(sum(one.alike or 0 for one in rounds) / notes, 4)
    return result


def _compare(rounds: Sequence[Round], cores: int) -> dict[str, Any]:
    """Medians over the rounds: the model alone, text in to spans out, and the whole scrub, each beside the rival."""

    def model(one: Round) -> float:
        return sum(one.seconds[stage] for stage in MODEL_STAGES)

    def whole(one: Round) -> float:
        return sum(value if stage == "infer" else value / cores for stage, value in one.seconds.items())

    return {
        "ratio": round(median(one.rival / model(one) for one in rounds), 2),
        "ratio_whole_scrub": round(median(one.rival / whole(one) for one in rounds), 2),
        "rounds": len(rounds),
        "median_tokens_per_second": {
            "ours": round(median(one.tokens / model(one) for one in rounds), 1),
            "rival": round(median(one.tokens / one.rival for one in rounds), 1),
        },
    }


def _peak_memory() -> int:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
