"""What is wrong with labelled examples, all of it at once: empty texts, classes that cannot be learned or were never seen."""

from collections import Counter
from collections.abc import Sequence

from incognote.errors import ConfigError
from incognote.lab.training.data import SPLITS
from incognote.lab.training.texts import Example, Examples, list_places


def check_classes(splits: Examples, *, pairs: bool = False) -> tuple[str, ...]:
    """The classes of the training examples, sorted; every fault of the examples is in one error."""
    faults = [fault for part in SPLITS for fault in _find_empty(splits.of(part), ("text", "other") if pairs else ("text",))]
    faults += [fault for part in SPLITS for fault in list_places("no label", [one for one in splits.of(part) if not one.label])]
    counts = Counter(one.label for one in splits.train if one.label)
    if not splits.validation:
        faults.append("there is no validation example; selection needs some")
    if len(counts) < 2:
        faults.append(f"there are {len(counts)} classes in the training examples; a classifier needs two or more")
    faults += [f"label {name}: only one training example; give it more, or leave it out" for name, n in sorted(counts.items()) if n == 1]
    strange = Counter(one.label for part in ("validation", "test") for one in splits.of(part) if one.label and one.label not in counts)
    faults += [f"label {name}: in {count} examples to score and in none to learn from" for name, count in sorted(strange.items())]
    if faults:
        raise ConfigError("data", faults)
    return tuple(sorted(counts))


def _find_empty(examples: Sequence[Example], columns: Sequence[str]) -> list[str]:
    return [
        fault
        for column in columns
        for fault in list_places(f"empty {column}", [one for one in examples if not getattr(one, column).strip()])
    ]


def check_answers(splits: Examples) -> None:
    """Raise unless every text and question is there and every answer is in its text at its start."""
    faults = []
    for part in SPLITS:
        examples = splits.of(part)
        faults += _find_empty(examples, ("text", "question"))
        faults += list_places("the answer is not in the text", [one for one in examples if find_answer(one) == -2])
        faults += list_places("the answer is not where start says", [one for one in examples if find_answer(one) == -3])
    if not splits.validation:
        faults.append("there is no validation example; selection needs some")
    if not any(one.answer.strip() for one in splits.train):
        faults.append("no training example has an answer; nothing would be learned")
    if faults:
        raise ConfigError("data", faults)


def find_answer(example: Example) -> int:
    """Where the answer begins; -1 for none, -2 where the text does not hold it, -3 where it is not at its ``start``.

    >>> find_answer(Example("q", "the left knee", answer="knee")), find_answer(Example("q", "the left knee", answer="knee", start=0))
    (9, -3)
    """
    if not example.answer.strip():
        return -1
    if example.answer not in example.text:
        return -2
    if example.start == -1:
        return example.text.index(example.answer)
    return example.start if example.text.startswith(example.answer, example.start) else -3
