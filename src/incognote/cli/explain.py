"""incognote explain: the story of each candidate of one note."""

import json
import os
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli.opening import open_deidentifier
from incognote.cli.options import Models, PrioritiesFile, Recall, RuntimeName, Unsafe, json_option
from incognote.cli.output import say
from incognote.errors import CorpusError
from incognote.models import choose_models
from incognote.priorities import load_priorities

if TYPE_CHECKING:
    from incognote.explain import Story


def explain(
    note: Annotated[str, typer.Argument(metavar="NOTE", help="A text file; - is standard input.")],
    json_to: Annotated[str | None, json_option("the stories")] = None,
    mode: Annotated[str, typer.Option(help="What would stand in for PHI: redact, placeholder or surrogate.")] = "surrogate",
    policy: Annotated[str, typer.Option(help="The policy, as of scrub.")] = "i2b2",
    model: Models = None,
    priorities: PrioritiesFile = None,
    recall: Recall = "default",
    runtime: RuntimeName = "auto",
    unsafe: Unsafe = False,
) -> None:
    """Show how each candidate of one note was found, judged, merged and replaced.

    The output contains PHI: it goes to the terminal, or to a file that only you can read.

    Example: incognote explain note.txt
    """
    from incognote.document import Document
    from incognote.explain import explain as tell

    text = _read_note(note)
    deidentifier = open_deidentifier(
        models=choose_models(model),
        runtime=runtime,
        mode=mode,
        policy=policy,
        priorities=load_priorities(priorities) if priorities else None,
        recall=recall,
        unsafe=unsafe,
    )
    stories = tell(deidentifier, Document("note", text))
    if json_to:
        _write_json([story.as_json() for story in stories], json_to)
        return
    say("this output contains PHI")
    for _, told in groupby(stories, key=lambda story: (story.span.start, story.span.end)):
        print("\n".join(_lines(list(told))))
    dropped = sum(not story.kept for story in stories)
    say(f"{len(stories)} candidates, {dropped} dropped; pipeline {deidentifier.pipeline.fingerprint}")


def _read_note(note: str) -> str:
    try:
        return (sys.stdin.buffer.read() if note == "-" else Path(note).read_bytes()).decode("utf-8")
    except OSError as error:
        raise CorpusError(error.strerror or "cannot be read", path=note) from None
    except UnicodeDecodeError as error:
        raise CorpusError("not UTF-8; convert it first", path=note, place=f"byte {error.start}") from None


def _lines(stories: "list[Story]") -> list[str]:
    """The stories of the candidates at one place: a line for each, and what stands there now."""
    span = stories[0].span
    lines = [f"{span.start}-{span.end} {stories[0].text!r}"]
    for story in stories:
        found = story.span
        lines.append(f"  {story.finder:<12} {found.label:<14} score {found.score:.3f}  {found.source}")
        for decision in story.decisions:
            became = ", ".join(f"{each.start}-{each.end} {each.label}" for each in decision.became)
            lines.append(f"    {'cut to ' + became if decision.kept else 'dropped'} by {decision.by}: {decision.reason}")
    for edit in dict.fromkeys(edit for story in stories for edit in story.edits):
        place = edit.before.start, edit.before.end
        merged = f" merged into {place[0]}-{place[1]}" if place != (span.start, span.end) else ""
        lines.append(f"  ={merged} {edit.before.label} → {edit.replacement!r}")
    return lines if any(story.edits for story in stories) else [*lines, "  = left in the note"]


def _write_json(stories: list[dict[str, object]], target: str) -> None:
    page = json.dumps(stories, ensure_ascii=False, indent=2) + "\n"
    if target == "-":
        sys.stdout.write(page)
        return
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(page)
