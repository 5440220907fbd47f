"""The filter of kept words: words and phrases of the user's own that are never PHI."""

from dataclasses import dataclass

from incognote.filters.decision import Decision, Layer, Note, drop, keep
from incognote.lexicon.phrases import Phrases
from incognote.merge import Role


@dataclass(frozen=True, slots=True)
class KeptWords:
    """Drops spans within one of the phrases, unless the value is known to be a patient's or always to be hidden."""

    phrases: Phrases

    def __call__(self, layer: Layer, note: Note) -> list[Decision]:
        if layer.role is Role.KNOWN or not layer.spans:
            return [keep(span) for span in layer.spans]
        kept = bytearray(len(note.text))
        for start, end, _ in self.phrases.find(note.text):
            kept[start:end] = b"\x01" * (end - start)
        reason = "listed as a word to keep"
        return [drop(span, "kept words", reason) if 0 not in kept[span.start : span.end] else keep(span) for span in layer.spans]

    def __str__(self) -> str:
        return f"drop_kept_words({self.phrases.name})"
