"""The tables of incognote utility and incognote link, and what their figures mean and do not mean."""

from collections.abc import Mapping, Sequence

from rich.markup import escape
from rich.table import Table

from incognote.cli.evaluate_tables import format_difference, format_estimate, make_table, print_tables
from incognote.cli.output import count
from incognote.evaluate.bootstrap import Difference, Sampled
from incognote.evaluate.summary import Estimate
from incognote.lab.audit.alignment import ORIGINAL
from incognote.lab.audit.answers import Survival
from incognote.lab.audit.attacks import ATTACKS
from incognote.lab.audit.link import Link
from incognote.lab.audit.utility import Trial, Utility

SCORES: Mapping[str, str] = {"accuracy": "accuracy", "macro_f1": "macro F1", "exact": "exact answers", "f1": "token F1"}

UTILITY_MEANING = (
    "A change below 0 is the cost of scrubbing for this task; p is the p-value of no change. Tasks that need ages, dates or places may "
    "lose more. Trained on scrubbed and tested on original notes: a model made in research and then used in the hospital.",
)
ANSWER_MEANING = ("An answer is kept if the scrubbed note still holds it word for word. Ask for facts that should stay, not for PHI.",)
LINK_MEANING = (
    "AUC: how often the attack ranks another note of the same patient above a note of another patient. 0.5 is chance, 1 is certain.",
    "It measures how well the remaining text tells patients apart, for an attacker who has other original notes and knows their patients.",
    "It does not mean that a stranger can name a patient. 0.5 does not prove safety: a better attack, or more knowledge, may do better.",
    "The original notes show how strong the attacks are. Text that is not PHI (sex, illness, the style of a hospital) links notes too.",
)


def show_utility(audit: Utility) -> None:
    """Print the trials on standard output."""
    print_tables(
        [_make_trials(audit.trials)],
        f"{count(audit.notes, 'note')} of {count(audit.patients, 'patient')} in {count(len(audit.classes), 'class', 'classes')}; "
        f"accuracy of the largest class alone: {audit.largest:.4f}",
        f"[dim]{count(len(audit.seeds), 'seed')} × {count(audit.folds, 'fold')}; {_intervals(audit.resamples)}[/]",
    )
    print_tables([], *UTILITY_MEANING)


def show_answers(audit: Survival) -> None:
    """Print how many answers survive and, if a reader was trained, its trials."""
    table = make_table("", "notes", "answers kept")
    for form, share in audit.kept.items():
        table.add_row(escape(form), format_score(share))
    head = f"{count(audit.questions, 'question')} about {count(audit.notes, 'note')} of {count(audit.patients, 'patient')}"
    print_tables([table, *([_make_trials(audit.trials)] if audit.trials else [])], head)
    print_tables([], *ANSWER_MEANING, *([] if audit.trials else ["No reader was trained: that needs an encoder (--model NAME)."]))


def show_link(audit: Link) -> None:
    """Print the attacks on every form on standard output."""
    names = list(dict.fromkeys(attack.name for attack in audit.attacks))
    table = make_table("", "notes", *names)
    for form in dict.fromkeys(attack.form for attack in audit.attacks):
        row = {attack.name: format_score(attack.auc) for attack in audit.attacks if attack.form == form}
        table.add_row("original (nothing hidden)" if form == ORIGINAL else escape(form), *(row[name] for name in names))
    matched = f", {audit.matched:.1%} of the false ones of the same {audit.kind}" if audit.kind else ", of any kind of note"
    print_tables(
        [table],
        f"{count(audit.notes, 'note')} of {count(audit.patients, 'patient')}, {audit.several:,} with two notes or more",
        f"{count(audit.pairs, 'test pair')} in {count(len(audit.seeds), 'seed')}, {audit.true_pairs:,} of one patient{matched}",
        f"[dim]{_intervals(audit.resamples)}[/]",
    )
    print_tables([], *(f"{name}: {ATTACKS[name]}" for name in names if name in ATTACKS), "", *LINK_MEANING)


def _intervals(resamples: int) -> str:
    return f"95 % intervals: {count(resamples, 'resample')} of patients and seeds"


def format_score(score: Sampled) -> str:
    """The value with its interval.

    >>> import numpy as np
    >>> format_score(Sampled(0.5, np.array([0.4, 0.6])))
    '0.5000 [0.405, 0.595]'
    """
    return format_estimate(Estimate(score.value, score.interval))


def format_change(change: Difference | None) -> str:
    """The change with its interval and p."""
    if change is None:
        return ""
    return format_difference(change) + ("" if change.p is None else f" p {change.p:.3f}")


def _make_trials(trials: Sequence[Trial]) -> Table:
    names = list(trials[0].scores)
    table = make_table("", "trained on", "tested on", *(cell for name in names for cell in (SCORES[name], "change")), left=2)
    for trial in trials:
        cells = [cell for name in names for cell in (format_score(trial.scores[name]), format_change(trial.changes.get(name)))]
        table.add_row(escape(trial.trained), escape(trial.tested), *cells)
    return table
