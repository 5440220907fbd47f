"""The model that ships with the package, from data to package.

    python -m incognote.lab.default_model --data ../shared/data --out DIR

Runs from the root of the repository. The encoders come from ../shared/weights/get.py, each in DIR/encoders/NAME. A stage whose output is
in DIR is skipped; --stage runs one of them, again. Training takes a GPU and most of an hour.
"""

import argparse
import logging
import os
import sys
from pathlib import Path

from incognote.errors import IncognoteError
from incognote.lab.default_model.build import TINY, Build, Settings
from incognote.lab.default_model.stages import STAGES, run_stages


def main() -> None:
    """Run the stages."""
    parser = argparse.ArgumentParser(prog="python -m incognote.lab.default_model", description=__doc__, formatter_class=_Raw)
    parser.add_argument("--data", type=Path, required=True, help="folder with mtsamples/ and aci-bench/")
    parser.add_argument("--out", type=Path, required=True, help="a folder for the output of each stage")
    parser.add_argument("--encoders", type=Path, help="Hugging Face folders of the student and the teachers; OUT/encoders when not given")
    parser.add_argument("--repository", type=Path, default=Path(), help="where tests/golden and data/notes are")
    parser.add_argument("--stage", choices=[stage.name for stage in STAGES], help="run this stage alone, even if its output is there")
    parser.add_argument("--tiny", action="store_true", help="seconds of training and a handful of notes, to try every stage")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="[%(asctime)s] %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("incognote").setLevel(logging.INFO)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    encoders = options.encoders or options.out / "encoders"
    build = Build(options.data, encoders, options.repository, options.out, TINY if options.tiny else Settings())
    try:
        run_stages(build, only=options.stage or "")
    except IncognoteError as error:
        sys.exit(str(error))


_Raw = argparse.RawDescriptionHelpFormatter

if __name__ == "__main__":
    main()
