import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span, parse_markup
from incognote.errors import ConfigError
from incognote.lab.study.priority import ABOVE, BELOW, OUT, learn_priorities, measure_disagreement, merge_by_priority
from incognote.merge import Role
from incognote.priorities import Priorities, load_priorities, save_priorities

GOLD = [
    parse_markup("<DATE>3 May</DATE> seen <PATIENT>Ann Lee</PATIENT>, id <IDNUM>77-1</IDNUM> and Graves", id=f"n{number}")
    for number in range(4)
]


def _span(document: Document, text: str, label: str, source: str) -> Span:
    start = document.text.index(text)
    return Span(start, start + len(text), label, source=source)


def _layers(*spans: tuple[str, str, str]) -> list[tuple[Span, ...]]:
    return [tuple(sorted(_span(document, *span) for span in spans)) for document in GOLD]


def test_a_rule_that_knows_better_than_the_model_is_put_above_it():
    model = _layers(("3", "DATE", "model.a"), ("Ann Lee", "PATIENT", "model.a"))
    policy = learn_priorities(_layers(("3 May", "DATE", "rules.date")), model, GOLD)
    assert policy.get("rules.date", BELOW) in (BELOW, ABOVE)
    model = _layers(("3 May seen", "DATE", "model.a"))
    policy = learn_priorities(_layers(("3 May", "DATE", "rules.date")), model, GOLD)
    assert policy.get("rules.date", BELOW) == ABOVE


def test_a_rule_that_fills_gaps_stays_and_one_that_errs_is_left_out():
    model = _layers(("3 May", "DATE", "model.a"))
    rules = _layers(("77-1", "IDNUM", "rules.id"), ("Graves", "PATIENT", "rules.name"))
    policy = learn_priorities(rules, model, GOLD)
    assert (policy.get("rules.id", BELOW), policy.get("rules.name", BELOW)) == (BELOW, OUT)
    found = merge_by_priority(rules[0], model[0], GOLD[0].text, policy)
    assert [span.label for span in found] == ["DATE", "IDNUM"]


def test_a_rule_seen_too_seldom_keeps_its_place():
    rules = [_layers(("Graves", "PATIENT", "rules.name"))[0], (), (), ()]
    policy = learn_priorities(rules, _layers(("3 May", "DATE", "model.a")), GOLD)
    assert policy.get("rules.name", BELOW) == BELOW


def test_recall_may_be_worth_more():
    rules = [_layers(("77-1", "IDNUM", "rules.id"))[0], *(_layers(("Graves", "IDNUM", "rules.id"))[1:])]
    model = _layers(("3 May", "DATE", "model.a"), ("Ann Lee", "PATIENT", "model.a"))
    assert learn_priorities(rules, model, GOLD).get("rules.id", BELOW) == OUT
    assert learn_priorities(rules, model, GOLD, beta=4).get("rules.id", BELOW) == BELOW


def test_precision_is_measured_only_where_rule_and_model_disagree():
    rules = _layers(("3 May", "DATE", "rules.date"), ("77-1", "IDNUM", "rules.id"), ("Graves", "PATIENT", "rules.name"))
    measured = measure_disagreement(rules, _layers(("3 May", "DATE", "model.a")), GOLD)
    assert {source: (one.found, one.differed, one.precision) for source, one in measured.items()} == {
        "rules.date": (4, 0, 0.0),
        "rules.id": (4, 4, 1.0),
        "rules.name": (4, 4, 0.0),
    }


spans = st.lists(
    st.builds(
        lambda start, size, label, source: Span(start, start + size, label, source=f"rules.{source}"),
        st.integers(0, 20),
        st.integers(1, 6),
        st.sampled_from(["DATE", "IDNUM"]),
        st.sampled_from("abc"),
    ),
    max_size=6,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(spans, min_size=4, max_size=4))
def test_the_learned_policy_is_never_worse_than_leaving_all_rules_below_the_model(rules):
    model = _layers(("3 May", "DATE", "model.a"), ("Ann", "PATIENT", "model.a"))

    def score(policy: Priorities) -> float:
        found = [
            set(merge_by_priority(rule, other, document.text, policy)) for rule, other, document in zip(rules, model, GOLD, strict=True)
        ]
        right = sum(len(one & set(document.spans)) for one, document in zip(found, GOLD, strict=True))
        return 2 * right / (sum(map(len, found)) + sum(len(document.spans) for document in GOLD))

    assert score(learn_priorities(rules, model, GOLD)) >= score({}) - 1e-12


def test_priorities_survive_their_file(tmp_path):
    priorities = {"rules.date": Role.EXACT, "rules.name": None}
    save_priorities(priorities, tmp_path / "priorities.json")
    assert load_priorities(tmp_path / "priorities.json") == priorities


def test_faults_of_a_priorities_file_are_all_listed(tmp_path):
    file = tmp_path / "priorities.json"
    file.write_text('{"priorities": {"rules.a": "high", "rules.b": 2, "rules.c": "OUT"}}')
    with pytest.raises(ConfigError) as caught:
        load_priorities(file)
    assert len(caught.value.faults) == 2
    file.write_text("[]")
    with pytest.raises(ConfigError, match="one key, priorities"):
        load_priorities(file)
    with pytest.raises(ConfigError, match="not a readable"):
        load_priorities(tmp_path / "none.json")
