"""Finding PHI with encoders: checkpoints, windows, decoding, runtimes, and the taggers made of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from incognote.find.finder import Tagger
from incognote.models import DEFAULT, find_model

if TYPE_CHECKING:
    from incognote.find.model.choice_cache import Choice

__all__ = ["find_source", "list_choices", "load_tagger"]


def load_tagger(
    sources: Sequence[str],
    *,
    device: str = "auto",
    mapping: Mapping[str, str] | None = None,
    weights: Sequence[float] | None = None,
    unsafe: bool = False,
    runtime: str = "auto",
) -> Tagger:
    """A tagger over one model folder or hub name, or an ensemble over several; ``default`` is the model that ships with the package.

    ``runtime`` is auto, onnx, onnx-exact, onnx-fp32 or torch. A fault of a folder raises here, not at the first note; the weights are read
    at the first note.
    """
    from incognote.find.model.ensemble import EnsembleTagger
    from incognote.find.model.tagger import EncoderTagger

    named = [find_source(source) for source in sources]
    members = tuple(EncoderTagger(source, device=device, mapping=mapping, unsafe=unsafe, runtime=runtime).open() for source in named)
    return members[0] if len(members) == 1 else EnsembleTagger(members, tuple(weights) if weights else None)


def find_source(name: str) -> str:
    """The folder of the shipped model for ``default``; any other name is a folder or hub name already."""
    return str(find_model()) if name == DEFAULT else name


def list_choices(tagger: Tagger) -> "tuple[Choice, ...]":
    """The runtime of each model of a tagger that :func:`load_tagger` gave, and why; nothing for any other tagger."""
    from incognote.find.model.tagger import EncoderTagger

    members: Sequence[object] = getattr(tagger, "members", (tagger,))
    return tuple(member.choice for member in members if isinstance(member, EncoderTagger) and isinstance(member.runtime, str))
