"""Placeholders in published transcriptions (``Mr. ABC``, ``Dr. X``, ``MM/DD/YYYY``, ``ABCD Hospital``), for injection to fill."""

import re
from collections.abc import Iterator

from incognote.document import Span
from incognote.lexicon import word_list
from incognote.lexicon.names import surnames

SOURCE = "placeholder"

_MARK = r"(?:[A-Z]|ABC[A-Z]{0,2}|XYZ|X{2,6}|DEF|AA|BB|_{2,}|\*{2,})"
_END = r"(?![A-Za-z0-9])(?!\.[A-Z])"
_HEAD = r"(?:General |Memorial |Community |Regional )?(?:Hospital|Medical Center|Clinic|Radiology|Urology|Health|Emergency Room)"
_ROWS = (
    ("DOCTOR", rf"\b(?:Dr|Drs|Doctor|Prof)\.?\s+(?P<phi>{_MARK}){_END}"),
    ("DOCTOR", rf"(?<![\w.])(?P<phi>{_MARK}),?\s+(?:M\.?D\.?|D\.?O\.?|R\.?N\.?|Ph\.?D\.?){_END}"),
    ("PATIENT", rf"\b(?:Mr|Mrs|Ms|Miss|Master|Baby|Sister)\.?\s+(?P<phi>{_MARK}){_END}"),
    ("HOSPITAL", rf"(?P<phi>\b(?:ABC[A-Z]{{0,2}}|XYZ|X{{2,6}})\s+{_HEAD})\b"),
    ("HOSPITAL", r"\b(?:at|to|from)\s+(?P<phi>ABCD|XYZ|X{3,6})(?=[\s,.]*(?:,|\.|and|for|on|with|preoperative)\b|[,.])"),
    ("STREET", r"(?P<phi>\b(?:\d{1,5}\s)?(?:ABC|XYZ|X{2,6})\s+(?:Avenue|Street|Road|Drive))\b"),
    ("DATE", r"(?<![\w/])(?P<phi>(?:MM|mm|xx?|XX?|_{1,4}|\*{1,4}|\d{1,2})/(?:DD|dd|xx?|XX?|_{1,4}|\*{1,4})"
     r"(?:/(?:YYYY|yyyy|YY|yy|x{2,4}|X{2,4}|_{1,4}|\*{1,4}|\d{2,4}))?)(?![\w/])"),
    ("PATIENT", r"\b(?:seen|saw|see|name is|patient|Patient:|Name:|RE:|Re:)\s+(?P<phi>ABC[A-Z]{0,2}|XYZ|X{3,6})(?![A-Za-z0-9])"),
    ("PATIENT", r"(?<=[.,:] )(?P<phi>ABC|XYZ|X{3,6})(?=\s(?:is|was|has|had|presents|presented|states|denies|reports|underwent)\b)"),
    ("PATIENT", r"(?<=,)(?P<phi>X{4})(?=\s(?:is|was|has)\b)"),
    ("AGE", r"(?<![\w/])(?P<phi>X{1,3}|_{2,}|\*{2,})(?=[- ]years?[- ]old)"),
    ("PHONE", r"(?<![\w-])(?P<phi>(?:\(?X{3}\)?[ -])?X{3}-X{4})(?!\w)"),
    ("MEDICALRECORD", r"\b(?:MRN|Medical Record|Record|Chart)[ #:]{1,4}(?P<phi>X{3,8}|ABCD?\d{0,6}|0{5,8}|_{3,})(?!\w)"),
)  # fmt: skip
_COMPILED = tuple((label, re.compile(pattern)) for label, pattern in _ROWS)
# What still looks like one after all of the above: such a note is not used.
LEFT = re.compile(r"(?<![A-Za-z0-9])(?:ABCD?|XYZ|X{3,}|x{3,}|DEF|MM/DD|mm/dd)(?![A-Za-z])")


def _is_initial(match: re.Match[str]) -> bool:
    """``Dr. X. Halvorsen`` has an initial; ``Dr. X. She`` has a placeholder and a new sentence."""
    after = re.match(r"\.\s?([A-Z][a-z]+)", match.string[match.end("phi") : match.end("phi") + 20])
    word = after[1].casefold() if after else ""
    return len(match["phi"]) == 1 and word in surnames() and word not in word_list("common-words")


def find_placeholders(text: str) -> Iterator[Span]:
    """Spans of placeholders, with the label of what they stand for; earlier rows win where they overlap.

    >>> [(span.label, span.start, span.end) for span in find_placeholders("Mr. ABC saw Dr. X on MM/DD/YYYY.")]
    [('DOCTOR', 16, 17), ('PATIENT', 4, 7), ('DATE', 21, 31)]
    """
    taken: list[Span] = []
    for label, regex in _COMPILED:
        for match in regex.finditer(text):
            span = Span(*match.span("phi"), label, source=SOURCE)
            if _is_initial(match):
                continue
            if not any(span.overlaps(other) for other in taken):
                taken.append(span)
                yield span
