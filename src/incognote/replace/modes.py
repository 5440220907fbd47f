"""The three modes, redact, placeholder and surrogate, behind one Replacer that follows a policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache, lru_cache

from incognote.document import Document, Span, normalize_value, scheme
from incognote.document.normalize import normalize_text
from incognote.errors import ConfigError
from incognote.facts import Fact, Facts, Place, patient_key
from incognote.replace.ages import OLDEST, cap_age
from incognote.replace.date_context import nearest_day, place_dates
from incognote.replace.entity_resolution import resolve_people
from incognote.replace.generalise import reveals_over_89, state_only, year_only, zip3
from incognote.replace.keeping import DOUBT, Keeping
from incognote.replace.keys import check_key
from incognote.replace.lifetimes import age_now, age_then
from incognote.replace.marks import DEFAULT_MARKS, Marks
from incognote.replace.name_reading import part_couple
from incognote.replace.numbering import Numbering, number_entities
from incognote.replace.plan import Plan, make_plan
from incognote.replace.policy import ALIASES, Policy
from incognote.replace.replacer import Replacer

MODES = ("redact", "placeholder", "surrogate")
NAMES = ("one", "varied")
KNOWN_SCHEME = "i2b2-2014"
# The actions that leave words of the note as they are.
_KEEPING = frozenset({"keep", "state"})


@dataclass(frozen=True, slots=True)
class Mention:
    """One span to replace, with its label in the scheme of the surrogates (``label``), its own label (``shown``) and its context.

    ``written`` is the value as written in the note; ``value`` is normalized. ``near`` is the nearest full date in the note.
    ``over_89`` says that the value shows an age over 89 that the policy hides, and that nothing of it may stay.
    """

    label: str
    shown: str
    written: str = field(repr=False)
    verdict: str
    value: str = field(repr=False)
    near: date | None = field(repr=False)
    over_89: bool = False
    place: Place = ("", 0)


@dataclass(frozen=True, slots=True)
class PolicyReplacer:
    """Replaces as the policy says, in one mode. The key is not in the repr."""

    mode: str
    policy: Policy
    key: bytes = field(repr=False)
    marks: Marks = DEFAULT_MARKS
    names: str = NAMES[0]

    def replace(self, document: Document, facts: Facts) -> list[str]:
        """The replacement of each span of the document."""
        plan, numbering = _prepare(self.mode, self.policy, self.key, patient_key(document), facts.freeze_places(), self.names == "varied")
        meanings = _meanings(self.policy.scheme)
        days = place_dates(document, meanings, plan.day_first)
        texts = []
        verdicts = self.judge_kept(document, facts)
        ages = {name for name, meaning in meanings.items() if meaning == "AGE"} or {"AGE"}
        for at, span in enumerate(document.spans):
            label = meanings.get(span.label, span.label)
            written = document.value(span)
            value = normalize_value(written)
            near = nearest_day(days, span.start) if label == "DATE" else None
            over_89 = label in ("DATE", "AGE") and self._shows_over_89(document, at, label, value, plan, ages)
            text = self._replace_one(
                Mention(label, span.label, written, verdicts[at], value, near, over_89, (document.id, span.start)), plan, numbering
            )
            # Where the note says "90+", the plus stands after the span.
            texts.append(text.removesuffix("+") if label == "AGE" and document.text.startswith("+", span.end) else text)
        return texts

    def leaves_order_open(self, document: Document, facts: Facts) -> bool:
        """Whether dates were shifted of which nothing says whether day or month comes first: intervals hold for month first only."""
        labels = {span.label for span in document.spans}
        dates = [label for label in labels if _meanings(self.policy.scheme).get(label, label) == "DATE"]
        actions = {self.policy.action(label) for label in dates}
        if not actions & ({"shift", "replace"} if self.mode == "surrogate" else {"shift"}):
            return False
        return _prepare(self.mode, self.policy, self.key, patient_key(document), facts.freeze_places(), self.names == "varied")[
            0
        ].order_open

    def _shows_over_89(self, document: Document, at: int, label: str, value: str, plan: Plan, ages: set[str]) -> bool:
        """Whether a date or an age shows, with the words and years around it, an age over 89 that the policy hides."""
        strict = self.policy.action(document.spans[at].label) == "year"
        if not strict and self.policy.action("AGE") == "keep":
            return False
        if label == "AGE":
            return (age_now(document, at) or 0) > OLDEST
        then = age_then(document, at, age_labels=ages)
        return reveals_over_89(value, plan.era, day_first=plan.day_first, then=then, strict=strict)

    def judge_kept(self, document: Document, facts: Facts) -> list[str]:
        """For each span, the evidence that keeps it as the policy says, ``doubt`` where there is too little, or ``""`` where it goes."""
        actions = [self.policy.action(span.label) for span in document.spans]
        if not _KEEPING & set(actions):
            return [""] * len(actions)
        keeping = _gather_keeping(self.policy, facts.freeze_evidence())
        meanings, text = _meanings(self.policy.scheme), normalize_text(document.text)

        def judge(span: Span, action: str) -> str:
            if action == "state":
                return DOUBT if keeping.shares_name(text[span.start : span.end]) else ""
            return keeping.judge(meanings.get(span.label, span.label), text, span.start, span.end) if action == "keep" else ""

        return [judge(*each) for each in zip(document.spans, actions, strict=True)]

    def _replace_one(self, mention: Mention, plan: Plan, numbering: Numbering) -> str:
        action = self._action(mention, numbering)
        if action == "keep":
            return mention.written
        mode = action if action in MODES else self.mode
        if general := GENERALISATIONS.get(action):
            text = general(mention, plan)
            if text is not None:
                return mention.written if text == mention.value else text
            mode = "redact" if mode == "surrogate" else mode
        if mode == "placeholder":
            return numbering.placeholder(mention.label, mention.value, self.marks, shown=mention.shown)
        if mode == "surrogate":
            return plan.surrogate(mention.label, mention.value, mention.near, place=mention.place) or self.marks.hide(mention.written)
        return self.marks.hide(mention.written)

    def _action(self, mention: Mention, numbering: Numbering) -> str:
        """As the policy says; what is kept must be proved, be the name of no one on the patient's side, and show no age over 89."""
        action = self.policy.action(mention.shown)
        if mention.over_89 and action not in MODES:
            return "placeholder" if self.mode == "placeholder" else "redact"
        if mention.verdict == DOUBT:
            return self.policy.action("PATIENT")
        if action == "keep" and mention.label == "DOCTOR":
            persons = (numbering.people.find(mention.label, whole) for _, whole in part_couple(mention.value))
            return self.policy.action("PATIENT") if any(person and "PATIENT" in person.labels for person in persons) else action
        return action


# Each returns None where no part of the value may stay: then a placeholder or a mask replaces it.
GENERALISATIONS: Mapping[str, Callable[[Mention, Plan], str | None]] = {
    "shift": lambda mention, plan: plan.shift_date(mention.value, mention.near),
    "year": lambda mention, plan: year_only(mention.value, day_first=plan.day_first),
    "zip3": lambda mention, plan: zip3(mention.value),
    "cap-age": lambda mention, plan: cap_age(mention.value),
    "state": lambda mention, plan: state_only(mention.value),
}


def make_replacer(mode: str, *, policy: Policy, key: bytes, marks: Marks = DEFAULT_MARKS, names: str = NAMES[0]) -> Replacer:
    """The replacer of a mode (redact, placeholder or surrogate) under a policy; ``marks`` say how masks and placeholders are written.

    ``names`` says whether a person has one surrogate name or several, by the place of the mention (``varied``)."""
    if names not in NAMES:
        raise ConfigError("names", [f"{names!r} is not known; it must be one of: {', '.join(NAMES)}"])
    return PolicyReplacer(find_mode(mode), policy, check_key(key, "key"), marks, names)


def find_mode(name: str) -> str:
    """The mode of this name or alias.

    >>> find_mode("redact"), find_mode("tag")
    ('redact', 'placeholder')
    """
    mode = ALIASES.get(name, name)
    if mode not in MODES:
        raise ConfigError("mode", [f"{name!r} is not a mode; it must be one of: {', '.join(MODES)}"])
    return mode


@lru_cache(maxsize=256)
def _prepare(
    mode: str, policy: Policy, key: bytes, patient: str, places: frozenset[tuple[Fact, Place, frozenset[str]]], varied: bool
) -> tuple[Plan, Numbering]:
    """The plan of a patient, cached because the notes of a patient often come in sequence; it holds only what the mode needs."""
    meanings = _meanings(policy.scheme)
    known: dict[Fact, Place] = {}
    cues: dict[Fact, frozenset[str]] = {}
    for (label, value), place, found in places:
        fact = (meanings.get(label, label), normalize_value(value))
        known[fact] = min(place, known.get(fact, place))
        cues[fact] = cues.get(fact, frozenset()) | set(map(normalize_value, found))
    facts = Facts(dict(sorted(known.items(), key=lambda item: (item[1], item[0]))), cues=cues)
    plan = make_plan(key, policy, patient, facts, surrogates=mode == "surrogate", varied=varied)
    numbered = mode == "placeholder" or "placeholder" in (policy.default, *policy.actions.values())
    # Keeping a clinician's name needs the persons, too.
    people = resolve_people(facts) if mode != "surrogate" and (numbered or policy.action("DOCTOR") == "keep") else plan.names.people
    return plan, number_entities(facts, people, day_first=plan.day_first) if numbered else Numbering(people, {})


@lru_cache(maxsize=256)
def _gather_keeping(policy: Policy, evidence: frozenset[tuple[Fact, frozenset[str]]]) -> Keeping:
    return Keeping.gather(evidence, _meanings(policy.scheme), clinicians=policy.action("DOCTOR") == "keep")


@cache
def _meanings(name: str) -> Mapping[str, str]:
    """A map from the labels of a scheme to those of the scheme that surrogates are made for."""
    known = scheme(name)
    return known.mapping(KNOWN_SCHEME) if name == KNOWN_SCHEME or KNOWN_SCHEME in known.maps else {}
