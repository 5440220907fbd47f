"""Classes of texts as a training task: which specialty, which outcome. A text of any length is read whole, in windows."""

from collections.abc import Sequence

from incognote.errors import ConfigError
from incognote.find.model.tokens import SubwordTokenizer
from incognote.find.model.windows import cut_windows
from incognote.lab.training.recipe import Recipe
from incognote.lab.training.tasks.checks import check_classes
from incognote.lab.training.tasks.classification import Classification, prepare_classification
from incognote.lab.training.tasks.samples import Frame, Sample, make_sample
from incognote.lab.training.texts import Example, Examples, list_places


def prepare_classes(recipe: Recipe, splits: Examples, *, unsafe: bool = False) -> Classification:
    """The task of a recipe, its examples checked: each has a text and a class, and every class can be learned."""
    return prepare_classification(recipe, splits, check_classes(splits), texts=1, cut=cut_texts, unsafe=unsafe)


def cut_texts(examples: Sequence[Example], tokenizer: SubwordTokenizer, frame: Frame, window: int, overlap: int) -> list[Sample]:
    """The windows of each text. A token that two windows share counts for the one where it has more context."""
    notes = tokenizer.tokenize([one.text for one in examples])
    if faults := list_places("no token in the text", [one for one, note in zip(examples, notes, strict=True) if not len(note)]):
        raise ConfigError("data", faults)
    windows = cut_windows([len(note) for note in notes], room=window - frame.size, overlap=overlap)
    return [make_sample(frame, w.note, notes[w.note].ids[w.start : w.end], weight=w.last - w.first) for w in windows]
