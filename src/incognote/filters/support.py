"""The support filter: a guess counts only where the finder that it is near saw something, too."""

from incognote.filters.decision import Decision, Layer, Note, drop, keep, touching


def require_support(layer: Layer, note: Note) -> list[Decision]:
    """Drops spans of a layer with ``near`` that touch nothing that the named finder found.

    The shipped model has a strong recall bias: what it does not see at all is hardly ever PHI.
    """
    if not layer.near:
        return [keep(span) for span in layer.spans]
    supported = touching(layer.spans, note.candidates[layer.near].spans, len(note.text))
    reason = f"a guess where the {layer.near} found nothing"
    return [keep(span) if shared else drop(span, "support", reason) for span, shared in zip(layer.spans, supported, strict=True)]
