"""Runs of several lengths from one shared prefix: they are the same until each begins to decay, so that part is trained once.

A warmup-stable-decay run of E epochs holds its rate until the last share of its steps (Hu et al. 2024, MiniCPM). The prefix
holds it throughout; each length branches off it, decays, is scored, and the prefix continues as if there were no branch.
A branch has exactly the weights of a separate run of that length with the same schedule.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from incognote.errors import ConfigError
from incognote.lab.training.loop import Cost, Outcome, Watch, advance, finish, measure_cost, validate
from incognote.lab.training.ranks import join_ranks
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.schedule import SHARED, decay_start
from incognote.lab.training.state import begin, load_state, restore, save_atomically, take_snapshot
from incognote.lab.training.task import Task


def shared_recipe(recipe: Recipe) -> Recipe:
    """The recipe with the schedule that lets lengths share a prefix."""
    return replace(recipe, schedule=SHARED)


def train_branches(
    task: Task, recipe: Recipe, lengths: Sequence[int], *, state: Path | None = None, mark: str = "", watch: Watch | None = None
) -> Iterator[tuple[int, Outcome]]:
    """The outcome of each length in epochs, shortest first; the task's model holds that branch's weights while it is yielded.

    Each outcome's cost is what its branch added: the stretch of prefix since the one before, and its own decay. With
    ``state``, the prefix is kept there at each fork, and a killed call resumes from the last fork.
    """
    with join_ranks() as ranks:
        if ranks.world > 1:
            raise ConfigError("study", ["prefixes run on one GPU each; start one process for each GPU instead of torchrun"])
        prefix = begin(task, shared_recipe(recipe), ranks)
        if state and state.exists():
            saved = load_state(state)
            first = decay_start(min(lengths) * prefix.epoch_steps, recipe.decay)
            # A prefix of another recipe, or one already past the first fork still wanted, is of no use.
            if saved["mark"] == mark and saved["snapshot"]["place"]["step"] <= first:
                restore(prefix, saved["snapshot"])
        for length in sorted(set(lengths)):
            total = length * prefix.epoch_steps
            before = measure_cost(prefix)
            advance(prefix, until=decay_start(total, recipe.decay), total=total, schedule=SHARED, watch=watch)
            fork = take_snapshot(prefix)
            if state:
                save_atomically({"mark": mark, "snapshot": fork}, state)
            prefix.best = {}
            advance(prefix, until=total, total=total, schedule=SHARED, watch=watch)
            validate(prefix)
            outcome = finish(prefix)
            yield length, replace(outcome, cost=_added(measure_cost(prefix), before))
            restore(prefix, fork)


def _added(after: Cost, before: Cost) -> Cost:
    return replace(
        after,
        seconds=after.seconds - before.seconds,
        gpu_seconds=after.gpu_seconds - before.gpu_seconds,
        steps=after.steps - before.steps,
        samples=after.samples - before.samples,
        tokens=after.tokens - before.tokens,
    )
