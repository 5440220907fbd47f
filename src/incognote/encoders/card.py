"""The model card of a Checkpoint: what it finds, how to use it, and what it is not."""

from collections.abc import Sequence

_CARD = """---
pipeline_tag: token-classification
library_name: transformers
tags:
- de-identification
- incognote
---

# {name}

A {family} encoder that marks protected health information (PHI) in clinical notes, made with incognote.

It finds: {labels}.

## Use

    incognote tag NOTES --model {name} -o FOUND

or in Python:

    from transformers import pipeline
    find = pipeline("token-classification", model="{name}", aggregation_strategy="simple")

incognote reads notes of any length in windows; `pipeline` needs `stride` for notes longer than the model's window.

## Limits

No model finds all PHI. Measure it on notes of your own before you rely on it: `incognote evaluate --help`.
How it was trained stands in `recipe.toml`.
"""


def write_card(name: str, tags: Sequence[str], family: str) -> str:
    """A plain card in Markdown; training adds its scores to it."""
    labels = sorted({tag.partition("-")[2] or tag for tag in tags if tag != "O"})
    return _CARD.format(name=name, family=family, labels=", ".join(labels))
