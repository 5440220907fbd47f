"""The conventional way to speed up a tagger: PyTorch export, ONNX Runtime's own optimizer, dynamic int8; what an engineer writes first.

`cpu_speed.py --conventional` measures it. The weights of the shipped model are int8; they are loaded in the full precision that they stand
for, and ONNX Runtime quantizes them again. Windows of 512 tokens share 128 and run sorted by length, padded, in batches.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

WINDOW, STRIDE = 512, 128


def load_conventional(model: str) -> Callable[[Sequence[str], int], list]:
    """A function of texts and a batch size that gives what a Hugging Face pipeline gives: groups with their place and label."""
    import onnxruntime
    from transformers import AutoTokenizer

    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.machine import own_cores

    checkpoint = load_checkpoint(model)
    tokenizer = AutoTokenizer.from_pretrained(checkpoint.folder, local_files_only=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = own_cores(), 3
    with tempfile.TemporaryDirectory() as scratch:
        session = onnxruntime.InferenceSession(export(checkpoint, Path(scratch)), options, providers=["CPUExecutionProvider"])
    limits = {"max_length": min(WINDOW, checkpoint.limit), "stride": min(STRIDE, checkpoint.limit // 4)}

    def run(texts: Sequence[str], batch: int) -> list:
        cut = tokenizer(list(texts), truncation=True, return_overflowing_tokens=True, return_offsets_mapping=True, **limits)
        order = sorted(range(len(cut["input_ids"])), key=lambda at: -len(cut["input_ids"][at]))
        tags: list = [()] * len(order)
        for first in range(0, len(order), batch):
            part = order[first : first + batch]
            feeds = tokenizer.pad({name: [cut[name][at] for at in part] for name in ("input_ids", "attention_mask")}, return_tensors="np")
            for at, found in zip(part, session.run(None, dict(feeds))[0].argmax(axis=-1), strict=True):
                tags[at] = found
        return group(cut, tags, checkpoint.tags, len(texts), limits["stride"])

    return run


def export(checkpoint, scratch: Path) -> str:
    """The file of the optimized int8 graph."""
    import torch
    from onnx import TensorProto
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.transformers.optimizer import optimize_model

    from incognote.find.model.weights import load_model

    model = load_model(checkpoint)
    model.set_attn_implementation("eager")
    plain, fused, int8 = (str(scratch / f"{name}.onnx") for name in ("plain", "fused", "int8"))
    sample, axes = torch.ones((2, 16), dtype=torch.long), {0: "windows", 1: "tokens"}
    names = ["input_ids", "attention_mask"]
    torch.onnx.export(
        model, (sample, sample), plain, input_names=names, output_names=["logits"], dynamic_axes=dict.fromkeys(names, axes), dynamo=False
    )
    config = model.config
    optimize_model(plain, "bert", num_heads=config.num_attention_heads, hidden_size=config.hidden_size).save_model_to_file(fused)
    quantize_dynamic(fused, int8, weight_type=QuantType.QInt8, per_channel=True, extra_options={"DefaultTensorType": TensorProto.FLOAT})
    return int8


def group(cut, tags: list, names: Sequence[str], count: int, stride: int) -> list:
    """For each text its entities; of what two windows share each judges half."""
    found: list[dict[tuple[int, int], str]] = [{} for _ in range(count)]
    for at, text in enumerate(cut["overflow_to_sample_mapping"]):
        begun = bool(found[text])
        for place, (start, end) in enumerate(cut["offset_mapping"][at]):
            if start < end and not (begun and place <= stride // 2):
                found[text][start, end] = names[tags[at][place]]
    return [list(join(tokens)) for tokens in found]


def join(tokens: dict[tuple[int, int], str]):
    """Entities of tokens with their tags, joined as the pipeline's "simple" strategy does.

    >>> list(join({(0, 3): "B-DOCTOR", (3, 5): "I-DOCTOR", (6, 8): "O"}))
    [{'start': 0, 'end': 5, 'entity_group': 'DOCTOR'}]
    """
    held = None
    for (start, end), tag in tokens.items():
        prefix, _, label = tag.partition("-")
        if held and prefix == "I" and label == held["entity_group"]:
            held["end"] = end
            continue
        if held:
            yield held
        held = {"start": start, "end": end, "entity_group": label} if label else None
    if held:
        yield held
