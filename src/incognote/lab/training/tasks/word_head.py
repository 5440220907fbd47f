"""How a new head for hidden words begins: from how often words occur in the notes, and quietly.

transformers draws it at random over tied embeddings. For granite-30m, whose embeddings are large, that began with a perplexity of 10¹¹ on
six notes of MEDDOCAN, and an epoch over thirty others left it at 20,000. Beginning as here it was at 940, and at 810 after that epoch.
"""

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import torch

from incognote.find.model.tokens import Ints

_QUIET = 0.1
_UNSEEN = 0.1  # the share of probability that is spread over all tokens, seen or not


def begin_head(model: Any, fresh: Collection[str], seen: Iterable[Ints]) -> None:
    """Set the new head's bias to the log of each token's share in the notes, and make what comes from its random weights small."""
    decoder = model.get_output_embeddings()
    counts = np.bincount(np.concatenate([np.zeros(0, dtype=np.int64), *seen]), minlength=decoder.weight.shape[0])
    shares = (1 - _UNSEEN) * counts / max(1, int(counts.sum())) + _UNSEEN / len(counts)
    own = dict(model.named_parameters())
    with torch.no_grad():
        if any(own[name] is decoder.bias for name in fresh):
            decoder.bias.copy_(torch.from_numpy(np.log(shares)))
        for name in fresh:
            if "norm" in name.lower() and name.endswith("weight"):
                own[name].mul_(_QUIET)
