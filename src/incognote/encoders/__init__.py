"""Encoders: their architectures, checkpoints, windows, and the taggers made of them."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from incognote.errors import MissingExtraError
from incognote.tagging import Tagger


def load_tagger(
    sources: Sequence[str],
    *,
    device: str = "auto",
    mapping: Mapping[str, str] | None = None,
    weights: Sequence[float] | None = None,
    unsafe: bool = False,
) -> Tagger:
    """A tagger over one model folder or hub name, or an ensemble over several.

    What is wrong with a folder is said here and not at the first note; the weights are read at the first note.
    """
    for package in ("numpy", "tokenizers", "safetensors", "torch", "transformers"):
        if find_spec(package) is None:
            raise MissingExtraError(package, "train")
    from incognote.encoders.ensemble import EnsembleTagger
    from incognote.encoders.tagger import EncoderTagger

    members = tuple(EncoderTagger(source, device=device, mapping=mapping, unsafe=unsafe).open() for source in sources)
    return members[0] if len(members) == 1 else EnsembleTagger(members, tuple(weights) if weights else None)
