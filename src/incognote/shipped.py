"""The shipped pipeline: which finders and filters, with which roles, for the options of a user."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from incognote.document import scheme
from incognote.document.labels import scheme_names
from incognote.errors import ConfigError
from incognote.filters import KeptWords, Rescorer, require_support
from incognote.find.finder import ALWAYS, Finder, PhraseFinder, Tagger, TextFinder
from incognote.find.model import load_tagger
from incognote.find.rules.finder import context_rules, cue_rules, identifier_rules, pattern_rules, sure_rules, time_rules, title_rules
from incognote.find.rules.own import read_rules
from incognote.lexicon.phrases import Phrases
from incognote.memory.patients import Roster
from incognote.merge import Role
from incognote.models import STANDARD
from incognote.pipeline import FILTERS, MODEL, PATIENTS, Pipeline
from incognote.thresholds import Thresholds

DEFAULT_RULES, NO_RULES = "default", "none"
LABELS = "i2b2-2014"
# A name found by the name lists alone yields to every other span: "12 Broadway, Boston".
PRIORITIES: Mapping[str, Role | None] = {"rules.name.list": Role.GUESS}


def build_pipeline(
    models: Sequence[str] | str | None = None,
    *,
    patients: Roster | None = None,
    runtime: str = "auto",
    unsafe: bool = False,
    thresholds: Thresholds | None = None,
    priorities: Mapping[str, Role | None] | None = None,
    rules: Sequence[str | Path] | str | Path = DEFAULT_RULES,
    always: str | Path | None = None,
    keep_words: str | Path | None = None,
) -> Pipeline:
    """The shipped rules with the shipped model, with other ``models`` (folders or hub names; several make an ensemble), or alone (``()``).

    With the shipped model, guesses of the rules count only near a span of the model, and the rescorer judges spans that only the model
    found. Both are fitted to that model; a pipeline with another model has neither. ``rules`` are files of a user's own beside the shipped
    ones; "none" leaves those out. ``always`` and ``keep_words`` are files of words that are always PHI, and never.
    """
    chosen = STANDARD if models is None else (models,) if isinstance(models, str) else tuple(models)
    shipped = chosen == STANDARD
    near = MODEL if shipped else ""
    files = [rules] if isinstance(rules, str | Path) else list(rules)
    own, bare = [name for name in files if name not in (DEFAULT_RULES, NO_RULES)], NO_RULES in files
    if bare and not (chosen or own or always):
        raise ConfigError("pipeline", ["nothing is left to find PHI"], fix="leave either {models} or {rules} at the default")
    finders: tuple[Finder, ...] = (
        ()
        if bare
        else (
            Finder("patterns", pattern_rules, Role.EXACT),
            Finder("identifiers", identifier_rules, Role.GUESS),
            Finder("titles", title_rules, Role.GUESS, cued=True),
            Finder("sure", sure_rules, Role.GUESS, cued=True),
            Finder("times", time_rules, Role.EXACT, near=near),
            Finder("cues", cue_rules, Role.GUESS, near=near, cued=True),
            Finder("context", context_rules, Role.GUESS, near=near),
        )
    )
    if chosen:
        tagger = load_tagger(chosen, runtime=runtime, unsafe=unsafe)
        finders = (Finder(MODEL, TextFinder(tagger), Role.LEARNED, labels=_label_map(tagger)), *finders)
    finders = (*finders, *(Finder(f"own {at}" if at > 1 else "own", read_rules(file), Role.EXACT) for at, file in enumerate(own, 1)))
    if always is not None:
        finders = (*finders, Finder(ALWAYS, _find_always(Phrases.read(always)), Role.KNOWN))
    if patients is not None:
        finders = (*finders, Finder(PATIENTS, patients, Role.KNOWN))
    return Pipeline(
        finders,
        (
            *FILTERS,
            *((require_support, Rescorer(MODEL)) if shipped else ()),
            *((KeptWords(Phrases.read(keep_words)),) if keep_words is not None else ()),
        ),
        thresholds or Thresholds.default(),
        {**PRIORITIES, **(priorities or {})},
    )


def _find_always(phrases: Phrases) -> PhraseFinder:
    strange = sorted(phrases.labels - {"", *scheme(LABELS).labels})
    if strange:
        raise ConfigError("always", [f"{len(strange)} of its labels are not among {', '.join(scheme(LABELS).labels)}"])
    return PhraseFinder(phrases)


def _label_map(tagger: Tagger) -> Mapping[str, str] | None:
    """A map from the model's labels to the scheme of the rules; None where they are the same, or where no shipped scheme has them."""
    labels = {label for tag in getattr(tagger, "tags", ()) if (label := tag.partition("-")[2])}
    if not labels or labels <= set(scheme(LABELS).labels):
        return None
    known = (scheme(name) for name in scheme_names())
    return next((each.mapping(LABELS) for each in known if labels <= set(each.labels) and LABELS in each.maps), None)
