"""The training of the default model: an endless stream of notes, what was got wrong shown again, inside a budget of minutes."""

import argparse
import json
import multiprocessing
import queue
import random
import shutil
import tarfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from default_notes import Sample, make_samples, read_notes
from torch import Tensor, nn

from incognote.corpora.synthetic import synthesize
from incognote.document import Document, Span, scheme
from incognote.encoders.encoding import EncodedNote
from incognote.encoders.packing import KEPT
from incognote.encoders.tensors import write_tensors
from incognote.encoders.tokens import Tokens, load_tokenizer
from incognote.encoders.weights import start_model
from incognote.encoders.windows import Window
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_entities
from incognote.evaluate.token import count_all, count_binary, pair_labels
from incognote.shrink.fake import Fake, fake_model
from incognote.training.ranks import join_ranks
from incognote.training.recipe import Recipe, format_recipe, read_recipe
from incognote.training.schedule import rate_factor
from incognote.training.state import Training, begin, best_weights_so_far
from incognote.training.step import take_step
from incognote.training.task import Batch
from incognote.training.tasks.losses import IGNORED
from incognote.training.tasks.tagging import Tagging

ROOT = Path(__file__).resolve().parents[1]
PIECE = 14 * 2**20
POOL = 4096  # windows sorted by length together
AGAIN = 0.25  # of a pool: windows that were got wrong before
MOST_SHOWN = 3  # a window that stays wrong is wrong itself
MINING_FROM = 0.12  # of the time: before, everything is wrong
TRIMMED = 0.8  # of the longest window of a batch: what may be left of the others
AWARE_RATE = 1.5e-4  # of a model that has learned its task and now learns to be rounded
SCORED_AT = (0.5,)
_STEPS = 10_000


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", flush=True)


class Streaming(Tagging):
    """Tagging over windows that come and go; it notes which of them the model got wrong."""

    def fill(self, samples: Sequence[Sample]) -> None:
        """Learn from these windows from now on."""
        self.samples = samples
        self.notes = [EncodedNote(Tokens(sample.ids, sample.ids, sample.ids), sample.tags) for sample in samples]
        self.windows = [Window(at, 0, len(sample.ids), 0, len(sample.ids)) for at, sample in enumerate(samples)]
        self.lengths = [len(sample.ids) + self.tokenizer.specials for sample in samples]
        self.seen: list[tuple[list[int], Tensor]] = []

    def trim(self, indices: Sequence[int]) -> None:
        """Windows of nearly one length to the shortest of them: attention without padding is faster, and a window may end anywhere."""
        shortest, longest = min(len(self.windows[i]) for i in indices), max(len(self.windows[i]) for i in indices)
        if shortest >= TRIMMED * longest:
            for i in indices:
                self.windows[i] = Window(i, 0, shortest, 0, shortest)
                self.lengths[i] = shortest + self.tokenizer.specials

    def collate(self, indices: Sequence[int]) -> Batch:
        self.under_way = list(indices)
        batch = super().collate(indices)
        # From pinned memory a batch travels while the GPU still works on the one before.
        return {key: value.pin_memory() for key, value in batch.items()} if torch.cuda.is_available() else batch

    def corrupt(self, batch: Batch, share: float) -> Batch:
        corrupted = super().corrupt(batch, share)
        return corrupted | {"hidden": corrupted["input_ids"] != batch["input_ids"]}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        return super().forward(model, {key: value for key, value in batch.items() if key != "hidden"})

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        with torch.no_grad():
            wrong = (logits.argmax(dim=-1) != batch["labels"]) & (batch["labels"] != IGNORED)
            self.seen.append((self.under_way, (wrong & ~batch["hidden"]).any(dim=1)))
        return super().loss(logits, batch, smoothing=smoothing)

    def take_wrong(self) -> list[Sample]:
        """The windows of this pool that were got wrong, less those whose gold may be at fault."""
        wrong = [self.samples[i] for indices, found in self.seen for i, bad in zip(indices, found.tolist(), strict=True) if bad]
        return [replace(sample, shown=sample.shown + 1) for sample in wrong if sample.exact and sample.shown < MOST_SHOWN]


def train_default(options: argparse.Namespace) -> None:
    begun = time.time()
    seconds = 60 * options.minutes
    recipe = replace(
        read_recipe(ROOT / "recipes" / "default.toml"), model=str(options.start or options.carry / "granite"), seed=options.seed
    )
    if options.aware:
        recipe = replace(recipe, learning_rate=AWARE_RATE)
    tags = scheme(recipe.scheme).tags
    workers = 1 if options.tiny else options.workers
    tokens = 1024 if options.tiny else options.tokens
    options.out.mkdir(parents=True, exist_ok=True)
    with Stream(workers, options.carry, tags, recipe) as stream, join_ranks() as ranks:
        torch.manual_seed(recipe.seed)
        model, folder = start_model(recipe.model, tags)
        tokenizer = load_tokenizer(folder)
        if options.aware:
            fake_model(model, Fake(), kept=KEPT)
        task = Streaming(recipe, model, tags, tokenizer, folder, (), (), [], [], [])
        task.fill(stream.take(64))
        training = begin(task, recipe, ranks)
        exams = make_exams(options.carry, 16 if options.tiny else 400)
        say(f"{workers} workers, {training.precision} on {training.device}, {sum(p.numel() for p in model.parameters()):,} weights")
        pool = 64 if options.tiny else POOL
        teach(training, task, stream, exams, begun=begun, seconds=seconds, tokens=tokens, pool=pool, out=options.out)


def teach(
    training: Training,
    task: Streaming,
    stream: "Stream",
    exams: Mapping[str, list[Document]],
    *,
    begun: float,
    seconds: float,
    tokens: int,
    pool: int,
    out: Path,
) -> None:
    """Steps until the time is up, less what saving and the last exam take; the rate follows the clock."""
    rng = random.Random(task.recipe.seed)
    again: deque[Sample] = deque(maxlen=30_000)
    reserve = min(25.0, 0.2 * seconds)
    first, last = time.time(), begun + seconds - reserve
    marks = list(SCORED_AT)
    history: list[dict[str, object]] = []
    done, pools = 0.0, 0
    while done < 1:
        old = [again.popleft() for _ in range(min(len(again), int(AGAIN * pool)))]
        task.fill([*stream.take(pool - len(old)), *old])
        task.model.train()
        losses = []
        for indices in plan_batches(task.lengths, tokens, task.recipe.batch, rng):
            done = min(1.0, (time.time() - first) / (last - first))
            if done >= 1:
                break
            task.trim(indices)
            factor = rate_factor(int(done * _STEPS), total=_STEPS, warmup=_STEPS // 40, schedule=task.recipe.schedule)
            losses.append(take_step(training, indices, factor))
        wrong = task.take_wrong()
        if done > MINING_FROM:
            again.extend(wrong)
        pools += 1
        if losses and (pools % 10 == 0 or pools < 4):
            loss = torch.stack(losses).mean().item()
            rate = training.tokens / (time.time() - first)
            say(f"{done:5.1%} step {training.step:,} loss {loss:.4f} {rate:,.0f} tokens/s wrong {len(wrong)}/{pool} again {len(again):,}")
        if marks and done >= marks[0]:
            marks.pop(0)
            history.append(examine(training, task, exams, done))
            save(training, task, history, out)
    history.append(examine(training, task, exams, 1.0))
    save(training, task, history, out)
    say(f"{training.step:,} steps, {training.samples:,} windows, {training.tokens:,} tokens in {time.time() - begun:.0f} s")


def plan_batches(lengths: Sequence[int], tokens: int, most: int, rng: random.Random) -> list[list[int]]:
    """Batches of like lengths with at most ``tokens`` tokens, padding included, in any order."""
    batches: list[list[int]] = [[]]
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        held = batches[-1]
        if held and (len(held) == most or (len(held) + 1) * lengths[index] > tokens):
            batches.append(held := [])
        held.append(index)
    rng.shuffle(batches)
    return batches


def make_exams(carry: Path, count: int) -> dict[str, list[Document]]:
    """What is scored: synthetic notes and queries of the test part, and injected notes of held-out sources."""
    return {
        "synthetic": list(synthesize(count, seed=90_001, part="test")),
        "queries": list(synthesize(count // 2, seed=90_002, part="test", only="query*")),
        "injected": read_notes(carry / "held-out.jsonl.gz")[: count // 2],
    }


def examine(training: Training, task: Streaming, exams: Mapping[str, list[Document]], done: float) -> dict[str, object]:
    row: dict[str, object] = {"done": done, "step": training.step}
    with best_weights_so_far(training) as model:
        for name, documents in exams.items():
            row[name] = scores = score(documents, task.predict(model, documents))
            say(f"{done:4.0%} {name:10} " + " ".join(f"{key} {value:.4f}" for key, value in scores.items()))
    return row


def score(gold: Sequence[Document], found: Sequence[tuple[Span, ...]]) -> dict[str, float]:
    strict, typed, binary = Counts(), Counts(), Counts()
    for document, spans in zip(gold, found, strict=True):
        predicted = document.with_spans(spans)
        pairs = pair_labels(document, predicted)
        strict += sum(count_entities(document, predicted).values(), Counts())
        typed, binary = typed + count_all(pairs), binary + count_binary(pairs)
    return {"strict_f1": strict.f1, "token_f1": typed.f1, "recall": binary.recall, "precision": binary.precision}


def save(training: Training, task: Streaming, history: Sequence[Mapping[str, object]], out: Path) -> None:
    """The averaged weights in half precision, in pieces that can come back, and all else of the checkpoint in one archive."""
    work = out.parent / f".{out.name}.work"
    work.mkdir(exist_ok=True)
    with best_weights_so_far(training) as model:
        floats = {name: value.detach() for name, value in model.state_dict().items() if value.is_floating_point()}
        weights = {name: value.to("cpu", torch.float16, copy=True).numpy() for name, value in floats.items()}
        config = model.config.to_dict()
    config |= {"id2label": dict(enumerate(task.tags)), "label2id": {tag: at for at, tag in enumerate(task.tags)}}
    config["incognote"] = {"window": task.recipe.window, "overlap": task.recipe.overlap}
    write_tensors(work / "weights", weights, metadata={"format": "pt"})
    stream = (work / "weights").read_bytes()
    for at in range(0, len(stream), PIECE):
        (out / f"weights.{at // PIECE}.bin").write_bytes(stream[at : at + PIECE])
    (work / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    about = {"history": list(history), "steps": training.step, "windows": training.samples, "tokens": training.tokens, "size": len(stream)}
    (work / "training.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    (work / "recipe.toml").write_text(format_recipe(replace(task.recipe, model="granite-30m")), encoding="utf-8")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(task.tokenizer_folder / name, work / name)
    with tarfile.open(out / "checkpoint.tar.gz", "w:gz") as archive:
        for file in sorted(work.iterdir()):
            if file.name != "weights":
                archive.add(file, arcname=file.name)
    shutil.rmtree(work)


def restore(source: Path, target: Path) -> Path:
    """The checkpoint that :func:`save` wrote, as a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source / "checkpoint.tar.gz") as archive:
        archive.extractall(target, filter="data")
    pieces = sorted(source.glob("weights.*.bin"), key=lambda file: int(file.name.split(".")[1]))
    stream = b"".join(file.read_bytes() for file in pieces)
    size = json.loads((target / "training.json").read_text())["size"]
    if len(stream) != size:
        raise SystemExit(f"{source}: {len(stream):,} bytes of weights, but {size:,} were written; fetch the pieces again")
    (target / "model.safetensors").write_bytes(stream)
    return target


class Stream:
    """Worker processes that make samples, and a queue of what they made."""

    def __init__(self, workers: int, carry: Path, tags: tuple[str, ...], recipe: Recipe) -> None:
        context = multiprocessing.get_context("spawn")
        self.chunks: multiprocessing.Queue[list[Sample]] = context.Queue(maxsize=4 * workers)
        settings = (carry, tags, recipe.window - 2, recipe.overlap, recipe.seed)
        self.processes = [context.Process(target=work, args=(self.chunks, number, *settings), daemon=True) for number in range(workers)]
        self.held: list[Sample] = []

    def __enter__(self) -> "Stream":
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()

    def take(self, count: int) -> list[Sample]:
        """The next samples, in a random order; waits for the workers, and fails when none is left alive."""
        while len(self.held) < count:
            try:
                self.held += self.chunks.get(timeout=60)
            except queue.Empty:
                raise SystemExit(f"no notes for a minute; {sum(p.is_alive() for p in self.processes)} workers are alive") from None
        random.shuffle(self.held)
        taken, self.held = self.held[:count], self.held[count:]
        return taken


def work(chunks: "multiprocessing.Queue[list[Sample]]", number: int, *settings: object) -> None:
    for chunk in make_samples(number, *settings):  # type: ignore[arg-type]
        chunks.put(chunk)
