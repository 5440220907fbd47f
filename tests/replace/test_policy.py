"""Policies: the shipped load, a user's own extends them, and faults are all named at once."""

from pathlib import Path

import pytest

from incognote.document import scheme
from incognote.errors import ConfigError
from incognote.replace import ACTIONS, load_policy, policy_names
from incognote.replace.preview import describe_policy


@pytest.mark.parametrize("name", policy_names())
def test_every_shipped_policy_loads_and_speaks_of_every_label(name: str) -> None:
    policy = load_policy(name)
    assert policy.title
    assert {policy.action(label) for label in scheme(policy.scheme).labels} <= set(ACTIONS)
    assert set(describe_policy(policy).labels) == set(scheme(policy.scheme).labels)


def test_the_i2b2_policy_keeps_nothing() -> None:
    policy = load_policy("i2b2")
    assert {policy.action(label) for label in scheme("i2b2-2014").labels} == {"replace"}


def test_an_unknown_label_is_replaced_not_kept() -> None:
    for name in policy_names():
        assert load_policy(name).action("UNHEARD-OF") == "replace"


def test_a_policy_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(
        'extends = "safe-harbor"\nclinicians = "keep"\n[actions]\nDATE = "shift"\n[dates]\nkeep_weekday = true\n'
    )
    policy = load_policy(tmp_path / "ours.toml")
    assert (policy.name, policy.action("DOCTOR"), policy.action("DATE"), policy.action("ZIP")) == ("ours", "keep", "shift", "zip3")
    assert policy.dates.keep_weekday
    (tmp_path / "theirs.toml").write_text('extends = "ours.toml"\n[actions]\nAGE = "replace"\n')
    assert load_policy(tmp_path / "theirs.toml").action("DATE") == "shift"


def test_a_policy_that_was_written_on_windows_is_read(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_bytes(b'\xef\xbb\xbfextends = "safe-harbor"\r\n[actions]\r\nDATE = "shift"\r\n')
    assert load_policy(tmp_path / "ours.toml").action("DATE") == "shift"


def test_another_scheme_has_its_own_labels(tmp_path: Path) -> None:
    (tmp_path / "es.toml").write_text('scheme = "meddocan"\n[actions]\nFECHAS = "shift"\nPAIS = "keep"\n')
    assert load_policy(tmp_path / "es.toml").action("FECHAS") == "shift"


def test_labels_that_rules_find_get_what_those_of_another_scheme_get_that_mean_the_same(tmp_path: Path) -> None:
    names = 'NOMBRE_SUJETO_ASISTENCIA = "redact"\nFECHAS = "shift"\nCENTRO_SALUD = "redact"\n'
    (tmp_path / "es.toml").write_text(f'scheme = "meddocan"\ndefault = "keep"\n[actions]\n{names}')
    policy = load_policy(tmp_path / "es.toml")
    assert [policy.action(label) for label in ("PATIENT", "DATE", "COUNTRY")] == ["redact", "shift", "keep"]
    assert policy.action("HOSPITAL") == "keep"  # a label of both


@pytest.mark.parametrize(("scheme", "label"), [("meddocan", "IDNUM"), ("meddocan", "ROOM"), ("i2b2-2014", "NOVEL")])
def test_a_label_that_the_scheme_has_no_one_answer_for_is_not_kept(tmp_path: Path, scheme: str, label: str) -> None:
    named = 'ID_CONTACTO_ASISTENCIAL = "redact"\n' if scheme == "meddocan" else ""
    (tmp_path / "p.toml").write_text(f'scheme = "{scheme}"\ndefault = "keep"\n[actions]\n{named}')
    assert load_policy(tmp_path / "p.toml").action(label) == "replace"


def test_all_faults_are_listed_at_once(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'clinicians = "maybe"\ndefault = "zip3"\n[actions]\nPATEINT = "keep"\nDATE = "zip3"\nAGE = "blur"\n[dates]\nmost_days = 0\n'
    )
    with pytest.raises(ConfigError) as caught:
        load_policy(tmp_path / "bad.toml")
    assert len(caught.value.faults) == 6
    text = str(caught.value)
    assert all(word in text for word in ("clinicians", "default", "did you mean PATIENT?", "for ZIP only", "'blur'", "most_days"))


def test_an_unknown_or_mistyped_setting_does_not_hide_the_other_faults(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(
        'extend = "i2b2"\ntitle = 3\n[actions]\nPATEINT = "keep"\nAGE = "year"\n[dates]\nmost_days = "x"\nkeep_weekdays = true\n'
    )
    with pytest.raises(ConfigError) as caught:
        load_policy(path)
    text = str(caught.value)
    assert len(caught.value.faults) == 6
    assert all(
        word in text for word in ("extends?", "title must be", "PATIENT?", "for DATE only", "dates.most_days must be", "keep_weekday?")
    )


def test_a_changed_policy_does_not_go_under_the_title_of_the_one_it_extends(tmp_path: Path) -> None:
    path = tmp_path / "ours.toml"
    path.write_text('extends = "safe-harbor"\n[actions]\nDATE = "keep"\n')
    assert "letter" in load_policy("safe-harbor").title
    assert load_policy(path).title == "as safe-harbor, but changed"
    path.write_text('title = "Ours"\nextends = "safe-harbor"\n')
    assert load_policy(path).title == "Ours"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[action]\nDATE = 'keep'\n", "did you mean actions?"),
        ("title = 3\n", "title must be a str"),
        ("[dates]\nkeep_weekday = 1\n", "keep_weekday must be a bool"),
        ("[dates]\nkeep_weekday = true\nmost_days = 5\n", "7 or more"),
        ("scheme = 'mine'\n", "scheme 'mine' is not known"),
        ("= nonsense", "is not TOML"),
        ("extends = 'me.toml'\n", "in a circle"),
    ],
)
def test_each_fault_says_what_to_mend(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "me.toml").write_text(content)
    with pytest.raises(ConfigError, match=said.replace("?", r"\?")):
        load_policy(tmp_path / "me.toml")


def test_an_unknown_policy_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean safe-harbor"):
        load_policy("safe-habor")
    with pytest.raises(ConfigError, match="shipped are: i2b2"):
        load_policy("nothing-like-it.toml")
    with pytest.raises(ConfigError, match="must be one of: remove, keep"):
        load_policy("i2b2", clinicians="hide")


def test_only_a_policy_that_moves_dates_tells_how_far() -> None:
    told = {name: "date shift" in describe_policy(load_policy(name)).as_table() for name in policy_names()}
    assert told == {"i2b2": True, "limited-data-set": False, "safe-harbor": False}


def test_dates_that_stay_in_their_season_are_told_to_move_no_further_than_they_do(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text("[dates]\nkeep_season = true\n")
    assert "date shift: up to 28 days, keeping the season" in describe_policy(load_policy(tmp_path / "p.toml")).as_table()
