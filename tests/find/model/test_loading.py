"""A process opens each file of a model once to load it; the shipped model's are read once more for their checksums."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from incognote.models import find_model
from tests.fakes import tiny_checkpoint

_COUNTED = """
import json, sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
from incognote.cli.main import main
try:
    main()
finally:
    print(json.dumps(opened), file=sys.stderr)
"""


def count_opens(folder: Path, *options: str) -> Counter[str]:
    """How often one scrub opens each file of a model folder."""
    command = [sys.executable, "-c", _COUNTED, "scrub", "-", "--mode", "redact", *options]
    done = subprocess.run(command, input="Mr. Kowalczyk left.", capture_output=True, text=True, check=True)
    return Counter(Path(name).name for name in json.loads(done.stderr.splitlines()[-1]) if Path(name).parent == folder)


@pytest.mark.parametrize("runtime", ["onnx", "onnx-exact"])
def test_a_scrub_loads_each_file_of_the_shipped_model_once(runtime: str) -> None:
    opened = count_opens(find_model(), "--runtime", runtime)
    loaded = {"config.json", "model.safetensors", "pruning.safetensors", "tokenizer_config.json"}
    assert {name: count for name, count in opened.items() if name in loaded} == dict.fromkeys(loaded, 2)
    assert max(opened.values()) == 2


def test_a_scrub_loads_each_file_of_another_model_once(tmp_path: Path) -> None:
    opened = count_opens(tiny_checkpoint(tmp_path / "model"), "--model", str(tmp_path / "model"), "--runtime", "onnx")
    assert opened["model.safetensors"] == opened["config.json"] == 1
    assert max(opened.values()) == 1
