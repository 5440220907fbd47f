"""Where the time of a scrub goes, read to write, with the default pipeline: `incognote bench` as tables.

    python bench/stages.py [--notes 300] [--data ../shared/data] [--runtime auto] [--out out]

Synthetic notes are short and full of PHI. So where the data folder is there, transcriptions of MTSamples have a table too: as long as
notes are, with as little PHI.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from incognote.lab.default_model.sources import read_real_notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--runtime", default="auto")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    Path(options.out).mkdir(parents=True, exist_ok=True)
    results = {"synthetic": measure("--notes", str(options.notes), "--runtime", options.runtime)}
    print(f"Synthetic: {render(results['synthetic'])}", flush=True)
    if options.data.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            write_samples(options.data, Path(folder), options.notes)
            results["mtsamples"] = measure(folder, "--runtime", options.runtime)
        print(f"\nMTSamples: {render(results['mtsamples'])}", flush=True)
    (Path(options.out) / "stages.json").write_text(json.dumps(results, indent=2))


def measure(*arguments: str) -> dict:
    command = [str(Path(sys.executable).with_name("incognote")), "bench", *arguments, "--json", "-"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def write_samples(data: Path, folder: Path, count: int) -> None:
    """So many transcriptions as files."""
    for at, document in enumerate(read_real_notes(data, count)):
        (folder / f"{at:04}.txt").write_text(document.text, encoding="utf-8")


def render(result: dict) -> str:
    work = result["arithmetic"]
    names = list(result["share"])
    shares = [f"{100 * share:.1f} %" for share in result["share"].values()]
    return "\n".join(
        [
            f"{result['notes']} notes, {result['words']:,} words, {result['tokens']:,} subword tokens; runtime {result['runtime']}, "
            f"{result['cores']} cores: {result['notes_per_second']:,.1f} notes/s, {result['words_per_second']:,.0f} words/s, "
            f"{result['memory_mib']:,.0f} MiB. The model runs at {work['gflops']:,.0f} GFLOP/s, {100 * work['share_of_peak']:.0f} % of the "
            f"{work['peak']} peak measured here.",
            "",
            f"| {' | '.join(names)} |",
            f"|{'---:|' * len(names)}",
            f"| {' | '.join(shares)} |",
        ]
    )


if __name__ == "__main__":
    main()
