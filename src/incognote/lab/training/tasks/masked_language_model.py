"""Masked language modeling as a training task: an encoder learns to predict hidden words, in notes without labels.

Masks are new at every step. They come from torch's random numbers, which the loop saves, so a resumed training draws the same ones.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.find.model.checkpoint import copy_tokenizer, replace_whole
from incognote.find.model.quiet import quiet
from incognote.find.model.tokens import Ints, SubwordTokenizer
from incognote.find.model.weights import forget_settings
from incognote.lab.encoders.masked import load_masked
from incognote.lab.training.data import Splits
from incognote.lab.training.recipe import Recipe, format_recipe
from incognote.lab.training.run import Summary
from incognote.lab.training.task import Batch
from incognote.lab.training.tasks.losses import IGNORED, token_divergence, token_loss
from incognote.lab.training.tasks.masking import (
    NO_WORD,
    Hidden,
    Sample,
    Vocabulary,
    cut_samples,
    fill_hidden,
    hide_words,
    number_words,
    read_vocabulary,
)
from incognote.lab.training.tasks.tokenizers import prepare_tokenizer
from incognote.lab.training.tasks.word_head import begin_head

MASKING = 0.15
FRESH = (
    "the encoder came without a head for hidden words: a new one begins, so the first perplexity is that of word counts, not of the encoder"
)
_TOKENS_AT_ONCE = {"cuda": 65536, "cpu": 4096}


@dataclass(slots=True)
class Narrowing:
    """A hook that keeps, of an encoder's output, the hidden places alone: the head over the vocabulary is the costly part."""

    places: Tensor | None = None

    def __call__(self, module: nn.Module, inputs: Any, output: Any) -> Any:
        if self.places is not None:
            states = output.last_hidden_state
            output.last_hidden_state = states.gather(1, self.places[..., None].expand(-1, -1, states.shape[-1]))
        return output


@dataclass(frozen=True, slots=True)
class Surprise:
    """What a model made of one held-out window: the summed negative log-likelihood of its hidden tokens, how many, how many right."""

    note: int
    loss: float
    tokens: int
    right: int


@dataclass(slots=True)
class MaskedLanguageModeling:
    """An encoder with a head for hidden words, the windows it learns from, and the held-out windows it is measured by."""

    recipe: Recipe
    model: nn.Module
    fresh: tuple[str, ...]
    tokenizer: SubwordTokenizer
    tokenizer_folder: Path
    vocabulary: Vocabulary
    documents: tuple[Document, ...] = field(repr=False)
    validation: tuple[Document, ...] = field(repr=False)
    samples: list[Sample] = field(repr=False)
    held_out: list[tuple[int, Hidden]] = field(repr=False)
    lengths: list[int] = field(repr=False)
    masking: float
    narrowing: Narrowing = field(repr=False)
    drawn: dict[int, Hidden] = field(default_factory=dict, repr=False)

    def collate(self, indices: Sequence[int]) -> Batch:
        return _collate([self.drawn[index] for index in indices], self.tokenizer.pad)

    def weigh(self, indices: Sequence[int]) -> int:
        """How many tokens are hidden in these samples. The loop asks once for each step, first of all: here its masks are drawn."""
        draw = int(torch.randint(2**62, ()))
        self.drawn = {
            index: hide_words(self.samples[index], self.vocabulary, np.random.default_rng([draw, index]), share=self.masking)
            for index in indices
        }
        return sum(len(hidden.places) for hidden in self.drawn.values())

    def corrupt(self, batch: Batch, share: float) -> Batch:
        return batch  # hiding is the task itself; prepare_masked_language_model refuses token_masking

    def forward(self, model: nn.Module, batch: Batch) -> Tensor:
        """Logits ``(samples, hidden places, vocabulary)``."""
        self.narrowing.places = batch["places"]
        try:
            logits: Tensor = model(**{key: value for key, value in batch.items() if key not in ("labels", "places")}).logits
        finally:
            self.narrowing.places = None
        return logits

    def loss(self, logits: Tensor, batch: Batch, *, smoothing: float) -> Tensor:
        return token_loss(logits, batch["labels"], smoothing=smoothing)

    def divergence(self, one: Tensor, other: Tensor, batch: Batch) -> Tensor:
        return token_divergence(one, other, batch["labels"])

    def validate(self, model: nn.Module) -> Mapping[str, float]:
        """``f1`` is what the loop selects by; here it is one over the perplexity: the mean probability of a hidden token."""
        return total_surprise(self.measure(model))

    def measure(self, model: nn.Module, windows: Sequence[tuple[int, Hidden]] | None = None) -> list[Surprise]:
        """The held-out windows (or others), judged with the same words hidden every time."""
        windows = self.held_out if windows is None else windows
        device = next(model.parameters()).device
        found: list[Surprise] = []
        order = sorted(range(len(windows)), key=lambda at: len(windows[at][1].ids))
        budget = _TOKENS_AT_ONCE.get(device.type, _TOKENS_AT_ONCE["cpu"])
        with torch.inference_mode(), torch.compiler.set_stance("force_eager"):
            for part in _gather(order, [len(hidden.ids) for _, hidden in windows], budget):
                batch = {k: v.to(device) for k, v in _collate([windows[at][1] for at in part], self.tokenizer.pad).items()}
                with torch.autocast("cuda", torch.bfloat16, enabled=device.type == "cuda"):
                    logits = self.forward(model, batch)
                found += _surprises([windows[at][0] for at in part], logits.float(), batch["labels"])
        return found

    def summarize(self, model: nn.Module, examples: Sequence[Document]) -> Summary:
        """How many of the hidden tokens of these notes the model predicts."""
        scores = self.measure(model, _hide_all(examples, self.tokenizer, self.vocabulary, self.recipe, self.masking))
        return Summary({"accuracy": [sum(each.right for each in scores), sum(each.tokens for each in scores)]})

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader of the scores must know."""
        return (FRESH,) if self.fresh else ()

    def name_samples(self, indices: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(self.documents[note].id for index in indices for note in self.samples[index].notes))

    def save(self, model: nn.Module, folder: Path, *, card: Mapping[str, object]) -> None:
        """A Hugging Face folder: the encoder with its head for words and its tokenizer, to be a recipe's ``model``."""
        with replace_whole(folder) as draft, quiet():
            model.save_pretrained(draft)  # type: ignore[operator]
            copy_tokenizer(self.tokenizer_folder, draft, self.tokenizer)
            (draft / "recipe.toml").write_text(format_recipe(self.recipe), encoding="utf-8")
            (draft / "README.md").write_text(str(card.get("text", "")), encoding="utf-8")


def prepare_masked_language_model(
    recipe: Recipe, splits: Splits, *, masking: float = MASKING, pack: bool = True, unsafe: bool = False
) -> MaskedLanguageModeling:
    """The task of a recipe: model and tokenizer loaded, notes cut into windows, and the words to measure by hidden once and for all.

    The notes learned from are packed into full windows (see :func:`cut_samples`); held-out notes never share one.
    """
    if recipe.token_masking:
        raise ConfigError("recipe", ["token_masking: this task hides words itself; set it to 0"])
    torch.manual_seed(recipe.seed)
    masked = load_masked(recipe.model, unsafe=unsafe)
    if recipe.window > masked.limit:
        raise ConfigError("recipe", [f"window = {recipe.window}: {recipe.model} takes at most {masked.limit} tokens"])
    tokenizer = prepare_tokenizer(masked.folder, masked.model, newline=recipe.newline_token)
    vocabulary = read_vocabulary(tokenizer, masked.mask)
    # The folder that is written is a bare encoder and must not look like a tagger.
    masked.model.config.num_labels = 2
    forget_settings(masked.model.config)
    learned = _cut(splits.train, tokenizer, vocabulary, recipe, pack=pack)
    held_out = _hide_all(splits.validation, tokenizer, vocabulary, recipe, masking)
    for name, samples in (("to learn from", learned), ("held out", held_out)):
        if not samples:
            raise CorpusError(f"the notes {name} hold no word at all; give notes with text")
    if masked.fresh:
        begin_head(masked.model, masked.fresh, (sample.ids[sample.words != NO_WORD] for sample in learned))
    narrowing = Narrowing()
    masked.model.base_model.register_forward_hook(narrowing)
    lengths = [len(sample) for sample in learned]
    texts = (splits.train, splits.validation)
    sides = (tokenizer, masked.folder, vocabulary)
    return MaskedLanguageModeling(recipe, masked.model, masked.fresh, *sides, *texts, learned, held_out, lengths, masking, narrowing)


def total_surprise(surprises: Sequence[Surprise]) -> dict[str, float]:
    """Perplexity and accuracy over all hidden tokens."""
    tokens = max(1, sum(each.tokens for each in surprises))
    loss = sum(each.loss for each in surprises) / tokens
    right = sum(each.right for each in surprises) / tokens
    return {"f1": math.exp(-loss), "perplexity": math.exp(min(loss, 700.0)), "accuracy": right}


def _cut(documents: Sequence[Document], tokenizer: SubwordTokenizer, vocabulary: Vocabulary, recipe: Recipe, *, pack: bool) -> list[Sample]:
    notes = tokenizer.tokenize([document.text for document in documents])
    words: list[Ints] = [number_words(document.text, note, vocabulary.special) for document, note in zip(documents, notes, strict=True)]
    return cut_samples(notes, words, tokenizer, room=recipe.window - tokenizer.specials, pack=pack)


def _hide_all(
    documents: Sequence[Document], tokenizer: SubwordTokenizer, vocabulary: Vocabulary, recipe: Recipe, masking: float
) -> list[tuple[int, Hidden]]:
    """Each window of the notes, none of two notes, with the number of its note; which words are hidden hangs on the seed alone."""
    samples = _cut(documents, tokenizer, vocabulary, recipe, pack=False)
    randoms = (np.random.default_rng([recipe.seed, 1 << 32, at]) for at in range(len(samples)))
    return [
        (sample.notes[0], hide_words(sample, vocabulary, random, share=masking, plainly=True))
        for sample, random in zip(samples, randoms, strict=False)
    ]


def _collate(hidden: Sequence[Hidden], pad: int) -> Batch:
    ids, mask, places, labels = (torch.from_numpy(array) for array in fill_hidden(hidden, pad))
    batch = {"input_ids": ids, "places": places, "labels": labels}
    # Without padding there is nothing to mask, and attention without a mask has the faster kernels.
    return batch if bool(mask.all()) else batch | {"attention_mask": mask}


def _gather(order: Sequence[int], lengths: Sequence[int], budget: int) -> list[list[int]]:
    batches: list[list[int]] = []
    for at in order:
        if not batches or lengths[at] * (len(batches[-1]) + 1) > budget:
            batches.append([])
        batches[-1].append(at)
    return batches


def _surprises(notes: Sequence[int], logits: Tensor, labels: Tensor) -> list[Surprise]:
    losses = functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORED, reduction="none").double().sum(dim=1)
    counted = labels != IGNORED
    right = ((logits.argmax(dim=-1) == labels) & counted).sum(dim=1)
    rows = zip(notes, losses.tolist(), counted.sum(dim=1).tolist(), right.tolist(), strict=True)
    return [Surprise(*row) for row in rows]
