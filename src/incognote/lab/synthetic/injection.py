"""Puts made-up PHI into real clinical text: replaces or labels its own, adds a header and a footer, and sentences with PHI in between.

The caller brings the finder (rules live above this folder). Notes whose own PHI may not all be found are left out.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from random import Random

from incognote.document import Document, Span
from incognote.lab.synthetic.charts import Chart
from incognote.lab.synthetic.clarity import is_clear
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.library import FOLDER, Library, Part, library
from incognote.lab.synthetic.locales import draw_locale
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.placeholders import find_placeholders
from incognote.lab.synthetic.style_profiles import StyleProfile, make_profile
from incognote.lab.synthetic.styles import apply_style
from incognote.lab.synthetic.substitution import Substitutes, guess_sex
from incognote.lab.synthetic.writing import assemble, expand

Finder = Callable[[str], Iterable[Span]]

# MTSamples lost its line breaks to commas: one that no blank follows, before a capital or a numbered item, was a break.
_LOST_BREAK = re.compile(r"(?<=\D)(?: ?,)+(?=\s*(?:[A-Z(\"]|\d{1,2}\.\s))(?! [A-Za-z])")
_LOST_AFTER_HEAD = re.compile(r":\s*,[\s,]*")
_SENTENCE = re.compile(r"(?<=[a-z)%]\.)(?= {1,2}[A-Z][a-z])")


def inject(
    documents: Iterable[Document], find: Finder, *, seed: int = 0, part: Part = "all", strict: bool = True, sentences: int = 5
) -> Iterator[Document]:
    """The documents with known spans, each in the world of a patient of its own.

    ``find`` gives the PHI-like spans of a text in the scheme i2b2-2014; they may overlap, then the longest counts. With ``strict``, a note
    in which something else still looks like PHI is left out. At most ``sentences`` sentences are put into a note.
    """
    books = library().keep(part)
    for number, document in enumerate(documents):
        key = f"incognote/injection/{seed}/{part}/{document.id}"
        rng = Random(key)
        text = restore_breaks(document.text) if rng.random() < 0.8 else document.text
        spans = choose_spans(find(text), first=find_placeholders(text))
        if strict and not is_clear(text, spans):
            continue
        chart = Chart(key, part, guess_sex(text, rng), _lighten(make_profile(rng, part, draw_locale(rng)), rng))
        context = NoteContext(chart, chart.first_visit, rng)
        segments = _surround(_put_in(_substitute(text, spans, context), context, books, sentences), context, books)
        patient = f"i{seed}p{number:05}"
        meta = {"kind": "injected", "source": document.id}
        yield assemble(apply_style(segments, chart.profile, rng), id=f"{patient}-01", patient=patient, meta=meta)


def restore_breaks(text: str) -> str:
    """
    >>> restore_breaks("FINDINGS: , ,1.  Mild edema, no mass.,PLAN:,Rest, ice.")
    'FINDINGS:\\n1.  Mild edema, no mass.\\nPLAN:\\nRest, ice.'
    """
    headed = _LOST_AFTER_HEAD.sub(":\n", text)
    return _LOST_BREAK.sub("\n", headed).replace("\n ", "\n")


def choose_spans(spans: Iterable[Span], *, first: Iterable[Span] = ()) -> list[Span]:
    """Spans that do not overlap: those of ``first``, then the others, each the longest first.

    >>> choose_spans([Span(0, 3, "DATE"), Span(2, 9, "AGE"), Span(9, 10, "ZIP")])
    [Span(start=2, end=9, label='AGE', score=1.0, source=''), Span(start=9, end=10, label='ZIP', score=1.0, source='')]
    """
    kept: list[Span] = []
    for group in (first, spans):
        for span in sorted(group, key=lambda span: (-len(span), -span.score)):
            if not any(span.overlaps(other) for other in kept):
                kept.append(span)
    return sorted(kept)


def _lighten(profile: StyleProfile, rng: Random) -> StyleProfile:
    """Real text has a style of its own; little is changed."""
    casing = profile.casing if rng.random() < 0.4 else ""
    return replace(
        profile, breaks="", colon=": ", bullet="- ", abbreviations=profile.abbreviations / 2, typos=profile.typos / 2, casing=casing
    )


def _substitute(text: str, spans: Sequence[Span], context: NoteContext) -> list[Segment]:
    substitutes = Substitutes(context)
    segments: list[Segment] = []
    at = 0
    for span in spans:
        segments.append((text[at : span.start], ""))
        segments.append((substitutes.value(span.label, text[span.start : span.end]).strip(), span.label))
        at = span.end
    return [segment for segment in (*segments, (text[at:], "")) if segment[0]]


def _put_in(segments: list[Segment], context: NoteContext, books: Library, most: int) -> list[Segment]:
    """Sentences of the injected topics, each at the end of a sentence of the text."""
    places = [(index, match.start()) for index, (text, label) in enumerate(segments) if not label for match in _SENTENCE.finditer(text)]
    chosen = sorted(context.rng.sample(places, min(len(places), context.rng.randint(0, most))), reverse=True)
    woven = list(segments)
    for index, place in chosen:
        text = woven[index][0]
        topic = context.rng.choice(injected_topics())
        line = context.rng.choice(books.patterns[topic])
        woven[index : index + 1] = [(text[:place] + " ", ""), *expand(line.template, context, books), (text[place:], "")]
    return woven


@cache
def injected_topics() -> tuple[str, ...]:
    """The topics whose sentences are put into real text."""
    return tuple(tomllib.loads((FOLDER / "injection.toml").read_text(encoding="utf-8"))["topics"])


def _surround(segments: list[Segment], context: NoteContext, books: Library) -> list[Segment]:
    """A header before most notes, a footer after many."""
    joint = context.rng.choice(("\n", "\n\n", "\n\n"))
    found = list(segments)
    if context.rng.random() < 0.8:
        found = [*_expand_frame("header", context, books), (joint, ""), *found]
    if context.rng.random() < 0.7:
        found = [*found, (joint, ""), *_expand_frame("footer", context, books)]
    return found


def _expand_frame(kind: str, context: NoteContext, books: Library) -> list[Segment]:
    frames = [frame for frame in books.headers_footers if frame.name.startswith(kind)]
    return expand(context.rng.choice(frames).template, context, books)
