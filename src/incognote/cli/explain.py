"""incognote explain: how each candidate span of one note was decided."""

from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from incognote.cli import options
from incognote.cli.opening import open_deidentifier, read_note
from incognote.cli.output import check_pages, count, say, write_json

if TYPE_CHECKING:
    from incognote.explain import Story


def explain(
    note: Annotated[str, typer.Argument(metavar="NOTE", help="A text file; - is standard input.")],
    json_to: Annotated[str | None, options.json_option("the candidates and decisions")] = None,
    mode: options.Mode = "surrogate",
    policy: options.PolicyName = "i2b2",
    model: options.Models = None,
    rules: options.Rules = None,
    always: options.Always = None,
    keep_words: options.KeepWords = None,
    priorities: options.PrioritiesFile = None,
    recall: options.Recall = "default",
    runtime: options.RuntimeName = "auto",
    unsafe: options.Unsafe = False,
) -> None:
    """Show how each candidate span of one note was decided.

    For each candidate: the finder and its score, the filter that dropped or trimmed it and why, the span it was merged into, and its
    replacement. The output contains PHI: it goes to the terminal, or to a file that only you can read.

    Example: incognote explain note.txt
    """
    from incognote.document import Document
    from incognote.explain import explain as find_stories

    check_pages({"--json": json_to}, files=[note])
    text = read_note(note)
    deidentifier = open_deidentifier(
        mode=mode,
        policy=policy,
        model=model,
        rules=rules,
        always=always,
        keep_words=keep_words,
        priorities=priorities,
        recall=recall,
        runtime=runtime,
        unsafe=unsafe,
    )
    stories = find_stories(deidentifier, Document("note", text))
    if json_to:
        write_json([story.as_json() for story in stories], json_to, private=True)
        return
    say("this output contains PHI")
    for _, group in groupby(stories, key=lambda story: (story.span.start, story.span.end)):
        print("\n".join(_lines(list(group))))
    dropped = sum(not story.kept for story in stories)
    say(f"{count(len(stories), 'candidate')}, {dropped:,} dropped; pipeline {deidentifier.pipeline.fingerprint}")


def _lines(stories: "list[Story]") -> list[str]:
    """The lines for the candidates of one range: one for each finder, those of its decisions, and the replacement."""
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
