"""The PyTorch runtime for a GPU: windows concatenated without padding, in bfloat16, with attention limited to each window."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.device import watch_memory
from incognote.find.model.runtimes import Batch
from incognote.find.model.runtimes.stack import Linear, Norm, Stack, position_ids
from incognote.find.model.tensors import Quantized

if TYPE_CHECKING:
    import torch

    Tensor = torch.Tensor

_BUDGET = 131072
_WORTH_COMPILING = 16384  # tokens in a batch; a job with less is done before a compiler is
_WORTH_RUNNING_COMPILED = 1024  # tokens in a batch, once the compiler is done
_AHEAD = 2
Pair = tuple["Tensor", "Tensor"]


@dataclass(frozen=True, slots=True)
class PackedModel:
    """A Stack's weights on a device. ``forward`` takes packed ids and positions and gives the logits of every token."""

    token_embeddings: "Tensor" = field(repr=False)
    position_embeddings: "Tensor" = field(repr=False)
    norm: Pair = field(repr=False)
    epsilon: float
    widen: Pair | None = field(repr=False)
    layers: tuple[tuple[Pair, ...], ...] = field(repr=False)
    head: Pair = field(repr=False)
    run_layer: Callable[..., "Tensor"] = field(repr=False)
    run_compiled: Callable[..., "Tensor"] | None = field(default=None, repr=False)
    is_compiled: threading.Event = field(default_factory=threading.Event, repr=False)

    def forward(self, ids: "Tensor", positions: "Tensor", bounds: "Tensor", longest: int) -> "Tensor":
        """``bounds`` is the running sum of the windows' lengths, from 0 on; ``longest`` is the length of the longest."""
        from torch.nn import functional as F

        x = self.token_embeddings[ids] + self.position_embeddings[positions]
        x = F.layer_norm(x, x.shape[1:], *self.norm, self.epsilon)
        if self.widen is not None:
            x = F.linear(x, *self.widen)
        run = self.run_layer
        if self.run_compiled is not None and len(ids) >= (_WORTH_RUNNING_COMPILED if self.is_compiled.is_set() else _WORTH_COMPILING):
            run = self.run_compiled
            self.is_compiled.set()
        for layer in self.layers:
            x = run(x, bounds, longest, *layer)
        return F.linear(x, *self.head)


def pack_model(stack: Stack, device: "torch.device", dtype: "torch.dtype", *, compiled: bool) -> PackedModel:
    """The stack on a device; ``compiled`` makes one kernel of each sum and the norm after it."""
    import torch

    def move(values: NDArray[Any]) -> "Tensor":
        return torch.from_numpy(np.ascontiguousarray(values)).to(device, dtype)

    def pair(part: Linear | Norm) -> Pair:
        return move(part.floats() if isinstance(part, Linear) else part.weight), move(part.bias)

    made: dict[str, tuple[Pair, ...]] = {}  # ALBERT runs the same layer many times
    for layer in stack.layers:
        if layer.qkv.name not in made:
            parts = (layer.qkv, layer.out, layer.attention_norm, layer.up, layer.down, layer.feed_norm)
            made[layer.qkv.name] = tuple(pair(part) for part in parts)
    kinds: dict[str, Any] = {"heads": stack.heads, "activation": stack.activation, "cuda": device.type == "cuda"}
    join = make_join(stack.norm.epsilon)
    return PackedModel(
        move(stack.token_embeddings.floats() if isinstance(stack.token_embeddings, Quantized) else stack.token_embeddings),
        move(stack.position_embeddings),
        pair(stack.norm),
        stack.norm.epsilon,
        None if stack.widen is None else pair(stack.widen),
        tuple(made[layer.qkv.name] for layer in stack.layers),
        pair(stack.head),
        make_layer(join, **kinds),
        make_layer(compile_join(join), **kinds) if compiled else None,
    )


def make_join(epsilon: float) -> Callable[..., "Tensor"]:
    """The norm of the sum of what a product gave and what went into it."""
    from torch.nn import functional as F

    def join(given: "Tensor", x: "Tensor", norm: Pair) -> "Tensor":
        return F.layer_norm(given + x, x.shape[1:], *norm, epsilon)

    return join


def compile_join(join: Callable[..., "Tensor"]) -> Callable[..., "Tensor"]:
    """The join compiled once for any number of tokens, and for the width that they have.

    A kernel that knows the width keeps a token in its registers; one that does not reads it twice, which takes several times as long.
    """
    import torch

    compiled = torch.compile(join)

    def run(given: "Tensor", x: "Tensor", norm: Pair) -> "Tensor":
        for part in (given, x):
            torch._dynamo.mark_dynamic(part, 0)
        joined: Tensor = compiled(given, x, norm)
        return joined

    return run


def make_layer(join: Callable[..., "Tensor"], *, heads: int, activation: str, cuda: bool) -> Callable[..., "Tensor"]:
    """One layer over packed tokens ``(tokens, width)``, as a function of these, the windows' bounds, and the layer's weights."""
    from torch.nn import functional as F

    attend, feed = _pick_attention(cuda), _pick_feed(activation, cuda)

    def run(x: "Tensor", bounds: "Tensor", longest: int, qkv: Pair, out: Pair, first: Pair, up: Pair, down: Pair, second: Pair) -> "Tensor":
        queries, keys, values = F.linear(x, *qkv).view(x.shape[0], 3, heads, -1).unbind(1)
        seen = attend(queries, keys, values, bounds, longest).reshape(x.shape)
        x = join(F.linear(seen, *out), x, first)
        return join(F.linear(feed(x, up), *down), x, second)

    return run


def _pick_feed(activation: str, cuda: bool) -> Callable[["Tensor", Pair], "Tensor"]:
    """The widening product with its activation.

    On a GPU one kernel does both, with the tanh form of GELU: it differs from the exact one by less than 0.0005, and brain floats
    near 1 are 0.004 apart.
    """
    import torch
    from torch.nn import functional as F

    def feed(x: "Tensor", up: Pair) -> "Tensor":
        wide = F.linear(x, *up)
        return F.relu(wide) if activation == "relu" else F.gelu(wide, approximate="tanh" if activation == "gelu_tanh" else "none")

    def feed_at_once(x: "Tensor", up: Pair) -> "Tensor":
        return torch._addmm_activation(up[1], x, up[0].t(), use_gelu=activation != "relu")

    return feed_at_once if cuda else feed


def _pick_attention(cuda: bool) -> Callable[["Tensor", "Tensor", "Tensor", "Tensor", int], "Tensor"]:
    """Attention inside each window, ``(tokens, heads, size)`` each: what this PyTorch has for a GPU, or window by window."""
    import torch

    def each(queries: "Tensor", keys: "Tensor", values: "Tensor", bounds: "Tensor", longest: int) -> "Tensor":
        sizes = bounds.diff().tolist()
        parts = zip(*(torch.split(part.transpose(0, 1), sizes, dim=1) for part in (queries, keys, values)), strict=True)
        attended = [torch.nn.functional.scaled_dot_product_attention(*(side[None] for side in part))[0] for part in parts]
        return torch.cat(attended, dim=1).transpose(0, 1)

    def flash(queries: "Tensor", keys: "Tensor", values: "Tensor", bounds: "Tensor", longest: int) -> "Tensor":
        operator = torch.ops.aten._flash_attention_forward
        found: Tensor = operator(queries, keys, values, bounds, bounds, longest, longest, 0.0, False, False)[0]
        return found

    if not cuda:
        return each
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:  # before PyTorch 2.10
        return flash

    def varlen(queries: "Tensor", keys: "Tensor", values: "Tensor", bounds: "Tensor", longest: int) -> "Tensor":
        found: Tensor = varlen_attn(queries, keys, values, bounds, bounds, longest, longest)  # type: ignore[assignment]
        return found

    return varlen


@dataclass(frozen=True, slots=True)
class PackedRuntime:
    """A packed model on a device. Threads may share it: batches are launched one after the other, and waited for apart."""

    model: PackedModel = field(repr=False)
    config: Mapping[str, Any] = field(repr=False)
    device: "torch.device"
    lock: Any = field(default_factory=threading.Lock, repr=False)

    @property
    def budget(self) -> int:
        return _BUDGET

    def run(self, batches: Iterable[Batch]) -> Iterator[NDArray[np.float32]]:
        waiting: deque[tuple[Tensor, torch.cuda.Event | None, NDArray[np.bool_]]] = deque()
        for ids, mask in batches:
            real = mask.astype(bool)
            with self.lock, watch_memory(self.device):
                waiting.append((*self._fetch(self._forward(ids, real)), real))
            if len(waiting) > _AHEAD:
                yield _unpack(*waiting.popleft())
        while waiting:
            yield _unpack(*waiting.popleft())

    def infer(self, ids: NDArray[Any], mask: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[np.float16]:
        """The logits of some tokens, by their positions among all that the mask keeps; the others never leave the device."""
        with self.lock, watch_memory(self.device):
            held, done = self._fetch(self._forward(ids, mask.astype(bool))[self._move(rows)])
        if done is not None:
            done.synchronize()
        found: NDArray[np.float16] = held.numpy()
        return found

    def _forward(self, ids: NDArray[Any], real: NDArray[np.bool_]) -> "Tensor":
        import torch

        try:
            lengths = real.sum(axis=1)
            bounds = self._move(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))
            positions = position_ids(self.config, ids)
            with torch.inference_mode():
                return self.model.forward(self._move(ids[real]), self._move(positions[real]), bounds, int(lengths.max())).half()
        except torch.OutOfMemoryError:
            if len(ids) == 1:
                raise
        torch.cuda.empty_cache()
        half = len(ids) // 2
        return torch.cat([self._forward(ids[:half], real[:half]), self._forward(ids[half:], real[half:])])

    def _move(self, values: NDArray[Any]) -> "Tensor":
        import torch

        tensor = torch.from_numpy(np.ascontiguousarray(values))
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else tensor

    def _fetch(self, logits: "Tensor") -> "tuple[Tensor, torch.cuda.Event | None]":
        import torch

        if self.device.type != "cuda":
            return logits, None
        held = torch.empty(logits.shape, dtype=logits.dtype, pin_memory=True)
        held.copy_(logits, non_blocking=True)
        # A wait that sleeps leaves the core to the threads that feed the GPU.
        done = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        done.record()
        return held, done


def _unpack(logits: "Tensor", done: "torch.cuda.Event | None", real: NDArray[np.bool_]) -> NDArray[np.float32]:
    if done is not None:
        done.synchronize()
    found = np.zeros((*real.shape, logits.shape[1]), dtype=np.float32)
    found[real] = logits.numpy()
    return found


def load_packed_runtime(checkpoint: Checkpoint, stack: Stack, device: "torch.device") -> PackedRuntime:
    """The checkpoint's stack on a GPU (bfloat16, compiled) or, for trying it, a processor (full precision)."""
    import torch

    cuda = device.type == "cuda"
    model = pack_model(stack, device, torch.bfloat16 if cuda else torch.float32, compiled=cuda)
    return PackedRuntime(model, checkpoint.config, device)
