"""What is written in the place of PHI that gets no surrogate: masks, and placeholders from a template."""

import re
from dataclasses import dataclass
from string import Formatter

from incognote.errors import ConfigError

MASKS = ("fixed", "same-length")
FIXED = "***"
TEMPLATE = "[{label}-{number}]"
_FIELDS = ("label", "number")
_LINE = re.compile(r"[^\r\n]+")
_SHOWN = re.compile(r"[^\r\n]")
# What joins the number to the label, and goes with it.
_JOINT = re.compile(r"[-_ .:#/]+\Z")


@dataclass(frozen=True, slots=True)
class Marks:
    """How masks and placeholders are written; a fault in either is an error when this is made."""

    mask: str = MASKS[0]
    placeholder: str = TEMPLATE

    def __post_init__(self) -> None:
        faults = [f"{self.mask!r} is not a mask; it must be one of: {', '.join(MASKS)}"] if self.mask not in MASKS else []
        if fault := _find_fault(self.placeholder):
            faults.append(f"{fault}; a template is like [{{{{label}}}}-{{{{number}}}}] or [{{{{label}}}}]; a brace is written twice")
        if faults:
            raise ConfigError("masks and placeholders", faults)

    def hide(self, value: str) -> str:
        """A mask for a value; line breaks stay, so that the note keeps its lines.

        >>> Marks().hide("12 Oak\\nRoad"), Marks(mask="same-length").hide("12 Oak\\nRoad")
        ('***\\n***', '******\\n****')
        """
        return _LINE.sub(FIXED, value) if self.mask == "fixed" else _SHOWN.sub("*", value)

    def name(self, label: str, number: int | None = None) -> str:
        """A placeholder; without a number, that and what joins it to the label are left out.

        >>> Marks().name("PATIENT", 1), Marks().name("PATIENT"), Marks(placeholder="{{{label}}}").name("PATIENT", 1)
        ('[PATIENT-1]', '[PATIENT]', '{PATIENT}')
        """
        pieces = []
        for text, field, _, _ in Formatter().parse(self.placeholder):
            pieces.append(_JOINT.sub("", text) if field == "number" and number is None else text)
            pieces.append("" if field is None else label if field == "label" else "" if number is None else str(number))
        return "".join(pieces)


def _find_fault(template: str) -> str:
    """What is wrong with a template, or nothing."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError as error:
        return f"the template of placeholders has a brace without its partner: {error}"
    fields = [field for _, field, _, _ in parts if field is not None]
    if strange := sorted({field for field in fields if field not in _FIELDS}):
        return f"the template of placeholders has the field {', '.join(map(repr, strange))}; it may have label and number"
    if any(spec or conversion for _, _, spec, conversion in parts):
        return "the template of placeholders has a format or a conversion"
    if "label" not in fields:
        return "the template of placeholders lacks the field {{label}}"
    return "the template of placeholders has a character that cannot be printed" if not template.isprintable() else ""


DEFAULT_MARKS = Marks()
