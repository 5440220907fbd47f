"""KeyedChoice: random choices that follow from the secret key alone, the same on any day and machine."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class KeyedChoice:
    """A seed. Every choice names its purpose, so choices do not depend on the order in which they are made.

    >>> root = KeyedChoice(b"secret")
    >>> root.of("shift").below(1000) == root.of("shift").below(1000) != root.of("city").below(1000)
    True
    """

    seed: bytes = field(repr=False)

    def of(self, *parts: str | int) -> "KeyedChoice":
        """The seed for one purpose: HMAC-SHA256 of the parts, each with its length so that no two lists give the same message."""
        message = "".join([f"{len(text)}:{text}" for text in map(str, parts)])
        if not message.isascii():  # lengths are those of the bytes
            encoded = [str(part).encode("utf-8", "surrogatepass") for part in parts]
            return KeyedChoice(hmac.digest(self.seed, b"".join([b"%d:%s" % (len(text), text) for text in encoded]), "sha256"))
        return KeyedChoice(hmac.digest(self.seed, message.encode(), "sha256"))

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit - 1``; the bias of the remainder is under limit / 2^128."""
        return int.from_bytes(self.seed[:16], "big") % limit

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]

    def digits(self, count: int) -> str:
        """So many decimal digits, at most 60."""
        return f"{int.from_bytes(self.seed, 'big') % 10**count:0{count}d}"


def patient_choice(key: bytes, patient: str) -> KeyedChoice:
    """The seed of all choices for one patient."""
    return KeyedChoice(key).of("incognote surrogate 1", patient)
