"""incognote shrink gate: let the upper layers of a model read only what may be PHI."""

from pathlib import Path
from typing import Annotated

import typer

from incognote.cli.output import say
from incognote.cli.shrink_options import Data, Json, Model, Overwrite, Split
from incognote.cli.shrink_quantize import claimed, tell_cost
from incognote.cli.train import parse_data, require_torch

_LAYER = "A layer to put a gate after, 0 for below the first; may be given several times. [default: 0 and half of the way]"
_AROUND = "How many tokens go on with one on either side."
_MOST_LOST = "Of the tokens that the model tags, the share that a gate may hold back, of those it is sure of a tenth; lower ones less."


def gate(
    model: Model,
    notes: Annotated[Path, typer.Argument(metavar="NOTES", help="Notes like those it will read, a few hundred or more; gold is not used.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the model with its gates goes.")],
    layer: Annotated[list[int] | None, typer.Option(metavar="N", help=_LAYER)] = None,
    around: Annotated[int, typer.Option(min=0, metavar="N", help=_AROUND)] = 12,
    most_lost: Annotated[float, typer.Option(min=0, max=1, metavar="SHARE", help=_MOST_LOST)] = 0.0005,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the gates' weights and of the order of tokens.")] = 0,
    data: Data = None,
    split: Split = "",
    overwrite: Overwrite = False,
    json_to: Json = None,
) -> None:
    """Teach an int8 model which tokens its layers need not read: most words are plainly no PHI, at once or after the first layers.

    A gate is a small head below or after a layer. What it holds back counts as no PHI. The runtime onnx uses gates,
    and the others read everything. Any other way of shrinking comes before this one, for it would drop the gates.

    Example: incognote shrink gate models/notes-int8 notes/ --data gold/ -o models/notes-gated
    """
    require_torch()
    from incognote.corpora import read_corpus
    from incognote.find.model.checkpoint import load_checkpoint
    from incognote.find.model.config import MARGIN
    from incognote.lab.shrink.pruning import gate_checkpoint
    from incognote.lab.shrink.table import load_exam
    from incognote.lab.shrink.tuning import open_model

    checkpoint = open_model(model)
    with claimed(output, json_to, overwrite=overwrite):
        _, exam = load_exam(parse_data(data or []), checkpoint.tags, split=split)
        texts = [document.text for document in read_corpus(notes)]
        options = {"layers": layer or (), "around": around, "most_lost": most_lost, "seed": seed}
        for fit in gate_checkpoint(checkpoint, output, texts, overwrite=overwrite, **options):
            say(f"the gate {fit.where} lets {100 * fit.through:.1f} % of the tokens of a fifth of the notes through")
            say(f"of {fit.tagged:,} that the model tags there it holds {100 * fit.lost:.2f} % back")
        close = load_checkpoint(output).settings.get(MARGIN)
        say(
            "too few notes to tell how close two tags may be in int8, so onnx-exact reads every window with 16-bit activations"
            if close is None
            else f"onnx-exact reads windows again where two tags are within {close} of each other"
        )
        tell_cost(checkpoint, {"with gates": output}, exam, json_to)
