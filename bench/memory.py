"""Peak memory of `incognote scrub` over few and over many notes: it should not grow with the corpus, and time should grow in step.

    python bench/memory.py [--sizes 5000,50000] [--model default] [--workers 0] [--out out]

The notes are short, one line of a synthetic note each, so that many are scrubbed in minutes; patients have ten
notes each. Memory is what all processes of the run hold together, looked at several times a second, and the peak of the largest.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path

LOOK = 0.1  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="5000,50000")
    parser.add_argument("--model", default="default")
    parser.add_argument("--runtime", default="onnx")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        for size in map(int, options.sizes.split(",")):
            notes = Path(scratch) / f"{size}.jsonl"
            words = write_notes(notes, size)
            rows.append({"notes": size, "words": words, **scrub(notes, Path(scratch) / f"clean-{size}.jsonl", options)})
            notes.unlink()
    first, last = rows[0], rows[-1]
    result = {
        "model": options.model,
        "runtime": options.runtime,
        "runs": rows,
        "memory_growth": round(last["peak_mib"] / first["peak_mib"] - 1, 4),
        "seconds_per_note_growth": round((last["seconds"] / last["notes"]) / (first["seconds"] / first["notes"]) - 1, 4),
    }
    Path(options.out).mkdir(parents=True, exist_ok=True)
    (Path(options.out) / "memory.json").write_text(json.dumps(result, indent=2))
    print(render(result), flush=True)


def write_notes(path: Path, size: int) -> int:
    """Lines of synthetic notes as notes of their own; how many words they have."""
    from incognote.lab.synthetic import synthesize

    lines = [line for note in synthesize(400, seed=1) for line in note.text.splitlines() if 3 <= len(line.split()) <= 10]
    words = 0
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            # The number of the note is in it, so that no two are the same and none is judged once for many.
            text = f"{lines[number % len(lines)]} (line {number})"
            words += len(text.split())
            file.write(json.dumps({"id": f"n{number}", "patient": f"p{number // 10}", "text": text}) + "\n")
    return words


def scrub(notes: Path, target: Path, options) -> dict:
    command = [sys.executable, "-m", "incognote", "scrub", str(notes), "-o", str(target), "--mode", "tag"]
    command += ["--model", options.model, "--workers", str(options.workers)]
    command += ["--runtime", options.runtime] if options.model != "none" else []
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        together, largest = watch(process)
        if process.returncode:
            said.seek(0)
            raise SystemExit(said.read().decode()[-500:])
    seconds = time.perf_counter() - begun
    if (written := count_lines(target)) != count_lines(notes):
        raise SystemExit(f"{written} notes came out")
    return {
        "seconds": round(seconds, 1),
        "peak_mib": round(together / 1024, 1),
        "peak_of_the_largest_process_mib": round(largest / 1024, 1),
    }


def count_lines(path: Path) -> int:
    with path.open(encoding="utf-8") as file:
        return sum(1 for _ in file)


def watch(process: subprocess.Popen) -> tuple[int, int]:
    """The most that all processes of a run held together, each shared page counted once, and the peak of the largest, in KiB."""
    together = largest = 0
    for turn in count():
        if process.poll() is not None:
            return together, largest
        held = [(read(pid, "smaps_rollup", "Pss:"), read(pid, "status", "VmHWM:")) for pid in family(process.pid)]
        together = max(together, sum(pss for pss, _ in held))
        largest = max([largest, *(peak for _, peak in held)])
        time.sleep(LOOK if turn < 100 else 3 * LOOK)
    return together, largest


def family(pid: int) -> list[int]:
    """The process and all below it."""
    try:
        children = [int(child) for file in Path(f"/proc/{pid}/task").glob("*/children") for child in file.read_text().split()]
    except OSError:
        children = []
    return [pid, *(one for child in children for one in family(child))]


def read(pid: int, file: str, name: str) -> int:
    try:
        return next((int(line.split()[1]) for line in Path(f"/proc/{pid}/{file}").read_text().splitlines() if line.startswith(name)), 0)
    except OSError:  # it has ended
        return 0


def render(result: dict) -> str:
    carried = "Rules alone" if result["model"] == "none" else f"Rules and the model {result['model']} on {result['runtime']}"
    lines = [
        f"{carried}:",
        "",
        "| notes | words | seconds | notes/s | peak of all processes, MiB | of the largest, MiB |",
        "|---:|---:|---:|---:|---:|---:|",
    ]
    for row in result["runs"]:
        rate = row["notes"] / row["seconds"]
        peaks = f"{row['peak_mib']:,} | {row['peak_of_the_largest_process_mib']:,}"
        lines.append(f"| {row['notes']:,} | {row['words']:,} | {row['seconds']:,} | {rate:.0f} | {peaks} |")
    lines += [
        "",
        f"Memory grows by {100 * result['memory_growth']:.1f} %, seconds per note by {100 * result['seconds_per_note_growth']:.1f} %.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
