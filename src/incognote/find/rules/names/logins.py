"""Login names and handles: ``fsiddiqui2``, ``@mochalatte_htx``, ``login lfikes.bbhc``, ``PRINTED BY ADMJLOPEZ``."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import FOUR, INNER, SHORT, THREE, Reading
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_name, is_never_name

SOURCE = "rules.name.login"

_LOGIN_END = lazy(r"\d{1,4}(?![\w@-])")
_LOGIN = lazy(r"(?<![\w@./-])(?P<letters>[a-z]{5,14})$")
_HANDLE = lazy(r"(?<![\w.@])@(?P<login>[A-Za-z][\w.]{2,29})(?<!\.)(?!\w|\.\w|@)")
_CASH = lazy(r"(?<!\w)\$(?P<login>[A-Za-z]\w{2,19})\b")
_JOINED = lazy(
    r"(?<![\w./@-])(?P<login>(?!\w*_(?:id|dt|date|no|num|name|code|type|flag|time)\b)[a-z][a-z\d]+(?:_[a-z\d]+)+)(?![\w./@-]*[/@])"
    r"(?![\w-]*\.(?:dcm|jpe?g|png|pdf|docx?|tiff?|heic|mp4|mov|xlsx?|csv|txt|wav|mp3|zip)\b)"
)
_WORD = r"(?P<login>[A-Za-z][\w.-]{2,24}(?:@[a-z]+)?)(?<![.-])(?![\w@]|\.\w)"
_NAMED = lazy(
    rf"\b(?:logins?|logon|logged in as|user ?name|user ?id|portal user|user|handle|stamp|tech|acct name|screen name|ig|"
    rf"insta|instagram|snap|snapchat|tiktok|twitter|"
    rf"discord|skype|venmo|cash ?app|zelle)(?:[ ]?:[ ]?|[ ])\(?{_WORD}",
    re.IGNORECASE,
)
_NAMED_STARTS = tuple(
    "login logins logon logged username userid user portal handle stamp tech acct screen ig insta instagram snap snapchat "
    "tiktok twitter discord "
    "skype venmo cashapp cash zelle".split()
)
_DONE_BY = lazy(
    rf"\b(?:printed|entered|keyed|filed|posted|ack'?d|acked|acknowledged|submitted|uploaded|scanned|released|verified|exported|updated|modified|created|viewed|host)\b"
    rf"[^\n]{{0,40}}?\bby[ ]{_WORD}",
    re.IGNORECASE,
)
_DONE_STARTS = tuple(
    "printed entered keyed filed posted ack acked acknowledged submitted uploaded scanned released verified exported "
    "updated modified created viewed "
    "host".split()
)
_TIMED = lazy(r"\d{2,4} (?P<login>[a-z]{2,}\.[a-z]{2,10})(?=:)")
_AT_END = lazy(r"(?:^|[.!?)] |  )(?P<login>[a-z]{5,14})$", re.MULTILINE)
_PAIR = lazy(
    r"(?:^|[;(][ ]?)(?P<login>[A-Z]{2,4}\d?[:/][a-z]{2,4}\d{0,4}|[A-Z]{2,3}/(?:MODL|NTS|MEDQ|HN|DT|TR))(?=[ ]*(?:$|[;)]|[ ]{2}))",
    re.MULTILINE,
)
# "[14:02] rkowal2: anyone there": who speaks in a chat.
_CHAT = lazy(
    r"^[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?: ?[APap]\.?[Mm]\.?)?[\])]?[ \t]{0,3}[-–|]?[ \t]{0,3}@?(?P<login>[A-Za-z][\w.-]{1,23}):[ ]",
    re.MULTILINE,
)
# Trailers stand in the last lines.
_TAIL = 400
_NEVER = frozenset("name names interface input control group groups error guide manual story defined friendly license agreement".split())


def find_logins(reading: Reading) -> Iterator[Span]:
    """Words made of an initial, a known surname and a number, and what stands after a word for a login.

    >>> text = "routed to fsiddiqui2; IG @moss_rock"
    >>> [text[span.start : span.end] for span in find_logins(Reading(text))]
    ['fsiddiqui2', '@moss_rock']
    """
    text = reading.text
    for number in reading.matches_at(_LOGIN_END, [at for at in reading.numbers if text[at - 1 : at].islower()]):
        match = _LOGIN.search(text, max(0, number.start() - 16), number.start())
        if match and _holds_name(match["letters"], cuts=(1, 2)):
            yield Span(match.start(), number.end(), "USERNAME", 0.7, SOURCE)
    yield from _find_handles(text)
    for match in (*reading.matches(_NAMED, _NAMED_STARTS), *reading.matches(_DONE_BY, _DONE_STARTS)):
        if _is_login(match["login"]):
            yield Span(*match.span("login"), "USERNAME", 0.8, SOURCE)
    for match in reading.matches(_TIMED, (SHORT, INNER, THREE, FOUR)):
        yield Span(*match.span("login"), "USERNAME", 0.7, SOURCE)
    for match in _CHAT.finditer(text):
        word = match["login"]
        if not is_common(word) and not is_never_name(word) and not is_capital_word(word):
            yield Span(*match.span("login"), "DOCTOR" if word[0].isupper() and is_name(word) else "USERNAME", 0.7, SOURCE)
    bare = len(text.rstrip())
    signed = _AT_END.search(text, max(0, bare - 20), bare)
    if signed and is_name(signed["login"][1:]) and not is_name(signed["login"]) and not is_common(signed["login"]):
        yield Span(*signed.span("login"), "USERNAME", 0.6, SOURCE)
    for match in _PAIR.finditer(text, max(0, bare - _TAIL)):
        if not is_capital_word(match["login"][:2]) or match["login"][2:3].isalpha():
            yield Span(*match.span("login"), "USERNAME", 0.7, SOURCE)


def _find_handles(text: str) -> Iterator[Span]:
    if "@" in text:
        for match in _HANDLE.finditer(text):
            word = match["login"]
            if word[0].isupper() and is_name(word):
                yield Span(*match.span("login"), "DOCTOR", 0.7, SOURCE)
            elif not is_common(word) and not is_capital_word(word) and not word.isupper():
                yield Span(*match.span(), "USERNAME", 0.8, SOURCE)
    if "$" in text:
        for match in _CASH.finditer(text):
            yield Span(*match.span(), "USERNAME", 0.7, SOURCE)
    if "_" in text:
        for match in _JOINED.finditer(text):
            if all(is_common(part) for part in match["login"].split("_")) or text[match.end() : match.end() + 1] in ("=", ":"):
                continue  # the key of an export, not a person's
            yield Span(*match.span("login"), "USERNAME", 0.6, SOURCE)


def _is_login(word: str) -> bool:
    """Whether the word is made as logins are: marks or a number inside, or initials and a surname in one."""
    if word.casefold() in _NEVER or is_common(word) or is_never_name(word):
        return False
    if any(mark in word for mark in "_.@") or any(map(str.isdigit, word[1:])):
        return not word[0].isdigit() and any(map(str.isalpha, word[:2]))
    return (word.islower() or word.isupper()) and (
        _holds_name(word.lower(), cuts=(1, 2, 3, 4) if word.isupper() else (1, 2))
        or (word.isupper() and len(word) > 4 and not is_capital_word(word))
    )


def _holds_name(letters: str, *, cuts: tuple[int, ...] = (1, 2, 3, 4)) -> bool:
    return is_name(letters) or any(len(letters) - cut > 3 and is_name(letters[cut:]) for cut in cuts)
