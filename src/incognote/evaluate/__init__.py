"""Scores: token, entity, i2b2 2014, MEDDOCAN and leaks, with patient-clustered intervals; counts add and nothing derived is stored."""

from incognote.evaluate.bootstrap import Difference, Interval
from incognote.evaluate.counts import Counts, Macro, Ratio
from incognote.evaluate.leak import Leak, find_leaks
from incognote.evaluate.report import Evaluation, Score, compare, evaluate, find_intervals

__all__ = [
    "Counts",
    "Difference",
    "Evaluation",
    "Interval",
    "Leak",
    "Macro",
    "Ratio",
    "Score",
    "compare",
    "evaluate",
    "find_intervals",
    "find_leaks",
]
