"""A user's list of words and phrases, one a line, and where they stand in a text, whatever their case."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from incognote.errors import ConfigError

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases by their first word, each with the label after its tab, or "". The name holds a digest, and no phrase."""

    name: str
    by_word: Mapping[str, tuple[tuple[str, str], ...]] = field(repr=False)

    @classmethod
    def of(cls, lines: Iterable[str], *, name: str = "phrases") -> "Phrases":
        """The phrases of lines; blank lines and those that start with ``#`` are left out.

        >>> found = Phrases.of(["Kestrel Ward", "Blake 7\\tDEPARTMENT"]).find("to KESTREL  ward or blake 7.")
        >>> list(found)
        [(3, 16, ''), (20, 27, 'DEPARTMENT')]
        """
        rows = [line.strip().partition("\t") for line in lines if line.strip() and not line.startswith("#")]
        by_word: dict[str, list[tuple[str, str]]] = {}
        for phrase, _, label in rows:
            if first := _WORD.search(phrase):
                by_word.setdefault(first[0].casefold(), []).append((phrase.strip(), label.strip()))
        longest = {word: tuple(sorted(held, key=lambda row: -len(row[0]))) for word, held in by_word.items()}
        digest = hashlib.sha256("\n".join("\t".join((row[0], row[2])) for row in rows).encode()).hexdigest()[:8]
        return cls(f"{name} {digest}", longest)

    @classmethod
    def read(cls, path: str | Path) -> "Phrases":
        """The phrases of a text file."""
        file = Path(path)
        try:
            phrases = cls.of(file.read_text(encoding="utf-8").splitlines(), name=file.name)
        except (OSError, UnicodeDecodeError) as error:
            fault = error.strerror if isinstance(error, OSError) else "not UTF-8"
            raise ConfigError(str(file), [f"cannot be read: {fault}"]) from None
        if not phrases.by_word:
            raise ConfigError(str(file), ["holds no word"], fix="write one word or phrase on each line")
        return phrases

    @property
    def labels(self) -> frozenset[str]:
        return frozenset(label for held in self.by_word.values() for _, label in held)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where phrases stand as whole words, the longest first, and their labels; none overlap."""
        done = 0
        for word in _WORD.finditer(text):
            for phrase, label in self.by_word.get(word[0].casefold(), ()) if word.start() >= done else ():
                start = word.start() - _WORD.search(phrase).start()  # type: ignore[union-attr]  # each holds a word
                end = _match(text, max(start, 0), phrase)
                if start >= 0 and end:
                    yield start, end, label
                    done = end
                    break


def _match(text: str, start: int, phrase: str) -> int:
    """The end of the phrase in the text, any white space standing for a blank; 0 where it does not stand there as whole words."""
    at = start
    for number, part in enumerate(phrase.split()):
        space = at
        while number and at < len(text) and text[at].isspace():
            at += 1
        if (number and at == space) or text[at : at + len(part)].casefold() != part.casefold():
            return 0
        at += len(part)
    inside = (phrase[-1].isalnum() and text[at : at + 1].isalnum()) or (phrase[0].isalnum() and start > 0 and text[start - 1].isalnum())
    return 0 if inside else at
