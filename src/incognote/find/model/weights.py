"""PyTorch models from model folders: a fine-tuned one with its own head, or a bare encoder with a new one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.errors import CheckpointError, MissingExtraError
from incognote.find.model.checkpoint import Checkpoint, check_weights, find_folder
from incognote.find.model.config import SETTINGS, read_config
from incognote.find.model.machine import own_cores
from incognote.find.model.quiet import quiet
from incognote.find.model.tensors import Tensors, has_factors, is_quantized

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedModel

TAGS, CLASSES, ANSWERS, WORDS = "TokenClassification", "SequenceClassification", "QuestionAnswering", "MaskedLM"
_USES = {TAGS: "that tags", CLASSES: "that classifies", ANSWERS: "that answers questions", WORDS: "that fills in hidden words"}


def load_model(checkpoint: Checkpoint) -> "PreTrainedModel":
    """The fine-tuned model in full precision, in evaluation mode. A head that is not in the weights is an error, never made up."""
    model, lacking = load_with(TAGS, checkpoint.folder, unsafe=checkpoint.unsafe)
    if lacking:
        raise CheckpointError(f"{checkpoint.folder}: {len(lacking)} weights are missing, {lacking[0]} the first; the folder is damaged")
    return model.eval()


def load_head(folder: Path, head: str, *, unsafe: bool = False) -> "PreTrainedModel":
    """A fine-tuned model of any head, as :func:`load_model` loads taggers."""
    check_weights(folder, unsafe=unsafe)
    model, lacking = load_with(head, folder, unsafe=unsafe)
    if lacking:
        raise CheckpointError(f"{folder}: {len(lacking)} weights are missing, {lacking[0]} the first; was it trained for another task?")
    return model.eval()


def start_model(source: str | Path, tags: Sequence[str], *, head: str = TAGS, unsafe: bool = False) -> tuple["PreTrainedModel", Path]:
    """A bare encoder, by folder or hub name, with a new head for these tags or classes, and the folder that its tokenizer is in.

    Set the seed before: the head's weights are drawn at random. ``head`` is the end of a name ``AutoModelFor…``; one without
    tags of its own (answers) gets none.
    """
    folder = find_folder(source, unsafe=unsafe)
    check_weights(folder, unsafe=unsafe)
    names = dict(enumerate(tags))
    labels: dict[str, Any] = {"id2label": names, "label2id": {tag: at for at, tag in names.items()}} if names else {}
    model, lacking = load_with(head, folder, unsafe=unsafe, ignore_mismatched_sizes=True, **labels)
    forget_settings(model.config)
    body = [name for name in lacking if name.startswith(f"{model.base_model_prefix}.") and "pooler" not in name]
    if body:
        raise CheckpointError(f"{folder}: {len(body)} weights of the encoder are missing, {body[0]} the first; the folder is damaged")
    return model, folder


def forget_settings(config: Any) -> None:
    """Drop this package's settings from a config: temperature, windows and runtimes are of the old model and not of the new one."""
    if hasattr(config, SETTINGS):
        delattr(config, SETTINGS)


def load_with(head: str, folder: Path, *, unsafe: bool = False, **options: Any) -> tuple["PreTrainedModel", list[str]]:
    """The model of a folder with this head, and the names of the weights that the folder lacks; what is wrong is one message."""
    model, lacking = _load(head, folder, unsafe=unsafe, **options)
    check_finite(model, folder)
    return model, lacking


def check_finite(model: "nn.Module", folder: Path) -> None:
    """Raise when a weight is NaN or infinite."""
    damaged = next((name for name, weight in model.named_parameters() if not weight.isfinite().all()), "")
    if damaged:
        raise CheckpointError(f"{folder}: the weight {damaged} holds what are no numbers (NaN or infinite); the folder is damaged")


def _load(head: str, folder: Path, *, unsafe: bool, **options: Any) -> tuple["PreTrainedModel", list[str]]:
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtraError("torch and transformers", "train") from None
    torch.set_num_threads(min(torch.get_num_threads(), own_cores()))  # it does not know of a container's quota, nor of other processes
    kind = getattr(transformers, f"AutoModelFor{head}")
    if is_quantized(folder) or has_factors(folder):
        return _load_packed(folder, kind, **options)
    try:
        with quiet():
            model, report = kind.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=None if unsafe else True,
                dtype=torch.float32,
                output_loading_info=True,
                **options,
            )
    except Exception as error:  # noqa: BLE001 - every fault of a foreign folder becomes one message
        family, why = read_config(folder).get("model_type", "unknown"), f"{type(error).__name__}: {_first_line(error)}"
        raise CheckpointError(f"{folder}: cannot be loaded as a {family} encoder {_USES[head]} ({why})") from None
    return model, sorted(report["missing_keys"])


def _load_packed(folder: Path, kind: Any, *, ignore_mismatched_sizes: bool = False, **labels: Any) -> tuple["PreTrainedModel", list[str]]:
    """A model whose weights are int8 values or factors, in the full precision and the whole matrices that they stand for."""
    import torch
    from transformers import AutoConfig

    with quiet():
        model = kind.from_config(AutoConfig.from_pretrained(folder, local_files_only=True, **labels))
    weights = Tensors(folder)
    shapes = {name: tuple(weight.shape) for name, weight in model.state_dict().items()}
    found = {name: torch.from_numpy(weights[name].copy()) for name in weights.whole()}
    if ignore_mismatched_sizes:
        found = {name: weight for name, weight in found.items() if shapes.get(name) == tuple(weight.shape)}
    wrong = [name for name, weight in found.items() if name in shapes and shapes[name] != tuple(weight.shape)]
    if wrong:
        raise CheckpointError(f"{folder}: the weight {wrong[0]} has another shape than config.json says; they are not of one model")
    missing, _ = model.load_state_dict(found, strict=False)
    model.tie_weights()
    return model, sorted(missing)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
