"""What a message may show of values that files hold. A file may hold a note where a name, an id or a label belongs.

Messages are f-strings whose holes are filled by these functions, by numbers (``{line:d}``) or by constants; a test checks that of every
error of the readers and writers.
"""

import re
from collections.abc import Sequence

_LONGEST = 40
# A column may have one of these words for a name, or several: they name no one. Any other word may be a cell of a table without a header.
_WORDS = frozenset(
    """
    admission age author body category chart charttime class clinician code comment content created dataset date datetime day department
    description discharge doc doctor document encounter event field file first gender group guid hadm header id ids index key kind label
    labels language last meta month mrn name no note notes nr num number order parent part patient patients person pid provider record
    report result row score section service sex site source span spans speciality specialty split stamp start status stay study subject
    summary tag tags task text texts time timestamp title type uid unit uuid value version visit ward year
    """.split()
)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_COLUMN = re.compile(r"[\w ()/#%._:-]+")
# Under_scores, camelCase or lower case alone: forms of names of columns and keys that neither names of people nor sentences have.
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*|(?=\w*_)[A-Za-z_]\w*|[a-z][\w]*(?:[.:-][a-z]\w*)+", re.ASCII)
_ID = re.compile(r"(?=.*\d)[\w/@#+=.:-]{1,64}(?: (?:line|row) \d{1,9})?|[a-z/_.-]{1,24}|[^\s\x00-\x1f\x7f-\xa0]{1,3}")
_NO_IDS = frozenset(("unknown", "none", "null", "nan", "n/a", "na", "missing", "anonymous", "default", "test"))
_TYPE = re.compile(r"[a-z]+[0-9]*(?:\[[a-z]{1,3}\])?")


def show_text(text: object) -> str:
    r"""A setting, a path or another name that the user gave or can see: what is not UTF-8 or not printable is escaped.

    >>> show_text("a\x1b[2Jb\udcff.txt")
    'a\\x1b[2Jb\\udcff.txt'
    """
    shown = str(text).encode("utf-8", "backslashreplace").decode()
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in shown)


def show_lines(message: str) -> str:
    """A message of one or more lines, escaped as :func:`show_text` does."""
    return "\n".join(map(show_text, message.split("\n")))


def show_id(id: object) -> str:
    """An id that is short and has no blanks, or nothing.

    >>> show_id("220-01"), show_id("Ann Lee came today")
    ('220-01', '')
    """
    return show_text(id) if _ID.fullmatch(str(id)) or str(id).casefold() in _NO_IDS else ""


def show_column(name: str, number: int = 0) -> str:
    """The name of a column or key, where it is of known words; else its number.

    >>> show_column("note_id", 1), show_column("Kowalczyk", 2)
    ('note_id', 'number 2')
    """
    words = _PARTS.findall(name) if len(name) <= _LONGEST and _COLUMN.fullmatch(name) and name.isascii() else ()
    numbers = [word for word in words if word.isdecimal()]
    if len(numbers) < len(words) and all(word.lower() in _WORDS or (word in numbers and len(word) < 3) for word in words):
        return name
    return f"number {number:d}" if number else "(not shown)"


def show_extra_column(name: str, number: int = 0) -> str:
    """The name of a column of a table with a header, or a key, where it is written as such names are.

    >>> show_extra_column("ward_no"), show_extra_column("Ann Lee came today")
    ('ward_no', '(not shown)')
    """
    return name if len(name) <= _LONGEST and _IDENTIFIER.fullmatch(name) else show_column(name, number)


def show_columns(names: Sequence[str]) -> str:
    """The columns of a first line, which may be a note of a table without a header.

    >>> show_columns(["note_id", "Note text"])
    'the columns are: note_id, Note text'
    >>> show_columns(["17", "Ann Lee came today."])
    'the 2 columns have names that are not shown, as they may be a row; is there a header, with commas between the names?'
    """
    shown = [show_column(name, number) for number, name in enumerate(names, 1)]
    known = sum(name == show for name, show in zip(names, shown, strict=True))
    doubt = "as they may be a row; is there a header, with commas between the names?"
    if not known:
        return f"the {len(names):d} columns have names that are not shown, {doubt}"
    return f"the columns are: {', '.join(shown)}" + ("" if known == len(names) else f" (names left out, {doubt})")


def show_type(kind: object) -> str:
    """The head of the name of an Arrow type; the fields of a struct have names, too.

    >>> show_type("struct<Ann Lee: int64>")
    'struct'
    """
    match = _TYPE.match(str(kind))
    return match[0] if match else "another type"
