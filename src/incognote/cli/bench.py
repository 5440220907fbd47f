"""incognote bench: the speed of scrubbing on this machine, stage by stage."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from incognote.cli import options
from incognote.cli.output import check_pages, count, say, write_json, write_text
from incognote.cli.progress import track
from incognote.errors import ConfigError, CorpusError
from incognote.models import choose_models

if TYPE_CHECKING:
    from incognote.document import Document

RIVALS = ("hf-pipeline",)


def bench(
    source: Annotated[
        Path | None, typer.Argument(metavar="NOTES", help="A folder or file of notes; without it, synthetic notes (extra synthetic).")
    ] = None,
    notes: Annotated[int, typer.Option(min=1, help="Notes to measure with.")] = 300,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="default (the shipped model), none (rules alone), a folder or a hub name.")
    ] = None,
    runtime: options.RuntimeName = "auto",
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="hf-pipeline: the Hugging Face pipeline with the same weights, interleaved.")
    ] = None,
    estimate: Annotated[int, typer.Option(min=1, help="Estimate the time for this many notes.")] = 1_000_000,
    seed: Annotated[int, typer.Option(help="The seed of the synthetic notes.")] = 0,
    format: options.CorpusFormat = None,
    note_column: options.NoteColumn = "text",
    id_column: options.IdColumn = "id",
    patient_column: options.PatientColumn = "patient",
    json: Annotated[str | None, options.json_option("the figures")] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write an HTML page with a plot.")] = None,
) -> None:
    """Measure the speed of scrubbing on this machine.

    Prints notes, words and tokens per second, the share of each stage, memory, and an estimate. The clean notes are discarded. Measure on
    an idle machine.

    Example: incognote bench notes/ --model models/mine --against hf-pipeline --json -
    """
    chosen_models = choose_models([model] if model else None)
    _check(against, chosen_models)
    check_pages({"--json": json, "--html": html}, files=[source])
    from incognote.deidentifier import Deidentifier
    from incognote.lab.speed.throughput import measure_speed, summarize_speed

    deidentifier = Deidentifier.default(models=chosen_models, runtime=runtime)

    def read(count: int) -> "Iterator[Document]":
        return _read(source, count, seed, format, (note_column, id_column, patient_column))

    about: dict[str, Any] = {}
    rival = exact = None
    if against:
        from incognote.find.model import find_source, load_tagger
        from incognote.find.model.runtimes.loading import TORCH
        from incognote.lab.speed.peer import Peer

        exact = load_tagger(chosen_models, runtime=TORCH, device="cpu")
        rival = Peer(find_source(chosen_models[0]), [document.text for document in read(8)])
        tried = {str(size): round(took, 2) for size, took in rival.tried.items()}
        about = {"against": {"name": against, "batch_size": rival.batch, "tried": tried}}
    rounds = measure_speed(deidentifier, track(read(notes), "bench", total=notes), rival=rival, exact=exact)
    if not rounds:
        raise CorpusError("no notes to measure with", path=source)
    result = {
        **summarize_speed(rounds, runtime=" ".join([choice.runtime for choice in deidentifier.choices]) or "rules only", estimate=estimate),
        **about,
    }
    if json is not None:
        write_json(result, json)
    if json != "-":
        _print(result)
    if html is not None:
        from incognote.lab.speed.page import render_speed

        write_text(render_speed(result), html)
        say(f"page: {html}")


def _check(against: str | None, models: tuple[str, ...]) -> None:
    faults = []
    if against is not None and against not in RIVALS:
        faults.append(f"--against {against}: must be one of {', '.join(RIVALS)}")
    if against is not None and not models:
        faults.append("--against compares models, and --model none has no model")
    if faults:
        raise ConfigError("bench", faults)


def _read(source: Path | None, count: int, seed: int, format: str | None, columns: tuple[str, str, str]) -> "Iterator[Document]":
    from itertools import islice

    if source is None:
        import gc

        from incognote.lab.synthetic import synthesize

        made = list(synthesize(count, seed=seed))
        gc.freeze()  # otherwise every collection scans the data of the synthetic notes, which a scrub does not have
        return iter(made)
    from incognote.corpora import Columns, read_corpus

    if not source.exists():
        raise CorpusError("no such file or folder", path=source)
    return islice(read_corpus(source, format=format, columns=Columns(*columns)), count)


def _print(result: dict[str, Any]) -> None:
    tokens = f", {count(result['tokens'], 'subword token')}" if "tokens" in result else ""
    print(f"{count(result['notes'], 'note')}, {count(result['words'], 'word')}{tokens} on {count(result['cores'], 'core')}")
    print(f"runtime  {result['runtime']}")
    for name in ("notes", "words", *(["tokens"] if tokens else [])):
        print(f"{result[f'{name}_per_second']:>12,.1f} {name}/s")
    for stage, share in result["share"].items():
        print(f"{100 * share:>11.1f} % {stage}")
    if "arithmetic" in result:
        work = result["arithmetic"]
        peak = f"{100 * work['share_of_peak']:.0f} % of the {work['peak']} peak of {work['peak_' + work['peak']]:,.0f} measured here"
        print(f"{work['gflops']:>12,.1f} GFLOP/s, {peak}")
    print(f"{result['memory_mib']:>12,.1f} MiB peak memory")
    print(f"{result['estimate']['hours']:>12,.2f} hours for {count(result['estimate']['notes'], 'note')} like these")
    if "ratio" in result:
        rival = f"{result['against']['name']} at batch size {result['against']['batch_size']}"
        print(f"{result['ratio']:>12.2f} times {rival} (model alone; median of {count(result['rounds'], 'round')})")
        print(f"{result['ratio_whole_scrub']:>12.2f} times the same, with all stages of a scrub")
        print(f"{100 * result['documents_alike']:>11.1f} % of the notes have the spans of full precision")
