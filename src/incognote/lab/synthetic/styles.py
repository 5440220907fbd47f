"""Applies style profiles: each change works on the segments of a note, before they are joined, so that spans stay exact."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from random import Random

from incognote.lab.synthetic.library import FOLDER
from incognote.lab.synthetic.people import Segment
from incognote.lab.synthetic.style_profiles import StyleProfile

_HEADER = re.compile(r"(?<=\n)([A-Z][A-Za-z /&-]{2,40})(?=:)")
_BULLET = re.compile(r"(?<=\n)- ")
_SENTENCE_END = re.compile(r"(?<!Dr)(?<!Mr)(?<!Ms)(?<!Mrs)\. (?=\S|$)")
_COLON = re.compile(r"(?<=[A-Za-z]): (?=\S|$)")
_LETTERS = re.compile(r"(?<=[^\W\d_])[^\W\d_](?=[^\W\d_])")
_OCR = {
    "O": "0", "0": "O", "l": "1", "1": "l", "I": "l", "S": "5", "5": "S", "B": "8", "8": "B", "m": "rn", "e": "c", "g": "q", "h": "b",
    "i": "l", "t": "f", "d": "cl", "G": "6", "Z": "2", "u": "v", "w": "vv", ",": ".", ".": ",",
}  # fmt: skip
_NEAR = dict(zip("qwertyuiopasdfghjklzxcvbnm", "wertyuiopqsdfghjklaxcvbnmz", strict=True))


def apply_style(segments: list[Segment], profile: StyleProfile, rng: Random) -> list[Segment]:
    """The note as the profile writes it."""
    segments = join_plain(segments)
    if share := profile.abbreviations:
        segments = _change_plain(segments, lambda text: _abbreviate(text, share, rng))
    segments = _change_plain(segments, lambda text: _lay_out(text, profile))
    if profile.casing:
        segments = [(_case(text, label, profile.casing), label) for text, label in segments]
    if profile.typos:
        segments = [(add_typos(text, profile.typos, rng), label) for text, label in segments]
    if profile.ocr:
        segments = [(_scan(text, profile.ocr, rng), label) for text, label in segments]
    if profile.breaks:
        return _change_plain(segments, lambda text: _break(text, profile.breaks))
    return wrap(segments, profile.width) if profile.width else segments


def _change_plain(segments: list[Segment], change: Callable[[str], str]) -> list[Segment]:
    return [(text if label else change(text), label) for text, label in segments]


def match_case(segments: list[Segment], rng: Random) -> list[Segment]:
    """A note written all in capitals, or all in small letters, has its names so too, mostly.

    >>> match_case([("PT SEEN BY ", ""), ("Lee", "DOCTOR"), (" THIS MORNING, NO CHANGE", "")], Random(2))[1]
    ('LEE', 'DOCTOR')
    """
    letters = [letter for text, label in segments if not label for letter in text if letter.isalpha()]
    capitals = sum(letter.isupper() for letter in letters) / max(1, len(letters))
    if 0.02 < capitals < 0.85 or not letters or rng.random() < (0.15 if capitals > 0.5 else 0.5):
        return segments
    casing = "upper" if capitals > 0.5 else "lower"
    return [(_case(text, label, casing), label) for text, label in segments]


def join_plain(segments: list[Segment]) -> list[Segment]:
    """Neighbouring plain segments become one; empty ones go."""
    joined: list[Segment] = []
    for text, label in segments:
        if not label and joined and not joined[-1][1]:
            joined[-1] = joined[-1][0] + text, ""
        elif text:
            joined.append((text, label))
    return joined


@cache
def _abbreviations() -> tuple[re.Pattern[str], Mapping[str, tuple[str, ...]]]:
    lines = (FOLDER / "abbreviations.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    longest_first = sorted((re.escape(row[0]) for row in rows), key=len, reverse=True)
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(longest_first)})(?![\w'-])", re.IGNORECASE), {
        row[0]: tuple(row[1].split()) for row in rows
    }


def _abbreviate(text: str, share: float, rng: Random) -> str:
    regex, table = _abbreviations()

    def replace(match: re.Match[str]) -> str:
        # A heading in capitals stays whole.
        if match[0].isupper() or rng.random() > share:
            return match[0]
        short = rng.choice(table[match[0].lower()])
        return short.capitalize() if match[0][0].isupper() and short.islower() and short.isalpha() else short

    return regex.sub(replace, text)


def _lay_out(text: str, profile: StyleProfile) -> str:
    if profile.double_spaces:
        text = _SENTENCE_END.sub(".  ", text)
    if profile.bullet != "- ":
        text = _BULLET.sub(profile.bullet, text)
    return text if profile.colon == ": " else _COLON.sub(profile.colon, text)


def _case(text: str, label: str, casing: str) -> str:
    if casing == "lower":
        return text.lower()
    if casing == "upper":
        return text.upper()
    return text if label else _HEADER.sub(lambda match: match[0].upper(), text)


def add_typos(text: str, share: float, rng: Random) -> str:
    """Letters swapped, dropped, doubled or mistyped, never at the edge of a word.

    >>> add_typos("Kaczmarek", 0.12, Random(3))
    'Kaczmrek'
    """
    count = int(len(text) * share + rng.random())
    if not count or len(text) < 4:
        return text
    places = [match.start() for match in _LETTERS.finditer(text)]
    for place in sorted(rng.sample(places, min(count, len(places))), reverse=True):
        before, letter, after = text[:place], text[place], text[place + 1 :]
        kind = rng.randrange(4)
        if kind == 0:
            text = before + after[0] + letter + after[1:] if after[:1].isalpha() and len(after) > 1 else text
        elif kind == 1:
            text = before + after
        elif kind == 2:
            text = before + letter * 2 + after
        else:
            text = before + _NEAR.get(letter, letter) + after
    return text


def _scan(text: str, share: float, rng: Random) -> str:
    """What a scanner misreads; it also breaks a line now and then."""
    count = int(len(text) * share + rng.random())
    letters = list(text)
    for _ in range(count):
        place = rng.randrange(len(letters))
        if 0 < place < len(letters) - 1 and letters[place] == " ":
            letters[place] = rng.choice((" ", "  ", "\n", " . "))
        else:
            letters[place] = _OCR.get(letters[place], letters[place])
    return "".join(letters)


def _break(text: str, joint: str) -> str:
    if joint == "\r\n":
        return text.replace("\n", joint)
    return re.sub(r"[ \t]*\n\s*", joint, text)


def wrap(segments: list[Segment], width: int) -> list[Segment]:
    """Blanks become line breaks where a line would be too long, also inside a name or an address.

    >>> wrap([("seen by ", ""), ("Ann Lee", "DOCTOR"), (" today", "")], 12)
    [('seen by ', ''), ('Ann\\nLee', 'DOCTOR'), (' today', '')]
    """
    tokens = [[token, index] for index, (text, _) in enumerate(segments) for token in re.findall(r"\n|[^\S\n]+|\S+", text)]
    column, blank = 0, None
    for place, (token, _) in enumerate(tokens):
        if token == "\n":
            column, blank = 0, None
            continue
        if token == " ":
            blank = place
        column += len(str(token))
        if column > width and blank is not None and not str(token).isspace():
            tokens[blank][0] = "\n"
            column, blank = sum(len(str(token)) for token, _ in tokens[blank + 1 : place + 1]), None
    texts = [""] * len(segments)
    for token, index in tokens:
        texts[int(index)] += str(token)
    return [(text, label) for text, (_, label) in zip(texts, segments, strict=True)]
