"""Tagging as a training task: windows over notes, a tag for each subword, scored through the path that production uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from incognote.document import Document, Span, bio_tags, scheme
from incognote.errors import CheckpointError, ConfigError
from incognote.evaluate.counts import Counts
from incognote.evaluate.entity import count_entities
from incognote.evaluate.token import count_all, pair_labels
from incognote.find.model.checkpoint import load_checkpoint, save_checkpoint
from incognote.find.model.tokens import SubwordTokenizer
from incognote.find.model.weights import start_model
from incognote.find.model.windows import Window, cut_windows, fill_batch
from incognote.lab.encoders.encoding import EncodedNote, check_labels, encode_notes
from incognote.lab.training.data import Splits
from incognote.lab.training.features import keep_layers
from incognote.lab.training.recipe import Recipe, format_recipe
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED, token_divergence, token_loss
from incognote.lab.training.tasks.tagged import tag_notes
from incognote.lab.training.tasks.tokenizers import find_mask, prepare_tokenizer
from incognote.models import DEFAULT


@dataclass(slots=True)
class Tagging:
    """An encoder with a tag head, the windows it learns from, and the documents it is selected by."""

    recipe: Recipe
    model: nn.Module
    tags: tuple[str, ...]
    tokenizer: SubwordTokenizer
    tokenizer_folder: Path
    documents: tuple[Document, ...] = field(repr=False)
    validation: tuple[Document, ...] = field(repr=False)
    notes: list[EncodedNote] = field(repr=False)
    windows: list[Window] = field(repr=False)
    lengths: list[int] = field(repr=False)

    def collate(self, indices: Sequence[int]) -> Batch:
        windows = [self.windows[i] for i in indices]
        ids, mask = fill_batch(windows, [note.tokens for note in self.notes], self.tokenizer)
        labels = np.full(ids.shape, IGNORED, dtype=np.int64)
        opened = len(self.tokenizer.before)
        for row, window in enumerate(windows):
            labels[row, opened : opened + len(window)] = self.notes[window.note].tags[window.start : window.end]
        batch = {"input_ids": torch.from_numpy(ids), "labels": torch.from_numpy(labels)}
        # Without padding there is nothing to mask, and attention without a mask has the faster kernels.
        return batch if mask.all() else batch | {"attention_mask": torch.from_numpy(mask)}

    def weigh(self, indices: Sequence[int]) -> int:
        return sum(len(self.windows[i]) for i in indices)

    def corrupt(self, batch: Batch, share: float) -> Batch:
        ids = batch["input_ids"]
        hidden = (torch.rand(ids.shape, device=ids.device) < share) & (batch["labels"] != IGNORED)
        return batch | {"input_ids": torch.where(hidden, find_mask(self.tokenizer), ids)}

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        logits: Tensor = model(**{key: value for key, value in batch.items() if key != "labels"}).logits
        return logits

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        return token_loss(logits, batch["labels"], smoothing=smoothing)

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        return token_divergence(one, other, batch["labels"])

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        return score_quickly(self.validation, self.predict(model, self.validation), self.recipe.select)

    def predict(self, model: nn.Module, documents: Sequence[Document]) -> list[tuple[Span, ...]]:
        """The spans that the model finds, through windows and grammar, as the tagger finds them."""
        texts = [document.text for document in documents]
        return tag_notes(model, texts, self.tokenizer, self.tags, room=self.room, overlap=self.recipe.overlap)

    @property
    def room(self) -> int:
        """How many tokens of a note fit in a window."""
        return self.recipe.window - self.tokenizer.specials

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(self.documents[self.windows[i].note].id for i in indices))

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        text = card.get("text")
        save_checkpoint(
            folder,
            model,
            tags=self.tags,
            tokenizer_from=self.tokenizer_folder,
            tokenizer=self.tokenizer,
            recipe=format_recipe(self.recipe),
            card=text if isinstance(text, str) else None,
            settings={"window": self.recipe.window, "overlap": self.recipe.overlap},
        )


def prepare_tagging(recipe: Recipe, splits: Splits, *, unsafe: bool = False) -> Tagging:
    """The task of a recipe: model and tokenizer loaded, tags chosen, every document of every part checked against them."""
    if recipe.task != "tags":
        raise ConfigError("recipe", [f"task = {recipe.task!r}: only taggers are trained here; incognote train trains for other tasks"])
    torch.manual_seed(recipe.seed)
    tags = choose_tags(recipe, splits.train, unsafe=unsafe)
    for part in ("train", "validation", "test"):
        check_labels(splits.of(part), tags)
    model, folder = start_model(recipe.model, tags, unsafe=unsafe)
    check_window(recipe, model)
    if isinstance(recipe.features, int):
        keep_layers(model, recipe.features, name=recipe.model)
    tokenizer = prepare_tokenizer(folder, model, newline=recipe.newline_token)
    notes = encode_notes(splits.train, tokenizer, tags)
    windows = cut_windows([len(note) for note in notes], room=recipe.window - tokenizer.specials, overlap=recipe.overlap)
    if not windows:
        raise ConfigError("data", ["the training documents hold no token at all"])
    lengths = [len(window) + tokenizer.specials for window in windows]
    return Tagging(recipe, model, tags, tokenizer, folder, splits.train, splits.validation, notes, windows, lengths)


def choose_tags(recipe: Recipe, documents: Sequence[Document], *, unsafe: bool = False) -> tuple[str, ...]:
    """The scheme's tags; without one, those of a model that is a tagger already; else one pair for each label in the data."""
    if not recipe.scheme and (recipe.model == DEFAULT or Path(recipe.model).is_dir()):
        try:
            return load_checkpoint(recipe.model, unsafe=unsafe).tags
        except CheckpointError:
            pass  # a bare encoder, or damaged; start_model says which
    labels = sorted({span.label for document in documents for span in document.spans})
    if not labels:
        raise ConfigError("data", ["no training document has a span, so that nothing would be learned; give annotated notes"])
    return scheme(recipe.scheme).tags if recipe.scheme else bio_tags(labels)


def score_quickly(gold: Sequence[Document], found: Sequence[tuple[Span, ...]], select: str) -> dict[str, float]:
    """Micro scores for selection, ``strict`` on whole spans or ``token`` as Meaney et al. have it; both F1 are given."""
    entities, tokens = Counts(), Counts()
    for document, spans in zip(gold, found, strict=True):
        predicted = document.with_spans(spans)
        entities += sum(count_entities(document, predicted).values(), Counts())
        tokens += count_all(pair_labels(document, predicted))
    chosen = entities if select == "strict" else tokens
    return {
        "f1": chosen.f1,
        "precision": chosen.precision,
        "recall": chosen.recall,
        "strict_f1": entities.f1,
        "token_f1": tokens.f1,
    }


def check_window(recipe: Recipe, model: Any) -> None:
    """Raise when the recipe's windows are longer than the model can read."""
    limit = window_limit(model.config)
    if recipe.window > limit:
        raise ConfigError("recipe", [f"window = {recipe.window}: {recipe.model} takes at most {limit} tokens"])


def window_limit(config: Any) -> int:
    """How many tokens the model can read at once, special ones included."""
    from incognote.find.model.checkpoint import Checkpoint

    return Checkpoint(Path(), "", config.to_dict(), ()).limit
