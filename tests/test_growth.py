"""Every stage takes time in proportion to the length of the note, whatever stands in it: an attacker, or a broken export, writes anything.

Each unit is repeated to a short text and to one four times as long. Twice the text may take 2.7 times as long: more than twice, for a busy
machine measures badly; far less than four times, which a quadratic stage takes. A pair that fails is measured again with longer texts.
"""

import gc
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping

import pytest

from incognote import Deidentifier, Document
from incognote.document import Span, scheme
from incognote.document.normalize import normalize_document
from incognote.facts import gather_facts
from incognote.filters import Rescorer, drop_citations, drop_clinical_terms, drop_lookalikes, require_support, trim_boundaries
from incognote.filters.decision import Filter, Layer, Note
from incognote.find.rules import finder as rules
from incognote.find.rules.engine.reading import Reading
from incognote.lexicon import word_list
from incognote.memory.known_mentions import find_known_mentions
from incognote.merge import Role, cut_long, merge
from incognote.thresholds import Thresholds

Stage = Callable[[str], object]

SHORT, TIMES = 700, 4
MOST = 2.7**2  # of four times the text
FLOOR = 0.02  # seconds for the long text: below that a pause of the machine weighs more than what is measured

UNITS = (
    *("Ann Lee, RN, ", "Lee, Ann J., MD; ", "Dr. Ann Lee and ", "Mr. ", "RN ", "MA ", "PhD MD ", "Ann ", "Ann-", "O'", "A. "),
    *("A. B. ", "Mary Ann van der ", "van der ", "San ", "ann lee ", "ANN LEE ", "mother ", "his mother Ann, ", "Ann said "),
    *("W/O ", "cc: Ann Lee, ", "Patient: Ann Lee\n", "Name:\t", "|Ann|Lee|\n", "Ann\tLee\t12\n", "/s/ ", "signed by ", "Smith J, "),
    *("Lee et al. 2010; ", "Sister ", "Oak Pine Elm Street ", "12 Oak St, ", "North ", "corner of ", "Boston, MA 02114 "),
    *("New York ", "Hospital ", "of the ", "University of ", "room 5 ", "bed ", "Apt 5 ", "PO Box 5 ", "works as a "),
    *("truck driver ", "nurse ", "January 2020 ", "1/2/2020 ", "1/2-", "12:30 ", "12-", "90 year old ", "five ", "MRN: "),
    *("MRN 123 ", "A1-", "AB-12-", "1", "1.", "1 ", "1,000,", "0000 ", "555-123-4567 ", "(555) ", "lot 12A ", "a@", "a.b@"),
    *("http://a.b/", "www.", "a_", "@a ", "10.0.0.", "a", "A", "aA", "a1", "(", ")", "((a) ", ".", ",", "-", "_", "/", "'", '"'),
    *(" ", "\t", "\n", " \n", "a  b  ", "a\nb\n", "&", "A&B ", "\u0301", "a\u0301", "\u200b", "\u200ba", "\u0661", "\u0130"),
    *("\u4e2d", "\u00c9a "),
)
LABELS = sorted(scheme("i2b2-2014").labels)


def random_units(count: int, seed: int = 28) -> Iterator[str]:
    chance = random.Random(seed)
    lists = ("common-words", "ambiguous-names", "street-suffixes", "cities", "demonyms", "professions", "drugs", "place-heads")
    words = [sorted(word_list(name)) for name in lists]
    words.append(["12", "3/4", "1990", "Jan", "MD", "RN", "Dr.", "A.", "555-1234", "(555)", "02114", "a@b.co", "Lee", "Ann", "van"])
    for _ in range(count):
        picked = [chance.choice(chance.choice(words)) for _ in range(chance.randint(1, 6))]
        cased = [chance.choice((word, word.title(), word.upper())) for word in picked]
        yield "".join(word + chance.choice((" ", " ", " ", ", ", "-", "\n", "\t", ". ", "/", "; ", ": ", " (", ") ")) for word in cased)


ALL_UNITS = (*UNITS, *random_units(10))


def each(pattern: str, text: str, *labels: str) -> list[Span]:
    """A span for each match of a pattern, with the labels in turn."""
    labels = labels or tuple(LABELS)
    return [Span(*match.span(), labels[at % len(labels)], 0.6) for at, match in enumerate(re.finditer(pattern, text))]


def words(text: str) -> list[Span]:
    return each(r"\S{1,1000}", text)


def lines(text: str) -> list[Span]:
    return each(r"[^\n]{1,80}", text)


def layered(filter: Filter, role: Role, find: Callable[[str], list[Span]]) -> Stage:
    def judge(text: str) -> None:
        layer = Layer("model", role, find(text), "model")
        filter(layer, Note(text, {"model": layer}, {"model": layer}, Thresholds.default()))

    return judge


def merge_overlapping(text: str) -> None:
    windows = [Span(at, min(at + 60, len(text)), LABELS[at % len(LABELS)], 0.6) for at in range(0, len(text), 7)]
    merge([windows, words(text), each(r"\S{1,1000}", text, "STREET")], text, roles=[Role.LEARNED, Role.GUESS, Role.GUESS])


def remember(text: str) -> None:
    note = Document("a", text, spans=merge([lines(text)], text))
    (facts,) = gather_facts([note]).values()
    find_known_mentions(Document("b", text), facts, sure=0.5)


def cut_whole(text: str) -> None:
    list(cut_long(Span(0, len(text), "PATIENT"), text))


def normalize(text: str) -> None:
    reading = normalize_document(Document("a", text, spans=words(text)))
    reading.restore(reading.document.spans)


def list_stages() -> Mapping[str, Stage]:
    rows = (value for value in vars(rules).values() if isinstance(value, rules.Rules))
    families = {family.__name__: family for row in rows for family in (*row.whole, *row.near)}
    stages: dict[str, Stage] = {name: lambda text, find=find: list(find(Reading(text))) for name, find in families.items()}  # type: ignore[misc]
    filters = (drop_lookalikes, drop_citations, drop_clinical_terms, trim_boundaries, require_support, Rescorer("model"))
    for judge in filters:
        name = getattr(judge, "__name__", str(judge))
        stages |= {f"{name} words": layered(judge, Role.LEARNED, words), f"{name} lines": layered(judge, Role.LEARNED, lines)}
    stages |= {"trim guesses": layered(trim_boundaries, Role.GUESS, lines), "merge": merge_overlapping, "cut_long": cut_whole}
    return stages | {"normalize": normalize, "memory": remember}


STAGES = list_stages()


def seconds(stage: Stage, unit: str, length: int) -> float:
    text = (unit * (length // len(unit) + 1))[:length]
    began = time.process_time()
    stage(text)
    return time.process_time() - began


def grows(stage: Stage, unit: str, short: int) -> bool:
    """Whether the long text takes more than its share."""
    limit = max(FLOOR, MOST * seconds(stage, unit, short))
    return seconds(stage, unit, TIMES * short) > limit


def list_growing(stage: Stage, units: tuple[str, ...], short: int = SHORT) -> list[str]:
    stage("Ann Lee, RN, 1/2/2020")  # word lists are read when they are first needed
    gc.disable()
    try:
        return [unit for unit in units if all(grows(stage, unit, length) for length in (short, short, 2 * short, 2 * short))]
    finally:
        gc.enable()


def test_a_quadratic_stage_is_found() -> None:
    assert list_growing(lambda text: sum(one == two for one in text for two in text), ("a",), 400) == ["a"]


@pytest.mark.parametrize("name", STAGES)
def test_no_stage_takes_more_than_its_share_for_a_longer_note(name: str) -> None:
    assert list_growing(STAGES[name], ALL_UNITS) == []


def test_scrub_by_rules_takes_no_more_than_its_share_for_a_longer_note() -> None:
    assert list_growing(Deidentifier.default(models=(), key=b"k" * 31 + b"x").scrub, ALL_UNITS[::2]) == []


def test_scrub_takes_no_more_than_its_share_for_a_longer_note() -> None:
    units = ("Ann Lee, RN, ", "Oak Pine Elm Street ", "San ", "1/2/2020 ", "a1", "Boston, MA 02114 ")
    assert list_growing(Deidentifier.default(runtime="onnx", key=b"k" * 31 + b"x").scrub, units) == []
