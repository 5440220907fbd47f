"""The training of the default model: an endless stream of notes, windows that were got wrong shown again, in so many minutes."""

import json
import random
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from incognote.document import Document, scheme
from incognote.find.model.packing import KEPT
from incognote.find.model.tokens import load_tokenizer
from incognote.find.model.weights import start_model
from incognote.lab.default_model.attention import fuse_attention
from incognote.lab.default_model.batches import WindowBatch, concatenate, select
from incognote.lab.default_model.build import Build, log
from incognote.lab.default_model.data import INJECTED, halve_weights
from incognote.lab.default_model.distillation import Distillation
from incognote.lab.default_model.evaluation import gather_training_sets, report, score
from incognote.lab.default_model.stream import Source, Stream, shares_tokens
from incognote.lab.default_model.tagging import StreamedTagging
from incognote.lab.shrink.fake import Fake, fake_model
from incognote.lab.training.ranks import Ranks
from incognote.lab.training.recipe import Recipe, read_recipe
from incognote.lab.training.schedule import rate_factor
from incognote.lab.training.state import Training, begin, best_weights_so_far
from incognote.lab.training.step import take_step
from incognote.lab.training.tasks.tagging import window_limit

RECIPE = Path(__file__).with_name("recipe.toml")
SHOWN_AGAIN = 0.25  # of a pool: windows that were got wrong before
DELAY = 6  # pools after which they are shown again
MINING_FROM = 0.12  # of the time: before, everything is wrong
_STEPS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One training: from which model, for how long, and, if any, with which teachers; weights are rounded from that share of it on."""

    start: Path
    minutes: float
    rate: float
    seed: int = 0
    teachers: tuple[Path, ...] = ()
    rounding_from: float | None = None
    bits: int = 8


def train_model(build: Build, out: Path, plan: Plan) -> Path:
    """Train as planned and write a checkpoint in half precision, with its scores and cost in ``training.json``."""
    started = time.time()
    recipe = replace(read_recipe(RECIPE), model=str(plan.start), learning_rate=plan.rate, seed=plan.seed)
    tags = scheme(recipe.scheme).tags
    torch.manual_seed(recipe.seed)
    model, folder = start_model(recipe.model, tags)
    room = window_limit(model.config)
    recipe = replace(recipe, window=min(recipe.window, room), overlap=min(recipe.overlap, room // 4))
    with open_stream(build, recipe, plan, tags) as stream:
        kind = Distillation if plan.teachers else StreamedTagging
        task = kind(recipe, model, tags, load_tokenizer(folder), folder, (), (), [], [], [])
        task.lengths = [recipe.window] * recipe.batch  # until the first pool comes
        training = begin(task, recipe, Ranks())
        fuse_attention(model)
        if isinstance(task, Distillation):
            task.load_teachers(plan.teachers, folder)
        log(f"{training.precision} on {training.device}, {sum(p.numel() for p in model.parameters()):,} weights")
        take_steps(training, task, stream, plan, build)
    scores = evaluate(training, task, gather_training_sets(build))
    with best_weights_so_far(training) as averaged:
        task.save(averaged, out, card={"text": ""})
    halve_weights(out)
    cost = {"steps": training.step, "windows": training.samples, "tokens": training.tokens, "seconds": round(time.time() - started)}
    (out / "training.json").write_text(json.dumps({**cost, "scores": scores}, indent=1), encoding="utf-8")
    log(f"{out.name}: {cost}")
    return out


def open_stream(build: Build, recipe: Recipe, plan: Plan, tags: tuple[str, ...]) -> Stream:
    """The windows to train on; notes of earlier trainings stay in the spool and are used again."""
    spool = build.out / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    foreign = tuple(folder for folder in plan.teachers if not shares_tokens(plan.start, folder))
    injected = build.stage("data") / INJECTED
    source = Source(injected, spool, plan.start, foreign, tags, recipe.window, recipe.overlap, recipe.seed)
    return Stream(source, readers=build.settings.readers, writers=build.settings.writers)


def take_steps(training: Training, task: StreamedTagging, stream: Stream, plan: Plan, build: Build) -> None:
    """Steps until the time is up; the rate follows the clock."""
    pool, rng, chance = build.settings.pool, random.Random(plan.seed), np.random.default_rng(plan.seed)
    again: deque[WindowBatch] = deque()
    fresh = stream.take(pool)
    start, done, pools, rounding = time.time(), 0.0, 0, False
    while done < 1:
        if plan.rounding_from is not None and done >= plan.rounding_from and not rounding:
            fake_model(task.model, Fake(bits=plan.bits), kept=KEPT)
            rounding = True
        old = [again.popleft()] if len(again) >= DELAY else []
        task.fill(concatenate([fresh if pools == 0 else stream.take(pool - sum(map(len, old))), *old]))
        task.model.train()
        losses = []
        for indices in plan_batches(task.lengths, build.settings.batch_tokens, task.recipe.batch, rng):
            done = min(1.0, (time.time() - start) / (60 * plan.minutes))
            if done >= 1:
                break
            task.trim(indices)
            factor = rate_factor(int(done * _STEPS), total=_STEPS, warmup=_STEPS // 40, schedule=task.recipe.schedule)
            losses.append(take_step(training, indices, factor))
        if not losses:  # the time was up before the pool began
            break
        wrong = task.take_wrong()
        if done > MINING_FROM:
            again.append(select(wrong, chance.permutation(len(wrong))[: int(SHOWN_AGAIN * pool)]))
        pools += 1
        if pools % 20 == 0 or pools < 4:
            rate = training.tokens / (time.time() - start)
            loss = torch.stack(losses).mean().item()
            log(f"{done:5.1%} step {training.step:,} loss {loss:.4f} {rate:,.0f} tokens/s wrong {len(wrong)}/{len(task.windows_now)}")


def evaluate(training: Training, task: StreamedTagging, sets: Mapping[str, list[Document]]) -> dict[str, Mapping[str, float]]:
    """The scores of the averaged weights on each set."""
    scores: dict[str, Mapping[str, float]] = {}
    with best_weights_so_far(training) as model:
        for name, documents in sets.items():
            scores[name] = score(documents, task.predict(model, documents))
            report(name, scores[name])
    return scores


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
