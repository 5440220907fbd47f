"""From unlabelled notes to an encoder that knows their language: hidden words learned, and what that does to perplexity and F1.

An encoder that comes without a head for words gets a new one. It is trained first, with the encoder held still: untrained it would
spoil the encoder, and only then is there a perplexity of the encoder as it came that means anything.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from incognote.corpora import apply_split, split_corpus
from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.evaluate.bootstrap import Interval
from incognote.facts import patient_key
from incognote.find.model.inference import check_numbers
from incognote.lab.training.adaptation_report import (
    AFTER,
    BEFORE,
    HEAD,
    REPORT,
    Adaptation,
    Plan,
    count_windows,
    describe_counts,
    read_report,
    write_card,
    write_report,
)
from incognote.lab.training.comparison import compare_encoders
from incognote.lab.training.data import SPLITS, Splits, check_apart, load_splits, read_source, split_folders
from incognote.lab.training.loop import Outcome, Watch, cost_table, train
from incognote.lab.training.machine import pick_device
from incognote.lab.training.perplexity import find_perplexities
from incognote.lab.training.ranks import Ranks, leads
from incognote.lab.training.recipe import Recipe, recipe_table
from incognote.lab.training.run import fail_if_stopped, name_of, plain_recipe
from incognote.lab.training.store import Store, claim_folder
from incognote.lab.training.tasks.masked_language_model import MaskedLanguageModeling, Surprise, prepare_masked_language_model
from incognote.lab.training.tasks.tagging import prepare_tagging

Say = Callable[[str], None]


def adapt(
    recipe: Recipe,
    folder: Path,
    *,
    plan: Plan = Plan(),
    gold: Recipe | None = None,
    seeds: Sequence[int] = (0, 1, 2),
    resume: bool = False,
    overwrite: bool = False,
    unsafe: bool = False,
    watch: Watch | None = None,
    say: Say = lambda line: None,
) -> Adaptation:
    """Adapt the recipe's encoder to the notes of its data and write it to ``folder``, which can be the ``model`` of another recipe.

    With ``gold``, a recipe for tagging, the encoder as it came and the adapted one are both fine-tuned with it, once for each seed.
    """
    if gold and not seeds:
        raise ConfigError("seeds", ["give at least one, or no gold"])
    with claim_folder(folder, REPORT, resume=resume, overwrite=overwrite) as progress:
        splits, gold_splits = load_notes(recipe, held_out=plan.held_out), load_splits(gold) if gold else None
        mark = _fingerprint(recipe, plan, splits)
        report = read_report(folder, mark, stopped=progress.exists()) if resume and not overwrite else None
        if gold and gold_splits:  # a fault in it is reported before the hours of adapting, not after
            prepare_tagging(replace(gold, model=recipe.model), gold_splits, unsafe=unsafe)
        if report is None:
            report = _learn(recipe, folder, progress, splits, plan, mark, resume=resume, unsafe=unsafe, watch=watch, say=say)
        if gold and gold_splits and leads():
            report = _judge(report, recipe, folder, progress, splits, gold, gold_splits, seeds, unsafe, say)
        if leads():
            Store(progress, mark).clear()
        return report


def load_notes(recipe: Recipe, *, held_out: int) -> Splits:
    """The notes of the recipe's data: to learn from, and held out. Their labels do not matter.

    A corpus with a validation part brings the notes held out; else that many in a hundred are, whole patients. A test part is not read.
    """
    found = _read_notes(recipe)
    if not found["validation"]:
        if len({patient_key(note) for note in found["train"]}) < 2:
            raise CorpusError(
                "the notes are of fewer than two patients, so none can be held out; give more, or others with validation=PATH"
            )
        split = split_corpus(found["train"], ratio=(100 - held_out, held_out), by="patient", seed=recipe.seed)
        dealt = apply_split(split, found["train"]).splits
        found = {"train": list(dealt["train"]), "validation": list(dealt["test"])}
    for part, notes in found.items():
        if not notes:
            raise CorpusError(f"there is no note for {part}; give more notes, or others with validation=PATH")
    return Splits(tuple(found["train"]), tuple(found["validation"]))


def _read_notes(recipe: Recipe) -> dict[str, list[Document]]:
    read: dict[str, list[tuple[int, Document]]] = {"train": [], "validation": []}
    for number, source in enumerate(recipe.data):
        whole = source.part == "all" and not split_folders(Path(source.path))
        for part, documents in read_source(replace(source, part="train") if whole else source, recipe.scheme, None).items():
            if part in read:
                read[part] += [(number, one) for one in documents]
    check_apart({part: [one for _, one in read.get(part, ())] for part in SPLITS})
    # Two corpora may use the same ids, and a split goes by id.
    several = len(recipe.data) > 1
    return {part: [replace(one, id=f"{number}/{one.id}") if several else one for number, one in rows] for part, rows in read.items()}


def _fingerprint(recipe: Recipe, plan: Plan, splits: Splits) -> str:
    table = [recipe_table(recipe, with_data=False), asdict(plan), splits.digest]
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


def _learn(
    recipe: Recipe,
    folder: Path,
    progress: Path,
    splits: Splits,
    plan: Plan,
    mark: str,
    *,
    resume: bool,
    unsafe: bool,
    watch: Watch | None,
    say: Say,
) -> Adaptation:
    task = prepare_masked_language_model(recipe, splits, masking=plan.masking, pack=plan.pack, unsafe=unsafe)
    counts = count_windows(task)
    say(describe_counts(counts))
    for remark in task.remarks:
        say(remark)
    task.model.to(pick_device(Ranks(local=int(os.environ.get("LOCAL_RANK", "0"))))).eval()
    stages = {BEFORE: task.measure(task.model)}
    check_numbers(np.array([each.loss for each in stages[BEFORE]]), task.tokenizer_folder)
    if task.fresh and plan.head_epochs:
        start = replace(recipe, freeze="all-but-head", epochs=plan.head_epochs, learning_rate=plan.head_rate, learning_rates={})
        train(task, start, folder=progress / HEAD, resume=resume, mark=f"{mark}-head", watch=watch)
        stages[HEAD] = task.measure(task.model)
    outcome = train(task, recipe, folder=progress, resume=resume, mark=mark, watch=watch)
    stages[AFTER] = task.measure(task.model)
    report = _report(task, splits, plan, outcome, stages, counts, name=folder.name, mark=mark)
    if leads():
        task.save(task.model, folder, card={"text": write_card(report)})
        write_report(report, folder)
        fail_if_stopped(outcome.stopped)
    return report


def _report(
    task: MaskedLanguageModeling,
    splits: Splits,
    plan: Plan,
    outcome: Outcome,
    stages: Mapping[str, Sequence[Surprise]],
    counts: Mapping[str, int],
    *,
    name: str,
    mark: str,
) -> Adaptation:
    found, _ = find_perplexities(stages, splits.validation)
    # An untrained head's perplexity is no measure of the encoder, so the change is counted from where the head was trained.
    _, change = find_perplexities({stage: own for stage, own in stages.items() if stage != BEFORE or HEAD not in stages}, splits.validation)
    return Adaptation(
        name=name,
        model=name_of(task.recipe),
        recipe=plain_recipe(task.recipe),
        plan=asdict(plan),
        digest=splits.digest,
        fresh_head=bool(task.fresh),
        counts=counts,
        perplexity={stage: {"value": one.value, **_ends(one.interval), "accuracy": one.accuracy} for stage, one in found.items()},
        change={"ratio": change.ratio, **_ends(change.interval), "p": change.p},
        epoch=outcome.epoch,
        history=outcome.history,
        cost=cost_table(outcome.cost),
        notes=(*task.remarks, *outcome.notes, *([outcome.stopped] if outcome.stopped else [])),
        mark=mark,
    )


def _ends(interval: Interval | None) -> dict[str, float | None]:
    return {"low": interval.low, "high": interval.high} if interval else {"low": None, "high": None}


def _judge(
    report: Adaptation,
    recipe: Recipe,
    folder: Path,
    progress: Path,
    splits: Splits,
    gold: Recipe,
    gold_splits: Splits,
    seeds: Sequence[int],
    unsafe: bool,
    say: Say,
) -> Adaptation:
    table = [recipe_table(gold, with_data=False), gold_splits.digest, report.mark]
    mark = hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]
    models = {"plain": recipe.model, "adapted": str(folder)}
    found = compare_encoders(models, gold, gold_splits, seeds=seeds, unsafe=unsafe, journal=progress / "gold.json", mark=mark, say=say)
    learned = {document.text for document in splits.train}
    seen = sum(document.text in learned for document in gold_splits.of(found.part))
    full: dict[str, Any] = json.loads(json.dumps(asdict(found) | {"seen": seen, "recipe": plain_recipe(gold)}))
    report = replace(report, gold=full)
    write_report(report, folder)
    return report
