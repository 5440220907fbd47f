"""incognote pipeline: the method as a list."""

from incognote.cli import options
from incognote.models import choose_models
from incognote.priorities import load_priorities
from incognote.version import __version__


def pipeline(
    model: options.Models = None,
    patients: options.Patients = None,
    rules: options.Rules = None,
    always: options.Always = None,
    keep_words: options.KeepWords = None,
    priorities: options.PrioritiesFile = None,
    recall: options.Recall = "default",
    runtime: options.RuntimeName = "auto",
    unsafe: options.Unsafe = False,
) -> None:
    """Print the pipeline: finders, filters, thresholds, fingerprint.

    These are the finders, filters, merge, memory and thresholds of scrub with the same options. The fingerprint covers them, the
    model's digest and the version.

    Example: incognote pipeline
    """
    from incognote.memory.patients import Roster
    from incognote.shipped import DEFAULT_RULES, build_pipeline
    from incognote.thresholds import Thresholds

    built = build_pipeline(
        choose_models(model),
        patients=Roster.from_csv(patients) if patients else None,
        runtime=runtime,
        unsafe=unsafe,
        thresholds=Thresholds.at(recall),
        priorities=load_priorities(priorities) if priorities else None,
        rules=rules or DEFAULT_RULES,
        always=always,
        keep_words=keep_words,
    )
    print(f"{built}\n\nincognote {__version__}, fingerprint {built.fingerprint}")
