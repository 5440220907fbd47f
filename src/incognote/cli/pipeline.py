"""incognote pipeline: the method as a list."""

import typer

from incognote.cli.options import Models, Patients, PrioritiesFile, Recall, RuntimeName, Unsafe
from incognote.models import choose_models
from incognote.priorities import load_priorities
from incognote.version import __version__


def pipeline(
    model: Models = None,
    patients: Patients = None,
    priorities: PrioritiesFile = None,
    recall: Recall = "default",
    runtime: RuntimeName = "auto",
    unsafe: Unsafe = False,
) -> None:
    """Print the finders, filters, merge, memory and thresholds that scrub would use, with the model's digest and a fingerprint.

    Example: incognote pipeline
    """
    from incognote.memory.patients import Roster
    from incognote.pipeline import build_pipeline
    from incognote.thresholds import Thresholds

    built = build_pipeline(
        choose_models(model),
        patients=Roster.from_csv(patients) if patients else None,
        runtime=runtime,
        unsafe=unsafe,
        thresholds=Thresholds.at(recall),
        priorities=load_priorities(priorities) if priorities else None,
    )
    typer.echo(f"{built}\n\nincognote {__version__}, fingerprint {built.fingerprint}")
