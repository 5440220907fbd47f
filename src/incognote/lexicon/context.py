"""The context of a match: what stands before and after it on its line."""


def left_of(text: str, at: int, *, reach: int = 40) -> str:
    """Up to ``reach`` characters before ``at`` on the same line, lower-cased.

    >>> left_of("first line\\nSeen On 7/22", 19)
    'seen on '
    """
    return text[max(0, at - reach) : at].rpartition("\n")[2].lower()


def right_of(text: str, at: int, *, reach: int = 30) -> str:
    """Up to ``reach`` characters from ``at`` on the same line, lower-cased.

    >>> right_of("7/22 PAIN\\nnext", 4)
    ' pain'
    """
    return text[at : at + reach].partition("\n")[0].lower()


def line_around(text: str, at: int, *, reach: int = 1000) -> tuple[int, int]:
    """Where the line around ``at`` starts and ends, up to ``reach`` characters on either side: a note may be one line of megabytes.

    >>> line_around("one\\ntwo\\nthree", 5), line_around("one two", 4, reach=2)
    ((4, 7), (2, 6))
    """
    floor, ceiling = max(0, at - reach), min(len(text), at + reach)
    start, end = text.rfind("\n", floor, at), text.find("\n", at, ceiling)
    return floor if start < 0 else start + 1, ceiling if end < 0 else end


def starts_line(text: str, at: int) -> bool:
    """Whether only blanks, bullets or a list number stand before ``at`` on its line.

    >>> starts_line("plan:\\n - 7/22 labs", 9), starts_line("BP 128/84", 3)
    (True, False)
    """
    lead = text[max(0, at - 12) : at].rpartition("\n")
    return (bool(lead[1]) or at <= 12) and not lead[2].strip(" \t-*•·>#|[(")


def opens_field(text: str, at: int, *, marks: str = ";|") -> bool:
    """Whether a field's name may start at ``at``: at the head of a line, after a mark, or after a gap of two blanks.

    >>> [opens_field(line, line.index("City")) for line in ("City: Ely", "x; City: Ely", "x  City: Ely", "the City: Ely")]
    [True, True, True, False]
    """
    lead = text[max(0, at - 40) : at]
    bare = lead.rstrip(" \t")
    return not bare or bare[-1] in f"\n{marks}" or len(lead) - len(bare) > 1
