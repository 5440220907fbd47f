"""Surrogate jobs: one for one, several for several, a trade for a trade."""

from functools import cache

from incognote.lexicon.person import fold
from incognote.replace.bodies import is_acronym, split_words
from incognote.replace.institutions import staying, swap_words
from incognote.replace.keyed_choice import KeyedChoice
from incognote.replace.vocabulary import vocabulary


def surrogate_profession(value: str, choice: KeyedChoice) -> str | None:
    """Another job; words like ``retired`` stay. Several stay several, a trade stays a trade (construction).

    One has the same article, which stands outside the span."""
    words = split_words(value)
    kept = staying("PROFESSION", words)
    first, last = (next((word for word, stays in zip(each, kept[::step], strict=True) if not stays), "")
                   for each, step in ((words, 1), (words[::-1], -1)))  # fmt: skip
    jobs = vocabulary("trades") if is_trade(last) else _professions(an=_takes_an(first))
    alike = [job for job in jobs if set(words).isdisjoint(job.split())]
    if _is_plural(last):
        alike = [_pluralise(job) for job in vocabulary("professions") if set(words).isdisjoint(_pluralise(job).split())]
    new = swap_words("PROFESSION", value, lambda seed, _: seed.pick(alike), choice)
    if is_acronym(value):  # CNA becomes a word
        new = new.lower()
    return None if new == value else new


def is_trade(word: str) -> bool:
    """Whether a word says what one works in, not what one is.

    >>> is_trade("construction"), is_trade("landscaping"), is_trade("nurse")
    (True, True, False)
    """
    return word in vocabulary("trades") or word in vocabulary("other_trades") or (word.endswith("ing") and len(word) > 5)


def _is_plural(word: str) -> bool:
    """Whether a word says that there are several.

    >>> _is_plural("researchers"), _is_plural("seamstress"), _is_plural("policemen")
    (True, False, True)
    """
    return word.endswith(("men", "s")) and not word.endswith(("ss", "us", "is", "women's", "'s")) and not is_trade(word)


def _pluralise(job: str) -> str:
    """The word for several.

    >>> _pluralise("notary"), _pluralise("bus driver"), _pluralise("waitress")
    ('notaries', 'bus drivers', 'waitresses')
    """
    if job.endswith("y"):
        return job[:-1] + "ies"
    return job + ("es" if job.endswith(("s", "ch", "sh", "x")) else "s")


@cache
def _professions(*, an: bool) -> tuple[str, ...]:
    return tuple(job for job in vocabulary("professions") if _takes_an(job) == an)


def _takes_an(word: str) -> bool:
    """Whether the word sounds as if it began with a vowel.

    >>> _takes_an("usher"), _takes_an("union clerk"), _takes_an("plumber")
    (True, False, False)
    """
    return fold(word[:1]) in set("aeiou") and not fold(word).startswith(("uni", "use", "eu", "one"))
