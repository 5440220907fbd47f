"""Tagging on a GPU with a RoBERTa-large: our tagger beside the Hugging Face pipeline in bfloat16, text in to spans out, in one run.

    PYTHONPATH=src python bench/gpu_tagging.py [--notes 2000] [--out FOLDER] [--tiny]

Random weights in the shape of roberta-large with a head of 63 tags that marks about one token in sixteen; notes made of lines of the
example notes, with lengths drawn from a lognormal distribution (mean about 975 subwords). Both read the same notes in windows of 512;
the pipeline with its usual stride of 128, at several batch sizes, ours with an overlap of 64. Runs take turns; medians are given.

FLOPs are those of the window tokens, padding and dropped work left out: for a window of n tokens
n · layers · (2(4H² + 2HI) + 4nH). The matrix peak is measured in the same run. Agreement is the share of tokens with the tag that
the full-precision model gives. `--tiny` does the same with a toy shape on a processor, to try the script.
"""

import argparse
import gc
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size": 50265}
TINY = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 3000}
MEAN, SPREAD, OVERLAP = 975, 0.75, 64
MARKED = 1 / 16


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--theirs", type=int, default=300, help="notes in a run of the pipeline")
    parser.add_argument("--batches", default="16,64,128", help="batch sizes of the pipeline")
    parser.add_argument("--runs", type=int, default=5, help="runs of ours; the pipeline has one for each batch size")
    parser.add_argument("--out", default=os.environ.get("OUT", "out"))
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    begun = time.perf_counter()

    import torch

    device = torch.device("cpu" if options.tiny else "cuda")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "model"
        texts = make_model(folder, device, options)
        say(begun, f"model and {len(texts)} notes made")
        result = compare(folder, texts, device, options, begun)
    result["seconds"] = round(time.perf_counter() - begun, 1)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    (Path(options.out) / "gpu_tagging.json").write_text(json.dumps(result, indent=2))
    table = render(result)
    (Path(options.out) / "gpu_tagging.md").write_text(table)
    print(table, flush=True)


def say(begun: float, what: str) -> None:
    print(f"{time.perf_counter() - begun:6.1f} s  {what}", flush=True)


def make_texts(count: int, tokens_per_line: float, lines: list[str]) -> list[str]:
    """Notes of lines drawn at random, with lognormal lengths."""
    import math

    chosen = random.Random(0)
    centre = math.log(MEAN) - SPREAD**2 / 2
    sizes = [max(1, round(chosen.lognormvariate(centre, SPREAD) / tokens_per_line)) for _ in range(count)]
    return ["\n".join(chosen.choices(lines, k=size)) for size in sizes]


def make_model(folder: Path, device, options) -> list[str]:
    """Write the checkpoint; the notes come back."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast, RobertaConfig, RobertaForTokenClassification

    from incognote.document import scheme
    from incognote.find.model.checkpoint import save_checkpoint

    files = [*(ROOT / "examples" / "gold").glob("*.note"), *(ROOT / "tests" / "golden" / "tuning").glob("*.note")]
    lines = [line for file in sorted(files) for line in file.read_text(encoding="utf-8").splitlines() if len(line) > 20]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=3000, show_progress=False, special_tokens=names, initial_alphabet=alphabet)
    )
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    folder.mkdir()
    roles = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token", "mask_token"), names, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles, model_max_length=512).save_pretrained(folder)
    per_line = sum(len(one.ids) for one in tokenizer.encode_batch(lines)) / len(lines) + 1
    texts = make_texts(options.notes, per_line, lines)

    tags = scheme("i2b2-2014").tags
    shape = TINY if options.tiny else LARGE
    torch.manual_seed(0)
    with device:
        config = RobertaConfig(**shape, max_position_embeddings=514, type_vocab_size=1, pad_token_id=1, num_labels=len(tags))
        model = RobertaForTokenClassification(config).eval()
    mark_some(model, tokenizer, texts, tags.index("O"))
    # The weights are those of both contestants, so they are made bfloat16 once.
    save_checkpoint(folder, model.to(torch.bfloat16).float().cpu(), tags=tags, tokenizer_from=folder, settings={"short_windows": True})
    return texts


def mark_some(model, tokenizer, texts: list[str], outside: int) -> None:
    """Raise the tag O until it is likeliest for all but some tokens, as in a trained tagger."""
    import torch

    with torch.no_grad():
        model.classifier.weight.normal_(0, 1)
        ids = [0, *tokenizer.encode(texts[0] * 3, add_special_tokens=False).ids[:510], 2]
        logits = model(input_ids=torch.tensor([ids], device=model.device)).logits[0]
        others = logits.clone()
        others[:, outside] = -1e9
        needed = others.max(dim=1).values - logits[:, outside]
        model.classifier.bias[outside] += torch.quantile(needed, 1 - MARKED)


def compare(folder: Path, texts: list[str], device, options, begun: float) -> dict:
    import torch
    from transformers import pipeline

    from incognote.find.model.tagger import EncoderTagger

    tagger = EncoderTagger(str(folder), device=device.type, overlap=OVERLAP, runtime=load_ours(folder, device))
    theirs = pipeline(
        "token-classification", model=str(folder), device=device, dtype=torch.bfloat16, stride=128, aggregation_strategy="simple"
    )
    peak = measure_peak(device)
    say(begun, f"loaded; matrix peak {peak:.0f} TFLOP/s")
    first = time.perf_counter()
    tagger.tag(texts[: min(len(texts), 800)])
    torch.cuda.synchronize() if device.type == "cuda" else None
    warm_up = time.perf_counter() - first
    say(begun, f"ours warm after {warm_up:.1f} s")
    theirs(texts[:8], batch_size=8)
    notes = tagger.tokenizer.tokenize(texts)
    sizes = [len(note) for note in notes]
    computed, flops = count_work(tagger, sizes)
    runs: dict[str, list[float]] = {"ours": []}
    part = texts[: options.theirs]
    batches = [int(size) for size in options.batches.split(",")]
    # What is loaded now lives through all runs; the collector need not walk it in the midst of one.
    gc.collect()
    gc.freeze()
    for turn in range(max(options.runs, len(batches))):
        if turn < len(batches):
            name = f"pipeline, batch {batches[turn]}"
            runs[name] = [sum(sizes[: len(part)]) / clock(lambda turn=turn: theirs(part, batch_size=batches[turn]))]
            say(begun, f"{name}: {runs[name][0]:,.0f} tokens/s")
        runs["ours"].append(sum(sizes) / clock(lambda: tagger.tag(texts)))
        say(begun, f"ours: {runs['ours'][-1]:,.0f} tokens/s")
    bare = sum(sizes) / median(clock(lambda: tagger.logits(notes)) for _ in range(3))
    spans = sum(map(len, tagger.tag(texts[:100])))
    for desk in tagger.__dict__.get("desks", ()):
        desk.close()
    speeds = {name: median(values) for name, values in runs.items()}
    best = max(value for name, value in speeds.items() if name != "ours")
    flops_per_token = flops / sum(sizes)
    return {
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "notes": len(texts),
        "tokens": sum(sizes),
        "window_tokens": computed,
        "tokens_per_second": {name: round(value) for name, value in speeds.items()},
        "without_tokenizing_and_decoding": round(bare),
        "ratio": round(speeds["ours"] / best, 2),
        "tflops": {name: round(value * flops_per_token / 1e12, 2) for name, value in speeds.items()},
        "peak_tflops": round(peak, 4 if device.type == "cpu" else 1),
        "share_of_peak": round(speeds["ours"] * flops_per_token / 1e12 / peak, 3),
        "runs": {name: [round(value) for value in values] for name, values in runs.items()},
        "kernels": list_kernels(tagger, notes[:200]) if device.type == "cuda" else {},
        "warm_up_seconds": round(warm_up, 1),
        "spans_per_100_tokens": round(100 * spans / max(1, sum(sizes[:100])), 2),
        "agreement_with_fp32": measure_agreement(folder, texts[:40], tagger, theirs, device),
    }


def load_ours(folder: Path, device):
    """The runtime a GPU gets; on a processor the same one, so that the script can be tried."""
    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.runtimes.packed import load_packed_runtime
    from incognote.find.model.runtimes.stack import read_stack
    from incognote.find.model.tensors import Tensors

    checkpoint = load_checkpoint(folder)
    return load_packed_runtime(checkpoint, read_stack(checkpoint.config, Tensors(folder)), device)


def clock(work) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def list_kernels(tagger, notes: list) -> dict[str, float]:
    """The share of the card's time that each of the largest kernels takes."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as found:
        tagger.logits(notes)
    times = {one.key[:80]: one.self_device_time_total for one in found.key_averages() if one.self_device_time_total > 0}
    largest = sorted(times, key=times.get, reverse=True)[:12]
    return {name: round(times[name] / sum(times.values()), 3) for name in largest}


def count_work(tagger, sizes: list[int]) -> tuple[int, float]:
    """Tokens in our windows, and the FLOPs they take."""
    from incognote.find.model.windows import cut_windows

    config = tagger.checkpoint.config
    width, wide, depth = (config[key] for key in ("hidden_size", "intermediate_size", "num_hidden_layers"))
    lengths = [len(window) + 2 for window in cut_windows(sizes, **tagger.cutting._asdict())]
    dense = 2 * (4 * width**2 + 2 * width * wide)
    return sum(lengths), float(sum(n * depth * (dense + 4 * n * width) for n in lengths))


def measure_peak(device) -> float:
    """The best of a few sizes of a product of random bfloat16 matrices, in TFLOP/s."""
    import torch

    best = 0.0
    for side in (256,) if device.type == "cpu" else (8192, 12288):
        one, two = (torch.randn(side, side, device=device, dtype=torch.bfloat16 if device.type == "cuda" else torch.float32) for _ in "ab")
        for _ in range(4):
            if device.type == "cuda":
                torch.cuda.synchronize()
            begun = time.perf_counter()
            for _ in range(10):
                one @ two
            if device.type == "cuda":
                torch.cuda.synchronize()
            best = max(best, 20 * side**3 / (time.perf_counter() - begun) / 1e12)
    return best


def measure_agreement(folder: Path, texts: list[str], tagger, theirs, device) -> dict:
    """How often our tags, and those of the pipeline's bfloat16 model, are those of the full-precision model on the same windows."""
    from incognote.find.model.runtimes.torch import TorchRuntime
    from incognote.find.model.tagger import EncoderTagger
    from incognote.find.model.weights import load_model

    notes = tagger.tokenizer.tokenize(texts)

    def tags(runtime) -> list[int]:
        found = EncoderTagger(str(folder), overlap=OVERLAP, runtime=runtime, budget=16384).logits(notes)
        return [tag for logits in found for tag in logits.argmax(axis=1).tolist()]

    exact = tags(TorchRuntime(load_model(tagger.checkpoint).to(device), device))
    ways = {"ours": tagger.runtime, "pipeline's model": TorchRuntime(theirs.model, device)}
    return {name: round(sum(a == b for a, b in zip(tags(way), exact, strict=True)) / len(exact), 4) for name, way in ways.items()}


def render(result: dict) -> str:
    lines = [
        f"# Tagging on one {result['device']}, RoBERTa-large shape, {result['notes']:,} notes ({result['tokens']:,} subwords)",
        "",
        "| way | subword tokens/s | TFLOP/s | of the matrix peak |",
        "|---|---:|---:|---:|",
    ]
    for name, speed in result["tokens_per_second"].items():
        tflops = result["tflops"][name]
        lines.append(f"| {name} | {speed:,} | {tflops:.0f} | {100 * tflops / result['peak_tflops']:.1f} % |")
    lines += [
        "",
        f"Ours is {result['ratio']} times the pipeline at its best batch size. Matrix peak {result['peak_tflops']:.0f} TFLOP/s.",
        f"Without tokenizing and decoding: {result['without_tokenizing_and_decoding']:,} tokens/s.",
        f"Tags as in full precision: {result['agreement_with_fp32']}. Spans per 100 tokens: {result['spans_per_100_tokens']}.",
        f"First run (processes started, layer compiled): {result['warm_up_seconds']} s. All: {result['seconds']} s.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
