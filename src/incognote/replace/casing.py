"""Surrogates in the capitals of what they stand for."""


def match_case(text: str, like: str) -> str:
    """``text`` in the capitals of ``like``; its own where ``like`` mixes them.

    >>> match_case("Vargas", "KACZMAREK"), match_case("Vargas", "kaczmarek"), match_case("vargas", "Kaczmarek")
    ('VARGAS', 'vargas', 'Vargas')
    """
    letters = like if like.isalpha() else "".join(filter(str.isalpha, like))
    if not letters:
        return text
    if all(map(str.islower, letters)):
        return text.lower()
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return text.upper()
    if letters[0].isupper() and text[:1].islower():
        return text[:1].upper() + text[1:]
    return text
