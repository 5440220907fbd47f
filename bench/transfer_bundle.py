"""Pack what the GPU machine needs into bundle/: MEDDOCAN as JSON lines and the five real encoders, in parts that fit one transfer.

    python bench/transfer_bundle.py pack --encoders FOLDER [--data ../shared/data/meddocan] [--out bundle]
    python bench/transfer_bundle.py unpack [--bundle bundle] --out FOLDER
    python bench/transfer_bundle.py restore BROUGHT_BACK --out CHECKPOINT

FOLDER holds one Hugging Face folder for each encoder, as ../shared/weights/get.py saves them; those missing are fetched with it.
Matrices travel as int8 codes with one fp32 scale for each 64 columns; their rare outliers and all vectors travel as they are.
`pack` prints the largest error.
`unpack` needs numpy, safetensors and nothing of this package, and unpacks every encoder whose parts have arrived.
"""

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np

ENCODERS = ("granite-30m", "gte-small", "minilm-l6", "distilbert-cased", "mpnet-base")
GROUP = 64
OUTLIER = 6.0
PART = 30 * 2**20  # a transfer takes 64 MiB, the repository with it
SMALL = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt", "vocab.json", "merges.txt")
HERE = Path(__file__).resolve().parent


def quantize(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Codes and scales of a matrix whose columns divide into groups, and the places and values of its outliers.

    A few weights of trained encoders are a hundred times the others; in a group of codes they would drown their neighbours.
    """
    flat = weight.reshape(-1).copy()
    places = np.flatnonzero(np.abs(flat) > OUTLIER * flat.std()).astype(np.int32)
    values = flat[places]
    flat[places] = 0
    groups = flat.reshape(-1, GROUP)
    scales = (np.abs(groups).max(axis=1) / 127).astype(np.float32)
    codes = np.rint(groups / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    return codes, scales, places, values


def restore(raw: bytes, entry: dict) -> np.ndarray:
    """The tensor that the bytes of one index entry hold."""
    shape, count = entry["shape"], int(np.prod(entry["shape"]))
    if entry["kind"] == "f32":
        return np.frombuffer(raw, np.float32).reshape(shape).copy()
    codes = np.frombuffer(raw, np.int8, count).reshape(-1, GROUP).astype(np.float32)
    at = count + 4 * (count // GROUP)
    flat = (codes * np.frombuffer(raw[count:at], np.float32)[:, None]).reshape(-1)
    few = (len(raw) - at) // 8
    flat[np.frombuffer(raw[at : at + 4 * few], np.int32)] = np.frombuffer(raw[at + 4 * few :], np.float32)
    return flat.reshape(shape)


def pack_encoder(folder: Path, name: str, stream: bytearray, index: list[dict]) -> tuple[float, float]:
    """Append an encoder's weights to the stream; returns the largest error, and the largest relative to its matrix's deviation."""
    from safetensors.numpy import load_file

    worst = worst_relative = 0.0
    for key, tensor in sorted(load_file(folder / "model.safetensors").items()):
        if not np.issubdtype(tensor.dtype, np.floating):
            continue
        tensor = tensor.astype(np.float32)
        kind = "i8" if tensor.ndim == 2 and tensor.shape[1] % GROUP == 0 else "f32"
        raw = b"".join(part.tobytes() for part in quantize(tensor)) if kind == "i8" else tensor.tobytes()
        entry = {"encoder": name, "name": key, "shape": list(tensor.shape), "kind": kind, "at": len(stream), "size": len(raw)}
        error = float(np.abs(restore(raw, entry) - tensor).max())
        worst, worst_relative = max(worst, error), max(worst_relative, error / float(tensor.std() + 1e-12))
        index.append(entry)
        stream += raw
    return worst, worst_relative


def pack(encoders: Path, data: Path, out: Path, part_size: int = PART) -> None:
    shutil.rmtree(out, ignore_errors=True)
    first = out / "part1"
    first.mkdir(parents=True)
    pack_corpus(data, first)
    copy_site(first / "site")
    stream, index = bytearray(), []
    for name in ENCODERS:
        folder = encoders / name
        if not (folder / "model.safetensors").exists():
            subprocess.run([sys.executable, str(HERE / "../../shared/weights/get.py"), name, str(folder)], check=True)
        (first / "encoders" / name).mkdir(parents=True)
        for small in SMALL:
            if (folder / small).exists():
                shutil.copyfile(folder / small, first / "encoders" / name / small)
        before = len(stream)
        error, relative = pack_encoder(folder, name, stream, index)
        print(f"{name:18} {(len(stream) - before) / 2**20:6.1f} MiB   largest error {error:.2e} ({relative:.2e} of a deviation)")
    (first / "index.json").write_text(json.dumps(index))
    room = part_size - sum(file.stat().st_size for file in first.rglob("*") if file.is_file())
    at = number = 0
    while at < len(stream):
        number += 1
        part = out / f"part{number}"
        part.mkdir(exist_ok=True)
        size = room if number == 1 else part_size
        (part / "weights.bin").write_bytes(stream[at : at + size])
        at += size
        total = sum(file.stat().st_size for file in part.rglob("*") if file.is_file())
        print(f"{part}: {total / 2**20:.1f} MiB")


def copy_site(target: Path) -> None:
    """A small package that reading corpora needs and a GPU machine may lack."""
    import defusedxml

    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(Path(defusedxml.__file__).parent, target / "defusedxml", ignore=shutil.ignore_patterns("__pycache__"))


def pack_corpus(data: Path, first: Path) -> None:
    sys.path.insert(0, str(HERE.parent / "src"))
    from incognote.corpora import read_corpus

    for name in ("train", "dev"):
        documents = list(read_corpus(data / name / "brat", scheme="meddocan"))
        (first / "meddocan").mkdir(exist_ok=True)
        with gzip.open(first / "meddocan" / f"{name}.jsonl.gz", "wt", encoding="utf-8") as stream:
            for document in documents:
                spans = [{"start": span.start, "end": span.end, "label": span.label} for span in document.spans]
                stream.write(json.dumps({"id": document.id, "patient": document.patient, "text": document.text, "spans": spans}) + "\n")
        print(f"meddocan {name}: {len(documents)} documents, {sum(len(d.spans) for d in documents)} spans")


def unpack(bundle: Path, out: Path) -> list[str]:
    """Write a Hugging Face folder for each encoder that is here whole; returns their names."""
    from safetensors.numpy import save_file

    index = json.loads((bundle / "part1" / "index.json").read_text())
    stream = bytearray()
    number = 1
    while (bundle / f"part{number}" / "weights.bin").exists():
        stream += (bundle / f"part{number}" / "weights.bin").read_bytes()
        number += 1
    done = []
    for name in ENCODERS:
        entries = [entry for entry in index if entry["encoder"] == name]
        if not entries or max(entry["at"] + entry["size"] for entry in entries) > len(stream):
            print(f"{name}: its parts have not all arrived; left out")
            continue
        shutil.copytree(bundle / "part1" / "encoders" / name, out / name, dirs_exist_ok=True)
        tensors = {entry["name"]: restore(bytes(stream[entry["at"] : entry["at"] + entry["size"]]), entry) for entry in entries}
        save_file(tensors, out / name / "model.safetensors", metadata={"format": "pt"})
        done.append(name)
    return done


def restore_small(source: Path, out: Path) -> None:
    """The checkpoint that bench/meddocan_gpu.py brought back in pieces (small.json, small.tar.gz, small.N.bin)."""
    from safetensors.numpy import save_file

    table = json.loads((source / "small.json").read_text())
    pieces = sorted(source.glob("small.*.bin"), key=lambda file: int(file.name.split(".")[1]))
    stream = b"".join(file.read_bytes() for file in pieces)
    out.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source / "small.tar.gz") as archive:
        archive.extractall(out, filter="data")
    tensors = {entry["name"]: restore(stream[entry["at"] : entry["at"] + entry["size"]], entry) for entry in table["index"]}
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    print(f"{out}: {table['run']}, dev F1 {table['f1']:.4f} before int8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("--encoders", type=Path, required=True)
    packing.add_argument("--data", type=Path, default=HERE / "../../shared/data/meddocan")
    packing.add_argument("--out", type=Path, default=HERE.parent / "bundle")
    packing.add_argument("--part", type=int, default=PART // 2**20, help="MiB in a part; with the repository it must fit one transfer")
    unpacking = verbs.add_parser("unpack")
    unpacking.add_argument("--bundle", type=Path, default=HERE.parent / "bundle")
    unpacking.add_argument("--out", type=Path, required=True)
    restoring = verbs.add_parser("restore")
    restoring.add_argument("source", type=Path)
    restoring.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.verb == "restore":
        restore_small(options.source, options.out)
    elif options.verb == "pack":
        pack(options.encoders, options.data, options.out, options.part * 2**20)
    else:
        print("unpacked:", ", ".join(unpack(options.bundle, options.out)))


if __name__ == "__main__":
    main()
