"""incognote fill: the words that a masked language model predicts."""

from typing import Annotated

import typer

from incognote.cli.data import require_torch
from incognote.cli.options import Unsafe, json_option
from incognote.cli.output import check_pages, write_json


def fill(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A text with one or more [MASK].")],
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="A masked language model: a folder (as adapt writes it) or a hub name.")
    ],
    top: Annotated[int, typer.Option(min=1, help="Words to show for each [MASK].")] = 10,
    unsafe: Unsafe = False,
    json_to: Annotated[str | None, json_option("the words")] = None,
) -> None:
    """Predict the words behind each [MASK].

    [MASK] stands for the model's own mask token. Only words of one token are predicted. A tagger, such as the shipped model, cannot fill.

    Example: incognote fill "The patient was admitted to [MASK]." --model models/ours
    """
    from dataclasses import asdict

    check_pages({"--json": json_to})
    require_torch()
    from incognote.lab.encoders.masked import fill_masks, load_masked

    found = fill_masks(load_masked(model, unsafe=unsafe), text, top=top)
    if json_to:
        write_json({"model": model, "masks": [[asdict(guess) for guess in guesses] for guesses in found]}, json_to)
        return
    for number, guesses in enumerate(found, 1):
        if len(found) > 1:
            print(f"mask {number}")
        for guess in guesses:
            print(f"{guess.probability:8.4f}  {guess.word}")
