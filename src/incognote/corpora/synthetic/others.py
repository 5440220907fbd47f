"""People who are named once: the other patients of a list, the rest of a team, a clergyman, a policeman; someone new each time."""

from random import Random

from incognote.corpora.synthetic.people import Person, Segment, make_person, pick_form, write_name
from incognote.corpora.synthetic.scenes import Scene

# Callings that stand before a name of someone who is neither patient nor staff; the calling is no part of the span.
_CALLINGS = (
    "Rev.", "Fr.", "Father", "Pastor", "Rabbi", "Imam", "Sister", "Sr.", "Brother", "Deacon", "Chaplain", "Officer", "Ofc.", "Sgt.", "Sgt",
    "Det.", "Deputy", "Dep.", "Trooper", "Judge", "Hon.", "Coach", "Prof.", "Professor", "Principal", "Col.", "Capt.", "Lt.", "SFC",
    "Attorney",
    "Auntie", "Nana", "Grandma", "Uncle", "Cousin", "Smt.", "Shri", "Madam", "Mr. and Mrs.", "Señora", "Mx.", "Elder", "Councilman",
)  # fmt: skip
_STAFF_TITLES = ("Dr.", "Dr.", "Dr.", "Dr", "Nurse", "RN", "Sr", "Sister", "Prof.", "Prof", "CNA", "Tech", "Mr", "Ms.", "Charge RN", "PA")
_ROLES = ("attending", "nurse", "therapist", "socialworker", "doctor2", "resident")


def fill_other(slot: str, scene: Scene, form: str) -> list[Segment]:
    """A patient, a relative or a bystander (``someone``), or one of the staff, not named before."""
    rng = scene.rng
    label = "DOCTOR" if slot == "staff" else "PATIENT"
    person = make_person(rng, scene.chart.part, role=rng.choice(_ROLES) if slot == "staff" else "")
    form = form or pick_form(rng, label)
    if form.startswith("title"):
        return [(f"{_title(person, slot, rng)} ", ""), *write_name(person, form.removeprefix("title_"), label, rng)]
    return write_name(person, form, label, rng)


def _title(person: Person, slot: str, rng: Random) -> str:
    if slot == "staff":
        return rng.choice(_STAFF_TITLES)
    return person.title if rng.random() < 0.5 else rng.choice(_CALLINGS)
