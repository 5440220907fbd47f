"""Single filters and the rules alone, as tests ask for them: spans in, kept spans out."""

from collections.abc import Iterable, Sequence

from incognote.document import Document, Span
from incognote.filters import Filter, Layer, Note, Rescorer, drop_citations, drop_clinical_terms, drop_lookalikes, require_support
from incognote.filters.boundaries import trim_name, trim_span
from incognote.merge import Role
from incognote.shipped import build_pipeline
from incognote.thresholds import Thresholds

MODEL = "model"
_RULES = build_pipeline(())
_CUED = frozenset(f"rules.name.{rule}" for rule in ("title", "field", "signature", "relation", "kin", "row"))


def find_by_rules(text: str) -> tuple[Span, ...]:
    """What the rules alone find in a text, filtered and not merged."""
    (trace,) = _RULES.trace([Document("note", text)])
    return tuple(sorted(span for layer in trace.layers.values() for span in layer.spans))


def judge(
    filters: Sequence[Filter],
    spans: Iterable[Span],
    text: str,
    *,
    role: Role = Role.LEARNED,
    cued: bool = False,
    others: Sequence[Span] = (),
) -> list[Span]:
    """What filters keep of one layer; ``others`` is what rules found."""
    layer, rules = Layer(MODEL, role, list(spans), cued=cued), Layer("rules", Role.GUESS, others)
    layers = {MODEL: layer, "rules": rules}
    note = Note(text, layers, layers, Thresholds.default())
    for judge in filters:
        layer = Layer(MODEL, role, [span for decision in judge(layer, note) for span in decision.became], cued=cued)
    return list(layer.spans)


def guard_spans(spans: Iterable[Span], text: str) -> list[Span]:
    """The spans that are not look-alikes, citations or clinical terms, each judged as what its source is."""
    filters = (drop_lookalikes, drop_citations, drop_clinical_terms)
    kept = []
    for span in spans:
        known = span.source.startswith(("patients", "memory"))
        role = Role.KNOWN if known else Role.LEARNED if span.source.startswith("model") else Role.GUESS
        kept += judge(filters, [span], text, role=role, cued=span.source in _CUED)
    return kept


def trim_spans(spans: Iterable[Span], text: str) -> list[Span]:
    return [part for span in spans for part in trim_span(span, text)]


def trim_names(spans: Iterable[Span], text: str) -> list[Span]:
    return [part for span in spans for part in trim_name(span, text)]


def rescore(spans: Iterable[Span], known: Sequence[Span], text: str) -> list[Span]:
    return judge((Rescorer(MODEL),), spans, text, others=known)


def support(spans: Sequence[Span], seen: Sequence[Span], text: str) -> list[Span]:
    """The guesses that touch what a model saw."""
    layers = {"guesses": Layer("guesses", Role.GUESS, spans, near=MODEL), MODEL: Layer(MODEL, Role.LEARNED, seen)}
    note = Note(text, layers, layers, Thresholds.default())
    return [span for decision in require_support(layers["guesses"], note) for span in decision.became]
