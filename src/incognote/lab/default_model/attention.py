"""MPNet's attention in one kernel: transformers computes it step by step, with a copy of the position bias for each window of a batch.

The position bias is not trained further. It is the same for all layers and windows, and training it takes the step-by-step way.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional


def fuse_attention(model: Any) -> None:
    """Compute the attention of every MPNet layer of the model, if it has any, in one kernel."""
    for module in model.modules():
        if type(module).__name__ == "MPNetSelfAttention":
            module.forward = partial(_attend, module)
        elif type(module).__name__ == "MPNetEncoder":
            module.compute_position_bias = partial(_bias, module)


def _attend(
    module: Any, hidden: Tensor, attention_mask: Tensor | None = None, position_bias: Tensor | None = None, *_: object, **__: object
) -> tuple[Tensor]:
    shape = (*hidden.shape[:-1], -1, module.attention_head_size)
    query, key, value = (part(hidden).view(shape).transpose(1, 2) for part in (module.q, module.k, module.v))
    biases = [bias for bias in (position_bias, attention_mask) if bias is not None]
    bias = sum(biases[1:], biases[0]).to(query.dtype).expand(len(hidden), query.shape[1], -1, -1) if biases else None
    dropped = module.dropout.p if module.training else 0.0
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=dropped)
    return (module.o(mixed.transpose(1, 2).flatten(2)),)


@torch.no_grad()
def _bias(module: Any, x: Tensor, position_ids: None = None, num_buckets: int = 32) -> Tensor:
    positions = torch.arange(x.shape[1], device=x.device)
    buckets = module.relative_position_bucket(positions[None, :] - positions[:, None], num_buckets=num_buckets)
    bias: Tensor = module.relative_attention_bias(buckets).permute(2, 0, 1)[None]
    return bias
