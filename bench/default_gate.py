"""The gates of the default model, and how close is too close for a glance, learned from notes that the model itself was trained on."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from default_data import inject_notes
from real_notes import is_held_out, read_sources

from incognote.find.model.checkpoint import load_checkpoint
from incognote.find.model.config import MARGIN, SETTINGS, read_config
from incognote.find.model.runtimes.pruning_file import write_gates
from incognote.lab.shrink.confidence_margin import measure_closeness
from incognote.lab.shrink.pruning import fit_gates
from incognote.lab.synthetic import synthesize
from incognote.models import write_sums

REAL, SYNTHETIC = 1200, 3000


def make_gates(data: Path, out: Path) -> None:
    """Fit gates for the shipped model on real text as it is, on real text with made-up PHI, and on synthetic notes; none is held out."""
    texts = list(gather_texts(data))
    print(f"{len(texts):,} texts", flush=True)
    checkpoint = load_checkpoint(out)
    fits = fit_gates(checkpoint, texts)
    write_gates(out, [fit.gate for fit in fits])
    close = measure_closeness(checkpoint, texts)
    config = read_config(out)
    config[SETTINGS] |= {MARGIN: close}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    write_sums(out)
    print(f"close: {close}")
    for fit in fits:
        print(f"{fit.where}: {100 * fit.through:.1f} % of tokens go on; of {fit.tagged:,} tagged {100 * fit.lost:.3f} % do not")


def gather_texts(data: Path) -> Iterator[str]:
    sources = [document for document in read_sources(data) if not is_held_out(document.id)]
    yield from (document.text for document in sources[0::2][:REAL])
    yield from (document.text for document in islice(inject_notes(sources[1::2], 0), REAL))
    yield from (document.text for document in synthesize(SYNTHETIC, seed=5, part="train"))
