"""What an attacker can see in a pair of notes: shared words, shared spelling, a like hand; alone, or weighed by a trained classifier.

The untrained attacks stand beside the trained one because a weak attacker proves nothing: the strongest is what counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from incognote.evaluate.bootstrap import Floats
from incognote.lab.audit.alignment import ORIGINAL, Aligned
from incognote.lab.audit.learners import Scale
from incognote.lab.audit.logistic import Matrix, fit_head
from incognote.lab.audit.pairs import Pairs
from incognote.lab.audit.word_features import Weights, count_all, list_grams, list_words, weigh_words

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
_GRAM_WIDTH = 2**13
_MATCH_WIDTH = 2**11
_MATCH_SCALE = np.float32(15)  # a shared word is a small number in a long row; the penalty should not drown it
_PENALTY = 0.003


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the attacks need of the notes in one form: words, weighted rows, the hand, and hidden states where there are any."""

    words: tuple[frozenset[str], ...] = field(repr=False)
    rows: Matrix = field(repr=False)
    grams: Matrix = field(repr=False)
    matches: Matrix = field(repr=False)
    hand: Matrix = field(repr=False)
    sex: Matrix = field(repr=False)
    states: Matrix | None = field(default=None, repr=False)


def gather_evidence(notes: Aligned, states: Mapping[str, Matrix] | None = None) -> dict[str, Evidence]:
    """The evidence in every form. How rare a word is, the attacker learns from the original notes, which are what he holds."""
    listed = {form: [list_words(text) for text in texts] for form, texts in notes.texts.items()}
    weights: dict[str, Weights] = {}
    found = {}
    for form in notes.forms:  # the original comes first
        tables = {
            "rows": count_all(listed[form]),
            "grams": count_all([list_grams(text) for text in notes.texts[form]], width=_GRAM_WIDTH),
            "matches": count_all(listed[form], width=_MATCH_WIDTH),
        }
        if form == ORIGINAL:
            weights = {name: Weights.of(table) for name, table in tables.items()}
        weighted = {name: weights[name].apply(table) for name, table in tables.items()}
        hand = np.array([describe_hand(text) for text in notes.texts[form]], dtype=np.float32)
        sex = np.array([guess_sex(each) for each in listed[form]], dtype=np.float32)
        words = tuple(frozenset(each) for each in listed[form])
        found[form] = Evidence(words, hand=hand, sex=sex, states=states[form] if states else None, **weighted)
    return found


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


def run_untrained(pairs: Pairs, scrubbed: Evidence, original: Evidence, rarity: Mapping[str, float]) -> dict[str, Floats]:
    """The scores of the attacks that need no training."""
    one, two = pairs.scrubbed, pairs.original
    shared = [scrubbed.words[a] & original.words[b] for a, b in zip(one, two, strict=True)]
    rare = [sum(rarity.get(word, 0.0) for word in words) for words in shared]
    return {
        RARE: np.array(rare, dtype=np.float64),
        WORDS: _cosines(scrubbed.rows[one], original.rows[two]),
        LETTERS: _cosines(scrubbed.grams[one], original.grams[two]),
    }


def find_rarity(original: Evidence) -> dict[str, float]:
    """The weight of every word that at most one note in fifty has, or five notes where there are few."""
    weights = weigh_words([sorted(words) for words in original.words])
    count = len(original.words)
    limit = np.log((1 + count) / (1 + max(_RARE_COUNT, _RARE_SHARE * count))) - 1e-9
    return {word: weight for word, weight in weights.items() if weight >= limit}


def run_trained(train: Pairs, test: Pairs, scrubbed: Evidence, original: Evidence, rarity: Mapping[str, float]) -> dict[str, Floats]:
    """The scores of the trained attacks on the test pairs: logistic regression over what :func:`see_pairs` sees."""
    learned, asked = (see_pairs(pairs, scrubbed, original, rarity) for pairs in (train, test))
    found = {name: _learn(train, [learned[name]], [asked[name]]) for name in (SEX, HAND)}
    matches = [scrubbed.matches[pairs.scrubbed] * original.matches[pairs.original] * _MATCH_SCALE for pairs in (train, test)]
    found[TRAINED] = _learn(train, list(learned.values()), list(asked.values()), matches)
    return found


def _learn(train: Pairs, learned: Sequence[Matrix], asked: Sequence[Matrix], plain: Sequence[Matrix] = ()) -> Floats:
    """The scores of the pairs asked about; ``plain`` columns (of the learned, of the asked) go in as they are."""
    one, two = (np.concatenate(parts, axis=1, dtype=np.float32) for parts in (learned, asked))
    scale = Scale.of(one)
    rows = [scale.apply(one), scale.apply(two)]
    if plain:
        rows = [np.concatenate(parts, axis=1, dtype=np.float32) for parts in zip(rows, plain, strict=True)]
    logits = fit_head(rows[0], train.true.astype(np.int64), classes=2, penalty=_PENALTY).score(rows[1])
    return np.asarray(logits[:, 1] - logits[:, 0], dtype=np.float64)


def see_pairs(pairs: Pairs, scrubbed: Evidence, original: Evidence, rarity: Mapping[str, float]) -> dict[str, Matrix]:
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
        cosines = _cosines(left, right) / np.where(lengths == 0, 1, lengths)
        seen["states"] = np.concatenate([cosines[:, None], left * right, np.abs(left - right)], axis=1, dtype=np.float32)
    return seen


def _cosines(one: Matrix, two: Matrix) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", one, two), dtype=np.float64)
