"""incognote models: the encoders known here, their parameters, and their sizes; no network, no PyTorch."""

from enum import StrEnum
from typing import Annotated

import typer

from incognote.cli.options import json_option
from incognote.cli.output import check_pages, write_json, write_text

models = typer.Typer(
    name="models",
    help="Encoders: list those known, show the parameters of one, rank them by size. Works without a network.",
    no_args_is_help=True,
)


class Head(StrEnum):
    """What stands on the encoder."""

    tags = "tags"
    classes = "classes"


_PAPER_TAGS = 41

HeadOption = Annotated[Head | None, typer.Option(help="Head: tags for every token, or classes for the whole text.")]
LabelsOption = Annotated[int | None, typer.Option(min=1, help="How many tags or classes the head tells apart.")]
JsonOption = Annotated[str | None, json_option("what is shown")]


@models.command("list")
def list_models(json: JsonOption = None) -> None:
    """List the encoders known by name; any other works by hub name or folder. Sizes are with a head of 41 tags.

    Example: incognote models list
    """
    from incognote.lab.encoders.architectures import known_architectures
    from incognote.lab.encoders.pages import make_page, rows_markdown, summary

    check_pages({"--json": json})
    rows = [summary(make_page(known, head=Head.tags, labels=_PAPER_TAGS)) for known in known_architectures()]
    write_json(rows, json) if json else write_text(rows_markdown(rows), "-")


@models.command()
def rank(head: HeadOption = None, labels: LabelsOption = None, json: JsonOption = None) -> None:
    """Order all known encoders by size, largest first (with a head of 41 tags unless told otherwise).

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
    modules: Annotated[bool, typer.Option("--modules", help="Only modules and their parameters, as in the paper's appendix.")] = False,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write a self-contained HTML page.")] = None,
    json: JsonOption = None,
) -> None:
    """Show every parameter of an encoder: name, shape, size and form, as Markdown, HTML or JSON.

    Without --head and --labels a folder is shown with its own labels, and a known encoder with a head of two classes,
    as the public parameter pages have it. --labels alone means tags; --head tags alone means the 41 tags of Meaney et al.

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
    """The head that was asked for, or the likeliest one."""
    if head is None:
        head = Head.tags if labels or own else Head.classes
    if labels is None and isinstance(own, dict) and own:
        labels = len(own)
    return head.value, labels or (_PAPER_TAGS if head is Head.tags else 2)
