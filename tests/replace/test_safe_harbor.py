"""Safe Harbor to the letter: each identifier of 45 CFR 164.514(b)(2)(i) with what the rule leaves of it."""

from dataclasses import replace

import pytest

from incognote.document import parse_markup
from incognote.facts import gather_facts, patient_key
from incognote.lexicon import word_list
from incognote.replace import MODES, Marks, load_policy, make_replacer, rewrite

KEY = b"k" * 32
# By the census of 2000, as in the HHS guidance of 26 November 2012, which asks for the newest; and by that of 2010.
RESTRICTED = sorted("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893".split() + "202 204 205 369 753 772".split())


def scrub(marked: str, mode: str = "redact", policy: str = "safe-harbor", clinicians: str | None = None) -> str:
    document = replace(parse_markup(marked), id="n1", patient="p1")
    facts = gather_facts([document])[patient_key(document)]
    replacer = make_replacer(mode, policy=load_policy(policy, clinicians=clinicians), key=KEY, marks=Marks(mask="same-length"))
    return rewrite(document, replacer.replace(document, facts))[0].text


REMOVED = {
    "A names": "<PATIENT>Mirela Kaczmarek</PATIENT>",
    "A names of relatives": "niece <PATIENT>Ileana</PATIENT>",
    "A employers": "<ORGANIZATION>Acme Steel</ORGANIZATION>",
    "B street": "<STREET>12 Oak Road</STREET>",
    "B city": "<CITY>Boston</CITY>",
    "B county": "<LOCATION-OTHER>Essex</LOCATION-OTHER>",
    "B county that is labelled as a state": "<STATE>Co. Mayo</STATE>",
    "B city that is labelled as a state": "<STATE>Bengaluru</STATE>",
    "B facility": "<HOSPITAL>Mercy Hospital</HOSPITAL>",
    "B room": "<ROOM>412B</ROOM>",
    "C date without a year": "<DATE>7/22</DATE>",
    "C weekday": "<DATE>Monday</DATE>",
    "C season": "<DATE>spring</DATE>",
    "C holiday": "<DATE>Christmas</DATE>",
    "C unreadable": "<DATE>the ides</DATE>",
    "D telephone": "<PHONE>617-253-0199</PHONE>",
    "E fax": "<FAX>617-253-0198</FAX>",
    "F e-mail": "<EMAIL>m.k@mercy.org</EMAIL>",
    "G social security": "<SSN>123-45-6789</SSN>",
    "H medical record": "<MEDICALRECORD>1234567</MEDICALRECORD>",
    "I health plan": "<HEALTHPLAN>XZ-99812</HEALTHPLAN>",
    "J account": "<ACCOUNT>88-1212</ACCOUNT>",
    "K licence": "<LICENSE>AB1234563</LICENSE>",
    "L vehicle": "<VEHICLE>1M8GDM9AXKP042788</VEHICLE>",
    "M device": "<DEVICE>SN 77-XK-9</DEVICE>",
    "N URL": "<URL>https://mercy.org/mk</URL>",
    "O IP address": "<IPADDR>10.1.2.3</IPADDR>",
    "P biometric": "<BIOID>FP-2213</BIOID>",
    "Q photograph": "<BIOID>IMG_0042.jpg</BIOID>",
    "R other number": "<IDNUM>A12-33-XZ9</IDNUM>",
    "R other characteristic": "<OTHER>rose tattoo</OTHER>",
    "R user name": "<USERNAME>mk204</USERNAME>",
}


@pytest.mark.parametrize("marked", REMOVED.values(), ids=REMOVED.keys())
@pytest.mark.parametrize("mode", MODES)
def test_the_eighteen_identifiers_go_in_every_mode(marked: str, mode: str) -> None:
    document = parse_markup(marked)
    value = document.value(document.spans[0])
    assert value.casefold() not in scrub(marked, mode).casefold()


@pytest.mark.parametrize("mode", MODES)
def test_no_day_passes_for_a_year(mode: str) -> None:
    for marked in (
        "on <DATE>July 28, 29, 30 and 31</DATE>",
        "on <DATE>July 22, 25</DATE>",
        "on <DATE>July 22nd 25</DATE>",
        "on <DATE>30</DATE>",
    ):
        assert not {"'", "2", "3"} & set(scrub(marked, mode))
    assert scrub("<DATE>22 July 25</DATE>, <DATE>July 22, '25</DATE>, <DATE>July 22, 61</DATE>", mode) == "'25, '25, '61"


KEPT = {
    "B state": ("<STATE>MA</STATE>", "MA"),
    "B state in full": ("<STATE>Massachusetts</STATE>", "Massachusetts"),
    "B country": ("<COUNTRY>Poland</COUNTRY>", "Poland"),
    "B country that is labelled as a state": ("<STATE>UK</STATE>", "UK"),
    "B ZIP": ("<ZIP>02139</ZIP>", "021**"),
    "B ZIP+4": ("<ZIP>02139-4307</ZIP>", "021**"),
    "C year of a date": ("<DATE>7/22/2061</DATE>", "2061"),
    "C year of an ISO time": ("<DATE>2061-07-22T10:00</DATE>", "2061"),
    "C year of a season": ("<DATE>spring of 2066</DATE>", "2066"),
    "C year": ("<DATE>2061</DATE>", "2061"),
    "C short year": ("<DATE>9-Nov-61</DATE>", "'61"),
    "C range": ("<DATE>July 2058 to 3/4/2061</DATE>", "2058-2061"),
    "C birth year": ("DOB <DATE>03/04/1990</DATE> seen <DATE>7/22/2061</DATE>", "DOB 1990 seen 2061"),
    "C age 89": ("<AGE>89</AGE>", "89"),
    "C age 90": ("<AGE>90</AGE>", "90+"),
    "C age 91": ("<AGE>91-year-old</AGE>", "90+ year old"),
    "C ninetieth birthday": ("<AGE>ninetieth</AGE> birthday", "90+ birthday"),
    "C ninety-first birthday": ("<AGE>ninety-first</AGE> birthday", "90+ birthday"),
    "C in her 90s": ("<AGE>in her 90s</AGE>", "90+"),
    "none: profession": ("<PROFESSION>teacher</PROFESSION>", "teacher"),
}


@pytest.mark.parametrize(("marked", "left"), KEPT.values(), ids=KEPT.keys())
@pytest.mark.parametrize("mode", MODES)
def test_what_the_rule_leaves_is_left_alike_in_every_mode(marked: str, left: str, mode: str) -> None:
    assert scrub(marked, mode) == left


@pytest.mark.parametrize("area", RESTRICTED)
def test_a_restricted_zip_area_becomes_000(area: str) -> None:
    assert scrub(f"<ZIP>{area}01</ZIP>") == "000**"


def test_a_restricted_zip_area_becomes_000_in_the_digits_of_any_script() -> None:
    assert scrub("<ZIP>８２１０１</ZIP> <ZIP>٨٢١٠١</ZIP> <ZIP>82101\u00a0-\u00a04307</ZIP>") == "000** 000** 000**"


def test_the_restricted_areas_are_those_of_the_guidance() -> None:
    assert sorted(word_list("restricted-zip3")) == RESTRICTED


@pytest.mark.parametrize(
    ("marked", "clean"),
    [
        ("<AGE>91</AGE> yo, born <DATE>3/4/1970</DATE>", "90+ yo, born ********"),
        ("class of <DATE>'49</DATE>", "class of ***"),
        ("class of <DATE>'15</DATE>", "class of '15"),
        ("served <DATE>1943</DATE> to <DATE>'44</DATE>", "served **** to ***"),
        ("DOB <DATE>1935</DATE>, seen <DATE>'19</DATE>", "DOB 1935, seen '19"),
        ("class of <DATE>'49</DATE>, married <DATE>1950</DATE>", "class of ***, married ****"),
        ("<AGE>hundredth</AGE> birthday, DOB: <DATE>1970</DATE>", "90+ birthday, DOB: ****"),
        ("<AGE>91</AGE> yo, DOB: <DATE>1970</DATE>", "90+ yo, DOB: ****"),
        ("DOB: <DATE>3/4/1970</DATE>, seen <DATE>7/22/2061</DATE>", "DOB: ********, seen 2061"),
        ("<DATE>3/4/1970</DATE>, seen <DATE>7/22/2061</DATE>", "********, seen 2061"),
        ("DOB: <DATE>3/4/72</DATE>, seen <DATE>7/22/2062</DATE>", "DOB: ******, seen 2062"),
        ("DOB: <DATE>3/4/73</DATE>, seen <DATE>7/22/2062</DATE>", "DOB: '73, seen 2062"),
        ("DOB: <DATE>3/4/1973</DATE>, seen <DATE>7/22/2062</DATE>, <AGE>89</AGE>", "DOB: 1973, seen 2062, 89"),
        ("DOB: <DATE>3/4/1931</DATE>, seen <DATE>7/22/23</DATE>", "DOB: ********, seen '23"),
        ("DOB: <DATE>3/4/1931</DATE>, wed <DATE>1952</DATE>, seen <DATE>7/22/23</DATE>", "DOB: ********, wed 1952, seen '23"),
        ("DOB: <DATE>3/4/31</DATE>, wed <DATE>1952</DATE>, seen <DATE>7/22/23</DATE>", "DOB: ******, wed 1952, seen '23"),
        ("DOB: <DATE>3/4/1934</DATE>, seen <DATE>7/22/23</DATE>", "DOB: 1934, seen '23"),
        ("date of birth <DATE>3/4/31</DATE>, no other date", "date of birth ******, no other date"),
        ("<AGE>91</AGE> yo, seen <DATE>7/22/2061</DATE>", "90+ yo, seen 2061"),
        ("moved here in <DATE>the 1960s</DATE>, seen <DATE>2061</DATE>", "moved here in *********, seen 2061"),
        ("turned <AGE>90</AGE> in <DATE>2019</DATE>, seen <DATE>2023</DATE>", "turned 90+ in ****, seen 2023"),
        ("<AGE>90th</AGE> birthday on <DATE>2 May 2016</DATE>; today <DATE>4 June 2023</DATE>", "90+ birthday on **********; today 2023"),
        ("At <AGE>88</AGE> in <DATE>2019</DATE> she had TAVR. Now <DATE>2024</DATE>", "At 88 in **** she had TAVR. Now 2024"),
        ("MI at <AGE>60</AGE> in <DATE>'90</DATE>, seen <DATE>3/4/23</DATE>", "MI at 60 in ***, seen '23"),
        ("MI in <DATE>2019</DATE> at age <AGE>60</AGE>, seen <DATE>2024</DATE>", "MI in 2019 at age 60, seen 2024"),
        ("retired in <DATE>1990</DATE> at <AGE>60</AGE>; now <AGE>93</AGE>", "retired in **** at 60; now 90+"),
        ("quit in <DATE>1998</DATE> at <AGE>40</AGE>; mother <AGE>93</AGE>", "quit in 1998 at 40; mother 90+"),
        ("father died in <DATE>1985</DATE> at age <AGE>72</AGE>, seen <DATE>2024</DATE>", "father died in 1985 at age 72, seen 2024"),
        ("<AGE>91</AGE> yo in <DATE>2061</DATE>", "90+ yo in 2061"),
        ("served <DATE>1943</DATE>-<DATE>1945</DATE>, seen <DATE>2021</DATE>", "served ****-****, seen 2021"),
        ("served <DATE>1967</DATE>-<DATE>1969</DATE>, seen <DATE>2021</DATE>", "served 1967-1969, seen 2021"),
        ("Year of birth: <DATE>1930</DATE>", "Year of birth: ****"),
        ("a <DATE>1929</DATE> baby, married <DATE>1950</DATE>", "a **** baby, married ****"),
        ("YOB <DATE>1985</DATE>, no other year", "YOB 1985, no other year"),
        ("Year of birth: <AGE>1985</AGE>", "Year of birth: ****"),
        (
            "born <DATE>12/30/2022</DATE>, <AGE>DOL 95</AGE>, <AGE>96 days</AGE> on <DATE>4/5/2023</DATE>",
            "born 2022, DOL 95, 96 days on 2023",
        ),
    ],
)
def test_a_year_that_shows_an_age_over_89_goes(marked: str, clean: str) -> None:
    assert scrub(marked) == clean


@pytest.mark.parametrize(
    "before",
    [
        *(
            "DOB: ",
            "D.O.B. ",
            "D/O/B ",
            "YOB ",
            "DOB (mm/dd/yyyy): ",
            "Date of birth\n",
            "Birthdate:\r\n\r\n",
            "born on a farm in Ohio in ",
        ),
        *("| DOB | Age |\n| ", "| Name | DOB |\n|---|---|\n| A. | ", "Name     DOB     Sex\nA.       ", "name,dob\nA.,"),
    ],
)
def test_the_birth_year_of_who_is_over_89_goes_however_it_is_named(before: str) -> None:
    assert scrub(f"{before}<DATE>03/04/1970</DATE>\nAge: <AGE>92</AGE>") == f"{before}**********\nAge: 90+"
    assert scrub(f"{before}<DATE>03/04/1970</DATE>\nAge: <AGE>62</AGE>") == f"{before}1970\nAge: 62"


def test_the_birth_year_that_a_known_patient_has_goes_when_over_89() -> None:
    document = replace(
        parse_markup("<DATE>03/04/1970</DATE> is on file, <AGE>92</AGE> now, seen <DATE>5/6/1980</DATE>"), id="n1", patient="p1"
    )
    known = document.with_spans([replace(document.spans[0], source="patients.birth"), *document.spans[1:]])
    replacer = make_replacer("redact", policy=load_policy("safe-harbor"), key=KEY, marks=Marks(mask="same-length"))
    assert replacer.replace(known, gather_facts([known])["p1"]) == ["**********", "90+", "1980"]


def test_an_age_over_89_in_one_note_takes_the_birth_year_in_another() -> None:
    one = replace(parse_markup("DOB: <DATE>3/4/1970</DATE>"), id="n1", patient="p1")
    two = replace(parse_markup("A <AGE>92</AGE> year old"), id="n2", patient="p1")
    replacer = make_replacer("redact", policy=load_policy("safe-harbor"), key=KEY, marks=Marks(mask="same-length"))
    assert replacer.replace(one, gather_facts([one, two])["p1"]) == ["********"]
    assert replacer.replace(one, gather_facts([one])["p1"]) == ["1970"]


def test_clinicians_are_removed_or_kept_by_option() -> None:
    marked = "<PATIENT>Ann Lee</PATIENT> saw Dr. <DOCTOR>Okafor</DOCTOR>"
    assert scrub(marked) == "******* saw Dr. ******"
    assert scrub(marked, clinicians="keep") == "******* saw Dr. Okafor"


@pytest.mark.parametrize("mode", MODES)
def test_a_patient_who_was_once_taken_for_a_clinician_is_not_kept_as_one(mode: str) -> None:
    marked = "Mr. <PATIENT>Jan Kowalczyk</PATIENT> left. <DOCTOR>kowalczyk</DOCTOR> called Dr. <DOCTOR>Okafor</DOCTOR>."
    clean = scrub(marked, mode, clinicians="keep")
    assert "kowalczyk" not in clean
    assert clean.endswith(" called Dr. Okafor.")


def test_a_limited_data_set_keeps_dates_towns_zip_codes_and_ages() -> None:
    marked = (
        "<PATIENT>Ann Lee</PATIENT>, <AGE>91</AGE>, of <STREET>12 Oak Road</STREET>, <CITY>Boston</CITY>, <STATE>MA</STATE> "
        "<ZIP>02139</ZIP>, <PHONE>617-253-0199</PHONE>, came <DATE>7/22/2061</DATE>"
    )
    assert scrub(marked, policy="limited-data-set") == "*******, 91, of ***********, Boston, MA 02139, ************, came 7/22/2061"
