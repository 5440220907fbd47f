"""Tagging as a training task: windows over notes, a tag for each subword, scored through the path that production uses."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from incognote.document import Document, bio_tags, scheme
from incognote.encoders.checkpoint import load_checkpoint, save_checkpoint
from incognote.encoders.encoding import EncodedNote, check_labels, encode_notes
from incognote.encoders.tokens import SubwordTokenizer, load_tokenizer
from incognote.encoders.weights import start_model
from incognote.encoders.windows import Window, cut_windows, fill_batch
from incognote.errors import CheckpointError
from incognote.evaluate import Counts, count_entities, pair_labels
from incognote.evaluate.token import count_all
from incognote.training.data import Parts
from incognote.training.recipe import Recipe, format_recipe
from incognote.training.task import Batch

IGNORED = -100
_MASKS = ("[MASK]", "<mask>")
