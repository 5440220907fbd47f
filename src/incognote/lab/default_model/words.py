"""Changes the words and numbers of a training note outside its PHI, so that no template is learned by heart, and invents names."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random

from incognote.document import Document, Span
from incognote.lab.synthetic.styles import add_typos
from incognote.lab.synthetic.vocabulary import keep
from incognote.lexicon import word_list, word_rows

_NAME = re.compile(r"[^\W\d_]{4,}")
_WORD = re.compile(r"(?<![\w'@./-])[A-Za-z]{3,}(?![\w'@/-])")
_NUMBERS = re.compile(r"(?<![\w.,/:#-])\d+(?:[.,/:-]\d+)*(?![\w/:#-])")
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"(?:19|20)\d\d")
_RESPELLED = frozenset({"PATIENT", "DOCTOR", "CITY"})
_COINED = 0.1  # of the words that come in place of others
Words = Mapping[str, Sequence[str]]


def gather_words(documents: Sequence[Document]) -> Words:
    """Words of real text outside its PHI, and terms of the lists, by their shape, without those that are names rather than words."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        at = 0
        for start, end in [*((span.start, span.end) for span in document.spans), (len(document.text),) * 2]:
            for word in _WORD.findall(document.text[at:start]):
                if word.casefold() in _known() or word.casefold() not in _names():
                    found[shape_of(word)].append(word)
            at = end
    for term in sorted(_known() - _names()):
        if _WORD.fullmatch(term):
            found["lower"].append(term)
            found["upper"].append(term.upper())
            found["title"].append(term.title())
    return {form: sorted(set(kept)) if form != "lower" else kept for form, kept in found.items()}


def gather_names(documents: Sequence[Document]) -> list[str]:
    """The words of the names that ``respell`` replaces."""
    return [
        word
        for document in documents
        for span in document.spans
        if span.label in _RESPELLED
        for word in _NAME.findall(document.value(span))
    ]


def shape_of(word: str) -> str:
    return "lower" if word.islower() else "upper" if word.isupper() else "title"


@cache
def _names() -> frozenset[str]:
    return word_list("surnames") | word_list("given-names") | word_list("cities-us") | word_list("cities-world") | word_list("countries")


@cache
def _known() -> frozenset[str]:
    lists = ("common-words", "eponyms", "drugs", "clinical-terms", "demonyms", "capital-words")
    return frozenset(entry for name in lists for entry in word_list(name))


def reword(document: Document, words: Words, rng: Random) -> Document:
    """Replace some words outside the PHI by others of the same shape: the frame of a template must not give its gold away.

    A few of them are invented: not every unknown word is a name.
    """
    share = rng.choice((0.04, 0.08, 0.15))

    def swap(match: re.Match[str]) -> str:
        choice = words.get(shape_of(match[0]))
        if not choice or rng.random() >= share:
            return match[0]
        return like(match[0], coin(choice, rng)) if rng.random() < _COINED else rng.choice(choice)

    return rewrite(document, lambda text: _WORD.sub(swap, text))


def reterm(document: Document, rng: Random) -> Document:
    """Replace eponyms and medicines by others of their kind, so that the context separates them from names as much as the letters do."""
    share = rng.choice((0.3, 0.6, 0.9))

    def swap(match: re.Match[str]) -> str:
        choice = _terms().get(match[0].casefold())
        return like(match[0], rng.choice(choice)) if choice and rng.random() < share else match[0]

    return rewrite(document, lambda text: _WORD.sub(swap, text))


@cache
def _terms() -> Mapping[str, Sequence[str]]:
    """For each eponym and medicine of one word, but common words, those of the training part that may replace it."""
    eponyms = [(row[0], "weak" in row[1:]) for row in word_rows("eponyms")]
    kinds = [[name for name, weak in eponyms if weak], [name for name, weak in eponyms if not weak], sorted(word_list("drugs"))]
    terms: dict[str, Sequence[str]] = {}
    for kind in kinds:
        single = [name for name in kind if _WORD.fullmatch(name) and name.casefold() not in word_list("common-words")]
        terms |= dict.fromkeys(map(str.casefold, single), keep(single, "train"))
    return terms


def renumber(document: Document, rng: Random) -> Document:
    """Replace numbers outside the PHI by others of their form and about their size, so that no value alone makes a score."""
    share = rng.choice((0.3, 0.6, 0.9))
    return rewrite(document, lambda text: _NUMBERS.sub(lambda match: renew(match[0], rng) if rng.random() < share else match[0], text))


def renew(number: str, rng: Random) -> str:
    """Another number of this form: years stay years, a part stays within its whole, and so do minutes within an hour.

    >>> renew("2014", Random(1)), renew("24/30", Random(1)), renew("7.32/48/62", Random(1)), renew("610502", Random(1))
    ('2003', '4/30', '6.40/36/58', '291417')
    """
    if _YEAR.fullmatch(number):
        return str(rng.randint(1995, 2026))
    part, slash, whole = number.partition("/")
    if slash and part.isdigit() and whole.isdigit() and int(part) <= int(whole):
        return f"{rng.randint(0, int(whole))}/{whole}"
    return _DIGITS.sub(lambda match: redraw(match[0], rng, most=59 if ":" in number else 9999), number)


def redraw(digits: str, rng: Random, *, most: int = 9999) -> str:
    """As many digits; a short number keeps about its size."""
    value = int(digits)
    if len(digits) > 4 or (digits[0] == "0" and len(digits) > 1):
        return "".join(str(rng.randint(0, 9)) for _ in digits)
    low, high = max(value - value // 3, 10 ** (len(digits) - 1)), min(value + value // 2 + 1, 10 ** len(digits) - 1, most)
    return str(rng.randint(low, high)) if low <= high else digits


def mistype(document: Document, rng: Random) -> Document:
    """Typos outside the PHI: an unknown word need not be a name."""
    share = rng.choice((0.005, 0.01, 0.02))
    return rewrite(document, lambda text: add_typos(text, share, rng))


def respell(document: Document, words: Sequence[str], rng: Random) -> Document:
    """Replace the names of people and towns by invented ones, made of parts of other names, so that only context and shape give them away.

    The same name stays the same throughout the document.
    """
    made: dict[str, str] = {}

    def swap(match: re.Match[str]) -> str:
        key = match[0].lower()
        made[key] = made.get(key) or coin(words, rng)
        return like(match[0], made[key])

    text, spans, at = "", list[Span](), 0
    for span in document.spans:
        text += document.text[at : span.start]
        value = document.value(span)
        value = _NAME.sub(swap, value) if span.label in _RESPELLED else value
        spans.append(Span(len(text), len(text) + len(value), span.label))
        text, at = text + value, span.end
    return Document(document.id, text + document.text[at:], spans=tuple(spans))


def coin(words: Sequence[str], rng: Random) -> str:
    """The beginning of one word and the end of another, in small letters."""
    return (rng.choice(words)[: rng.randint(2, 5)] + rng.choice(words)[-rng.randint(2, 5) :]).lower()


def like(model: str, word: str) -> str:
    """The word in the casing of the model."""
    return word.upper() if model.isupper() else word[:1].upper() + word[1:] if model[0].isupper() else word.lower()


def rewrite(document: Document, change: Callable[[str], str]) -> Document:
    """The document with the text between its spans changed."""
    spans, text, at = list[Span](), "", 0
    for span in document.spans:
        text += change(document.text[at : span.start])
        spans.append(Span(len(text), len(text) + len(span), span.label))
        text, at = text + document.value(span), span.end
    return Document(document.id, text + change(document.text[at:]), spans=tuple(spans))
