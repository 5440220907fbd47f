"""The support filter: keeps a guess only where it overlaps a span of the finder named by ``near``."""

from incognote.filters.decision import Decision, Layer, Note, drop, keep, touching


def require_support(layer: Layer, note: Note) -> list[Decision]:
    """Drops spans of a layer with ``near`` that share no character with a span of the named finder.

    The shipped model has a strong recall bias: text in which it finds nothing is hardly ever PHI.
    """
    if not layer.near:
        return [keep(span) for span in layer.spans]
    supported = touching(layer.spans, note.candidates[layer.near].spans, len(note.text))
    reason = f"a guess where the {layer.near} found nothing"
    return [keep(span) if shared else drop(span, "support", reason) for span, shared in zip(layer.spans, supported, strict=True)]
