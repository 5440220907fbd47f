"""The table of PHI slots: which there are and which forms each takes; plain slots are the files of ``fillers/``."""

from collections.abc import Mapping

_PERSON = "full first last last_first title_last title_full initials first_initial last_initial initial_last"
_KIN = f"{_PERSON} nick relation their"
# Someone new each time they are named: lists of patients and teams.
OTHERS = ("someone", "staff")
# The same bystander, or one of the staff, through a whole note.
RETURNING = ("someone2", "staff2")
_DATE = "slash iso compact long short md dmy mon"
_BODY = "short"
DOCTORS = (
    "attending pcp consultant surgeon resident radiologist nurse therapist pathologist socialworker doctor2 doctor3 "
    "anesthesiologist pharmacist midwife"
).split()
KIN = ("relative", "relative2")
DATES = (
    "admit discharge today dob date.past date.recent date.future date.year date.month date.weekday date.season date.holiday "
    "date.range date.decade date.birth"
).split()
AGES = "age age.relative age.onset age.baby age.decade age.other age.days age.words".split()
PLACES = (
    "department room room.other road street city county state zip country address city2 state2 country2 place school insurer pharmacy "
    "agency nursinghome employer service profession profession2"
).split()
CONTACTS = "phone phone2 phone.pager phone.ext phone.short phone.other phone.spoken fax email email.doctor url ip".split()
IDS = (
    "mrn account ssn ssn.last4 healthplan license license.driver npi dea vehicle.plate vehicle.vin device device.lot lot accession caseno "
    "encounter bioid mrn.other"
).split()
# What is said of the patient without saying who it is.
PLAIN = "sex he He him Him his His himself man Man boy child mr".split()
# Terms without PHI, drawn from the lists of the lexicon.
TERMS = "n.anydrug n.anyeponym n.anyterm n.caps n.people n.word n.role".split()
# What the name grammar may ask for beside its own files.
DRAWN = frozenset({"surname", "given", "town", "state", "knownbody", "knownhospital"})

SLOTS: Mapping[str, frozenset[str]] = {
    **{slot: frozenset(f"{_PERSON} nick".split()) for slot in ("patient", "someone", "someone2")},
    **{slot: frozenset(f"{_PERSON} degree".split()) for slot in ("staff", "staff2")},
    **{slot: frozenset(_KIN.split()) for slot in KIN},
    **{slot: frozenset(f"{_PERSON} degree".split()) for slot in DOCTORS},
    "username": frozenset({"trailer"}),
    **{slot: frozenset(_DATE.split()) for slot in DATES},
    **{slot: frozenset({_BODY}) for slot in ("hospital", "hospital2", "clinic")},
    **{slot: frozenset() for slot in (*AGES, *PLACES, *CONTACTS, *IDS, *PLAIN, *TERMS)},
}


def split_slot(name: str) -> tuple[str, str]:
    """The slot and the form that a name in braces stands for; the form is empty where none is named.

    >>> split_slot("date.past"), split_slot("date.past.iso"), split_slot("patient.last")
    (('date.past', ''), ('date.past', 'iso'), ('patient', 'last'))
    """
    if name in SLOTS:
        return name, ""
    slot, _, form = name.rpartition(".")
    return (slot, form) if slot in SLOTS else (name, "")


def find_fault(name: str) -> str | None:
    """What is wrong with a name in braces, or None.

    >>> find_fault("room.big")
    '{room.big}: slot room has no form big; it has: none'
    """
    slot, form = split_slot(name)
    if slot not in SLOTS:
        return f"{{{name}}}: there is no such slot"
    if form and form not in SLOTS[slot]:
        forms = ", ".join(sorted(SLOTS[slot])) or "none"
        return f"{{{name}}}: slot {slot} has no form {form}; it has: {forms}"
    return None
