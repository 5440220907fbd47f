"""Quantization-aware training as in Q8BERT (Zafrir et al. 2019): a tagger learns with the rounding that int8 will do to it.

All linears and embeddings round their weights, and linears their inputs, while it trains; what comes out is a model in full precision
and the same in int8. The head's input is not rounded, nor are the first and last token of a window, because the int8 graph leaves them.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from incognote.errors import CheckpointError
from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.packing import ACTIVATIONS, pack_checkpoint
from incognote.find.model.tensors import has_factors
from incognote.find.model.weights import load_model
from incognote.lab.shrink.derived import CODES, check_new, tell_origin
from incognote.lab.shrink.fake import Fake, fake_model
from incognote.lab.shrink.quantize import check_graph, name_bits, open_exact, round_ranges
from incognote.lab.shrink.ranges import as_tensors, find_ranges
from incognote.lab.shrink.tuning import retrain
from incognote.lab.training.data import Splits
from incognote.lab.training.loop import Watch
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.run import Run
from incognote.lab.training.tasks.tagging import Tagging

KEPT = ("relative_attention_bias",)
"""All embeddings and linears are int8 here, small ones too; what MPNet adds to attention is neither."""

_FIRST_WINDOWS = 64  # to begin with; running ranges follow from there


def train_aware(
    source: str | Path,
    target: Path,
    recipe: Recipe,
    splits: Splits,
    *,
    exact: Path | None = None,
    bits: int = 8,
    scored: Sequence[str] = ("validation", "test"),
    overwrite: bool = False,
    watch: Watch | None = None,
) -> Run:
    """Train the tagger to be quantized; what is rounded goes to ``target``, full precision to ``exact`` (the same name with ``-fp32``).

    The Run's scores, on the splits named in ``scored``, are those of the model as it rounds.
    """
    checkpoint = open_exact(source)
    whole = exact or exact_folder(target)
    for folder in (target, whole):
        check_new(folder, overwrite=overwrite)
    check_graph(checkpoint)
    if has_factors(checkpoint.folder):
        raise CheckpointError("training would make its thin embedding whole", where=checkpoint.folder, fix="train before you factorize")
    texts = [document.text for document in splits.train]

    def wrap(tagging: Tagging) -> Tagging:
        place = pick_place()
        tagging.model.to(place).eval()
        ranges = find_ranges(tagging.model, checkpoint, texts, windows=_FIRST_WINDOWS)
        fake_model(tagging.model, Fake(as_tensors(ranges, place), bits), kept=KEPT)
        return tagging

    # What rounds is put in front of the modules when they run, which compiling does not see through.
    run = retrain(
        checkpoint.folder, whole, replace(recipe, compile="no"), splits, origin=checkpoint.name, wrap=wrap, scored=scored, watch=watch
    )
    pack_aware(whole, target, texts, bits=bits)
    return run


def pack_aware(exact: Path, target: Path, texts: list[str], *, bits: int = 8) -> Path:
    """The trained model in codes, all its embeddings too; ranges are measured again, on the weights of the epoch that was kept."""
    checkpoint = load_checkpoint(exact)
    with tempfile.TemporaryDirectory(prefix="incognote-aware-") as scratch:
        rounded = pack_checkpoint(exact, Path(scratch) / "rounded", kept=KEPT, bits=bits)
        model = load_model(load_checkpoint(rounded)).to(pick_place())
    ranges = find_ranges(model, checkpoint, texts)
    card = tell_origin(checkpoint, target.name, how=f"trained to be rounded to {name_bits(bits)}, and rounded", packed=CODES)
    return pack_checkpoint(exact, target, settings={ACTIVATIONS: round_ranges(ranges)}, kept=KEPT, bits=bits, card=card)


def exact_folder(target: Path) -> Path:
    """Where the full precision goes when int8 goes to ``target``.

    >>> exact_folder(Path("models/small")).name
    'small-fp32'
    """
    return target.with_name(f"{target.name}-fp32")


def pick_place() -> torch.device:
    """The GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
