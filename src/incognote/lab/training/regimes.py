"""How much of an encoder learns: all of it, its top layers, or only the head over hidden states that are computed once and kept.

Fine-tuning moves every weight; ``freeze`` holds the lower layers still; with ``features`` the encoder is not run again after its first
pass over each text (the feature-based use of BERT, Devlin et al. 2019, Table 7). Standard library only: recipes are read anywhere.
"""

import re
from collections.abc import Mapping
from typing import Any

from incognote.lab.training.settings import Rule, either, whole

_TOP = re.compile(r"all-but-top-([1-9]\d*)")
_MIXED = re.compile(r"(concat|sum)-last-([1-9]\d*)|sum-all")

FREEZE = either(
    Rule(
        "one of none, embeddings, all-but-head, all-but-top-K",
        lambda value: isinstance(value, str) and (value in ("none", "embeddings", "all-but-head") or bool(_TOP.fullmatch(value))),
    ),
    whole(0),
)
FEATURES = either(
    Rule(
        "one of last, concat-last-K, sum-last-K, sum-all",
        lambda value: isinstance(value, str) and (value in ("", "last") or is_mixed(value)),
    ),
    whole(1),
)


def is_mixed(features: str | int) -> bool:
    """Whether the features are made of several layers, so that no Hugging Face head alone can read them.

    >>> [is_mixed(each) for each in ("last", 3, "concat-last-4", "sum-all")]
    [False, False, True, True]
    """
    return isinstance(features, str) and bool(_MIXED.fullmatch(features))


def parse_mixture(features: str, layers: int) -> tuple[str, int]:
    """How hidden states are put together, and how many of them from the top; the embeddings count as one, the lowest.

    >>> parse_mixture("concat-last-4", 12), parse_mixture("sum-all", 12)
    (('concat', 4), ('sum', 12))
    """
    found = _MIXED.fullmatch(features)
    return ("sum", layers) if found is None or found[1] is None else (found[1], int(found[2]))


def settle_freeze(freeze: str | int, layers: int) -> str | int:
    """The setting with the number of lower layers to hold still in place of the number of top layers to learn.

    >>> settle_freeze("all-but-top-2", 12), settle_freeze("none", 12)
    (10, 'none')
    """
    found = _TOP.fullmatch(freeze) if isinstance(freeze, str) else None
    # More top layers than there are is said as such by the caller: a negative number of layers stays.
    return layers - int(found[1]) if found else freeze


def find_conflicts(table: Mapping[str, Any]) -> list[str]:
    """What does not go together with ``features``, as faults of a recipe.

    >>> find_conflicts({"features": "last", "freeze": "none"})
    ["features = 'last': wants freeze = 'all-but-head'; features that are kept cannot learn"]
    """
    features, task = table.get("features", ""), table.get("task", "tags")
    if features == "":
        return []
    faults = []
    if table.get("freeze", "none") != "all-but-head":
        faults.append(f"features = {features!r}: wants freeze = 'all-but-head'; features that are kept cannot learn")
    if task == "words":
        faults.append(f"features = {features!r}: words are learned by the encoder itself; leave it out")
    if task == "tags" and is_mixed(features):
        faults.append(f"features = {features!r}: tags wants 'last' or the number of a layer, so that every runtime can run the tagger")
    faults += [
        f"features = {features!r}: wants {name} = 0; texts that change with every step cannot be kept"
        for name in ("token_masking", "adversarial")
        if table.get(name)
    ]
    return faults
