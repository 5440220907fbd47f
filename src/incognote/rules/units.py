"""The units that make the number before them a quantity, so that it is no date, year, phone or identifier."""

import re

_UNITS = (
    "ml|cc|dl|l|mg|mcg|ug|g|gm|gms|grams?|kg|kgs|units?|iu|u|kcals?|cals?|calories|k?hz|hrs?|hours?|h|steps?|ft|feet|foot|meters?|miles?|m|mm|cm|inch(?:es)?|"
    "lbs?|pounds?|copies|cells|k|x|per|psi|dollars|ng|pg|meq|mmol|watts?|rpm|bpm|degrees|rads?|cgy|gy|beats|people|patients|subjects|minutes?|mins?|"
    "seconds?|secs?|times|days?|weeks?|wks?|months?|mos?|years?|yrs?|tabs?|tablets?|caps?|capsules?|pills?|puffs?|drops|gtts?|sprays?|mmhg|"
    "joules?|j|volts?|v|ohms?|ma|mah|msec|ms|cfu|pfu|kpa|torr|bags?|liters?|litres?|oz|ounces?|cups?|packs?|ppd"
)
UNIT_NEXT = re.compile(rf"\s?-?(?:(?:{_UNITS})\b|%|°|\$|/(?!\d{{1,2}}/))", re.IGNORECASE)


def is_quantity(text: str, end: int) -> bool:
    """Whether a unit follows the number that ends at ``end``.

    >>> is_quantity("gave 2000 mL NS", 9), is_quantity("since 2058, she", 10)
    (True, False)
    """
    return UNIT_NEXT.match(text, end) is not None
