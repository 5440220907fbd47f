"""Gold and predicted documents matched by id: missing ones count as empty, different texts are refused."""

from collections.abc import Iterable
from dataclasses import dataclass

from incognote.document import Document
from incognote.errors import CorpusError
from incognote.shown import show_id

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Pairing:
    """Each gold document with its prediction. ``missing`` had none and count as empty; ``ignored`` have no gold."""

    pairs: tuple[tuple[Document, Document], ...]
    missing: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def pair_documents(gold: Iterable[Document], predicted: Iterable[Document], *, ignore_extra: bool = False, path: str = "") -> Pairing:
    """The pairs in the order of the gold. Predicted documents without gold are an error unless ``ignore_extra``.

    ``path`` is where the predictions come from, for a message to name.
    """
    ours, theirs = _index(gold, "gold"), _index(predicted, "predicted")
    if not ours:
        raise CorpusError("the gold has no document to score")
    extra = tuple(id for id in theirs if id not in ours)
    if extra and not ignore_extra:
        more = ", …" if len(extra) > _NAMED else ""
        what = f"{len(extra)} predicted but not in the gold: {', '.join(filter(None, map(show_id, extra[:_NAMED])))}{more}"
        raise CorpusError(what, path=path, fix="give the gold they belong to, or leave them out with {ignore_extra}")
    pairs = []
    for id, document in ours.items():
        twin = theirs.get(id, document.with_spans(()))
        if twin.text != document.text:
            fix = "score spans over the same text, before replacement"
            raise CorpusError(_describe_mismatch(document.text, twin.text), path=path, document=id, fix=fix)
        pairs.append((document, twin))
    return Pairing(tuple(pairs), tuple(id for id in ours if id not in theirs), extra)


def _index(documents: Iterable[Document], side: str) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for document in documents:
        if document.id in found:
            raise CorpusError(f"the {side} corpus has this id twice", document=document.id, fix="give each document its own")
        found[document.id] = document
    return found


def _describe_mismatch(gold: str, predicted: str) -> str:
    place = next((at for at, (one, two) in enumerate(zip(gold, predicted, strict=False)) if one != two), min(len(gold), len(predicted)))
    return f"gold and predicted text differ from character {place} on ({len(gold)} and {len(predicted)} characters)"
