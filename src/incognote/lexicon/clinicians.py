"""What proves that a name is a clinician's: a title, a degree, a staff role or a signature beside it, and no word of kinship."""

import re

from incognote.lexicon.degrees import DEGREES
from incognote.lexicon.lazy import lazy
from incognote.lexicon.relation_cues import KIN

# Roles of staff that are no role of a patient's family or ward: not sister, father, resident or fellow.
_ROLE = (
    r"pcp|pmd|gp|attending|attg|physicians?|hospitalist|intensivist|surgeon|anesthesiologist|anaesthetist|anesthetist|"
    r"[a-z]{3,14}ologist|[a-z]{3,14}iatrist|pediatrician|paediatrician|obstetrician|dentist|orthodontist|optometrist|"
    r"nurse(?:[ -](?:practitioner|anesthetist|manager|midwife))?|charge nurse|midwife|doula|registrar|consultant|house officer|"
    r"pharmacist|dietitian|dietician|physiotherapist|[a-z]{0,14}therapist|social worker|case manager|care coordinator|"
    r"clinical officer|medical officer|medical director|health visitor|paramedic|phlebotomist|sonographer|technologist|scrub|circulator|"
    r"physician(?:'s|’s)? assistant|provider|proceduralist|endoscopist|first assist(?:ant)?|rn|lpn|crna|np|pa-c"
)
_NAMED = r"(?:[^\W\d_][\w'’.-]*[ \t]+){0,2}"
_TITLE_BEFORE = lazy(rf"\b(?:dr|drs|doctor|doc|prof|professor)\b\.?[ \t]*{_NAMED}\Z", re.IGNORECASE)
_TITLE_INSIDE = lazy(r"(?:dr|drs|doctor|prof|professor)\b\.?[ \t]*\S", re.IGNORECASE)
_DEGREE_AFTER = lazy(DEGREES)
_ROLE_BEFORE = lazy(rf"\b(?:{_ROLE})\b(?:[ \t]+(?:on call|on duty|name|of record))?[ \t]*[:,(–-]?[ \t]*\Z", re.IGNORECASE)
_ROLE_AFTER = lazy(rf"[ \t]*(?:[(,/–-]|,[ \t]the|,[ \t]our)[ \t]*(?:{_ROLE})\b", re.IGNORECASE)
# A field named by a service: "Anesthesia: Lowell Banks".
_SERVICE_BEFORE = lazy(
    r"\b(?:an(?:a)?esthesia|[a-z]{3,14}ology|[a-z]{3,14}iatry|pa?ediatrics|obstetrics|surgery|medicine|hospice|pharmacy|nutrition|"
    r"social work|case management|care management)[ \t]*(?:team|service)?[ \t]*:[ \t]*\Z",
    re.IGNORECASE,
)
_SIGNED_BEFORE = lazy(
    r"\b(?:(?:electronically|digitally|e-?)[ -]?(?:signed|authenticated|verified)|dictated|attested|cosigned|co-signed|authenticated|"
    r"interpreted|transcribed|finali[sz]ed|ordered|prescribed|performed|supervised|precepted|staffed)[ \t]*(?:by|with)?[ \t]*:?[ \t]*\Z",
    re.IGNORECASE,
)
_WITH_FAMILY = (
    "separated from|divorced from|married to|widow(?:er)? of|engaged to|lives with|living with|estranged from|broke up with|dating"
)
_FAMILY_BEFORE = lazy(
    rf"(?:\b(?:{'|'.join(sorted(KIN))})(?:[ -]in[ -]law)?\b(?:['’]s name)?(?: is| was| named| called)?[\s,:;(\"“–-]*"
    rf"|\b(?:{_WITH_FAMILY})[ \t]+)(?:(?:dr|doctor|prof|professor|nurse|mr|mrs|ms|miss)\b\.?[ \t]+)?\Z",
    re.IGNORECASE,
)
_FAMILY_AFTER = lazy(
    rf"{DEGREES}?(?:[ ]?[,(–-][ ]?|[ ]is[ ])(?:(?:his|her|their|the|pt['’]?s|patient['’]?s)[ ])?(?i:{'|'.join(sorted(KIN))})\b"
)
_REACH = 60


def find_clinician_evidence(text: str, start: int, end: int) -> str:
    """A clinician's ``title``, ``degree``, ``role`` or ``signature`` beside a name; ``kin`` where it is a relative's; or nothing.

    >>> texts = "Dr. Roe", "PCP: Roe", "Dictated by Roe", "wife, Dr. Roe", "Letter from Roe"
    >>> [find_clinician_evidence(text, len(text) - 3, len(text)) for text in texts]
    ['title', 'role', 'signature', 'kin', '']
    """
    low = max(text.rfind("\n", 0, start) + 1, start - _REACH)
    if _FAMILY_BEFORE.search(text, low, start) or _FAMILY_AFTER.match(text, end):
        return "kin"
    if _TITLE_BEFORE.search(text, low, start) or _TITLE_INSIDE.match(text, start, end):
        return "title"
    if _DEGREE_AFTER.match(text, end):
        return "degree"
    if _ROLE_BEFORE.search(text, low, start) or _SERVICE_BEFORE.search(text, low, start) or _ROLE_AFTER.match(text, end):
        return "role"
    return "signature" if _SIGNED_BEFORE.search(text, low, start) else ""
