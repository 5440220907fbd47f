"""Builds the names of many origins that synthetic notes are about, in Latin letters, from Faker's locales and from a list by hand.

    python tools/build_synthetic_names.py

Needs Faker (MIT). Names in other scripts are transliterated by the tables here (Cyrillic, Greek, Armenian, Georgian; Hangul by the revised
romanization of Korean). The names in synthetic_names.txt were written for this project from general knowledge (Apache-2.0).
The output has three columns: origin, f / m / e (either) / s (surname), name.
"""

import gzip
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "src" / "incognote" / "lab" / "synthetic" / "names.txt.gz"
LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ][A-Za-zÀ-ɏḀ-ỿ'’ -]+")
ORIGINS = {
    "czech": "cs_CZ", "danish": "da_DK", "german": "de_DE", "british": "en_GB", "irish": "en_IE", "gaelic": "ga_IE", "indian": "en_IN",
    "kenyan": "en_KE", "pakistani": "en_PK", "thai": "en_TH", "spanish": "es_ES", "mexican": "es_MX", "colombian": "es_CO",
    "finnish": "fi_FI", "french": "fr_FR", "quebecois": "fr_CA", "croatian": "hr_HR", "hungarian": "hu_HU", "indonesian": "id_ID",
    "italian": "it_IT", "japanese": "ja_JP", "lithuanian": "lt_LT", "dutch": "nl_NL", "norwegian": "no_NO", "polish": "pl_PL",
    "brazilian": "pt_BR", "romanian": "ro_RO", "russian": "ru_RU", "swedish": "sv_SE", "swahili": "sw", "turkish": "tr_TR",
    "ukrainian": "uk_UA", "vietnamese": "vi_VN", "yoruba": "yo_NG", "igbo": "ig_NG", "chinese": "zh_CN", "taiwanese": "zh_TW",
    "zulu": "zu_ZA", "ghanaian": "tw_GH", "greek": "el_GR", "bulgarian": "bg_BG", "algerian": "fr_DZ", "azeri": "az_AZ",
    "armenian": "hy_AM", "georgian": "ka_GE", "korean": "ko_KR", "uzbek": "uz_UZ",
}  # fmt: skip
KINDS = {
    "f": ("first_names_female", "first_romanized_names_female"),
    "m": ("first_names_male", "first_romanized_names_male"),
    "e": ("first_names_unisex",),
    "s": ("last_names", "last_names_male", "last_names_female", "unisex_last_names", "male_last_names", "last_romanized_names"),
}
CYRILLIC = dict(
    zip(
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
        "a b v g d e e zh z i y k l m n o p r s t u f kh ts ch sh shch - y - e yu ya i yi ye g".split(),
        strict=True,
    )
)
GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",
        "a v g d e z i th i k l m n x o p r s s t y f ch ps o a e i i o y o i y i y".split(),
        strict=True,
    )
)
ARMENIAN = dict(
    zip(
        "աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև",
        "a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r ts u p k o f ev".split(),
        strict=True,
    )
)
GEORGIAN = dict(
    zip(
        "აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ",
        "a b g d e v z t i k l m n o p zh r s t u p k gh q sh ch ts dz ts ch kh j h".split(),
        strict=True,
    )
)
LETTERS = {**CYRILLIC, **GREEK, **ARMENIAN, **GEORGIAN, "-": "-"}
INITIALS = "g kk n d tt r m b pp s ss - j jj ch k t p h".split()
VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
FINALS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t".split()
BY_HAND = Path(__file__).with_name("synthetic_names.txt")


def romanize(name: str) -> str:
    """Latin letters for a name in another script; empty where there is no table for it."""
    if all("가" <= letter <= "힣" for letter in name):
        return "-".join(_syllable(letter) for letter in name).capitalize() if len(name) < 3 else ""
    letters = [LETTERS.get(letter.lower(), letter if LATIN.match(letter * 2) else "?") for letter in name]
    spelled = "".join("" if letter == "-" and name[index] != "-" else letter for index, letter in enumerate(letters))
    return "" if "?" in spelled else spelled[:1].upper() + spelled[1:]


def _syllable(letter: str) -> str:
    code = ord(letter) - 0xAC00
    parts = (INITIALS[code // 588], VOWELS[code % 588 // 28], FINALS[code % 28])
    return "".join(part for part in parts if part != "-")


def rows() -> Iterator[tuple[str, str, str]]:
    for origin, locale in ORIGINS.items():
        provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
        found = {kind: [name for field in fields for name in getattr(provider, field, ())] for kind, fields in KINDS.items()}
        if not found["f"] and not found["m"]:
            found["e"] = list(getattr(provider, "first_names", ()))
        for kind, names in found.items():
            yield from ((origin, kind, spelled) for name in names if (spelled := romanize(name)))
    for line in BY_HAND.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            origin, kind, names = line.split("\t")
            yield from ((origin, kind, name.replace("-", " ") if origin == "native american" else name) for name in names.split())


def main() -> None:
    kept = dict.fromkeys((origin, kind, name.replace("’", "'")) for origin, kind, name in rows() if LATIN.fullmatch(name))
    body = "".join(f"{origin}\t{kind}\t{name}\n" for origin, kind, name in sorted(kept))
    OUT.write_bytes(gzip.compress(body.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
