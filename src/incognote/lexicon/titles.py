"""Words that are a title before one name and a name themselves in another: Don, Justice, Bishop, Reg."""

from incognote.lexicon.lazy import lazy
from incognote.lexicon.names import is_given, is_surname

# The lists of names hold these, too, but before a name they are titles, roles or kin.
_TITLES_ALWAYS = frozenset(
    "aide brother captain co colonel cousin dame daughter dep doctor fam grandson hi husband judge maj miss mister nephew niece nurse "
    "officer pa pa-c ref senora señora sergeant sheriff sir sister student surgeon tech the".split()
)
_ARTICLE = lazy(r"\b(?:the|an?|his|her|their|my|our|your|(?:pt|patient)['\u2019]?s) \Z")
_FIELD = lazy(r"\b(?:patient|pt|name|resident|client|member|mother|father|guardian)(?:['\u2019]?s)?(?: name)?[ \t]{0,2}[:=][ \t]{0,4}\Z")


def is_name_too(word: str) -> bool:
    """Whether a word that may be a title is borne as a given name, too.

    >>> is_name_too("Don"), is_name_too("Nurse"), is_name_too("Detective")
    (True, False, False)
    """
    return "-" not in word and word.casefold() not in _TITLES_ALWAYS and is_given(word)


def is_title(text: str, start: int, end: int) -> bool:
    """Whether a word that may be a title is one where it stands before a name. In doubt it belongs to the name.

    >>> text = "Hon. Roe, the Bishop Roe, don Roe and Bishop Roe"
    >>> [is_title(text, *place) for place in ((0, 3), (14, 20), (26, 29), (38, 44))]
    [True, True, True, False]
    """
    word, before = text[start:end], text[max(0, start - 30) : start].casefold()
    if "-" in word or word[:1].islower() or text[end : end + 1] == "." or not (is_given(word) or is_surname(word)):
        return True
    if is_name_too(word):
        return _ARTICLE.search(before) is not None
    # A family name may stand first in a field: "Patient: FOREMAN GEORGE".
    return word.casefold() in _TITLES_ALWAYS or _FIELD.search(before) is None
