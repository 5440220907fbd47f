"""What an attacker can see in a pair of notes: shared words, shared spelling, a like hand; alone, or weighed by a trained classifier.

Untrained attacks run as well as the trained one, because a weak attacker proves nothing: the strongest counts.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.evaluate.bootstrap import Floats
from incognote.lab.audit.alignment import ORIGINAL, Aligned
from incognote.lab.audit.learners import Matrix, Sparse, count_terms
from incognote.lab.audit.pairs import Pairs

RARE, WORDS, LETTERS, SEX, HAND, TRAINED = "rare words", "words", "letters", "he or she", "hand", "trained"
ATTACKS: Mapping[str, str] = {
    RARE: "shared words that few notes have, rarer ones counting more; not trained",
    WORDS: "cosine of TF-IDF over words; not trained",
    LETTERS: "cosine of TF-IDF over runs of four characters, with case and layout; not trained",
    SEX: "trained on pairs of other patients: whether both notes say he, or both she",
    HAND: "trained likewise: how the notes are written (capitals, digits, marks, lines, length), whatever they say",
    TRAINED: "trained likewise on all of these and on which words match; with an encoder, on its hidden states too",
}

_HE = frozenset("he him his himself man male boy gentleman mr".split())
_SHE = frozenset("she her hers herself woman female girl lady mrs ms".split())
_RARE_SHARE = 0.02
_RARE_COUNT = 5
_MATCH_SCALE = np.float32(15)  # a shared word is a small number in a long row; the penalty should not drown it
_PENALTY = 0.003
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the attacks need of the notes in one form: TF-IDF of words and of runs of four characters, the hand, the sex, and hidden
    states where there are any."""

    words: Sparse = field(repr=False)
    letters: Sparse = field(repr=False)
    hand: Matrix = field(repr=False)
    sex: Matrix = field(repr=False)
    states: Matrix | None = field(default=None, repr=False)


def gather_evidence(notes: Aligned, states: Mapping[str, Matrix] | None = None) -> dict[str, Evidence]:
    """The evidence in every form. How rare a term is, the attacker learns from the original notes, which are what he holds."""
    words = weigh_terms(count_terms(notes.texts))
    letters = weigh_terms(count_terms(notes.texts, analyzer="char", ngram_range=(4, 4), lowercase=False))
    found = {}
    for form, texts in notes.texts.items():
        hand = np.array([describe_hand(text) for text in texts], dtype=np.float32)
        sex = np.array([guess_sex(_WORD.findall(text.lower())) for text in texts], dtype=np.float32)
        found[form] = Evidence(words[form], letters[form], hand, sex, states[form] if states else None)
    return found


def weigh_terms(counts: Mapping[str, Sparse]) -> dict[str, Sparse]:
    """Rows of TF-IDF of length 1, with the document frequencies of the original notes."""
    from sklearn.feature_extraction.text import TfidfTransformer

    weights = TfidfTransformer(sublinear_tf=True).fit(counts[ORIGINAL])
    return {form: weights.transform(rows) for form, rows in counts.items()}


def describe_hand(text: str) -> list[float]:
    """How a note is written, whatever it says: shares of capitals, digits, marks and blanks, line and word lengths, and its size.

    >>> describe_hand("BP 12")[:2]
    [0.4, 0.4]
    """
    size = len(text) or 1
    lines, words = text.split("\n"), text.split() or [""]
    return [
        sum(letter.isupper() for letter in text) / size,
        sum(letter.isdigit() for letter in text) / size,
        sum(not letter.isalnum() and not letter.isspace() for letter in text) / size,
        sum(letter.isspace() for letter in text) / size,
        text.count("  ") / size,
        text.count("\t") / size,
        float(np.log1p(sum(map(len, lines)) / len(lines))),
        sum(not line.strip() for line in lines) / len(lines),
        sum(map(len, words)) / len(words),
        float(np.log1p(size)),
    ]


def guess_sex(words: Sequence[str]) -> float:
    """From -1 (she) to 1 (he), by the words that no policy takes out; 0 where there are none.

    >>> guess_sex(["he", "and", "his", "wife"]), guess_sex(["bp"])
    (0.6666666666666666, 0.0)
    """
    men, women = (sum(word in side for word in words) for side in (_HE, _SHE))
    return (men - women) / (men + women + 1)


def run_untrained(pairs: Pairs, scrubbed: Evidence, original: Evidence, rarity: Floats) -> dict[str, Floats]:
    """The scores of the attacks that need no training."""
    one, two = pairs.scrubbed, pairs.original
    shared = scrubbed.words[one].multiply(original.words[two])
    return {
        RARE: np.asarray((shared > 0) @ rarity, dtype=np.float64),
        WORDS: _sum_rows(shared),
        LETTERS: _sum_rows(scrubbed.letters[one].multiply(original.letters[two])),
    }


def find_rarity(original: Evidence) -> Floats:
    """The weight of every word that at most one note in fifty has, or five notes where there are few; 0 of others."""
    count = original.words.shape[0]
    having = _sum_rows((original.words > 0).T)
    rare = having <= max(_RARE_COUNT, _RARE_SHARE * count)
    return np.where(rare, np.log((1 + count) / (1 + having)), 0.0)


def run_trained(train: Pairs, test: Pairs, scrubbed: Evidence, original: Evidence, rarity: Floats) -> dict[str, Floats]:
    """The scores of the trained attacks on the test pairs: logistic regression over what :func:`see_pairs` sees."""
    learned, asked = (see_pairs(pairs, scrubbed, original, rarity) for pairs in (train, test))
    found = {name: _learn(train, [learned[name]], [asked[name]]) for name in (SEX, HAND)}
    matches = [scrubbed.words[pairs.scrubbed].multiply(original.words[pairs.original]) * _MATCH_SCALE for pairs in (train, test)]
    found[TRAINED] = _learn(train, list(learned.values()), list(asked.values()), matches)
    return found


def _learn(train: Pairs, learned: Sequence[Matrix], asked: Sequence[Matrix], plain: Sequence[Sparse] = ()) -> Floats:
    """The scores of the pairs asked about; ``plain`` columns (of the learned, of the asked) go in as they are."""
    from scipy.sparse import hstack
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    one, two = (np.concatenate(parts, axis=1) for parts in (learned, asked))
    scale = StandardScaler().fit(one)
    rows = [scale.transform(one), scale.transform(two)]
    if plain:
        rows = [hstack(parts, format="csr") for parts in zip(rows, plain, strict=True)]
    model = LogisticRegression(C=2 / (_PENALTY * len(train)), max_iter=2000).fit(rows[0], train.true)
    return np.asarray(model.decision_function(rows[1]), dtype=np.float64)


def see_pairs(pairs: Pairs, scrubbed: Evidence, original: Evidence, rarity: Floats) -> dict[str, Matrix]:
    """A row for each pair, by what is seen: shared text, whether the sex agrees, how the hands differ, how near the states are."""
    one, two = pairs.scrubbed, pairs.original
    scores = run_untrained(pairs, scrubbed, original, rarity)
    scores[RARE] = np.log1p(scores[RARE])
    sexes = scrubbed.sex[one], original.sex[two]
    seen: dict[str, Matrix] = {
        "text": np.stack(list(scores.values()), axis=1).astype(np.float32),
        SEX: np.stack([sexes[0] * sexes[1], np.abs(sexes[0] - sexes[1])], axis=1),
        HAND: np.abs(scrubbed.hand[one] - original.hand[two]),
    }
    if scrubbed.states is not None and original.states is not None:
        left, right = scrubbed.states[one], original.states[two]
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        cosines = np.einsum("ij,ij->i", left, right) / np.where(lengths == 0, 1, lengths)
        seen["states"] = np.concatenate([cosines[:, None], left * right, np.abs(left - right)], axis=1, dtype=np.float32)
    return seen


def _sum_rows(rows: Sparse) -> Floats:
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
