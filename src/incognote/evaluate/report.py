"""One evaluation: the counts of every document for every score; totals, intervals and comparisons are read off it.

A score is named by the counts it reads and its measure: ``Score("token", "f1")``, ``Score("i2b2.strict.hipaa", "macro-recall")``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from incognote.document import Document, LabelScheme
from incognote.document.bio import OUTSIDE
from incognote.evaluate import token
from incognote.evaluate.bootstrap import RESAMPLES, Difference, Interval, find_difference, find_interval, resample
from incognote.evaluate.counts import Counts, Macro, Ratio, average, harmonic_mean
from incognote.evaluate.entity import count_entities
from incognote.evaluate.i2b2 import count_i2b2
from incognote.evaluate.leak import Leak, count_characters, find_leaks
from incognote.evaluate.meddocan import count_meddocan
from incognote.evaluate.pairing import pair_documents
from incognote.facts import patient_key

# Macro scores are means of fractions; the bootstrap adds whole numbers, so fractions are held in units of 2**-40.
_UNIT = 1 << 40
# Of so many patients no p-value depends on one more.
_MANY = 64

Tally = Mapping[str, Counts | Ratio]


@dataclass(frozen=True, slots=True)
class Score:
    """``measure`` is precision, recall or f1, also with ``macro-`` before it, for counts; value for ratios."""

    counts: str
    measure: str

    @property
    def block(self) -> tuple[str, bool]:
        """Which numbers the score reads: those of its counts, as sums or as means over documents."""
        return self.counts, self.measure.startswith("macro-")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The counts of each document. ``missing`` documents had no prediction and count as empty; ``ignored`` had no gold."""

    documents: tuple[str, ...]
    patients: tuple[str, ...]
    tallies: tuple[Tally, ...]
    pairs: Mapping[tuple[str, str], int]
    leaks: tuple[Leak, ...]
    missing: tuple[str, ...]
    ignored: tuple[str, ...]
    scheme: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The PHI types of gold and predictions."""
        return tuple(sorted({label for pair in self.pairs for label in pair} - {OUTSIDE}))

    @property
    def blank(self) -> bool:
        """Whether the gold has no span at all, so that nothing could be missed."""
        return self.counts("entity").support == 0

    @property
    def names(self) -> frozenset[str]:
        """The counts there are."""
        return frozenset(name for tally in self.tallies for name in tally)

    def counts(self, name: str) -> Counts:
        """The sum of the counts of that name over all documents."""
        return sum((each for tally in self.tallies if isinstance(each := tally.get(name), Counts)), Counts())

    def ratio(self, name: str) -> Ratio:
        return sum((each for tally in self.tallies if isinstance(each := tally.get(name), Ratio)), Ratio())

    def macro(self, name: str) -> Macro:
        """Means over the documents."""
        return average(each for tally in self.tallies if isinstance(each := tally.get(name, Counts()), Counts))

    def value(self, score: Score) -> float:
        """What a score comes to; 0 where there is nothing to divide by."""
        rows = _list_rows(self, [score.block])
        return measure_row([sum(column) for column in zip(*rows, strict=True)], score.measure) or 0.0


def evaluate(
    gold: Iterable[Document],
    predicted: Iterable[Document],
    *,
    scheme: LabelScheme | None = None,
    ignore_extra: bool = False,
    path: str = "",
) -> Evaluation:
    """Every score of the predictions against the gold. The scheme defines the HIPAA subset; without one there is no such score.

    ``path`` is where the predictions come from, for a message to name.

    >>> from incognote.document import parse_markup
    >>> report = evaluate([parse_markup("<AGE>41</AGE> y", id="n")], [parse_markup("<AGE>41</AGE> y", id="n")])
    >>> report.counts("token").f1, report.ratio("token.accuracy").value, report.ratio("clean").value
    (1.0, 1.0, 1.0)
    """
    pairing = pair_documents(gold, predicted, ignore_extra=ignore_extra, path=path)
    labelled = [token.pair_labels(one, two) for one, two in pairing.pairs]
    total: token.Pairs = Counter()
    for pairs in labelled:
        total.update(pairs)
    return Evaluation(
        documents=tuple(one.id for one, _ in pairing.pairs),
        patients=tuple(patient_key(one) for one, _ in pairing.pairs),
        tallies=tuple(tally_document(one, two, pairs, scheme) for (one, two), pairs in zip(pairing.pairs, labelled, strict=True)),
        pairs=total,
        leaks=tuple(leak for one, two in pairing.pairs for leak in find_leaks(one, two)),
        missing=pairing.missing,
        ignored=pairing.ignored,
        scheme=scheme.name if scheme else "",
    )


def tally_document(gold: Document, predicted: Document, pairs: token.Pairs, scheme: LabelScheme | None) -> Tally:
    """All counts of one document; ``pairs`` are its token labels."""
    characters = count_characters(gold, predicted)
    types = token.count_labels(pairs)
    entities = count_entities(gold, predicted)
    return {
        "token": sum(types.values(), Counts()),
        "token.binary": token.count_binary(pairs),
        "token.accuracy": token.count_right(pairs),
        **{f"token.type.{label}": counts for label, counts in types.items()},
        "entity": sum(entities.values(), Counts()),
        **{f"entity.type.{label}": counts for label, counts in entities.items()},
        **{f"i2b2.{name}": counts for name, counts in count_i2b2(gold, predicted, scheme).items()},
        **{f"meddocan.{name}": counts for name, counts in count_meddocan(gold, predicted).items()},
        "characters": characters,
        "clean": Ratio(int(characters.fn == 0), 1),
    }


def find_intervals(
    evaluation: Evaluation, scores: Sequence[Score], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[Score, Interval | None]:
    """The patient-clustered bootstrap interval of each score; resamples in which a score is undefined are left out of it.

    Where all there is to score is one patient's, nothing shows how patients differ, and there is no interval.
    """
    blocks = _find_blocks(scores)
    rows = _list_rows(evaluation, blocks)
    sums = resample(rows, evaluation.patients, resamples=resamples, seed=seed)
    found = {}
    for score in scores:
        at = blocks[score.block]
        values = (measure_row(row[at : at + 3], score.measure) for row in sums)
        several = _count_patients(evaluation.patients, rows, (at,), score.measure, enough=2) == 2
        found[score] = find_interval([value for value in values if value is not None]) if several else None
    return found


def compare(
    one: Evaluation, two: Evaluation, scores: Sequence[Score], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[Score, Difference | None]:
    """How much ``one`` is better than ``two`` on the same gold: the same patients are drawn for both."""
    if one.documents != two.documents:
        raise ValueError("two evaluations can be compared only on the same gold documents, in the same order")
    blocks = _find_blocks(scores)
    rows = [[*ours, *theirs] for ours, theirs in zip(_list_rows(one, blocks), _list_rows(two, blocks), strict=True)]
    sums = resample(rows, one.patients, resamples=resamples, seed=seed)
    found = {}
    for score in scores:
        left = blocks[score.block]
        right = left + 3 * len(blocks)
        pairs = ((measure_row(row[left : left + 3], score.measure), measure_row(row[right : right + 3], score.measure)) for row in sums)
        differences = [ours - theirs for ours, theirs in pairs if ours is not None and theirs is not None]
        patients = _count_patients(one.patients, rows, (left, right), score.measure, enough=_MANY)
        found[score] = find_difference(one.value(score) - two.value(score), differences, patients=patients)
    return found


def _count_patients(patients: Sequence[str], rows: Sequence[Sequence[int]], places: Sequence[int], measure: str, *, enough: int) -> int:
    """How many patients have anything to score at these places of their rows, counted as far as ``enough``."""
    found: set[str] = set()
    for patient, row in zip(patients, rows, strict=True):
        if patient not in found and any(measure_row(row[at : at + 3], measure) is not None for at in places):
            found.add(patient)
            if len(found) == enough:
                break
    return len(found)


def _find_blocks(scores: Iterable[Score]) -> dict[tuple[str, bool], int]:
    """Where in a row the three numbers of each score begin; scores that read the same counts share them."""
    return {block: 3 * at for at, block in enumerate(dict.fromkeys(score.block for score in scores))}


def _list_rows(evaluation: Evaluation, blocks: Iterable[tuple[str, bool]]) -> list[list[int]]:
    """Each document as whole numbers that add, three for each block."""
    return [
        [number for name, macro in blocks for number in _list_numbers(tally.get(name, Counts()), macro)] for tally in evaluation.tallies
    ]


def _list_numbers(counts: Counts | Ratio, macro: bool) -> tuple[int, int, int]:
    if isinstance(counts, Ratio):
        return counts.part, counts.whole, 0
    if macro:
        return round(counts.precision * _UNIT), round(counts.recall * _UNIT), _UNIT
    return counts.tp, counts.fp, counts.fn


def measure_row(row: Sequence[int], measure: str) -> float | None:
    """The measure of one score's three summed numbers; None where there is nothing to divide by."""
    one, two, three = row
    match measure:
        case "precision":
            return one / (one + two) if one + two else None
        case "recall":
            return one / (one + three) if one + three else None
        case "f1":
            return 2 * one / (2 * one + two + three) if one + two + three else None
        case "value":
            return one / two if two else None
        case "macro-precision":
            return one / three
        case "macro-recall":
            return two / three
        case "macro-f1":
            return harmonic_mean(one / three, two / three)
    raise ValueError(f"measure {measure} is not known")
