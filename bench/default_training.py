"""The training of the default model: an endless stream of notes, what was got wrong shown again, inside a budget of minutes."""

import argparse
import random
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from default_attention import quicken
from default_exams import examine, make_exams, say
from default_packs import Pack, choose, join
from default_pieces import save
from default_samples import Source, Stream, open_spool, reads_alike
from default_streaming import Streaming
from default_teaching import Learning

from incognote.document import Document, scheme
from incognote.find.model.packing import KEPT
from incognote.find.model.tokens import load_tokenizer
from incognote.find.model.weights import start_model
from incognote.lab.shrink.fake import Fake, fake_model
from incognote.lab.training.ranks import join_ranks
from incognote.lab.training.recipe import read_recipe
from incognote.lab.training.schedule import rate_factor
from incognote.lab.training.state import Training, begin
from incognote.lab.training.step import take_step

ROOT = Path(__file__).resolve().parents[1]
POOL = 4096  # windows sorted by length together
AGAIN = 0.25  # of a pool: windows that were got wrong before
LATER = 6  # pools after which they are shown again
MINING_FROM = 0.12  # of the time: before, everything is wrong
KEPT_AT = 0.6  # of the time: from then on there is something to bring back
RESERVE = 30.0  # seconds for the exams and saving
_STEPS = 10_000


def train_default(options: argparse.Namespace) -> None:
    """Train from ``--start`` for so many minutes, with teachers or without, rounding from a share of the time on."""
    begun = time.time()
    recipe = replace(read_recipe(ROOT / "recipes" / "default.toml"), model=str(options.start), seed=options.seed)
    recipe = replace(recipe, learning_rate=options.rate or recipe.learning_rate)
    tags = scheme(recipe.scheme).tags
    options.out.mkdir(parents=True, exist_ok=True)
    spool = open_spool(options.spool)
    strange = tuple(folder for folder in options.teachers if not reads_alike(options.start, folder))
    source = Source(options.carry, spool, options.start, strange, tags, recipe.window, recipe.overlap, recipe.seed)
    writers = 0 if options.spool else 1 if options.tiny else options.writers
    with Stream(source, readers=1 if options.tiny else options.readers, writers=writers) as stream, join_ranks() as ranks:
        torch.manual_seed(recipe.seed)
        model, folder = start_model(recipe.model, tags)
        kind = Learning if options.teachers else Streaming
        task = kind(recipe, model, tags, load_tokenizer(folder), folder, (), (), [], [], [])
        task.lengths = [recipe.window] * recipe.batch  # until the first pool comes
        training = begin(task, recipe, ranks)
        quicken(model)
        if isinstance(task, Learning):
            task.listen(options.teachers, folder)
        exams = make_exams(options.carry, 16 if options.tiny else 400)
        say(f"{training.precision} on {training.device}, {sum(p.numel() for p in model.parameters()):,} weights")
        teach(training, task, stream, exams, begun=begun, options=options)


def teach(
    training: Training,
    task: Streaming,
    stream: Stream,
    exams: Mapping[str, list[Document]],
    *,
    begun: float,
    options: argparse.Namespace,
) -> None:
    """Steps until the time is up, less what saving and the exams take; the rate follows the clock."""
    seconds = 60 * options.minutes
    tokens, pool = (1024, 64) if options.tiny else (options.tokens, POOL)
    rng = random.Random(task.recipe.seed)
    chance = np.random.default_rng(task.recipe.seed)
    again: deque[Pack] = deque()
    first, last = time.time(), begun + seconds - min(RESERVE, 0.2 * seconds)
    done, pools, rounding, kept = 0.0, 0, False, False
    while done < 1:
        if options.aware is not None and done >= options.aware and not rounding:
            fake_model(task.model, Fake(bits=options.bits), kept=KEPT)
            rounding = True
        old = [again.popleft()] if len(again) >= LATER else []
        task.fill(join([stream.take(pool - sum(map(len, old))), *old]))
        task.model.train()
        losses = []
        for indices in plan_batches(task.lengths, tokens, task.recipe.batch, rng):
            done = min(1.0, (time.time() - first) / (last - first))
            if done >= 1:
                break
            task.trim(indices)
            factor = rate_factor(int(done * _STEPS), total=_STEPS, warmup=_STEPS // 40, schedule=task.recipe.schedule)
            losses.append(take_step(training, indices, factor))
        if not losses:  # the time was up before the pool began
            break
        wrong = task.take_wrong()
        if done > MINING_FROM:
            again.append(choose(wrong, chance.permutation(len(wrong))[: int(AGAIN * pool)]))
        pools += 1
        if pools % 20 == 0 or pools < 4:
            loss = torch.stack(losses).mean().item()
            rate = training.tokens / (time.time() - first)
            say(f"{done:5.1%} step {training.step:,} loss {loss:.4f} {rate:,.0f} tokens/s wrong {len(wrong)}/{len(task.pack)}")
        if done >= KEPT_AT and not kept:
            save(training, task, [], options.out)
            kept = True
    history = [examine(training, task, exams, 1.0)]
    save(training, task, history, options.out)
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
