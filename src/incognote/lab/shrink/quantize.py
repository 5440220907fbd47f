"""int8 and int4 models out of full precision: dynamic, with a scale for each window's activations, and static, with calibrated ones."""

from collections.abc import Sequence
from pathlib import Path

import torch

from incognote.document import Document
from incognote.errors import CheckpointError, ConfigError, CorpusError
from incognote.find.model.checkpoint import Checkpoint, load_checkpoint
from incognote.find.model.packing import ACTIVATIONS, KEPT, pack_checkpoint
from incognote.find.model.runtimes.stack import fits
from incognote.find.model.runtimes.torch import TorchRuntime
from incognote.find.model.tensors import is_quantized, weight_bits
from incognote.find.model.weights import load_model
from incognote.lab.encoders.encoding import check_labels
from incognote.lab.shrink.derived import CODES, check_new, tell_origin
from incognote.lab.shrink.fake import Fake, fake_model
from incognote.lab.shrink.ranges import as_tensors, find_ranges


def open_exact(source: str | Path) -> Checkpoint:
    """The checkpoint, when its weights are still in full precision."""
    checkpoint = load_checkpoint(source)
    if is_quantized(checkpoint.folder):
        raise CheckpointError("is quantized already", where=checkpoint.folder, fix="take the model in full precision that it was made from")
    return checkpoint


def quantize_dynamic(source: str | Path, target: Path, *, bits: int = 8, overwrite: bool = False) -> Path:
    """Write the checkpoint with its weights as codes, one scale for each output; activations get theirs when they are computed.

    With codes of four ``bits`` the file is half as large again; the runtimes compute with them in int8 all the same.
    """
    checkpoint = open_exact(source)
    check_new(target, overwrite=overwrite)
    card = tell_origin(checkpoint, target.name, how=f"its weights rounded to {name_bits(bits)}", packed=CODES)
    return pack_checkpoint(checkpoint.folder, target, bits=bits, card=card)


def quantize_static(
    source: str | Path, target: Path, documents: Sequence[Document], *, bits: int = 8, device: str = "cpu", overwrite: bool = False
) -> Path:
    """As :func:`quantize_dynamic`, with the ranges of activations measured on the documents' texts and kept in the checkpoint."""
    checkpoint = open_exact(source)
    check_new(target, overwrite=overwrite)
    check_graph(checkpoint)
    check_notes(checkpoint, documents)
    model = load_model(checkpoint).to(torch.device(device))
    ranges = find_ranges(model, checkpoint, [document.text for document in documents])
    how = f"its weights rounded to {name_bits(bits)}, and the ranges of its activations measured on {len(documents)} notes at most"
    card = tell_origin(checkpoint, target.name, how=how, packed=CODES)
    return pack_checkpoint(checkpoint.folder, target, settings={ACTIVATIONS: round_ranges(ranges)}, bits=bits, card=card)


def name_bits(bits: int) -> str:
    """The number format of weights, as tables and cards name it; raises for one that there is not.

    >>> name_bits(8), name_bits(4)
    ('int8', 'int4')
    """
    if bits not in (4, 8):
        raise ConfigError("quantize", [f"{{bits}} = {bits}: weights have 8 bits or 4"])
    return f"int{bits}"


def check_graph(checkpoint: Checkpoint) -> None:
    """Raise unless the int8 runtime has a graph for the encoder: ranges would serve nothing."""
    if not fits(checkpoint.config):
        family = checkpoint.config.get("model_type")
        raise CheckpointError(f"encoders of the family {family} have no int8 graph", where=checkpoint.folder, fix="set {how} to dynamic")


def check_notes(checkpoint: Checkpoint, documents: Sequence[Document]) -> None:
    """Raise unless there are notes, with labels that the model knows: others were annotated for another task."""
    if not documents:
        raise CorpusError("there is no note to calibrate on; static int8 needs some that are like those it will read")
    check_labels(documents, checkpoint.tags)


def round_ranges(ranges: dict[str, tuple[float, float]]) -> dict[str, list[float]]:
    """The ranges as ``config.json`` holds them, with as many digits as matter.

    >>> round_ranges({"up": (-1.23456789, 2.0)})
    {'up': [-1.23457, 2.0]}
    """
    return {name: [float(f"{value:.6g}") for value in pair] for name, pair in ranges.items()}


def load_fake_runtime(folder: str | Path, *, device: str = "cpu") -> TorchRuntime:
    """A packed checkpoint on PyTorch that rounds as its int8 graph does, for a device that has no such graph.

    Its weights are the codes already; activations are rounded to the ranges in the checkpoint, or window by window where there are none.
    """
    checkpoint = load_checkpoint(folder)
    place = torch.device(device)
    model = load_model(checkpoint).to(place)
    found = checkpoint.settings.get(ACTIVATIONS)
    fake_model(model, Fake(as_tensors(found, place) if found else None, weight_bits(checkpoint.folder)), kept=KEPT)
    return TorchRuntime(model, place)


def load_gpu_runtime(folder: str | Path) -> TorchRuntime | None:
    """The model on the GPU, rounding there as its graph does on a processor, for many scores in a short time; none without a GPU."""
    if not torch.cuda.is_available():
        return None
    checkpoint = load_checkpoint(folder)
    if is_quantized(checkpoint.folder):
        return load_fake_runtime(folder, device="cuda")
    return TorchRuntime(load_model(checkpoint).to(torch.device("cuda")), torch.device("cuda"))
