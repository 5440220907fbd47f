"""Random gold and predictions for the oracles: notes whose predictions are right, shifted, relabelled, missed or invented."""

from random import Random

from incognote.document import Document, Span, word_tokens

LABELS = ("PATIENT", "DOCTOR", "DATE", "AGE", "IDNUM", "HOSPITAL")
WORDS = "Ann Lee saw Dr. Kaczmarek on 3/5/2067, aged 41y; MRN 22-7 at St. Mary's (José) — 3May 😀 ok.\n".split(" ")


def random_pairs(count: int, *, seed: int = 0) -> list[tuple[Document, Document]]:
    """Pairs of gold and predicted documents over the same text; about one in ten has no gold or no prediction."""
    rng = Random(seed)
    return [_random_pair(rng, f"n{at}", f"p{at // 3}") for at in range(count)]


def _random_pair(rng: Random, id: str, patient: str) -> tuple[Document, Document]:
    text = " ".join(rng.choices(WORDS, k=rng.randrange(1, 60)))
    gold = _random_spans(rng, text, 0.0 if rng.random() < 0.1 else 0.25)
    predicted = [] if rng.random() < 0.1 else _disturb(rng, gold, text)
    return Document(id, text, patient=patient, spans=tuple(gold)), Document(id, text, patient=patient, spans=tuple(predicted))


def _random_spans(rng: Random, text: str, share: float) -> list[Span]:
    spans, tokens, at = [], word_tokens(text), 0
    while at < len(tokens):
        if rng.random() < share:
            last = min(len(tokens) - 1, at + rng.randrange(3))
            spans.append(Span(tokens[at][0], tokens[last][1], rng.choice(LABELS)))
            at = last
        at += 1
    return spans


def _disturb(rng: Random, gold: list[Span], text: str) -> list[Span]:
    kept: list[Span] = []
    candidates = [_disturb_one(rng, span, text) for span in gold if rng.random() > 0.1] + _random_spans(rng, text, 0.03)
    for span in sorted(candidates):
        clear = not kept or kept[-1].end <= span.start
        if clear and not text[span.start].isspace() and not text[span.end - 1].isspace():
            kept.append(span)
    return kept


def _disturb_one(rng: Random, span: Span, text: str) -> Span:
    start, end, label = span.start, span.end, span.label
    if rng.random() < 0.15:
        start = max(0, min(end - 1, start + rng.randrange(-3, 4)))
    if rng.random() < 0.2:
        end = max(start + 1, min(len(text), end + rng.randrange(-4, 5)))
    if rng.random() < 0.15:
        label = rng.choice(LABELS)
    return Span(start, end, label)
