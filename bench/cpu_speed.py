"""Tagging speed on a processor: every runtime beside the Hugging Face pipeline, in turns over the same notes, outputs compared.

    python bench/cpu_speed.py [--model FOLDER] [--notes 300] [--source CORPUS] [--runtimes onnx,onnx-exact,...] [--out out]
    python bench/cpu_speed.py --notes 900 --join 8 --overlaps 32,64,128    what a smaller overlap of windows costs and saves
    python bench/cpu_speed.py --shape bert-base                            random weights in a known shape, speed only
    python bench/cpu_speed.py --window 320                                 our windows shorter than the model's
    python bench/cpu_speed.py --real                                       transcriptions of MTSamples, which have no gold
    python bench/cpu_speed.py --injected                                   the like with made-up PHI, which have gold

Text in to spans out: tokenizing, inference, decoding. Each round gives some notes to every contestant, one after the other, so that other
work on the machine hits all alike. All notes are read several times; figures are medians over these readings. A round is run first and
not counted, in which the pipeline tries its batch sizes. On a machine that does much else, `--one-thread` gives every contestant one
thread and counts seconds of processor time, which waiting does not lengthen; the pipeline gains from that most, since its two threads
wait for each other. The pipeline has the same weights in full precision, a stride of 128, its best batch size, and a process of its own,
so that nothing of ours slows it down. "Documents alike" compares spans with those of PyTorch in full precision on the same windows, and
"as the pipeline's" with the spans that the pipeline gives, which come of other windows and another way of decoding. F1 is strict and
needs notes with gold (synthetic and injected notes have it).
"""

import argparse
import json
import os
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import median

from conventional import load_conventional

from incognote.lab.default_model.sources import read_injected_notes, read_real_notes

RUNTIMES = "onnx,onnx-exact,onnx-fp32"
FEWEST, MOST, ROUNDS = 25, 100, 6  # notes in a round; as each call ends with an idle core, few notes would measure that

DATA = Path("../shared/data")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="default", help="a checkpoint folder; otherwise the shipped model")
    parser.add_argument("--shape", help="a known encoder, built with random weights and a small tokenizer")
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--source", help="a corpus; synthetic notes otherwise")
    parser.add_argument("--real", type=Path, nargs="?", const=DATA, metavar="DATA", help="transcriptions of MTSamples, of this folder")
    parser.add_argument("--injected", type=Path, nargs="?", const=DATA, metavar="DATA", help="real notes of this folder with made-up PHI")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--runtimes", default=RUNTIMES)
    parser.add_argument("--conventional", action="store_true", help="measure the conventional way, too (conventional.py); needs onnx")
    parser.add_argument("--overlaps")
    parser.add_argument("--one-thread", action="store_true")
    parser.add_argument("--join", type=int, default=1, help="make longer notes: up to so many synthetic ones after another")
    parser.add_argument(
        "--short-windows", type=int, metavar="OVERLAP", help="windows as short as this overlap allows, whatever the model says"
    )
    parser.add_argument("--window", type=int, help="the longest window of ours in tokens, where the model says more")
    parser.add_argument("--repeats", type=int, default=3, help="how often all notes are read")
    parser.add_argument("--out", default="out")
    parser.add_argument("--name", help="of the JSON file")
    options = parser.parse_args()
    documents = read(options)
    with tempfile.TemporaryDirectory() as scratch:
        model = find_model(options, Path(scratch), documents)
        result = sweep(model, documents, options) if options.overlaps else compare(model, documents, options)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    name = options.name or ("cpu_overlap" if options.overlaps else "cpu_speed")
    (Path(options.out) / f"{name}.json").write_text(json.dumps(result, indent=2))
    print(render(result), flush=True)


def find_model(options, scratch: Path, documents: list) -> str:
    from incognote.find.model import find_source

    if options.shape:
        return make_model(options.shape, scratch / options.shape, [document.text for document in documents])
    return find_source(options.model)


def read(options) -> list:
    if options.real:
        return read_real_notes(options.real, options.notes)
    if options.injected:
        return read_injected_notes(options.injected, options.notes)
    if options.source:
        from incognote.corpora import read_corpus

        return list(islice(read_corpus(options.source), options.notes))
    from incognote.lab.synthetic import synthesize

    return join(list(synthesize(options.notes, seed=options.seed, part="test")), options.join)


def join(documents: list, most: int) -> list:
    """Notes of one to ``most`` notes each."""
    from random import Random

    from incognote.document import Document, Span

    chosen, joined, at = Random(0), [], 0
    while at < len(documents):
        part = documents[at : at + chosen.randint(1, most)]
        at += len(part)
        text, spans = "", []
        for one in part:
            spans += [Span(span.start + len(text), span.end + len(text), span.label) for span in one.spans]
            text += one.text + "\n\n"
        joined.append(Document(f"joined-{len(joined)}", text, spans=tuple(spans)))
    return joined


def make_model(shape: str, folder: Path, texts: list[str]) -> str:
    """A checkpoint of a known shape with random weights, and a tokenizer of bytes trained on the texts."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import AutoConfig, AutoModelForTokenClassification, PreTrainedTokenizerFast

    from incognote.document import scheme
    from incognote.find.model.checkpoint import save_checkpoint
    from incognote.lab.encoders.architectures import config_for

    table = config_for(shape)
    tags = scheme("i2b2-2014").tags
    torch.manual_seed(0)
    config = AutoConfig.for_model(table.pop("model_type"), **table, num_labels=len(tags))
    model = AutoModelForTokenClassification.from_config(config)
    model.classifier.bias.data[tags.index("O")] += 4
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=8000, special_tokens=names, initial_alphabet=alphabet))
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    folder.mkdir(parents=True)
    roles = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), names, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **roles, model_max_length=512).save_pretrained(folder)
    save_checkpoint(folder, model, tags=tags, tokenizer_from=folder, settings={"short_windows": True, "overlap": 64})
    return str(folder)


def compare(model: str, documents: list, options) -> dict:
    from incognote.find.model.machine import count_cores, cpu_name, installed_packages, own_cores, share_cores
    from incognote.lab.encoders.work import measure_peaks
    from incognote.lab.speed.peer import Peer

    texts = [document.text for document in documents]
    if options.one_thread:
        share_cores(count_cores())
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
    tick = time.process_time if options.one_thread else time.perf_counter
    begun_at = os.getloadavg()[0]
    shared = {"shares": count_cores() if options.one_thread else 1, "busy": options.one_thread}
    peers = {"hf-pipeline": Peer(model, texts[:FEWEST], **shared)}
    if options.conventional:
        peers["conventional"] = Peer(model, texts[:FEWEST], load=load_conventional, batches=(8,), **shared)
    ways = {name: make_tagger(model, name, options) for name in options.runtimes.split(",")}
    size = max(FEWEST, min(MOST, len(texts) // ROUNDS))
    for tagger in ways.values():
        tagger.tag(texts[:size])
    tokenizer = next(iter(ways.values())).tokenizer
    found: dict[str, list] = {name: [] for name in (*peers, *ways)}
    runs: list[dict[str, float]] = []
    for repeat in range(options.repeats):
        seconds = dict.fromkeys(found, 0.0)
        for begin in range(0, len(texts), size):
            part = texts[begin : begin + size]
            heard = {}
            for name, peer in peers.items():
                heard[name], theirs = peer(part)
                seconds[name] += theirs
            for name, tagger in ways.items():
                begun = tick()
                heard[name] = tagger.tag(part)
                seconds[name] += tick() - begun
            for name, spans in heard.items() if not repeat else ():
                found[name].extend(spans)
        runs.append(seconds)
    tokens = sum(map(len, tokenizer.tokenize(texts)))
    for name in peers:
        found[name] = [read_groups(text, groups) for text, groups in zip(texts, found[name], strict=True)]
    piped = found.pop("hf-pipeline")
    exact = make_tagger(model, "torch", options).tag(texts)
    return {
        "model": Path(model).name,
        "processor": cpu_name(),
        "cores": own_cores(),
        "seconds_are": "processor time" if options.one_thread else "wall time",
        "load": [round(load, 1) for load in (begun_at, os.getloadavg()[0])],
        "packages": installed_packages(),
        "notes": len(texts),
        "words": sum(len(text.split()) for text in texts),
        "tokens": tokens,
        "repeats": options.repeats,
        "batch_size": peers["hf-pipeline"].batch,
        "batch_sizes_tried": peers["hf-pipeline"].tried,
        "tokens_per_second": {name: round(median(tokens / run[name] for run in runs)) for name in runs[0]},
        "ratio": {name: round(median(run["hf-pipeline"] / run[name] for run in runs), 2) for name in runs[0]},
        "documents_alike": {name: round(alike(spans, exact), 4) for name, spans in found.items()},
        "spans_alike": {name: spans_alike(spans, exact) for name, spans in found.items()},
        "spans_as_the_pipelines": {name: spans_alike(spans, piped) for name, spans in (*found.items(), ("torch", exact))},
        "f1": {name: f1(documents, spans) for name, spans in (("hf-pipeline", piped), *found.items(), ("torch", exact))},
        "peaks": measure_peaks(own_cores()),
    }


def make_tagger(model: str, runtime: str, options):
    from incognote.find.model.tagger import EncoderTagger

    tagger = EncoderTagger(model, device="cpu", runtime=runtime, window=options.window, overlap=options.short_windows)
    if options.short_windows is not None:
        tagger.checkpoint.config.setdefault("incognote", {})["short_windows"] = True
    return tagger


def read_groups(text: str, groups: list) -> tuple:
    """What the pipeline found as spans, without blanks at their edges; what it found twice in two windows counts once."""
    from incognote.document import Span

    spans = set()
    for group in groups:
        start, end = group["start"], group["end"]
        inside = text[start:end]
        start, end = start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())
        if start < end:
            spans.add(Span(start, end, group["entity_group"]))
    return tuple(sorted(spans))


def sweep(model: str, documents: list, options) -> dict:
    """What each overlap computes, how often its spans are those of the largest, and its F1."""
    from incognote.find.model.tagger import EncoderTagger
    from incognote.find.model.windows import cut_windows

    texts = [document.text for document in documents]
    rows, widest = {}, None
    runtime = options.runtimes.split(",")[0]
    for full in (True, False):
        for overlap in sorted((int(one) for one in options.overlaps.split(",")), reverse=True):
            tagger = EncoderTagger(model, device="cpu", runtime=runtime, overlap=overlap)
            tagger.checkpoint.settings["short_windows"] = not full
            lengths = [len(note) for note in tagger.tokenizer.tokenize(texts)]
            windows = cut_windows(lengths, **tagger.cutting._asdict())
            computed = round(sum(len(one) + tagger.tokenizer.specials for one in windows) / sum(lengths), 3)
            found = tagger.tag(texts)
            widest = widest or found
            name = f"{overlap}, {'full' if full else 'short'} windows"
            rows[name] = {"computed": computed, "spans_alike": spans_alike(found, widest), "f1": f1(documents, found)}
    return {"model": Path(model).name, "runtime": runtime, "notes": len(texts), "tokens": sum(lengths), "overlaps": rows}


def alike(one: list, two: list) -> float:
    return sum(a == b for a, b in zip(one, two, strict=True)) / len(one)


def spans_alike(one: list, two: list) -> float:
    """The F1 of one way's spans when the other's are taken for gold."""
    hits = sum(len(set(a) & set(b)) for a, b in zip(one, two, strict=True))
    return round(2 * hits / max(1, sum(map(len, one)) + sum(map(len, two))), 4)


def f1(documents: list, found: list) -> float | None:
    """Strict F1 over labelled spans; None where the notes have no gold."""
    gold = sum(len(document.spans) for document in documents)
    if not gold:
        return None
    hits = sum(len(set(document.spans) & set(spans)) for document, spans in zip(documents, found, strict=True))
    return round(2 * hits / (gold + sum(map(len, found))), 4)


def render(result: dict) -> str:
    if "overlaps" in result:
        lines = [f"{result['model']}, {result['runtime']}, {result['notes']} notes, {result['tokens']:,} subword tokens", ""]
        lines += ["| overlap | tokens computed per token | spans alike | F1 |", "|---|---:|---:|---:|"]
        lines += [f"| {name} | {row['computed']} | {row['spans_alike']} | {row['f1']} |" for name, row in result["overlaps"].items()]
        return "\n".join(lines)
    lines = [
        f"{result['model']} on {result['cores']} cores ({result['processor']}), {result['notes']} notes, "
        f"{result['tokens']:,} subword tokens; pipeline at batch size {result['batch_size']}; {result['seconds_are']}; "
        f"median of {result['repeats']}; load of the machine {result['load'][0]} to {result['load'][1]}",
        "",
        "| way | subword tokens/s | ratio | documents alike | spans alike | spans as the pipeline's | F1 |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, speed in result["tokens_per_second"].items():
        cells = (result[part].get(name) for part in ("documents_alike", "spans_alike", "spans_as_the_pipelines", "f1"))
        parts = ("" if cell is None else str(cell) for cell in cells)
        lines.append(f"| {name} | {speed:,} | {result['ratio'].get(name, 1.0):.2f} | {' | '.join(parts)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
