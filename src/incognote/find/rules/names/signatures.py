"""Names where a note is signed: ``Electronically signed by Jane Roe``, ``/s/ J. Roe``, and the dictation trailer ``jt/mk204``."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.find.rules.names.cues import Cue
from incognote.find.rules.names.shape import Range, read_name, read_names, words_of
from incognote.lexicon.degrees import BEDSIDE_DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_common, is_given, is_name, is_surname

SOURCE = "rules.name.signature"

_AFTER = lazy(r"[ \t]*:?[ \t]*(?:\n[ \t]*)?(?P<title>(?:Dr|Mr|Mrs|Ms|Miss|Prof)\b\.?[ \t]*)?", re.IGNORECASE)
_MARKS = lazy(r"/{1,2}[sS]/{1,2}[ \t]*|(?<!_)_{4,}[ \t]*\n[ \t]*(?=[A-Z])")
_CLOSING = lazy(
    r"\b(?:Sincerely|Regards|Respectfully|Cordially|Yours|Best wishes|Warmly|With thanks|Many thanks)\b"
    r"[A-Za-z ]{0,20},?[ \t]*\n\s{0,20}(?=[A-Z])",
    re.IGNORECASE,
)
_CLOSING_STARTS = ("sincerely", "regards", "respectfully", "cordially", "yours", "best", "warmly", "with", "many")
# A dictator's and a typist's initials, alone on a line or after the dates of dictation and typing.
_PAIR = r"(?P<dictator>[A-Za-z]{2,4})[:/](?P<typist>[A-Za-z]{2,4}\d{0,6}|\d{4,8})(?:[:/](?P<job>[A-Za-z]{1,3}\d{0,6}|\d{2,8}))?"
_PAIR_LINE = lazy(rf"^[ \t]*{_PAIR}[ \t]*(?:$|(?=[ \t]{{2,}}|\b[DT]{{1,2}}:))", re.MULTILINE)
_TRAILER = lazy(r"\b(?:DD|DT|TD|TT|D|T|Dictated|Transcribed|dictated|transcribed)[ \t]*:[ \t]*\d[\d/.:-]*[^\n]{0,80}")
_TRAILER_STARTS = ("dd", "dt", "td", "tt", "d", "t", "dictated", "transcribed")
_PAIR_END = lazy(
    r"(?:(?<=[ \t]{2})|(?<=:)|(?<=:[ \t]))(?P<pair>[A-Za-z]{2,4}[:/][A-Za-z]{2,3}\d{1,6})(?=[ \t]*(?:$|[ \t]\d))", re.MULTILINE
)
_RUN_END = lazy(r"[A-Za-z]{2,5}$")
_PAIR_AFTER = lazy(rf"(?<![\w/:]){_PAIR}(?![\w/])")
# Who typed the note, alone on its last line.
_LOGIN_LINE = lazy(r"^[ \t]*[\[(]?(?P<login>[a-z]{2,4}\d{2,6})[\])]?[ \t]*$", re.MULTILINE)
_SMALL_SIGNATURE = lazy(
    r"^[ \t]*(?:[-–~]+[ \t]*)?(?P<name>[a-z]\.[ \t]?(?P<family>[^\W\d_]{3,}(?:[-'’][^\W\d_]{2,})?))"
    rf"[ \t]*,?[ \t]*(?:{'|'.join(BEDSIDE_DEGREES)}|msw|pt)\b",
    re.MULTILINE,
)
_INITIALS_LINE = lazy(r"^[ \t]*(?P<initials>[A-Z]\.?[A-Z]\.?(?:[A-Z]\.?)?)[ \t]*$", re.MULTILINE)
_NOT_READ = lazy(r"dictated,? (?:but )?not (?:yet )?(?:read|reviewed|signed)|electronically signed|\b(?:DD|DT|D|T):[ \t]*\d", re.IGNORECASE)


def find_signed(reading: Reading, cues: Iterable[Cue]) -> Iterator[Span]:
    """Names after a signing phrase, a mark or a closing."""
    text = reading.text
    passed: defaultdict[object, set[Range]] = defaultdict(set)
    for cue in cues:
        after = _AFTER.match(text, cue.end)
        if after is None:
            continue
        at, sure = after.end(), bool(after["title"]) or ":" in after.group() or (cue.words[-1] == "by" and "signed" in cue.words)
        for found in read_names(text, at, lower=":" in after.group(), passed=passed[cue.label, sure]):
            if not _plausible(text, found, sure=sure):
                break
            yield Span(*found, cue.label, 0.9 if sure else 0.8, SOURCE)
    marks = _MARKS.finditer(text) if "/s/" in reading.lower or "____" in text else ()
    for match in (*marks, *reading.matches(_CLOSING, _CLOSING_STARTS)):
        name = read_name(text, match.end())
        if name and _plausible(text, name, sure=True):
            yield Span(*name, "DOCTOR", 0.85, SOURCE)


def _plausible(text: str, found: tuple[int, int], *, sure: bool) -> bool:
    words = words_of(text, found)
    if len(words) == 1:
        return not is_common(words[0]) and (sure or (is_name(words[0]) and not (words[0].isupper() and len(words[0]) < 4)))
    return any(not is_common(word) for word in words) and (not is_common(words[0]) or is_given(words[0]) or is_surname(words[0]))


def find_trailers(reading: Reading) -> Iterator[Span]:
    """Initials and logins in the dictation trailer and on the last lines."""
    text = reading.text
    for match in _PAIR_LINE.finditer(text):
        if any(map(str.isdigit, match["typist"])) or _near_end(text, match):
            yield from _pair_span(match)
    for trailer in reading.matches(_TRAILER, _TRAILER_STARTS):
        for match in _PAIR_AFTER.finditer(text, trailer.start() + 2, trailer.end()):
            yield from _pair_span(match)
    pairs = [_RUN_END.search(text, max(0, at - 6), at - 1) for at in reading.numbers if text[at - 1 : at] in (":", "/")]
    for match in reading.matches_at(_PAIR_END, [run.start() for run in pairs if run]):
        yield Span(*match.span("pair"), "USERNAME", 0.75, SOURCE)
    for match in _LOGIN_LINE.finditer(text):
        yield Span(*match.span("login"), "USERNAME", 0.75, SOURCE)
    for match in _INITIALS_LINE.finditer(text):
        if _near_end(text, match) and not is_common(match["initials"]):
            yield Span(*match.span("initials"), "DOCTOR", 0.6, SOURCE)
    for match in _SMALL_SIGNATURE.finditer(text):
        if not is_common(match["family"]):
            yield Span(*match.span("name"), "DOCTOR", 0.8 if is_surname(match["family"]) else 0.6, SOURCE)


def _near_end(text: str, match: re.Match[str]) -> bool:
    """Whether the line stands where trailers stand: with the words of one near it."""
    return _NOT_READ.search(text, max(0, match.start() - 200), match.end() + 200) is not None


def _pair_span(match: re.Match[str]) -> Iterator[Span]:
    """The dictator's and the typist's marks are one login-like token."""
    dictator, typist = match["dictator"], match["typist"]
    if not (is_common(dictator) and (is_common(typist) or typist.isdigit())):
        yield Span(match.start("dictator"), match.end("typist") if match["job"] is None else match.end("job"), "USERNAME", 0.8, SOURCE)
