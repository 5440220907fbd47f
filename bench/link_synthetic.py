"""Whether scrubbed notes still link to their patient: attacks on synthetic patients with several notes each, by mode, as Markdown.

The notes are of the part that nothing was trained on. Once the default pipeline finds the PHI, once the gold spans are used: what still
links there is not what was missed, but what no policy takes out.

    python bench/link_synthetic.py [--count 2400] [--seed 7] [--write]
"""

import argparse
from pathlib import Path

from three_modes import MODES, scrub_modes

from incognote.corpora import read_corpus
from incognote.evaluate.bootstrap import find_difference
from incognote.lab.audit.alignment import Aligned, align
from incognote.lab.audit.attacks import ATTACKS, TRAINED
from incognote.lab.audit.link import Link, measure_link
from incognote.lab.synthetic import synthesize

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "results" / "link.md"
HEAD = """# Whether scrubbed notes still link to their patient

Made by `python bench/link_synthetic.py --write`; the same figures come from `incognote link`.

An attacker holds original notes and knows whose they are. He is given a scrubbed note and asks, for each of his: is it of the same patient?
The AUC is how often he ranks another note of the same patient above a note of somebody else; 0.5 is chance, 1 is certain. True pairs are
different notes of one patient. False pairs have the same scrubbed note and a stranger's note of the same family of kinds. Half of the
patients are trained on, the other half tested on, in three seeds; 95 % intervals are from resamples of patients and seeds. Policy i2b2.

What it means: how well the text that is left tells patients apart. What it does not mean: that a stranger can name a patient, or that 0.5
proves safety. Synthetic notes say little of the patients' illness twice, so real notes may link more by what they tell; but their made-up
hospitals have marked style profiles (case, line width, typing errors), so real notes may link less by how they look."""

FINDINGS = """
## What these figures say

Run at commit 1ccc0a8, 2400 notes of seed 7.

- No untrained attack that looks for shared rare words gets far once PHI is hidden; the trained one does better in every mode.
- Gold spans hardly differ from found ones: what links is not what the pipeline missed. It is the look of the notes (*hand*), which is a
  hospital's style profile here, and *he or she*. No policy takes these out.
- Surrogates link more than masks and tags. They keep the shape of what they replace, which *hand* sees. And they keep words that a class of
  names has in common: University, Academy, County or Psychiatric in the name of an institution, van or del in a surname, Jr. behind it;
  and the year, where a shifted date stays in it. Masks give none of that: where a patient's notes must not be joined, mask or tag."""


def main() -> None:
    """Print the page, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2400, help="synthetic notes")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "link", help="where scrubbed notes are kept between runs")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    parts = [HEAD]
    for title, name, gold in (
        ("Scrubbed by the default pipeline", "found", False),
        ("Scrubbed with the gold spans, as if nothing were missed", "gold", True),
    ):
        audit = measure_link(
            prepare(options.work / f"{name}-{options.count}-{options.seed}", options.count, options.seed, gold=gold), kind="kind"
        )
        parts += show(title, audit)
    parts += ["\n## The attacks\n", *(f"- **{name}**: {what}." for name, what in ATTACKS.items()), FINDINGS]
    page = "\n".join(parts)
    print(page)
    if options.write:
        PAGE.write_text(page + "\n", encoding="utf-8")


def prepare(work: Path, count: int, seed: int, *, gold: bool) -> Aligned:
    """The notes in every form; made now if they were not before."""
    paths = [work / f"{name}.jsonl" for name in ("original", *MODES)]
    if not all(path.exists() for path in paths):
        scrub_modes(synthesize(count, seed=seed, part="test"), work, gold=gold)
    return align(read_corpus(paths[0]), {path.stem: read_corpus(path) for path in paths[1:]})


def show(title: str, audit: Link) -> list[str]:
    names = list(dict.fromkeys(attack.name for attack in audit.attacks))
    lines = [
        f"\n## {title}\n",
        f"{audit.notes:,} notes of {audit.patients:,} patients, {audit.several:,} of them with two notes or more; "
        f"{audit.pairs:,} test pairs, {audit.true_pairs:,} of them true; {audit.matched:.1%} of the false ones of the same kind of note.\n",
        f"| notes | {' | '.join(names)} |",
        "|---|" + "---|" * len(names),
    ]
    for form in dict.fromkeys(attack.form for attack in audit.attacks):
        found = {attack.name: attack.auc for attack in audit.attacks if attack.form == form}
        cells = [f"{found[name].value:.3f} [{found[name].interval.low:.3f}, {found[name].interval.high:.3f}]" for name in names]
        lines.append(f"| {'original, nothing hidden' if form == 'original' else form} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "On the same pairs, the trained attack: " + "; ".join(show_difference(audit, "surrogate", mode) for mode in MODES[:2]) + ".",
    ]


def show_difference(audit: Link, one: str, two: str) -> str:
    """How much more one form links than another, with its interval."""
    found = {attack.form: attack.auc for attack in audit.attacks if attack.name == TRAINED}
    paired = [float(each) for each in found[one].resampled - found[two].resampled]
    difference = find_difference(found[one].value - found[two].value, paired)
    assert difference is not None
    low, high = difference.interval.low, difference.interval.high
    return f"{one} less {two} {difference.value:+.3f} [{low:+.3f}, {high:+.3f}], p {difference.p:.3f}"


if __name__ == "__main__":
    main()
