"""The shape of personal names, and functions that read a name from where the context says that one stands."""

import re
from collections.abc import Iterator

from incognote.lexicon import word_list
from incognote.lexicon.degrees import DEGREE, DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import (
    is_capital_word,
    is_common,
    is_frequent_given,
    is_frequent_surname,
    is_given,
    is_name,
    is_never_name,
    is_sentence_word,
    is_surname,
)
from incognote.lexicon.person import fold

Range = tuple[int, int]

_LETTERS = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u0370-\u03ff\u0400-\u052f\u1e00-\u1fff"
# Beyond Latin-1, capitals and small letters alternate: the ranges take both, for a class of five hundred letters is slow to compile.
_CAPITALS = "A-ZÀ-ÖØ-ÞĀ-ɏΆ-ΫЀ-Я\u1e00-\u1fff"
_PARTICLE = (
    r"(?:[Vv]an|[Vv]on|[Dd]er|[Dd]en|[Dd]e|[Dd]el|[Dd]ella|[Dd]i|[Dd]a|[Dd]os|[Dd]as|[Dd]u|[Ll]a|[Ll]e|[Ee]l|[Aa]l|[Bb]in|[Ii]bn|[Bb]int"
    r"|[Tt]er|[Tt]en|[Zz]ur?|[Ss]t\.?|y|e|do)"
)
_GENERATION = r"(?:Jr|JR|Sr|SR|II|III|IV)\b\.?"
CAPITALISED = rf"(?:(?:al|el|ben|ibn)-)?(?:[{_CAPITALS}d]['’])?[{_CAPITALS}][{_LETTERS}]+(?:-[{_LETTERS}]+|['’][{_LETTERS}]{{2,}})*"
# The W of "W/o" (wife of) is no initial.
INITIAL = rf"[{_CAPITALS}](?:\.|(?![{_LETTERS}'’]|/[oO]\b))"
SHORT = r"(?:Wm|Thos|Chas|Jas|Geo|Jos|Robt|Benj|Danl|Saml|Edw|Alex|Ste?ph)\."
WORD = rf"(?:{SHORT}|{CAPITALISED}|{INITIAL})"
# A name does not cross the gap between two columns; over the end of a line it goes on only where the line is full.
BLANK = "[ ]"
_WRAP = r"[ ]?\n(?=[A-ZÀ-Þ][a-zà-ÿ])"
_PAGE = 50

_NICKNAME = rf"[\"“(]{CAPITALISED}[\"”)](?={BLANK}[{_CAPITALS}])"
_FORWARD = lazy(
    rf"(?:[\"“]{CAPITALISED}[\"”] (?=[{_CAPITALS}]))?"
    rf"(?:{_PARTICLE} ){{0,2}}{WORD}(?:(?:{BLANK}|(?<=\.)|{_WRAP})(?:{_PARTICLE}[ \t]){{0,3}}(?:{WORD}|{_NICKNAME})){{0,4}}"
    rf"(?:,?{BLANK}{_GENERATION})?"
)
_REVERSED = lazy(
    rf"(?P<family>(?:{_PARTICLE} ){{0,2}}{CAPITALISED}(?:{BLANK}{CAPITALISED})?(?:,?{BLANK}{_GENERATION})?),[ \t]{{0,2}}"
    rf"(?!{DEGREE})(?P<given>{WORD})(?P<rest>(?:{BLANK}{WORD}){{0,2}})"
)
_NUMBER_NEXT = lazy(r"-\d|[ ]\d{2,3}(?!\d|[ ]?(?:y|[MF]\b|/))")
_RANKS = frozenset("maj cpt capt ltc col lt sgt ssg sfc msg csm spc pfc cdr lcdr cmdr rn md".split())
_SMALL = rf"[{_LETTERS}]{{2,}}(?:['’-][{_LETTERS}]{{2,}})*"
_LOWER = lazy(
    rf"(?P<initial>[a-z]\. ?)?(?P<particles>(?:{_PARTICLE} ){{0,3}})(?P<first>{_SMALL})(?: [a-z]\.?(?= ))?"
    rf"(?: (?P<last>(?:{_PARTICLE} ){{0,3}}{_SMALL})(?: (?P<third>{_SMALL}))?)?"
)
_LOWER_REVERSED = lazy(rf"(?P<family>{_SMALL}), ?(?P<given>{_SMALL})")
_LOWER_INITIAL = lazy(r" [a-z]\.(?![a-z])")
_PIECE = lazy(rf"{SHORT}|{CAPITALISED}|{INITIAL}|{_PARTICLE}(?=[ \t])|[{_LETTERS}]+(?:['’-][{_LETTERS}]{{2,}})*\.?")
_GENERATION_WORD = lazy(_GENERATION)
_PARTICLE_WORD = lazy(_PARTICLE)
_STREET = lazy(r"(?P<house>\d[\w-]*[ ])?(?:[A-Z][\w'’.]*[ ]){1,3}(?P<last>[A-Z]\w+)\.?$")
_ZIP_NEXT = lazy(r",?[ ]{1,2}[A-Z][A-Za-z]+[ ,]{1,3}\d{5}(?!\d)")
_PLACE_AFTER = lazy(
    r"(?:['’]s)? (?:[A-Z]\w+ ){0,2}(?:Hospital|Community|Police|Medical(?! Rec)|Clinic|Cent(?:er|re)|University|College|School|Institute|"
    r"Street|St\.?|Road|Rd|Avenue|Ave|Lane|Drive|Blvd|Boulevard|Court|Memorial|Health|Foundation|House|Pavilion|Hall|Building|Pharmacy|Church|"
    r"Nursing|Rehab\w*|County|Township|Airport|Inc|LLC|"
    r"HOSPITAL|MEDICAL|CLINIC|CENTER|UNIVERSITY|STREET|ROAD|AVENUE)\b"
)


def read_name(text: str, at: int, *, lower: bool = False, known: bool = False) -> Range | None:
    """The name that starts at ``at``, or None. ``lower`` reads names without capitals too; ``known`` asks that the lists know a word of it.

    >>> text = "Dr. MIRELA J. KACZMAREK WAS CALLED"
    >>> start, end = read_name(text, 4)
    >>> text[start:end]
    'MIRELA J. KACZMAREK'
    >>> text = "Kaczmarek, Mirela J., MD"
    >>> text[slice(*read_name(text, 0))]
    'Kaczmarek, Mirela J.'
    >>> read_name("Attending Physician", 0) is None
    True
    """
    found = _read_reversed(text, at) or _read_forward(text, at) or (_read_lower(text, at) if lower else None)
    if found is None:
        return None
    if known and (
        _PLACE_AFTER.match(text, found[1]) or not any(is_name(word.group().rstrip(".")) for word in _PIECE.finditer(text, *found))
    ):
        return None
    return found


def _read_forward(text: str, at: int) -> Range | None:
    match = _FORWARD.match(text, at)
    if match is None:
        return None
    end = _end_of_name(text, list(_PIECE.finditer(text, at, match.end())))
    return (at, end) if end > at else None


def _end_of_name(text: str, words: list[re.Match[str]]) -> int:
    """Where the words stop being a name. The first real word decides the casing that the others must keep."""
    end, first, initials, particle = -1, "", 0, False
    for match in words:
        word, after_particle, particle = match.group(), particle, False
        bare = word.rstrip(".")
        if end > 0 and "\n" in text[end : match.start()] and not _wraps(text, end, bare):
            break
        if _GENERATION_WORD.fullmatch(word) and first:
            # "GAINES st III": a stage.
            return end if after_particle else match.end()
        if len(bare) == 1:
            if bare in "IA" and word == bare and first:
                break
            end, initials = match.end(), initials + 1
            continue
        if _PARTICLE_WORD.fullmatch(word) and match is not words[-1] and (word[0].islower() or is_sentence_word(word) or not first):
            particle = True
            continue
        if is_never_name(bare) or (first and not _continues(first, word)):
            break
        # "Mrs. O. HEP reviewed": what stands after the initial is no name.
        if not first and initials and bare.isupper() and is_capital_word(bare) and not text[max(0, end - 60) : end + 60].isupper():
            break
        end, first = match.end(), first or word
    # An initial or two with no name is no name, unless they are dotted initials on their own.
    return end if first or initials > 1 else -1


def _wraps(text: str, end: int, word: str) -> bool:
    """Whether the line that ends here was broken to fit the page, and a name opens the next."""
    return "\n" not in text[max(0, end - _PAGE) : end] and end >= _PAGE and is_name(word)


def _continues(first: str, word: str) -> bool:
    """Whether a further word belongs to a name that began with ``first``."""
    if word.isupper() and len(word) > 1:
        if first.isupper():
            return not is_common(word) or (is_frequent_surname(word) and not is_sentence_word(word) and len(word) > 3)
        # "Ms. Barton ROM 0-118": what is measured.
        return len(word) > 2 and is_name(word) and not is_capital_word(word)
    if first.isupper() and len(first) > 1:
        return is_name(word)
    return not is_common(word) or ((is_surname(word) or is_given(word)) and not is_never_name(word))


def _read_reversed(text: str, at: int) -> Range | None:
    match = _REVERSED.match(text, at)
    if match is None:
        return None
    family = [word.group().rstrip(".") for word in _PIECE.finditer(match["family"])]
    real = [word for word in family if not _PARTICLE_WORD.fullmatch(word) and not _GENERATION_WORD.fullmatch(word)]
    given = match["given"].rstrip(".")
    # "I'm Megen, I work": the one who speaks is no initial.
    if match["given"] in ("I", "A") and text[match.end("given") : match.end("given") + 1] == " ":
        return None
    if not real or any(is_never_name(word) or (is_common(word) and not is_surname(word)) for word in real):
        return None
    if len(real) > 1 and is_given(real[0]) and not (real[0].isupper() and not given.isupper()):
        return None
    # "Dale, CDL K04", "Benny, PS 118", "Odette, B-04": another field, a school, a room.
    if (given.isupper() and 2 < len(given) < 5 and not family[-1].isupper() and not is_given(given)) or (
        len(given) < 4 and given.isupper() and _NUMBER_NEXT.match(text, match.end("given"))
    ):
        return None
    # "HARBISON-LI, MAJ, SP": a rank and a corps.
    if given.isupper() and len(given) < 4 and fold(real[0] if real else "") in _RANKS:
        return None
    if (
        _GENERATION_WORD.fullmatch(given)
        or is_never_name(given)
        or is_capital_word(given)
        or (len(given) > 1 and is_common(given) and not is_frequent_given(given))
    ):
        return None
    if len(given) > 1 and not (is_given(given) or (is_surname(real[0]) and not is_surname(given))):
        return None
    rest = match["rest"].split()
    if rest and len(rest[-1]) > 2 and is_surname(rest[-1]) and not is_given(rest[-1]) and not _PARTICLE_WORD.fullmatch(rest[-1].lower()):
        return None
    end = _end_of_name(text, list(_PIECE.finditer(text, match.start("given"), match.end())))
    return at, max(end, match.end("given"))


def _read_lower(text: str, at: int) -> Range | None:
    """A name in small letters: its first word must be no word of the language, a second one a known name."""
    match = _LOWER_REVERSED.match(text, at)
    if match and is_name(match["family"]) and is_given(match["given"]) and not is_common(match["given"]):
        return match.span()
    match = _LOWER.match(text, at)
    if match is None or is_common(match["first"]) or len(match["first"]) < 3:
        return None
    whole = match["last"] and is_name(match["last"].split()[-1])
    if whole and match["third"] and is_name(match["third"]):
        return at, match.end("third")
    if initial := _LOWER_INITIAL.match(text, match.end("first")):
        return at, initial.end()
    return at, match.end("last") if whole else match.end("first")


# Between two names: degrees, an age or a few words in brackets, then a comma, a stroke, "and".
_SEPARATOR = lazy(
    rf"{DEGREES}?(?P<aged>[ \t]*\([^()\n]{{1,60}}\)|[ \t]\d{{1,2}}\b)?[ \t]*(?:[;,/&+]|\band\b|\n[ \t]{{2,}})[ \t]*(?:and[ \t]+|&[ \t]*)?"
    r"(?P<title>(?:Dr|DR|dr|Drs|Mr|Mrs|Ms|Prof)\b\.?[ \t]+)?"
)


def read_names(text: str, at: int, *, lower: bool = False, known: bool = False, passed: set[Range] | None = None) -> Iterator[Range]:
    """The names of a list that starts at ``at``: ``A. Roe, MD; Jane Doe, RN and Dr. Lim``.

    ``passed`` holds the names that other lists went on to; a list that comes to one of them stops. A caller that treats several lists
    alike shares it between them, or each word for a role in a long list would be followed by all that stands after it.

    >>> text = "A. Roe, MD; Jane Doe, RN and Dr. Lim called"
    >>> [text[start:end] for start, end in read_names(text, 0)]
    ['A. Roe', 'Jane Doe', 'Lim']
    """
    found = read_name(text, at, lower=lower, known=known)
    while found is not None:
        yield found
        separator = _SEPARATOR.match(text, found[1])
        if separator is None:
            return
        found = read_name(text, separator.end(), known=not separator["title"] and not separator["aged"])
        if passed is not None and found is not None:
            if found in passed:
                return
            passed.add(found)


_WORD_START = lazy(rf"(?<![{_LETTERS}'’-]){WORD}")


def name_before(text: str, end: int) -> Range | None:
    """The longest name that ends at ``end``, looked for in the line before it.

    >>> text = "Discussed Plan with Jane Q. Roe, MD"
    >>> text[slice(*name_before(text, 31))]
    'Jane Q. Roe'
    """
    floor = max(0, end - 60)
    floor = max(floor, text.rfind("\n", floor, end) + 1)
    if text[max(floor, text.rfind(" ", floor, end) + 1) : end].islower():  # the last word of a name has a capital
        return None
    for match in _WORD_START.finditer(text, floor, end):
        # The O of "W/O Muhammad" is no initial.
        if len(match.group()) == 1 and text[match.start() - 1 : match.start()] == "/":
            continue
        found = read_name(text, match.start())
        if found is not None and found[1] == end and not (is_sentence_word(match.group()) and len(words_of(text, found)) > 2):
            return found
    return None


def is_place(text: str, end: int) -> bool:
    """Whether what ends here is the name of a place or a body: ``Mary Roe Hospital``."""
    return _PLACE_AFTER.match(text, end) is not None


def is_address(text: str, name: Range) -> bool:
    """Whether what could be ``Last, First`` is a street and its town: a house number stands before, or a state and its ZIP code after.

    >>> is_address("4 Elm Street, Boston, MA", (2, 20)), is_address("4 Lane, Jackson, MD", (2, 15))
    (True, False)
    """
    comma = text.find(",", *name)
    street = _STREET.search(text, max(0, comma - _PAGE), comma) if comma > 0 else None
    if street is None or street["last"].casefold() not in word_list("street-suffixes"):
        return False
    return bool(street["house"] or _ZIP_NEXT.match(text, name[1]))


def words_of(text: str, name: Range) -> list[str]:
    """The words of a name that are more than initials and particles, or all of them where there are none."""
    words = [match.group().rstrip(".") for match in _PIECE.finditer(text, *name)]
    full = [word for word in words if len(word) > 1]
    return [word for word in full if not _PARTICLE_WORD.fullmatch(word) and not _GENERATION_WORD.fullmatch(word)] or words
