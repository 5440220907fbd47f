"""Expands templates: a skeleton and a note context become segments, and segments a Document with exact spans."""

import re
from collections.abc import Mapping
from random import Random

from incognote.document import Document, Span
from incognote.errors import SpanError
from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.filling import FILLS
from incognote.lab.synthetic.language import Choice, Fill, Lines, Meant, Number, Template
from incognote.lab.synthetic.library import Library
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.slots import DOCTORS, KIN, RETURNING, split_slot
from incognote.lexicon.number_words import spell_number

_ARTICLE = re.compile(r"(?<!\S)([aA])(\s)$")
_VOWEL = re.compile(r"(?:8|11\b|18\b|[aeioAEIO]|u(?!ni)|ho(?:ur|nest)|[FHLMNRSX][A-Z])")
_GLUED = re.compile(r"(?<![A-Za-z])x$")
# What stands between a number and its extension: they are one.
_EXTENSION = re.compile(r"^,? ?(?:ext\.?|x|extension|opt\.?|option|xt) ?$", re.IGNORECASE)
_INSIDE_NAME = frozenset({" ", ", ", ","})
PEOPLE = frozenset({"patient", *KIN, *DOCTORS, *RETURNING})
_ENDED = re.compile(r"(?:^|[.!?:]\s+|\n\s*(?:[-*•]\s)?)$")


def expand(template: Template, context: NoteContext, library: Library) -> list[Segment]:
    """The segments of a template, in order."""
    found: list[Segment] = []
    _expand(template, context, library, found)
    return _join_extensions(_fit_edges(_spell_ages(found, context.rng)))


def _expand(template: Template, context: NoteContext, library: Library, found: list[Segment]) -> None:
    for place, piece in enumerate(template):
        if isinstance(piece, str):
            found.append((piece, ""))
        elif isinstance(piece, Fill):
            _fill(piece.slot, context, library, found)
            if place > 1 and template[place - 1] in _INSIDE_NAME and _is_same_person(template[place - 2], piece):
                _join_names(found)
        elif isinstance(piece, Choice):
            _expand(context.rng.choice(piece.options), context, library, found)
        elif isinstance(piece, Meant):
            found.append((piece.text, ""))
        elif isinstance(piece, Number):
            found.append((_draw_number(piece, context.rng), ""))
        else:
            _expand_lines(piece, context, library, found)


def _is_same_person(one: object, two: Fill) -> bool:
    """Whether the slots are two parts of one person's name; the same part twice is a list."""
    if not isinstance(one, Fill) or one.slot == two.slot:
        return False
    return split_slot(one.slot)[0] == (role := split_slot(two.slot)[0]) and role in PEOPLE


def _join_names(found: list[Segment]) -> None:
    """First and last name of one person, written as two slots, are one span."""
    if len(found) > 2 and found[-1][1] and found[-1][1] == found[-3][1]:
        found[-3:] = [("".join(text for text, _ in found[-3:]), found[-1][1])]


def _fill(slot: str, context: NoteContext, library: Library, found: list[Segment]) -> None:
    if lines := library.fillers.get(slot):
        _expand(context.rng.choice(lines).template, context, library, found)
        return
    name, form = split_slot(slot)
    filled = FILLS[name](context, form)
    if form == "their" and _ENDED.search(found[-1][0] if found else ""):
        filled = [(filled[0][0].capitalize(), "")]
    found.extend(filled)


def _expand_lines(piece: Lines, context: NoteContext, library: Library, found: list[Segment]) -> None:
    lines = library.patterns[piece.topic]
    count = min(context.rng.randint(piece.low, piece.high), len(lines))
    fresh = [line for line in lines if line.place not in context.used]
    chosen = context.rng.sample(fresh if len(fresh) >= count else lines, count)
    context.used.update(line.place for line in chosen)
    for number, line in enumerate(chosen, 1):
        lead = piece.joint if number > 1 else ""
        found.append((lead + (f"{number}. " if piece.prefix == "#" else piece.prefix), ""))
        _expand(line.template, context, library, found)


def _draw_number(piece: Number, rng: Random) -> str:
    if not piece.places:
        return str(rng.randint(int(piece.low), int(piece.high)))
    return f"{rng.uniform(piece.low, piece.high):.{piece.places}f}"


def _spell_ages(segments: list[Segment], rng: Random) -> list[Segment]:
    """Now and then an age before ``-year-old`` is in words."""
    spelled = list(segments)
    for index in range(len(segments) - 1):
        text, label = segments[index]
        if label == "AGE" and text.isdigit() and segments[index + 1][0].startswith(("-year", " year")) and rng.random() < 0.06:
            spelled[index] = spell_number(int(text)), label
    return spelled


def _fit_edges(segments: list[Segment]) -> list[Segment]:
    """``a`` becomes ``an`` before a value that starts like a vowel: ``an 81-year-old``; an ``x`` glued to an extension belongs to it."""
    fitted = [segment for segment in segments if segment[0]]
    for index in range(len(fitted) - 1):
        text, label = fitted[index]
        if not label and _ARTICLE.search(text) and _VOWEL.match(fitted[index + 1][0]):
            fitted[index] = _ARTICLE.sub(r"\1n\2", text), ""
        elif not label and fitted[index + 1][1] == "PHONE" and _GLUED.search(text):
            fitted[index : index + 2] = [(text[:-1], ""), (f"x{fitted[index + 1][0]}", "PHONE")]
    return [segment for segment in fitted if segment[0]]


def _join_extensions(segments: list[Segment]) -> list[Segment]:
    """``[555-0100] ext [22]`` becomes one phone number."""
    joined: list[Segment] = []
    for text, label in segments:
        if label == "PHONE" and len(joined) > 1 and joined[-2][1] == "PHONE" and _EXTENSION.match(joined[-1][0]):
            joined[-2:] = [(joined[-2][0] + joined[-1][0] + text, label)]
        else:
            joined.append((text, label))
    return joined


def assemble(segments: list[Segment], *, id: str, patient: str, meta: Mapping[str, object]) -> Document:
    """Join the segments; every labelled one is a span."""
    at, spans = 0, []
    text = "".join(part for part, _ in segments)
    for part, label in segments:
        if label:
            if not part or part[0].isspace() or part[-1].isspace():
                raise SpanError(f"document {id}: a {label} at {at} is empty or has white space at its edge")
            spans.append(Span(at, at + len(part), label))
        at += len(part)
    return Document(id, text, patient=patient, spans=tuple(spans), meta=meta)
