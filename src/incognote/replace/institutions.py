"""Surrogate institutions, streets, departments and rooms: the words for the kind stay, the rest is chosen."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from incognote.lexicon import word_list
from incognote.lexicon.names import surnames
from incognote.lexicon.person import fold
from incognote.replace.bodies import (
    WORD,
    is_acronym,
    known_kind,
    name_body,
    place_names,
    saints,
    split_words,
    surrogate_acronym,
)
from incognote.replace.calendar_words import ordinal_suffix
from incognote.replace.casing import match_case
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.names import other_letter
from incognote.replace.vocabulary import vocabulary

# What may stand inside a name of several words without parting it.
_CONNECTORS = frozenset("of the and for at in".split())
_INSIDE = re.compile(r"[\s.'’&-]*")
# A first word that is too common to identify an institution.
_WEAK_FIRST = frozenset("st saint mount mt new old san santa los las fort ft north south east west our la el".split())
_SAINT = frozenset({"st", "saint"})
_OWNED = re.compile(r"['’]s?\Z", re.IGNORECASE)


_BODIES = frozenset({"HOSPITAL", "ORGANIZATION", "LOCATION-OTHER", "IDNUM", "HEALTHPLAN"})
_FRAMES = {"ROOM": "room", "DEPARTMENT": "department_frame", "PROFESSION": "profession_frame"}


def staying(label: str, words: Sequence[str]) -> list[bool]:
    """For each folded word of a value whether it says only what kind of thing it is, and stays.

    >>> staying("STREET", ["12", "park", "street"]), staying("STREET", ["5", "west", "oak", "road"])
    ([False, False, True], [False, True, False, True])
    >>> staying("ORGANIZATION", ["park", "bank"]), staying("LOCATION-OTHER", ["central", "park"])
    ([False, True], [False, True])
    """
    if label == "STREET":
        return _staying_in_street(words)
    frame = vocabulary(_FRAMES[label]) if label in _FRAMES else vocabulary("institution") | vocabulary("trade_words")
    last = len(words) - 1
    features = frozenset() if label in _FRAMES else vocabulary("feature")
    stays: list[bool] = []
    for at, word in enumerate(words):
        # Bank of America keeps its "of", Queen of the Valley is one name, and so is AT&T.
        inside = word in _CONNECTORS and (not stays[-1] if at else word != "the")
        stays.append((word in frame and not inside) or (at == last and word in features))
    return stays


def _staying_in_street(words: Sequence[str]) -> list[bool]:
    """The last suffix stays (Park Street), and a direction, unless it is all the name there is (12 Park, West Street)."""
    suffixes = word_list("street-suffixes") | word_list("street-suffixes-weak")
    end = max((at for at, word in enumerate(words) if word in suffixes), default=-1)
    alone = all(word[0].isdigit() or word in vocabulary("direction") for word in words[:-1])
    if alone and 0 <= end == len(words) - 1 and words[end] in word_list("street-suffixes-weak") | {"broadway"}:
        end = -1
    stays = [at == end or word in vocabulary("street") for at, word in enumerate(words)]
    named = any(not stay and not word[0].isdigit() and word not in vocabulary("direction") for word, stay in zip(words, stays, strict=True))
    return [stay or (named and word in vocabulary("direction")) or (at > end >= 0 and word in vocabulary("direction"))
            for at, (word, stay) in enumerate(zip(words, stays, strict=True))]  # fmt: skip


def identifying_words(label: str, value: str) -> set[str]:
    """The words of a value that identify it; Saint and the like do so only with the word after them."""
    words = split_words(value)
    return {word for word, stays in zip(words, staying(label, words), strict=True) if not stays and word not in _WEAK_FIRST}


def surrogate_institution(label: str, value: str, choice: KeyedChoice, *, wholes: Mapping[str, Sequence[str]] = {}) -> str | None:
    """Another institution, street, department or room of the same kind; ``wholes`` are the values that each acronym may stand for."""
    letters = value.replace(".", "")
    plain = label not in ("ROOM", "DEPARTMENT") and is_acronym(value)
    if plain and (acronym := _surrogate_acronym(label, letters, choice, wholes.get(letters, ()))):
        return acronym
    words = split_words(value)
    if label in _BODIES and (kind := known_kind(words)):
        known_by = _known_by([word for word, stays in zip(words, staying(label, words), strict=True) if not stays] or words)
        return name_body(choice.of("name", known_by).pick(place_names()), value, kind, choice.of("form", known_by))
    choose = _choose_department if label == "DEPARTMENT" else _choose_name
    swapped = swap_words(label, value, choose, choice)
    if swapped == value and label not in _FRAMES and words:
        # All its words are general (General Hospital): a name goes in the place of the first.
        kind_at = next((token.start() for token in list(WORD.finditer(value))[1:] if fold(token[0]) not in _CONNECTORS), len(value))
        return match_case(f"{choice.of('name', fold(value)).pick(place_names())} {value[kind_at:]}".strip(), value)
    return None if swapped == value else swapped


def _choose_name(choice: KeyedChoice, run: Sequence[str]) -> str:
    return choice.pick(saints() if run[0] in _SAINT and len(run) > 1 else place_names())


def _choose_department(choice: KeyedChoice, run: Sequence[str]) -> str:
    """A specialty for a specialty, and a name for a name (Mayo Clinic)."""
    named = any(word in surnames() and word not in word_list("common-words") for word in run)
    return _choose_name(choice, run) if named else choice.pick([name for name in vocabulary("departments") if name.casefold() not in run])


def group_by_initials(values: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """The values that each acronym may stand for.

    >>> group_by_initials(["General Hospital", "GH", "Grand Hotel"])["GH"]
    ['General Hospital', 'Grand Hotel']
    """
    wholes: dict[str, list[str]] = {}
    for value in values:
        if (letters := _initials(value)) != value.replace(".", ""):
            wholes.setdefault(letters, []).append(value)
    return wholes


def _surrogate_acronym(label: str, letters: str, choice: KeyedChoice, wholes: Iterable[str]) -> str | None:
    """The initials of the surrogate of what it stands for, if that is known; else an acronym of its kind, or any letters.

    None for a known body of a kind that has no acronyms (CVS): it gets a name."""
    for whole in wholes:
        new = surrogate_institution(label, whole, choice)
        if new and len(_initials(new)) >= 2:
            return _initials(new)
    if (new := surrogate_acronym(label, letters, choice.of("acronym", letters))) or known_kind([letters.casefold()]):
        return new
    return "".join(other_letter(letter.casefold(), choice.of("acronym", letters, at), ()) for at, letter in enumerate(letters))


def _initials(value: str) -> str:
    return "".join(token[0] for token in WORD.findall(value) if token[0].isupper())


def swap_words(label: str, value: str, choose_name: Callable[[KeyedChoice, Sequence[str]], str], choice: KeyedChoice) -> str:
    """The value with each run of identifying words replaced by one chosen name, and each number by another."""
    tokens = list(WORD.finditer(value))
    stays = staying(label, [fold(token[0]) for token in tokens])
    pieces: list[str] = []
    at = here = 0
    while here < len(tokens):
        token = tokens[here]
        first, last = here, here
        here += 1
        word = fold(token[0])
        if token[0][0].isdigit():
            new = _other_number(token[0], choice.of("number", token[0]))
        elif stays[first]:
            new = token[0]
        elif len(word) == 1:
            new = match_case(other_letter(word, choice.of("letter"), ()), token[0])
        else:
            while here < len(tokens) and not stays[here] and _goes_on(value, tokens[here - 1], tokens[here]):
                last, here = here, here + 1
            run = [fold(one[0]) for one in tokens[first : last + 1]]
            name = choose_name(choice.of("name", _known_by(run)), run)
            new = match_case(_frame_saint(value, tokens[first : last + 1], name), value[token.start() : tokens[last].end()])
        pieces += [value[at : token.start()], new]
        at = tokens[last].end()
    return "".join([*pieces, value[at:]])


def _frame_saint(value: str, run: Sequence[re.Match[str]], name: str) -> str:
    """The name with the Saint before it and the 's after it that the value has."""
    if fold(run[0][0]) not in _SAINT or len(run) == 1:
        return name
    owned = _OWNED.search(run[1][0])
    return value[run[0].start() : run[1].start()] + name + (owned[0][0] + "s" if owned else "")


def _goes_on(value: str, one: re.Match[str], two: re.Match[str]) -> bool:
    """Whether two words belong to one name."""
    return not two[0][0].isdigit() and bool(_INSIDE.fullmatch(value[one.end() : two.start()]))


def _known_by(run: list[str]) -> str:
    """The word that a name is known by, whatever follows: Beth Israel Deaconess is also called Beth Israel."""
    return " ".join(run[:2] if run[0] in _WEAK_FIRST else run[:1]).removesuffix("'s")


def _other_number(written: str, choice: KeyedChoice) -> str:
    """Another number of as many digits; 7th stays an ordinal."""
    digits = written.rstrip("stndrhSTNDRH")
    if not digits.isascii() or len(digits) > 18:
        return "0" * len(digits)
    low = 0 if digits[0] == "0" else 10 ** (len(digits) - 1)
    span = 10 ** len(digits) - low
    new = low + (int(digits) - low + 1 + choice.below(span - 1)) % span
    return f"{new:0{len(digits)}d}" + (ordinal_suffix(new % 100, like=written[len(digits) :]) if written != digits else "")
