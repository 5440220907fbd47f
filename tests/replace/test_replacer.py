"""The replacer in its three modes: pure, repeatable in any process and order, and silent about what it replaced."""

import json
import os
import pickle
import re
import subprocess
import sys
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, Span, parse_markup, scheme
from incognote.errors import ConfigError
from incognote.facts import Facts, gather_facts, patient_key
from incognote.replace import MODES, Marks, load_policy, make_replacer, rewrite
from incognote.replace.date_reading import read_dates
from tests.strategies import documents

KEY = b"k" * 32
LABELS = scheme("i2b2-2014").labels

ADMISSION = """PATIENT NAME: <PATIENT>KACZMAREK, MIRELA J.</PATIENT> MRN <MEDICALRECORD>1234567</MEDICALRECORD>
Admitted <DATE>7/22/2061</DATE> to <HOSPITAL>Mercy General Hospital</HOSPITAL>, <CITY>Boston</CITY>, <STATE>MA</STATE> <ZIP>02118</ZIP>.
Ms. <PATIENT>Kaczmarek</PATIENT>, <AGE>67</AGE>, <PROFESSION>welder</PROFESSION>, saw Dr. <DOCTOR>Jan Okafor</DOCTOR> on <DATE>7/25</DATE>.
Call <PHONE>617-253-0199</PHONE> or write <EMAIL>m.kaczmarek@mercy.org</EMAIL>. <DATE>Friday</DATE>, <IDNUM>A12-33-XZ9</IDNUM>."""
CLINIC = """Re: <PATIENT>Mirela Kaczmarek</PATIENT>, <DATE>August 5, 2061</DATE>, by <DOCTOR>J. Okafor</DOCTOR> at <HOSPITAL>MGH</HOSPITAL>
Her niece <PATIENT>Ileana</PATIENT> of <STREET>12 Oakwood Road</STREET>, <CITY>Boston</CITY>, has <PHONE>(617) 253-0199</PHONE>."""


def notes() -> list[Document]:
    return [replace(parse_markup(text), id=f"n{at}", patient="p1") for at, text in enumerate((ADMISSION, CLINIC))]


def scrub(
    documents: list[Document], *, mode: str = "surrogate", policy: str = "i2b2", key: bytes = KEY, marks: Marks = Marks()
) -> dict[str, str]:
    replacer = make_replacer(mode, policy=load_policy(policy), key=key, marks=marks)
    facts = gather_facts(documents)
    return {document.id: rewrite(document, replacer.replace(document, facts[patient_key(document)]))[0].text for document in documents}


@pytest.mark.parametrize("mode", MODES)
@given(document=documents(labels=LABELS), policy=st.sampled_from(["i2b2", "safe-harbor", "limited-data-set"]))
@settings(max_examples=150, deadline=None)  # the first example reads the word lists
def test_any_document_is_replaced_span_for_span_and_untouched_between(mode: str, document: Document, policy: str) -> None:
    facts = gather_facts([document]).get(patient_key(document), Facts())
    replacements = make_replacer(mode, policy=load_policy(policy), key=KEY).replace(document, facts)
    clean, edits = rewrite(document, replacements)
    between = [document.text[one:two] for one, two in _gaps(document.spans, len(document.text))]
    assert between == [clean.text[one:two] for one, two in _gaps([edit.after for edit in edits if edit.after], len(clean.text))]
    for span, text in zip(document.spans, replacements, strict=True):
        # Ages to 89 stay, and dates that name no day may come to lie in the same month or year.
        stays = mode == "surrogate" and span.label in ("AGE", "DATE")
        if load_policy(policy).action(span.label) == "replace" and not stays and not set(document.value(span)) <= set("*\r\n"):
            assert text != document.value(span)


def _gaps(spans: object, size: int) -> list[tuple[int, int]]:
    edges = [0, *(edge for span in spans if isinstance(span, Span) for edge in (span.start, span.end)), size]
    return list(zip(edges[::2], edges[1::2], strict=True))


@pytest.mark.parametrize("key", range(25))
def test_no_original_is_readable_in_the_output(key: int) -> None:
    clean = "\n".join(scrub(notes(), key=bytes([key]) * 32).values())
    for document in notes():
        for span in document.spans:
            if span.label not in ("DATE", "AGE"):
                assert not re.search(rf"(?<!\w){re.escape(document.value(span))}(?!\w)", clean, re.IGNORECASE)


def test_aliases_agree_across_notes_and_numbers_across_writings() -> None:
    one, two = scrub(notes()).values()
    family = re.search(r"Ms\. (\w+)", one)
    assert family
    name = re.search(rf"Re: (\w+) {family[1]}", two)
    assert name
    assert f"{family[1].upper()}, {name[1].upper()} " in one
    assert f"{name[1][0]}.{family[1]}@".lower() in one
    phone = re.search(r"Call (\d{3})-(\d{3}-\d{4})", one)
    assert phone
    assert f"({phone[1]}) {phone[2]}" in two


def test_dates_keep_their_distance_across_notes() -> None:
    one, two = scrub(notes()).values()
    before, after = re.search(r"Admitted (\S+) to", one), re.search(r", (.+?), by", two)
    assert before
    assert after
    days = [(read_dates(match[1], day_first=False) or [])[0].full for match in (before, after)]
    assert days[0]
    assert days[1]
    assert (days[1] - days[0]).days == 14


def test_tags_are_numbered_by_entity_across_notes() -> None:
    one, two = scrub(notes(), mode="placeholder").values()
    assert one.startswith(
        "PATIENT NAME: [PATIENT-1] MRN [MEDICALRECORD-1]\nAdmitted [DATE-1] to [HOSPITAL-1], [CITY-1], [STATE-1] [ZIP-1]."
    )
    assert two == (
        "Re: [PATIENT-1], [DATE-4], by [DOCTOR-1] at [HOSPITAL-2]\nHer niece [PATIENT-2] of [STREET-1], [CITY-1], has [PHONE-1]."
    )


@pytest.mark.parametrize(("count", "tag"), [(2, "[HOSPITAL-1]"), (600, "[HOSPITAL]")])
def test_a_value_like_a_known_one_has_its_number_unless_there_are_too_many_to_tell(count: int, tag: str) -> None:
    facts = Facts({("HOSPITAL", f"Mercy General {number:03}"): ("n1", number) for number in range(count)})
    document = replace(parse_markup("<HOSPITAL>Mercy Generl 000</HOSPITAL>"), id="n2", patient="p1")
    assert make_replacer("placeholder", policy=load_policy("i2b2"), key=KEY).replace(document, facts) == [tag]


def test_a_mask_of_the_same_length_is_as_long_as_what_it_covers_and_keeps_lines() -> None:
    marks = Marks(mask="same-length")
    for before, after in zip(notes(), scrub(notes(), mode="redact", marks=marks).values(), strict=True):
        assert len(before.text) == len(after)
        assert [len(line) for line in before.text.split("\n")] == [len(line) for line in after.split("\n")]
    assert marks.hide("a\r\nb c") == "*\r\n***"


@pytest.mark.parametrize(
    ("value", "hidden"), [("Bo", "***"), ("Bartholomew", "***"), ("12 Oak\nRoad", "***\n***"), ("a\r\nb c", "***\r\n***")]
)
def test_a_fixed_mask_says_nothing_of_the_length_and_keeps_lines(value: str, hidden: str) -> None:
    assert Marks().hide(value) == hidden


def test_masks_are_fixed_where_nothing_is_said() -> None:
    clean = scrub(notes(), mode="redact")
    assert all(not re.search(r"\*{4}|(?<!\*)\*{1,2}(?!\*)", text) for text in clean.values())
    assert "Ms. ***, ***, ***, saw Dr. *** on ***." in clean["n0"]


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("[{label}-{number}]", "[PATIENT-1] at [HOSPITAL-1]"),
        ("[{label}]", "[PATIENT] at [HOSPITAL]"),
        ("{{{label}}}", "{PATIENT} at {HOSPITAL}"),
        ("<{label}_{number}>", "<PATIENT_1> at <HOSPITAL_1>"),
        ("[**{label} {number}**]", "[**PATIENT 1**] at [**HOSPITAL 1**]"),
        ("{number}{label}", "1PATIENT at 1HOSPITAL"),
        ("“{label}”", "“PATIENT” at “HOSPITAL”"),
    ],
)
def test_placeholders_follow_their_template(template: str, text: str) -> None:
    document = replace(parse_markup("<PATIENT>Ann Lee</PATIENT> at <HOSPITAL>Mercy</HOSPITAL>"), id="n1", patient="p1")
    assert scrub([document], mode="placeholder", marks=Marks(placeholder=template))["n1"] == text


@pytest.mark.parametrize("template", ["[{label}-{number}]", "[{label}]", "<{label}_{number}>", "[**{label} {number}**]"])
def test_a_placeholder_without_a_number_loses_what_joins_it(template: str) -> None:
    assert Marks(placeholder=template).name("CITY") in {"[CITY]", "<CITY>", "[**CITY**]"}


@pytest.mark.parametrize(
    "template",
    ["", "[PHI]", "[{number}]", "[{label", "{label}}", "{name}", "{}", "{0}", "{label!r}", "{label:>9}", "{label.upper}", "{label}\n"],
)
def test_a_template_that_cannot_be_written_is_an_error_that_shows_one_that_can(template: str) -> None:
    with pytest.raises(ConfigError, match=r"\[\{label\}-\{number\}\]"):
        Marks(placeholder=template)


def test_an_unknown_mask_is_an_error_that_names_the_masks() -> None:
    with pytest.raises(ConfigError, match="fixed, same-length"):
        Marks(mask="stars")


@pytest.mark.parametrize("marks", [Marks(), Marks(mask="same-length")])
def test_spans_of_masks_stand_where_the_masks_stand(marks: Marks) -> None:
    for document in notes():
        facts = gather_facts(notes())[patient_key(document)]
        clean, _ = rewrite(document, make_replacer("redact", policy=load_policy("i2b2"), key=KEY, marks=marks).replace(document, facts))
        assert all(set(clean.value(span)) <= set("*\n") for span in clean.spans)
        assert len(clean.spans) == len(document.spans)


@pytest.mark.parametrize("mode", MODES)
def test_the_order_of_the_notes_does_not_matter(mode: str) -> None:
    forward = scrub(notes(), mode=mode)
    assert scrub(notes()[::-1], mode=mode) == forward
    facts = gather_facts(notes())["p1"]
    shuffled = Facts(dict(reversed(list(facts.places.items()))))
    replacer = make_replacer(mode, policy=load_policy("i2b2"), key=KEY)
    assert replacer.replace(notes()[0], shuffled) == replacer.replace(notes()[0], facts)


def test_values_that_the_facts_lack_do_not_change_later_answers() -> None:
    facts = gather_facts(notes())["p1"]
    policy = load_policy("i2b2")
    stranger = replace(
        parse_markup("<PATIENT>Kaczmerek</PATIENT> <CITY>Salem</CITY> <STATE>OH</STATE> <DOCTOR>Zed</DOCTOR> <ZIP>44101</ZIP>"),
        id="n9",
        patient="p1",
    )
    fresh = make_replacer("surrogate", policy=policy, key=b"another key, not yet used" * 2)
    first = fresh.replace(notes()[0], facts)
    alone = fresh.replace(stranger, facts)
    from incognote.replace.modes import _prepare

    _prepare.cache_clear()
    assert fresh.replace(stranger, facts) == alone
    assert fresh.replace(notes()[0], facts) == first


CHILD = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tests.replace.test_replacer import notes, scrub
print(json.dumps({mode: scrub(notes(), mode=mode) for mode in ("redact", "placeholder", "surrogate")}))
"""


@pytest.mark.parametrize("seed", ["0", "1234"])
def test_the_same_key_gives_the_same_output_in_another_process(seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, os.getcwd()], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
    )
    assert json.loads(done.stdout) == {mode: scrub(notes(), mode=mode) for mode in MODES}


def test_another_key_or_patient_gives_another_output() -> None:
    here = scrub(notes())
    assert here != scrub(notes(), key=b"x" * 32)
    assert here != scrub([replace(note, patient="p2") for note in notes()])
    assert scrub(notes(), mode="placeholder") == scrub(notes(), mode="placeholder", key=b"x" * 32)


def test_a_new_note_leaves_the_surrogates_of_the_old_ones_as_they_were() -> None:
    late = replace(
        parse_markup("<PATIENT>Kaczmarek</PATIENT> at <CITY>Lowell</CITY> on <DATE>1/2/2062</DATE>, Dr. <DOCTOR>Ames</DOCTOR>"),
        id="n7",
        patient="p1",
    )
    before = scrub(notes())
    after = scrub([*notes(), late])
    assert {id: after[id] for id in before} == before


def test_a_replacer_travels_by_pickle_and_hides_its_key() -> None:
    replacer = make_replacer("surrogate", policy=load_policy("safe-harbor"), key=KEY)
    facts = gather_facts(notes())["p1"]
    assert pickle.loads(pickle.dumps(replacer)).replace(notes()[0], facts) == replacer.replace(notes()[0], facts)
    assert "kkkk" not in repr(replacer)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match="redact, placeholder, surrogate"):
        make_replacer("blur", policy=load_policy("i2b2"), key=KEY)


def test_tag_is_an_older_name_of_placeholder_for_a_mode_and_an_action(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('default = "tag"\nactions = { DATE = "tag" }\n')
    policy = load_policy(tmp_path / "own.toml")
    assert (policy.default, policy.action("DATE")) == ("placeholder", "placeholder")
    assert make_replacer("tag", policy=policy, key=KEY) == make_replacer("placeholder", policy=policy, key=KEY)


def test_labels_of_another_scheme_get_surrogates_too(tmp_path: Path) -> None:
    path = tmp_path / "es.toml"
    path.write_text('scheme = "meddocan"\n')
    document = parse_markup("<NOMBRE_SUJETO_ASISTENCIA>Ana Ruiz</NOMBRE_SUJETO_ASISTENCIA> vino el <FECHAS>22/07/2061</FECHAS>")
    facts = gather_facts([document])[patient_key(document)]
    name, day = make_replacer("surrogate", policy=load_policy(path), key=KEY).replace(document, facts)
    assert re.fullmatch(r"\w+ \w+", name)
    assert re.fullmatch(r"\d\d/\d\d/206\d", day)
    tags = make_replacer("placeholder", policy=load_policy(path), key=KEY).replace(document, facts)
    assert tags == ["[NOMBRE_SUJETO_ASISTENCIA-1]", "[FECHAS-1]"]


def test_a_label_that_nobody_knows_is_masked() -> None:
    document = Document("n1", "secret", spans=(Span(0, 6, "NOVEL"),))
    facts = gather_facts([document])["document:n1"]
    assert make_replacer("surrogate", policy=load_policy("safe-harbor"), key=KEY).replace(document, facts) == ["***"]


REALISTIC = {
    "PATIENT": ["Adam West", "WEST, ADAM", "Mary Park", "Li Wu", "José Núñez", "van Dyke", "Ann", "Smith", "A.W.", "Jordan"],
    "DOCTOR": ["West", "Jordan Smith", "Dr. Hill", "Park", "Reed", "AW", "O'Hara", "Georgia Brown"],
    "HOSPITAL": ["West Park Hospital", "Mercy", "MGH", "General Hospital", "St. Ann's", "Georgetown Medical Center"],
    "ORGANIZATION": ["Park Bank", "Smith and Sons", "Hill Street School"],
    "STREET": ["12 Park Street", "5 West Hill Road", "P.O. Box 12"],
    "CITY": ["Georgetown", "Paris", "Boston", "Hill City", "Jordan"],
    "STATE": ["MA", "Georgia", "West Virginia", "OH"],
    "COUNTRY": ["Jordan", "Georgia", "Poland"],
    "ZIP": ["02118", "30301", "44101-1234"],
    "ROOM": ["12", "4 West", "Room 5"],
    "DEPARTMENT": ["Cardiology", "Department of Surgery"],
    "PHONE": ["555-0101", "617-555-0102", "x12"],
    "MEDICALRECORD": ["12", "1234567", "A-1"],
    "USERNAME": ["aw12", "west", "jsmith"],
    "EMAIL": ["adam.west@park.org", "j.smith@example.org"],
    "URL": ["example.org", "www.park.org"],
    "IPADDR": ["192.0.2.1"],
    "PROFESSION": ["baker", "retired teacher"],
    "SSN": ["123-45-6789", "6789"],
}
values = st.sampled_from([(label, value) for label, of_label in REALISTIC.items() for value in of_label])


@given(mentions=st.lists(values, min_size=1, max_size=25, unique=True), key=st.binary(min_size=16, max_size=16))
@settings(max_examples=300)
def test_no_surrogate_is_a_real_value_even_where_names_are_streets_and_states(mentions: list[tuple[str, str]], key: bytes) -> None:
    text, spans = "", []
    for label, value in mentions:
        spans.append(Span(len(text), len(text) + len(value), label))
        text += f"{value} ; "
    document = Document("n1", text, patient="p1", spans=tuple(spans))
    new = make_replacer("surrogate", policy=load_policy("i2b2"), key=key).replace(document, gather_facts([document])["p1"])
    for surrogate in new:
        for _, value in mentions:
            if len(value) > 2:
                assert not re.search(rf"(?<!\w){re.escape(value)}(?!\w)", surrogate, re.IGNORECASE), (surrogate, value)


def test_a_date_without_a_year_takes_it_from_the_nearest_full_date() -> None:
    document = replace(
        parse_markup("<DATE>2/28</DATE> <DATE>1/1/2060</DATE> long after this <DATE>1/1/2061</DATE> <DATE>2/28</DATE>"), patient="p1"
    )
    facts = gather_facts([document])["p1"]
    for key in range(40):
        first, one, two, last = make_replacer("surrogate", policy=load_policy("i2b2"), key=bytes([key]) * 32).replace(document, facts)
        for short, long, apart in ((first, one, 58), (last, two, 58)):
            full = (read_dates(long, day_first=False) or [])[0].full
            assert full
            assert short == f"{(full + timedelta(apart)).month}/{(full + timedelta(apart)).day}"


def test_a_day_alone_takes_its_month_from_the_nearest_date_with_one() -> None:
    document = parse_markup("seen <DATE>3/12</DATE>, next the <DATE>19th</DATE>", id="n1")
    for key in range(20):
        seen, after = scrub([document], key=bytes([key]) * 32)["n1"].split(", next the ")
        month, day = map(int, seen.removeprefix("seen ").split("/"))
        assert int(after[:-2]) == (date(2060, month, day) + timedelta(7)).day


def test_the_time_grows_with_the_note_and_not_faster() -> None:
    line = parse_markup("<DATE>7/22/2061</DATE> and <DATE>7/25</DATE> Dr. <DOCTOR>Okafor</DOCTOR> ")
    replacer = make_replacer("surrogate", policy=load_policy("i2b2"), key=KEY)
    took = []
    for times in (500, 5000):
        spans = tuple(span.shift(at * len(line.text)) for at in range(times) for span in line.spans)
        document = Document("n1", line.text * times, patient="p1", spans=spans)
        facts = gather_facts([document])["p1"]
        replacer.replace(document, facts)
        start = time.process_time()
        replacer.replace(document, facts)
        took.append(time.process_time() - start)
    assert took[1] < 40 * took[0] + 0.05
