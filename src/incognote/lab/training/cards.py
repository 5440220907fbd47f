"""The model card of a model for any task but tagging: what it does, how to use it, how good it was, and what it is not."""

from typing import Any

from incognote.lab.training.regimes import is_mixed
from incognote.lab.training.run import Run

_USES = {
    "classes": (
        "text-classification",
        "puts texts into classes",
        "from incognote.lab.training.classifier import load_classifier\n    load_classifier({name!r}).judge([text])",
    ),
    "pairs": (
        "text-classification",
        "puts pairs of texts into classes",
        "from incognote.lab.training.classifier import load_classifier\n    load_classifier({name!r}).judge_pairs([(text, other)])",
    ),
    "answers": (
        "question-answering",
        "finds the answer to a question in a text",
        "from incognote.lab.training.answerer import load_answerer\n    load_answerer({name!r}).answer([(question, text)])",
    ),
    "words": ("fill-mask", "fills in missing words", "from transformers import pipeline\n    pipeline('fill-mask', model={name!r})"),
}
_CARD = """---
pipeline_tag: {pipeline}
library_name: transformers
tags:
- incognote
---

# {name}

A {family} encoder that {does}, made with incognote from {model}.

## Use

    {use}

{theirs}

## Scores

| part | score | value |
|---|---|---|
{rows}

Data digest {digest}; the epoch kept is {epoch:g}. `recipe.toml` has the settings of its training.

## Limits

It has learned from notes and may know parts of them by heart: keep it as safe as the notes.
"""

# Transformers 5 has no pipeline for answers.
_PIPELINE = 'or `pipeline("{}", model="{{name}}")` of transformers, which cuts off what is longer than the window unless set otherwise.'
_THEIRS = {
    "text-classification": _PIPELINE.format("text-classification"),
    "fill-mask": _PIPELINE.format("fill-mask"),
    "question-answering": 'or `AutoModelForQuestionAnswering.from_pretrained("{name}")` of transformers, one window at a time.',
}
_ALONE = "Its head reads several layers at once, so transformers opens the folder `encoder` only."


def describe_run(run: Run, config: Any) -> str:
    """The card in Markdown, with every score of the run."""
    pipeline, does, use = _USES[str(run.recipe["task"])]
    rows = [f"| {part} | {name} | {_value(run, part, name):.4f} |" for part, scores in run.scores.items() for name in scores]
    return _CARD.format(
        pipeline=pipeline,
        does=does,
        name=run.name,
        family=config.model_type,
        model=run.model,
        use=use.format(name=run.name),
        theirs=_ALONE if is_mixed(run.recipe.get("features", "")) else _THEIRS[pipeline].format(name=run.name),
        rows="\n".join(rows),
        digest=run.digest,
        epoch=run.epoch,
    )


def _value(run: Run, part: str, name: str) -> float:
    return run.counts(part, name).f1 if len(run.scores[part][name]) == 3 else run.ratio(part, name)
