"""incognote models: known encoders, their parameters and sizes; no network, no PyTorch."""

from enum import StrEnum
from typing import Annotated

import typer

from incognote.cli.options import json_option
from incognote.cli.output import check_pages, write_json, write_text

models = typer.Typer(
    name="models",
    help="List encoders and show their parameters.",
    no_args_is_help=True,
)


class Head(StrEnum):
    """The head on the encoder."""

    tags = "tags"
    classes = "classes"


_PAPER_TAGS = 41

HeadOption = Annotated[Head | None, typer.Option(help="The head: tags for each token, or classes for the text.")]
LabelsOption = Annotated[int | None, typer.Option(min=1, help="The number of tags or classes of the head.")]
JsonOption = Annotated[str | None, json_option("the same")]


@models.command("list")
def list_models(json: JsonOption = None) -> None:
    """List the encoders known by name.

    Any other encoder works by hub name or folder. Sizes include a head of 41 tags. Works without a network.

    Example: incognote models list
    """
    from incognote.lab.encoders.architectures import known_architectures
    from incognote.lab.encoders.pages import make_page, rows_markdown, summary

    check_pages({"--json": json})
    rows = [summary(make_page(known, head=Head.tags, labels=_PAPER_TAGS)) for known in known_architectures()]
    write_json(rows, json) if json else write_text(rows_markdown(rows), "-")


@models.command()
def rank(head: HeadOption = None, labels: LabelsOption = None, json: JsonOption = None) -> None:
    """List known encoders by size, largest first.

    Sizes include a head of 41 tags, unless --head and --labels name another.

    Example: incognote models rank
    """
    from incognote.lab.encoders.architectures import known_architectures
    from incognote.lab.encoders.pages import make_page, rank_rows, rows_markdown

    check_pages({"--json": json})
    chosen, count = _choose_head(head or Head.tags, labels, own=None)
    rows = rank_rows(make_page(known, head=chosen, labels=count) for known in known_architectures())
    write_json(rows, json) if json else write_text(rows_markdown(rows), "-")


@models.command()
def show(
    name: Annotated[str, typer.Argument(help="Name, hub name, default (the shipped model), or a folder with a config.json.")],
    head: HeadOption = None,
    labels: LabelsOption = None,
    modules: Annotated[
        bool, typer.Option("--modules", help="Modules and their parameters only, as in the appendix of Meaney et al.")
    ] = False,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML page.")] = None,
    json: JsonOption = None,
) -> None:
    """Show every parameter of an encoder: name, shape, size, type.

    Without --head and --labels, a folder is shown with its own labels and a known encoder with a head of two classes, as on the public
    parameter pages. --labels alone means tags; --head tags alone means the 41 tags of Meaney et al.

    Example: incognote models show roberta-base --head tags --labels 41
    """
    from incognote.find.model import find_source
    from incognote.lab.encoders.architectures import find_architecture
    from incognote.lab.encoders.pages import make_page, modules_markdown, page_html, page_json, page_markdown

    check_pages({"--json": json, "--html": html})
    found = find_architecture(find_source(name))
    chosen, count = _choose_head(head, labels, own=found.config.get("id2label"))
    page = make_page(found, head=chosen, labels=count)
    if json:
        write_json(page_json(page), json)
    if html:
        write_text(page_html(page), html)
    if not json and not html:
        write_text(modules_markdown(page) if modules else page_markdown(page), "-")


def _choose_head(head: Head | None, labels: int | None, *, own: object) -> tuple[str, int]:
    """The given head, or the likeliest one."""
    if head is None:
        head = Head.tags if labels or own else Head.classes
    if labels is None and isinstance(own, dict) and own:
        labels = len(own)
    return head.value, labels or (_PAPER_TAGS if head is Head.tags else 2)
