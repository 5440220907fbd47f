"""Known patients: every value of the roster is found in that patient's notes, and a bad roster is refused whole."""

import pickle
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incognote.document import Document
from incognote.errors import ConfigError, CorpusError
from incognote.memory.patients import Roster

HEADER = (
    "patient_id,first name,middle,Last Name,maiden_name,nickname,DOB,MRN,SSN,Phones,email,address,city,state,zip,relatives,employer,sex"
)
ROW = (
    "p1,Mirela,Jadwiga,Kaczmarek,Nowak,Mimi,1961-03-04,00-448-120,123-45-6789,(218) 555-0162; 218-555-0199,"
    'mk@lake.example,"14 Birch Avenue, Apt 2",'
    "Cloquet,Minnesota,55720,Ileana Kaczmarek; Tomasz Nowak,Marlow's Foods,F"
)


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return read(tmp_path, HEADER, ROW)


def read(folder: Path, *lines: str) -> Roster:
    path = folder / "patients.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Roster.from_csv(path)


def found(roster: Roster, text: str, patient: str = "p1") -> list[tuple[str, str]]:
    return [(span.label, text[span.start : span.end]) for span in roster.find(Document("n", text, patient=patient))]


@pytest.mark.parametrize(
    ("text", "label", "written"),
    [
        ("Ms. Kaczmarek came", "PATIENT", "Kaczmarek"),
        ("KACZMAREK, MIRELA J.", "PATIENT", "KACZMAREK, MIRELA J"),
        ("mirela was asleep", "PATIENT", "mirela"),
        ("called Mimi by all", "PATIENT", "Mimi"),
        ("née Nowak", "PATIENT", "Nowak"),
        ("told Kaczmrek today", "PATIENT", "Kaczmrek"),
        ("her niece Ileana", "PATIENT", "Ileana"),
        ("nephew tomasz nowak", "PATIENT", "tomasz nowak"),
        ("born 3/4/1961", "DATE", "3/4/1961"),
        ("born 03/04/61", "DATE", "03/04/61"),
        ("born 4.3.1961", "DATE", "4.3.1961"),
        ("born 4 March 1961", "DATE", "4 March 1961"),
        ("born Mar 4 '61", "DATE", "Mar 4 '61"),
        ("born March 4th, 1961", "DATE", "March 4th, 1961"),
        ("born the 4th of March 1961", "DATE", "4th of March 1961"),
        ("born 1961-03-04", "DATE", "1961-03-04"),
        ("born 04MAR1961", "DATE", "04MAR1961"),
        ("born 19610304", "DATE", "19610304"),
        ("chart 00448120", "MEDICALRECORD", "00448120"),
        ("chart 448120", "MEDICALRECORD", "448120"),
        ("ss 123 45 6789", "SSN", "123 45 6789"),
        ("ph 2185550162", "PHONE", "2185550162"),
        ("ph 555.0199", "PHONE", "555.0199"),
        ("MK@LAKE.EXAMPLE", "EMAIL", "MK@LAKE.EXAMPLE"),
        ("at 14 birch ave apt 2", "STREET", "14 birch ave apt 2"),
        ("at 14 Birch Ave.", "STREET", "14 Birch Ave"),
        ("from Cloquet", "CITY", "Cloquet"),
        ("in MINNESOTA", "STATE", "MINNESOTA"),
        ("zip 55720", "ZIP", "55720"),
        ("works at Marlows Foods", "ORGANIZATION", "Marlows Foods"),
        ("log mkaczmarek", "USERNAME", "mkaczmarek"),
    ],
)
def test_every_value_is_found_however_it_is_written(roster: Roster, text: str, label: str, written: str) -> None:
    assert (label, written) in found(roster, text)


@pytest.mark.parametrize(
    "text", ["ratio 34/1961", "3/4 strength", "Dr. Jan Roe", "on 3/5/1961", "BP 128/84", "the city of Duluth", "448.120 mg"]
)
def test_other_text_is_left_alone(roster: Roster, text: str) -> None:
    assert found(roster, text) == []


def test_a_patient_is_sought_in_her_own_notes_only(roster: Roster) -> None:
    assert found(roster, "Mirela Kaczmarek", patient="p2") == []
    assert found(roster, "Mirela Kaczmarek", patient="") == []


def test_the_source_names_the_kind(roster: Roster) -> None:
    spans = roster.find(Document("n", "Kaczmarek 3/4/1961 55720", patient="p1"))
    assert [span.source for span in spans] == ["patients.name", "patients.birth", "patients.zip"]


def test_rows_of_one_patient_add_up(tmp_path: Path) -> None:
    roster = read(tmp_path, "id,name,phone", "p1,Ana Ruiz,218-555-0162", "p1,Ana Ortega,218-555-0163")
    text = "Ruiz, later Ortega, 2185550162 or 2185550163"
    assert len(found(roster, text)) == 4


def test_a_full_name_column_and_one_line_address_will_do(tmp_path: Path) -> None:
    roster = read(tmp_path, "ID,Name,Address", '7,"van der Berg, Ludwig","9 Oak St, Duluth, MN 55801"')
    text = "Ludwig van der Berg, 9 Oak Street, Duluth 55801"
    assert [label for label, _ in found(roster, text, patient="7")] == ["PATIENT", "STREET", "CITY", "ZIP"]


def test_all_faults_are_listed_at_once_and_hold_no_value(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, "id,name,dob", ",Ana Ruiz,1961-01-02", "p2,Jose Ruiz,sometime", "p3,Tom")
    assert [fault.partition(":")[0] for fault in error.value.faults] == ["line 2", "line 3", "line 4"]
    assert not any(value in str(error.value) for value in ("Ana", "Jose", "sometime", "Tom"))


def test_a_file_without_an_id_column_or_with_strange_ones_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, "name,shoe size", "Ana Ruiz,38")
    assert len(error.value.faults) == 2
    with pytest.raises(ConfigError):
        read(tmp_path, "")


@pytest.mark.parametrize("first", ["p1,Ana Ruiz,1961-01-02", "p1,Ana Ruiz,mother"])
def test_a_file_without_a_header_is_refused_and_its_first_patient_not_named(tmp_path: Path, first: str) -> None:
    with pytest.raises(ConfigError) as error:
        read(tmp_path, first, "p2,Jose Ruiz,")
    assert "line 1" in str(error.value)
    assert "Ana" not in str(error.value)


def test_a_file_that_is_no_text_or_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "patients.csv"
    with pytest.raises(CorpusError, match="cannot be read"):
        Roster.from_csv(path)
    path.write_bytes(b"id,name\np1,Andr\xe9\n")
    with pytest.raises(CorpusError, match="UTF-8"):
        Roster.from_csv(path)


def test_a_roster_can_be_pickled_and_shows_no_value(roster: Roster) -> None:
    again = pickle.loads(pickle.dumps(roster))
    assert found(again, "Kaczmarek") == [("PATIENT", "Kaczmarek")]
    assert repr(roster) == "Roster(1 patients)"


@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2060, 12, 31)), st.data())
def test_any_birth_date_is_found_in_any_common_form(day: date, data: st.DataObject) -> None:
    roster = Roster({"p": (("birth", day.isoformat()),)})
    form = data.draw(st.sampled_from(["%m/%d/%Y", "%d.%m.%y", "%B %d, %Y", "%d %b %Y", "%Y-%m-%d", "%d-%b-%y", "%b %d, '%y"]))
    text = f"born {day.strftime(form)} at home"
    assert [text[span.start : span.end] for span in roster.find(Document("n", text, patient="p"))] == [day.strftime(form)]
