"""Generators of texts, spans and documents for the property tests."""

from hypothesis import strategies as st

from incognote.document import Document, Span

LABELS = ("PATIENT", "DOCTOR", "DATE", "AGE", "CITY", "PHONE")

# Letters, digits, marks, tabs, CRLF, a byte order mark, combining and astral characters: all that has ever broken an offset.
CHARACTERS = st.sampled_from("abcXYZ019 .,-/'\n\t\r éñß\u0301\u200d\ufeff中م😀𝕏&<>\"")

texts = st.text(CHARACTERS, max_size=80)


@st.composite
def documents(draw: st.DrawFn, labels: tuple[str, ...] = LABELS, min_size: int = 0) -> Document:
    """A document with non-overlapping spans whose edges are not white space."""
    text = draw(st.text(CHARACTERS, min_size=min_size, max_size=80))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=10)))
    spans = [
        Span(start, end, draw(st.sampled_from(labels)))
        for start, end in zip(edges[::2], edges[1::2], strict=False)
        if start < end and not text[start].isspace() and not text[end - 1].isspace()
    ]
    return Document(
        draw(st.text("abc123-", min_size=1, max_size=6)), text, patient=draw(st.sampled_from(["", "p1", "p2"])), spans=tuple(spans)
    )
