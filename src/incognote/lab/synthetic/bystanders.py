"""People beside the patient's own: the other patients of a list, the rest of a team, a clergyman, a policeman.

``someone`` and ``staff`` are someone new each time; ``someone2`` and ``staff2`` come back through the note.
"""

from random import Random

from incognote.lab.synthetic.contexts import NoteContext
from incognote.lab.synthetic.people import Person, Segment, make_person, pick_form, write_name
from incognote.lab.synthetic.vocabulary import shapes

_ROLES = ("attending", "nurse", "therapist", "socialworker", "doctor2", "resident")


def fill_other(slot: str, context: NoteContext, form: str) -> list[Segment]:
    """A patient, a relative or a bystander (``someone``), or one of the staff: not named before, or the one named before (``someone2``)."""
    rng, kind = context.rng, slot.rstrip("2")
    label = "DOCTOR" if kind == "staff" else "PATIENT"
    person = context.met.get(slot)
    if person is None:
        person = make_person(rng, context.chart.part, role=rng.choice(_ROLES) if kind == "staff" else "", locale=context.chart.locale)
    if slot != kind:
        context.met[slot] = person
    form = form or pick_form(rng, label)
    if form.startswith("title"):
        title = _title(person, kind, rng) if slot == kind else context.once(f"{slot} title", lambda rng: _title(person, kind, rng))
        return [(f"{title} ", ""), *write_name(person, form.removeprefix("title_"), label, rng)]
    return write_name(person, form, label, rng)


def _title(person: Person, kind: str, rng: Random) -> str:
    if kind == "staff":
        return rng.choice(shapes("titles")["staff"])
    return person.title if rng.random() < 0.5 else rng.choice(shapes("titles")["bystander"])
