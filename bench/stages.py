"""Where the time of a scrub goes, read to write, with the default pipeline: `incognote bench` on synthetic notes as a table.

python bench/stages.py [--notes 300] [--runtime auto] [--out out]
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=300)
    parser.add_argument("--runtime", default="auto")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    command = [str(Path(sys.executable).with_name("incognote")), "bench", "--notes", str(options.notes), "--runtime", options.runtime]
    done = subprocess.run([*command, "--json", "-"], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    Path(options.out).mkdir(parents=True, exist_ok=True)
    (Path(options.out) / "stages.json").write_text(json.dumps(result, indent=2))
    print(render(result), flush=True)


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
