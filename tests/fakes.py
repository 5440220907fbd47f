"""Small real things for tests: encoders of every family, built from a config in a tenth of a second."""

import io
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from unittest.mock import patch

from incognote.document import Document, parse_markup

LABELS = ("PATIENT", "DOCTOR", "DATE", "AGE", "CITY", "PHONE")

# Which kind of tokenizer each family has, and the names of its special tokens.
FAMILIES = {
    "bert": "wordpiece",
    "distilbert": "wordpiece",
    "mpnet": "wordpiece",
    "roberta": "bytes",
    "modernbert": "bytes",
    "albert": "unigram",
    "xlnet": "unigram",
    "deberta-v2": "unigram",
}

_TEXTS = [
    "Ann Lee was seen by Dr. Omar Diaz on 3 May 2021 in Boston, aged 47.",
    "Call 555-0199 or write to the clinic in New York; the patient's date of birth is 1974-02-11.",
    "Mr. José Núñez (MRN 00123) was discharged from hospital on 12/31/2020.",
    "She denies chest pain, nausea and fever. Plan: follow up in two weeks with Dr. Smith.",
]


_WORDS = "Ann Lee was seen by Dr. Omar Diaz on 3 May 2021 in Boston aged 47 José Núñez 555-0199 \n 😀 fever".split(" ")


def random_texts(seed: int, lengths: Sequence[int]) -> list[str]:
    """Texts of so many words each, the same for the same seed."""
    chosen = Random(seed)
    return [" ".join(chosen.choices(_WORDS, k=length)) for length in lengths]


def tiny_tokenizer(family: str, folder: Path) -> None:
    """Write ``tokenizer.json`` and ``tokenizer_config.json`` of the family, trained on four sentences."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    kind = FAMILIES[family]
    angled = family in ("mpnet", "roberta", "albert", "xlnet")
    cls, sep, pad, unk, mask = ("<s>", "</s>", "<pad>", "<unk>", "<mask>") if angled else ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")
    names = [cls, pad, sep, unk, mask] if angled else [pad, unk, cls, sep, mask]
    if kind == "wordpiece":
        tokenizer = Tokenizer(models.WordPiece({}, unk_token=unk))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        pieces = sorted(_cut_pieces(tokenizer, "##"))
        tokenizer.model = models.WordPiece({piece: at for at, piece in enumerate([*names, *pieces])}, unk_token=unk)
        tokenizer.add_special_tokens(names)
    elif kind == "bytes":
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        letters = pre_tokenizers.ByteLevel.alphabet()
        tokenizer.train_from_iterator(
            _TEXTS, trainers.BpeTrainer(vocab_size=400, show_progress=False, special_tokens=names, initial_alphabet=letters)
        )
    else:
        tokenizer = Tokenizer(models.Unigram([(unk, 0.0)], 0))
        tokenizer.normalizer = normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()])
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        scored = [(piece, -20.0 / len(piece)) for piece in sorted(_cut_pieces(tokenizer, ""))]
        tokenizer.model = models.Unigram([*((name, 0.0) for name in names), *scored], names.index(unk))
        tokenizer.add_special_tokens(names)
    around = f"$A {sep} {cls}" if family == "xlnet" else f"{cls} $A {sep}"
    between = {"xlnet": f"$A {sep} $B:1 {sep}:1 {cls}:2", "roberta": f"{cls} $A {sep} {sep} $B {sep}"}
    both = between.get(family, f"{cls} $A {sep} $B:1 {sep}:1")
    specials = [(name, tokenizer.token_to_id(name)) for name in (cls, sep)]
    tokenizer.post_processor = processors.TemplateProcessing(single=around, pair=both, special_tokens=specials)
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, cls_token=cls, sep_token=sep, pad_token=pad, unk_token=unk, mask_token=mask, model_max_length=64
    ).save_pretrained(folder)


def _cut_pieces(tokenizer: Any, inside: str) -> set[str]:
    """Letters, and the first letters and the rest of each word, what is ``inside`` a word marked so.

    The trainers of WordPiece and Unigram do not learn the same pieces twice.
    """
    words = {word for text in _TEXTS for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))}
    letters = {f"{lead}{letter}" for word in words for letter in word for lead in ("", inside)}
    return letters | {word[:4] for word in words} | {f"{inside}{word[4:]}" for word in words if len(word) > 4}


def tiny_config(family: str, vocabulary: int, pad: int, **options: object) -> object:
    """A config of the family with two layers of width 32 and windows of 64 tokens."""
    from transformers import AutoConfig

    wide = {"vocab_size": vocabulary, "pad_token_id": pad}
    shapes = {
        "distilbert": {"dim": 32, "hidden_dim": 64, "n_layers": 2, "n_heads": 2, "max_position_embeddings": 64},
        "xlnet": {"d_model": 32, "d_inner": 64, "n_layer": 2, "n_head": 2},
    }
    plain = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": 64 + (pad + 1 if family in ("roberta", "mpnet") else 0),
    }
    if family == "albert":
        plain["embedding_size"] = 16
    if family == "modernbert":
        plain |= {"local_attention": 16, "cls_token_id": 2, "sep_token_id": 3, "bos_token_id": 2, "eos_token_id": 3}
    return AutoConfig.for_model(family, **wide, **shapes.get(family, plain), **options)


def tiny_encoder(folder: Path, family: str = "bert", *, seed: int = 0) -> Path:
    """A bare encoder folder: config, random weights and tokenizer, no head."""
    import torch
    from transformers import AutoModel, PreTrainedTokenizerFast

    from incognote.find.model.quiet import quiet

    torch.manual_seed(seed)
    folder.mkdir(parents=True, exist_ok=True)
    tiny_tokenizer(family, folder)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    pad = tokenizer.convert_tokens_to_ids("<pad>" if family in ("mpnet", "roberta", "albert", "xlnet") else "[PAD]")
    with quiet():
        AutoModel.from_config(tiny_config(family, len(tokenizer), pad)).save_pretrained(folder)
    return folder


def tiny_checkpoint(folder: Path, family: str = "bert", *, labels: Sequence[str] = LABELS, seed: int = 0, spread: float = 0.5) -> Path:
    """A Checkpoint whose tags are random but not alike: the head's weights are drawn with this spread."""
    import torch

    from incognote.document import bio_tags
    from incognote.find.model.checkpoint import save_checkpoint
    from incognote.find.model.weights import start_model

    encoder = tiny_encoder(folder.with_name(f"{folder.name}-encoder"), family, seed=seed)
    torch.manual_seed(seed + 1)
    tags = bio_tags(labels)
    model, source = start_model(encoder, tags)
    with torch.no_grad():
        model.classifier.weight.normal_(0, spread)
        model.classifier.bias.normal_(0, spread)
    return save_checkpoint(folder, model, tags=tags, tokenizer_from=source, recipe='model = "tiny"\n')


def spoil(folder: Path, target: Path, name: str, value: float) -> Path:
    """A copy of a model with one weight that holds this value throughout."""
    import shutil

    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, target)
    weights = load_file(target / "model.safetensors")
    weights[name].fill_(value)
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    return target


def template_notes(count: int, *, seed: int = 0) -> list[Document]:
    """Annotated notes from a few templates, two for each patient: small, varied, and easy enough for a tiny encoder to learn."""
    random = Random(seed)
    people = [f"{first} {last}" for first in ("Ann", "Lee", "Omar", "José") for last in ("Diaz", "Smith", "Núñez", "Lee")]
    cities = ("Boston", "New York")
    notes = []
    for number in range(count):
        one, two, city = random.choice(people), random.choice(people), random.choice(cities)
        day, age = f"{random.randint(1, 28)} May 20{random.randint(10, 29)}", random.randint(20, 89)
        text = random.choice(
            (
                f"<PATIENT>{one}</PATIENT> was seen by Dr. <DOCTOR>{two}</DOCTOR>\non <DATE>{day}</DATE> in <CITY>{city}</CITY>.",
                f"Mr. <PATIENT>{one}</PATIENT>, aged <AGE>{age}</AGE>\n\nCall <PHONE>555-01{age}</PHONE>. Plan: follow up.",
                f"Date: <DATE>{day}</DATE>\nThe patient denies chest pain, nausea and fever. Dr. <DOCTOR>{two}</DOCTOR>",
            )
        )
        notes.append(parse_markup(text, id=f"n{number:03}", patient=f"p{number // 2:03}"))
    return notes


class Ended(NamedTuple):
    """How a command ended and what it said, in the words of ``subprocess``."""

    returncode: int
    stdout: str
    stderr: str


def run_command(*arguments: object) -> Ended:
    """``incognote`` with these arguments as a user meets it: every error is an exit code and a message."""
    from incognote.cli.main import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    with patch.object(sys, "argv", ["incognote", *map(str, arguments)]), redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Ended(code, out.getvalue(), err.getvalue())


def run_by_rules(*arguments: object) -> tuple[int, str]:
    """The exit code of a command without a model, and everything it printed."""
    done = run_command(*arguments, "--model", "none")
    return done.returncode, done.stdout + done.stderr


def call_command(*arguments: object) -> str:
    """What ``incognote`` with these arguments prints on standard output; an error of ours is raised, so that a test can tell its kind."""
    from typer.testing import CliRunner

    from incognote.cli.main import app

    result = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout
