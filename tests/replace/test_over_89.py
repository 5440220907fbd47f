"""Under a policy that hides ages over 89, no date and no other age lets a reader compute one."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from incognote.document import parse_markup
from incognote.facts import gather_facts
from incognote.replace import MODES, Marks, Policy, load_policy, make_replacer, rewrite

KEYS = [bytes([number]) * 32 for number in range(1, 11)]


def scrub(marked: str, *, policy: Policy | None = None, mode: str = "surrogate", key: bytes = KEYS[0]) -> str:
    document = replace(parse_markup(marked), id="n1", patient="p1")
    replacer = make_replacer(mode, policy=policy or load_policy("i2b2"), key=key, marks=Marks(mask="same-length"))
    return rewrite(document, replacer.replace(document, gather_facts([document])["p1"]))[0].text


@pytest.fixture
def capped(tmp_path: Path) -> Policy:
    """A limited data set whose ages are capped: its dates stay, but for those that show an age over 89."""
    (tmp_path / "capped.toml").write_text('extends = "limited-data-set"\n[actions]\nAGE = "cap-age"\n')
    return load_policy(tmp_path / "capped.toml")


# Of each text the numbers that must go: the rest is only needed to read it.
TELLING = [
    ("DOB <DATE>3/4/1925</DATE>, seen <DATE>2/3/2020</DATE>, <AGE>94</AGE>", "DOB (.*), seen"),
    ("Born in <DATE>1925</DATE>, admitted <DATE>2/3/2020</DATE>, <AGE>90</AGE>+", "Born in (.*), admitted"),
    ("D.O.B.: <DATE>14-Jul-1928</DATE> Visit <DATE>2-Oct-2023</DATE>", "B.: (.*) Visit"),
    ("YOB <DATE>1929</DATE>. Last seen <DATE>June 2021</DATE>.", "YOB (.*). Last"),
    ("born in the <DATE>1920s</DATE>, seen <DATE>2/3/2020</DATE>", "the (.*), seen"),
    ("DOB <DATE>3/4/31</DATE>, visit <DATE>4/5/2024</DATE>, <AGE>93</AGE>", "DOB (.*), visit"),
    ("DOB <DATE>3/4/28</DATE>, no other year", "DOB (.*), no"),
    ("DOB <DATE>3/4/31</DATE>, visit <DATE>4/5/24</DATE>", "DOB (.*), visit"),
    ("graduated high school in <DATE>1943</DATE>, seen <DATE>5/6/2021</DATE>", "in (.*), seen"),
    ("finished nursing school <DATE>1945</DATE>; today <DATE>5/6/2021</DATE>", "school (.*); today"),
    ("Class of <DATE>'43</DATE>; today <DATE>7/7/2022</DATE>", "of (.*); today"),
    ("WWII veteran, Pacific theatre <DATE>1943</DATE>, seen <DATE>4/4/2019</DATE>", "theatre (.*), seen"),
    ("served in the Pacific from 1943 to <DATE>1945</DATE>; seen <DATE>4/4/2020</DATE>", "to (.*); seen"),
    ("started working at the mill in <DATE>1941</DATE>, seen <DATE>4/4/2020</DATE>", "in (.*), seen"),
    ("retired from the Navy in <DATE>1972</DATE> after thirty years; seen <DATE>4/4/2022</DATE>", "in (.*) after"),
    ("Married <DATE>June 5, 1947</DATE>. Clinic <DATE>4/4/2022</DATE>", "Married (.*). Clinic"),
    ("widowed in <DATE>1946</DATE>, admitted <DATE>4/4/2022</DATE>", "in (.*), admitted"),
    ("turned <AGE>90</AGE> in <DATE>2015</DATE>, seen <DATE>6/10/2020</DATE>", "in (.*), seen"),
    ("His <AGE>90th</AGE> birthday was on <DATE>6/1/2015</DATE>; seen <DATE>6/10/2020</DATE>", "on (.*); seen"),
    ("came over in <DATE>1948</DATE> at age <AGE>22</AGE>, seen <DATE>2/2/2024</DATE>", "in (.*) at age"),
    ("Retired at age <AGE>65</AGE>, 28 years ago; <AGE>93</AGE>", "age (.*), 28"),
    ("<AGE>92</AGE>. Retired thirty years ago at <AGE>62</AGE>.", "at (.*)\\."),
    ("TAVR at <AGE>88</AGE>, five years ago", "at (.*), five"),
    ("smoking since age <AGE>15</AGE>, for 80 years", "age (.*), for"),
    ("married <AGE>77</AGE> years to the same man", "married (.*) years"),
    ("they have been together for <AGE>76</AGE> years", "for (.*) years"),
]


@pytest.mark.parametrize(("marked", "where"), TELLING)
def test_no_number_is_left_that_shows_an_age_over_89(marked: str, where: str, capped: Policy) -> None:
    for key in KEYS:
        for policy, mode in ((load_policy("i2b2"), "surrogate"), (load_policy("safe-harbor"), "redact"), (capped, "surrogate")):
            match = re.search(where, scrub(marked, policy=policy, mode=mode, key=key))
            assert match
            assert set(match[1]) == {"*"}


@pytest.mark.parametrize("mode", MODES)
def test_what_shows_an_age_over_89_is_a_placeholder_among_placeholders(mode: str, capped: Policy) -> None:
    clean = scrub("DOB <DATE>3/4/1925</DATE>, seen <DATE>2/3/2020</DATE>", policy=capped, mode=mode)
    assert clean == {"placeholder": "DOB [DATE-1], seen 2/3/2020"}.get(mode, "DOB ********, seen 2/3/2020")


@pytest.mark.parametrize(
    "marked",
    [
        "DOB <DATE>3/4/1970</DATE>, seen <DATE>2/3/2020</DATE>, <AGE>49</AGE>; mother alive at <AGE>93</AGE>",
        "DOB <DATE>3/4/1931</DATE>, seen <DATE>2/3/2020</DATE>, <AGE>88</AGE>",
        "graduated high school in <DATE>1973</DATE>, seen <DATE>5/6/2021</DATE>",
        "retired at <AGE>62</AGE>, 10 years ago, on <DATE>5/6/2021</DATE>",
        "<AGE>70</AGE> yo with diabetes for 30 years, seen <DATE>5/6/2021</DATE>",
        "DOB <DATE>12/3/87</DATE>, no other year",
        "DOB <DATE>01/31/67</DATE>, seen <DATE>3/4/24</DATE>, <AGE>57</AGE>",
        "DOB <DATE>1/31/1967</DATE>, admitted <DATE>6-11-93</DATE>, seen <DATE>5/6/2021</DATE>, next <DATE>6/25/23</DATE>",
        "seen <DATE>3/4/2204</DATE>, a typo, and <DATE>5/6/2024</DATE>",
        "retired in <DATE>2002</DATE> after 30 years, seen <DATE>5/6/2024</DATE>",
        "Wed <DATE>3/4/1950</DATE>, <AGE>20</AGE>",
        "married <AGE>60</AGE> years",
    ],
)
def test_what_shows_no_age_over_89_is_not_masked(marked: str) -> None:
    assert "*" not in scrub(marked)


def test_a_policy_that_keeps_ages_keeps_what_shows_them() -> None:
    marked = "<AGE>95</AGE>, DOB <DATE>3/4/1925</DATE>, retired at <AGE>65</AGE>, 30 years ago, seen <DATE>5/6/2020</DATE>"
    assert scrub(marked, policy=load_policy("limited-data-set")) == re.sub("<[^>]*>", "", marked)


def test_the_plus_of_an_age_is_not_doubled() -> None:
    assert scrub("She is <AGE>90</AGE>+ and <AGE>95</AGE> is next") == "She is 90+ and 90+ is next"
