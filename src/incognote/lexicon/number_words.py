"""Number words, each spelled out once."""

ONES = (
    *"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split(),
    *"sixteen seventeen eighteen nineteen".split(),
)
TENS = tuple("zero ten twenty thirty forty fifty sixty seventy eighty ninety".split())


def spell_number(number: int) -> str:
    """A number below a hundred in words, any other in figures.

    >>> spell_number(67), spell_number(80), spell_number(104)
    ('sixty-seven', 'eighty', '104')
    """
    if number < 20:
        return ONES[number]
    tens, one = divmod(number, 10)
    return TENS[tens] + (f"-{ONES[one]}" if one else "") if number < 100 else str(number)
