"""The columns of a patients file: the header names of each kind of value, ignoring case, blanks and punctuation."""

import re
from collections.abc import Mapping

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "id": ("patient_id", "patient", "id", "pid", "person_id", "subject_id", "empi"),
    "name": ("name", "names", "patient_name", "full_name"),
    "given": ("given", "given_name", "given_names", "first", "first_name", "forename"),
    "middle": ("middle", "middle_name", "middle_names", "middle_initial"),
    "family": ("family", "family_name", "last", "last_name", "surname"),
    "maiden": ("maiden", "maiden_name", "birth_name", "former_name", "previous_name"),
    "nickname": ("nickname", "nicknames", "preferred_name", "alias", "aliases", "aka"),
    "birth": ("birth_date", "birthdate", "date_of_birth", "dob", "born"),
    "mrn": ("mrn", "mrns", "medical_record", "medical_record_number", "chart_number"),
    "ssn": ("ssn", "social_security_number"),
    "phone": ("phone", "phones", "telephone", "phone_number", "mobile", "mobile_phone", "cell", "cell_phone", "home_phone", "work_phone"),
    "fax": ("fax", "fax_number"),
    "email": ("email", "emails", "e_mail", "email_address"),
    "street": ("street", "street_address", "address", "address_1", "address_line_1"),
    "city": ("city", "town"),
    "state": ("state", "province", "county"),
    "zip": ("zip", "zip_code", "postcode", "postal_code"),
    "country": ("country",),
    "relative": tuple(
        "relatives relative next_of_kin nok emergency_contact emergency_contacts guardian spouse mother father mother_name father_name "
        "children parents".split()
    ),
    "employer": ("employer", "employers", "workplace", "school"),
    "insurance": ("insurance_id", "member_id", "health_plan", "health_plan_id", "policy_number", "subscriber_id"),
    "account": ("account", "account_number", "encounter", "encounter_number", "visit_number"),
}
# Columns whose values are not searched for.
IGNORED: Mapping[str, tuple[str, ...]] = {
    "ignored": tuple("sex gender race ethnicity language marital_status religion deceased active title prefix suffix".split())
}

_BY_NAME = {re.sub(r"[^a-z0-9]", "", name): kind for table in (COLUMNS, IGNORED) for kind, names in table.items() for name in names}


def column_kind(header: str) -> str:
    """The kind of value that a column of this name holds; empty when the name is not known.

    >>> column_kind("Date of Birth"), column_kind("LAST-NAME"), column_kind("Sex"), column_kind("shoe size")
    ('birth', 'family', 'ignored', '')
    """
    return _BY_NAME.get(re.sub(r"[^a-z0-9]", "", header.lower()), "")


def known_columns() -> str:
    """The first name of each kind, for a message."""
    return ", ".join(names[0] for names in COLUMNS.values())
