"""PyTorch models from model folders: a fine-tuned tagger with its own head, or a bare encoder with a new one."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incognote.encoders.checkpoint import Checkpoint, check_weights, find_folder
from incognote.encoders.quiet import quiet
from incognote.encoders.tensors import Tensors, has_codes
from incognote.errors import CheckpointError, MissingExtraError

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def load_model(checkpoint: Checkpoint) -> "PreTrainedModel":
    """The fine-tuned model in full precision, ready to judge. A head that is not in the weights is an error, never made up."""
    model, lacking = _load(checkpoint.folder, unsafe=checkpoint.unsafe)
    if lacking:
        raise CheckpointError(f"{checkpoint.folder}: {len(lacking)} weights are missing, {lacking[0]} the first; the folder is damaged")
    return model.eval()


def start_model(source: str | Path, tags: Sequence[str], *, unsafe: bool = False) -> tuple["PreTrainedModel", Path]:
    """A bare encoder, by folder or hub name, with a new head for these tags, and the folder that its tokenizer is in.

    Set the seed before: the head's weights are drawn at random.
    """
    folder = find_folder(source, unsafe=unsafe)
    check_weights(folder, unsafe=unsafe)
    names = dict(enumerate(tags))
    model, lacking = _load(
        folder, unsafe=unsafe, id2label=names, label2id={tag: at for at, tag in names.items()}, ignore_mismatched_sizes=True
    )
    body = [name for name in lacking if name.startswith(f"{model.base_model_prefix}.") and "pooler" not in name]
    if body:
        raise CheckpointError(f"{folder}: {len(body)} weights of the encoder are missing, {body[0]} the first; the folder is damaged")
    return model, folder


def _load(folder: Path, *, unsafe: bool, **options: Any) -> tuple["PreTrainedModel", list[str]]:
    try:
        import torch
        from transformers import AutoModelForTokenClassification
    except ImportError:
        raise MissingExtraError("torch and transformers", "train") from None
    if has_codes(folder):
        return _load_codes(folder)
    try:
        with quiet():
            model, report = AutoModelForTokenClassification.from_pretrained(
                folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=None if unsafe else True,
                dtype=torch.float32,
                output_loading_info=True,
                **options,
            )
    except Exception as error:  # noqa: BLE001 - every fault of a foreign folder becomes one message
        raise CheckpointError(f"{folder}: cannot be loaded ({type(error).__name__}: {_first_line(error)})") from None
    return model, sorted(report["missing_keys"])


def _load_codes(folder: Path) -> tuple["PreTrainedModel", list[str]]:
    """A model whose weights are int8 codes, in the full precision that they stand for."""
    import torch
    from transformers import AutoConfig, AutoModelForTokenClassification

    with quiet():
        model = AutoModelForTokenClassification.from_config(AutoConfig.from_pretrained(folder, local_files_only=True))
    weights = Tensors(folder)
    missing, _ = model.load_state_dict({name: torch.from_numpy(weights[name].copy()) for name in weights}, strict=False)
    return model, sorted(missing)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
