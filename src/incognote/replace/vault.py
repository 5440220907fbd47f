"""The vault: an encrypted file of what was replaced in each document, for those allowed to map it back.

One line per document: a keyed hash of its id, and its edits and a digest of the clean text as a Fernet token (AES-128-CBC with
HMAC-SHA256). Lines are only ever added, so a killed run leaves at most one torn last line, which the next run cuts off.
"""

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.document import Document, Span
from incognote.errors import MissingExtraError, VaultError
from incognote.replace.replacer import Edit

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_NAME = "incognote-vault-"
_TITLE = f"{_NAME}2"


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault file and its key. Opened with :func:`open_vault`, which checks the one against the other."""

    path: Path
    key: bytes = field(repr=False)

    def __str__(self) -> str:
        return f"vault {self.path}"

    def append(self, clean: Document, edits: Sequence[Edit]) -> None:
        """Add the edits that made a document clean. Earlier entries of its id stay: tables may share a vault and ids."""
        rows = [[edit.before.start, edit.before.label, edit.original, edit.replacement] for edit in edits]
        token = _cipher(self.key).encrypt(json.dumps([_digest(clean), rows]).encode())
        line = f"{_hash(self.key, clean.id)} ".encode() + token + b"\n"
        target = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        try:
            written = os.write(target, line)
        finally:
            os.close(target)
        if written != len(line):
            raise VaultError(f"the disk is full: document {clean.id} was not added", where=self)

    def is_empty(self) -> bool:
        """Whether no document was added yet."""
        with self.path.open("rb") as lines:
            next(lines)
            return not lines.readline()

    def tokens(self) -> Mapping[str, Sequence[bytes]]:
        """The encrypted edits of each document, by the hash of its id."""
        found: dict[str, list[bytes]] = {}
        with self.path.open("rb") as lines:
            next(lines)
            for line in lines:
                fields = line.split() if line.endswith(b"\n") else []
                if len(fields) == 2:
                    found.setdefault(fields[0].decode(), []).append(fields[1])
        return found

    def restore(self, clean: Document, tokens: Mapping[str, Sequence[bytes]]) -> Document:
        """The original of a clean document, with the spans that were found in it."""
        entries = [self._entry(token, clean.id) for token in tokens.get(_hash(self.key, clean.id), ())]
        if not entries:
            raise VaultError(f"does not hold document {clean.id}", where=self)
        originals = [_undo(clean, edits) for digest, edits in entries if digest == _digest(clean)]
        if not originals:
            fault = "its text was changed after it was scrubbed, or its line is another note's; not restored"
            raise VaultError(fault, where=f"document {clean.id}")
        if any(other.text != originals[-1].text for other in originals):
            fault = "the vault holds two notes of this id that are alike when clean; not restored"
            raise VaultError(fault, where=f"document {clean.id}", fix="keep a vault for each table")
        return originals[-1]

    def _entry(self, token: bytes, document: str) -> tuple[str, list[tuple[int, str, str, str]]]:
        from cryptography.fernet import InvalidToken

        try:
            digest, edits = json.loads(_cipher(self.key).decrypt(token))
        except InvalidToken:
            raise VaultError(f"the entry of document {document} is damaged", where=self) from None
        return digest, [(start, label, original, replacement) for start, label, original, replacement in edits]


def open_vault(path: str | Path, key: bytes, *, create: bool = False) -> Vault:
    """The vault in a file; with ``create``, a new one where there is none, that only its owner may read."""
    _cipher(key)
    vault = Vault(Path(path), key)
    title = f"{_TITLE} {hmac.digest(key, b'incognote vault check', 'sha256').hex()}\n".encode()
    try:
        if create and (not vault.path.exists() or not vault.path.stat().st_size):
            target = os.open(vault.path, os.O_WRONLY | os.O_CREAT, 0o600)
            os.write(target, title)
            os.close(target)
        with vault.path.open("r+b" if create else "rb") as file:
            first = file.readline()
            if not first.startswith(_NAME.encode()):
                raise VaultError("is not a vault of incognote", where=vault)
            if not first.startswith(f"{_TITLE} ".encode()):
                raise VaultError("was made by another version of incognote", where=vault, fix="use that one, or name a new vault")
            if not hmac.compare_digest(first, title):
                raise VaultError("was made with another key", where=vault, fix="give the key that the notes were scrubbed with")
            if create:
                _cut_torn_line(file.fileno())
    except OSError as error:
        raise VaultError(str(error.strerror), where=vault) from error
    return vault


def _undo(clean: Document, edits: Iterable[tuple[int, str, str, str]]) -> Document:
    pieces, spans, at, size = [], [], 0, 0
    for start, label, original, replacement in edits:
        place = at + start - size
        if place < at or clean.text[place : place + len(replacement)].split() != replacement.split():
            fault = f"its white space was changed after it was scrubbed, before offset {place}; not restored"
            raise VaultError(fault, where=f"document {clean.id}")
        pieces += [clean.text[at:place], original]
        spans.append(Span(start, start + len(original), label))
        at, size = place + len(replacement), start + len(original)
    return replace(clean, text="".join([*pieces, clean.text[at:]]), spans=tuple(spans))


def _cut_torn_line(file: int) -> None:
    size = os.fstat(file).st_size
    end = size
    while end and b"\n" not in (block := os.pread(file, min(4096, end), max(0, end - 4096))):
        end -= len(block)
    keep = max(0, end - 4096) + block.rindex(b"\n") + 1
    if keep < size:
        os.ftruncate(file, keep)


def _digest(clean: Document) -> str:
    """A digest of the id and the visible characters: a format such as CoNLL may keep white space in length only.

    With the id, the lines of two notes that are equal when clean cannot be swapped.
    """
    content = "\0".join([clean.id, *clean.text.split()])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _hash(key: bytes, document: str) -> str:
    return hmac.digest(key, b"incognote vault document:" + document.encode("utf-8", "surrogatepass"), "sha256").hex()[:32]


def _cipher(key: bytes) -> "Fernet":
    try:
        from cryptography.fernet import Fernet
    except ImportError:
        raise MissingExtraError("cryptography", "vault") from None
    return Fernet(base64.urlsafe_b64encode(hmac.digest(key, b"incognote vault cipher", "sha256")))
