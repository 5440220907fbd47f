"""The first line of a letter, in capitals: the practice, the firm or the ship that it comes from."""

from collections.abc import Iterator

from incognote.document import Span
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_capital_word, is_common, is_never_name, surnames

_HEAD = lazy(r"\s*(?P<name>[A-Z][A-Z'’&.,-]+(?: [A-Z&][A-Z'’&.,-]*){1,6})[ \t]*(?=\n|$)")
_SHIP = lazy(r"\s*(?P<name>(?:MS|MV|M/V|SS|RMS|USNS|HMCS|HMNZS|HMAS) (?:[A-Z][A-Za-z]+ ){0,2}[A-Z][A-Za-z]+)(?= ?[—–-] |,)")
_FIRMS = frozenset("llp llc pllc plc solicitors attorneys".split())
_PRACTICES = frozenset(
    "imaging radiology consultants associates partners specialists physicians surgeons cardiology neurology orthopedics orthopaedics "
    "pediatrics paediatrics oncology dermatology urology gynecology gynaecology gastroenterology ophthalmology rheumatology nephrology "
    "psychiatry laboratories dentistry dental vision opticians physiotherapy rehabilitation pc pa".split()
)
_SPECIALTY = ("ology", "iatry", "iatric", "iatrics", "surgery", "surgical", "therapy", "vascular", "pedics", "paedics")
_WORD = lazy(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")


def find_letterheads(reading: Reading) -> Iterator[Span]:
    """The span of the sender in the first line, where its last word is one of a practice or a firm, or its first that of a ship.

    >>> [(span.label, span.end) for span in find_letterheads(Reading("RIDGEWAY CARDIOVASCULAR CONSULTANTS\\n2200 Holcomb Avenue"))]
    [('HOSPITAL', 35)]
    >>> list(find_letterheads(Reading("DEPARTMENT OF RADIOLOGY\\nCT HEAD")))
    []
    """
    text = reading.text
    if head := _HEAD.match(text):
        words = _WORD.findall(head["name"].lower())
        label = "ORGANIZATION" if words[-1] in _FIRMS else "HOSPITAL" if words[-1] in _PRACTICES else ""
        if label and any(map(_is_telling, words[:-1])):
            yield Span(*head.span("name"), label, 0.75, "rules.organization.letterhead")
    if (ship := _SHIP.match(text)) and any(map(_is_telling, _WORD.findall(ship["name"].lower())[1:])):
        yield Span(*ship.span("name"), "LOCATION-OTHER", 0.75, "rules.organization.letterhead")


def _is_telling(word: str) -> bool:
    """Whether a word names one practice among others: it is no word of the language, of a specialty or of a form."""
    plain = is_common(word) and word not in surnames()
    return len(word) > 3 and not (plain or is_never_name(word) or is_capital_word(word) or word.endswith(_SPECIALTY))
