"""How much of time in synthetic notes survives surrogates under many keys: order, intervals, ages, weekdays, durations, as Markdown.

The gold spans are replaced, so that a missed span is no fault here. A value that was masked is counted apart.

    python bench/time_survives.py [--notes 400] [--keys 30] [--policy i2b2] [--seed 0]
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from incognote.document import Document
from incognote.facts import gather_facts, patient_key
from incognote.lab.synthetic import synthesize
from incognote.replace import load_policy, make_replacer, rewrite
from incognote.replace.date_order import writes_day_first
from incognote.replace.date_reading import WrittenDate, read_dates
from incognote.replace.lifetimes import is_birth

KINDS = {
    "full dates": "interval to the patient's first full date",
    "days without a year": "interval to a full date of the note, where it has one",
    "months and years": "order with every full date of the patient",
    "weekdays": "moved by the days of the shift",
    "ages at a date": "years from the birth date to each other full date",
    "ages as written": "the same up to 89, 90+ above",
    "durations": "untouched",
}
DURATION = re.compile(r"\b\d+[ -](?:day|week|month|year|hour|minute)s?\b(?!-old| old)")


@dataclass(frozen=True, slots=True)
class Moved:
    """One date before and after."""

    note: str
    old: WrittenDate
    new: WrittenDate
    birth: bool


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--keys", type=int, default=30)
    parser.add_argument("--policy", default="i2b2")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    patients: dict[str, list[Document]] = defaultdict(list)
    for note in synthesize(options.notes, seed=options.seed):
        patients[patient_key(note)].append(note)
    asked: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for key in range(1, options.keys + 1):
        for notes in patients.values():
            for kind, survives in compare(notes, bytes([key]) * 32, options.policy):
                asked[kind] += 1
                kept[kind] += survives
    print(f"{options.notes} notes, {len(patients)} patients, {options.keys} keys, policy {options.policy}\n")
    print("| of | survives | cases | share |\n|---|---|---:|---:|")
    for kind, what in KINDS.items():
        print(f"| {kind} | {what} | {asked[kind]:,} | {kept[kind] / max(1, asked[kind]):.5f} |")
    print(f"\nDates that were masked, because they cannot be read or show an age over 89: {asked['masked']:,}.")


def compare(notes: Sequence[Document], key: bytes, policy: str) -> Iterator[tuple[str, bool]]:
    """For each thing that a patient's notes say of time its kind, and whether it survives."""
    facts = gather_facts(notes)[patient_key(notes[0])]
    day_first = writes_day_first(facts.values("DATE"))
    replacer = make_replacer("surrogate", policy=load_policy(policy), key=key)
    moved: list[Moved] = []
    for note in notes:
        new = replacer.replace(note, facts)
        clean = rewrite(note, new)[0]
        yield from (("durations", True) for _ in range(_count_durations(clean)))
        yield from (("durations", False) for _ in range(_count_durations(note) - _count_durations(clean)))
        for span, text in zip(note.spans, new, strict=True):
            value = note.value(span)
            if span.label == "AGE":
                yield "ages as written", text == value or text.startswith("90") or set(text) <= {"*"}
            elif span.label == "DATE":
                old, after = (read_dates(each, day_first=day_first) or () for each in (value, text))
                if len(old) != len(after) or not old:
                    yield "masked", True
                moved += [Moved(note.id, *pair, birth=is_birth(note, span)) for pair in zip(old, after, strict=False)]
    yield from _compare_dates(moved)


def _compare_dates(moved: Sequence[Moved]) -> Iterator[tuple[str, bool]]:
    days = [(each.old.full, each.new.full, each.birth) for each in moved if each.old.full and each.new.full]
    if not days:
        return
    shift = days[0][1] - days[0][0]
    yield from (("full dates", _is_day(new, old + shift)) for old, new, _ in days[1:])
    of_note: dict[str, set[date]] = defaultdict(set)
    for each in moved:
        of_note[each.note] |= {each.old.full} if each.old.full else set()
    for each in moved:
        if "weekday" in each.old.parts and each.old.cycle is not None and each.new.cycle is not None and not each.old.month:
            yield "weekdays", (each.old.cycle + shift.days) % 7 == each.new.cycle
        elif each.old.month and each.old.day and not each.old.year and of_note[each.note]:
            yield "days without a year", any(_keeps_interval(each, near, shift) for near in of_note[each.note])
        elif each.old.year and not each.old.full and each.new.year and not each.new.full:
            yield "months and years", all(_keeps_order(each, old, new) for old, new, _ in days)
    for born, moved_born, birth in days:
        if birth:
            later = [(old, new) for old, new, _ in days if old > born]
            yield from (("ages at a date", _age(born, old) == _age(moved_born, new)) for old, new in later)


def _is_day(written: date, day: date) -> bool:
    """Two digits say no century: '98 is 1998 where the day before the shift was in 1999."""
    return (written.month, written.day) == (day.month, day.day) and (written.year - day.year) % 100 == 0


def _keeps_interval(each: Moved, near: date, shift: timedelta) -> bool:
    old, new = each.old.nearest(near), each.new.nearest(near + shift)
    return old is not None and new == old + shift


def _keeps_order(each: Moved, old: date, new: date) -> bool:
    """Whether what began on or before a day does so still, and what began after it has not ended before it."""
    if _first(each.old) <= old:
        return _first(each.new) <= new
    return _first(each.new) + timedelta(366) > new


def _first(written: WrittenDate) -> date:
    month = written.month or 1
    if not written.month and {"quarter", "quarter_word", "quarter_", "season"} & set(written.parts):
        month = max(1, 3 * (written.cycle or 0) + (0 if "season" in written.parts else 1))
    return date(written.year or 1, month, 1)


def _age(born: date, day: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _count_durations(document: Document) -> int:
    inside = [range(span.start, span.end) for span in document.spans]
    return sum(not any(match.start() in each for each in inside) for match in DURATION.finditer(document.text))


if __name__ == "__main__":
    main()
