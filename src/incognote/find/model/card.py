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

{elsewhere}

## Limits

No model finds all PHI. Measure it on notes of your own before you rely on it: `incognote evaluate --help`.
How it was trained stands in `recipe.toml`.
"""

_PIPELINE = """or in Python:

    from transformers import pipeline
    find = pipeline("token-classification", model="{name}", aggregation_strategy="simple")

incognote reads notes of any length in windows; `pipeline` needs `stride` for notes longer than the model's window."""

_PACKED = """Its weights are stored small ({packed}), in a way that incognote reads and Hugging Face's own classes do not. For them, write
it out whole:

    incognote shrink expand {name} -o WHOLE"""


def write_card(name: str, tags: Sequence[str], family: str, *, packed: str = "") -> str:
    """A plain card in Markdown; training adds its scores to it. ``packed`` says how weights are stored that only incognote reads."""
    labels = sorted({tag.partition("-")[2] or tag for tag in tags if tag != "O"})
    elsewhere = (_PACKED if packed else _PIPELINE).format(name=name, packed=packed)
    return _CARD.format(name=name, family=family, labels=", ".join(labels), elsewhere=elsewhere)
