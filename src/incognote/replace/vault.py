"""The vault: an encrypted file of what was replaced in each document, for those allowed to map it back.

A record is a line: a keyed hash of the document's id, its edits and a digest of the clean text as a Fernet token (AES-128-CBC with
HMAC-SHA256), and a keyed checksum of both. Lines are only ever added, under a lock, so that several runs may share a vault, and a killed
run leaves at most one torn last line, which the next run cuts off.
"""

import base64
import fcntl
import hashlib
import hmac
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from incognote.document import Document, Span
from incognote.errors import MissingExtraError, VaultError
from incognote.replace.keys import stretch_key
from incognote.replace.replacer import Edit

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

_NAME = "incognote-vault-"
_TITLE = f"{_NAME}3"


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault file and its key. Opened with :func:`open_vault`, which checks the one against the other."""

    path: Path
    key: bytes = field(repr=False)

    def __str__(self) -> str:
        return f"vault {self.path}"

    def append(self, clean: Document, edits: Sequence[Edit], *, names: tuple[str, str] | None = None) -> str:
        """Add a record of the edits that made a document clean, and return its checksum; ``names`` are its id and patient before.

        Earlier records of its id stay: tables may share a vault and ids.
        """
        rows = [[edit.before.start, edit.before.label, edit.original, edit.replacement] for edit in edits]
        token = _cipher(self.key).encrypt(json.dumps([_digest(clean), rows, names]).encode())
        record = f"{_hash(self.key, clean.id)} ".encode() + token
        checksum = self._checksum(record)
        with _locked(self.path) as file:
            end = self._end(file)
            line = record + f" {checksum}\n".encode()
            if os.write(file, line) != len(line):
                os.ftruncate(file, end)
                raise VaultError("the disk is full: a note was not added", where=self)
        return checksum

    def is_empty(self) -> bool:
        """Whether no document was added yet."""
        return next(self._records(), None) is None

    def tokens(self) -> Mapping[str, Sequence[bytes]]:
        """The encrypted edits of each document, by the hash of its id."""
        found: dict[str, list[bytes]] = {}
        for document, token, _ in self._records():
            found.setdefault(document, []).append(token)
        return found

    def checksums(self) -> set[str]:
        """The checksums of all records, after the file was handed to the disk; raise where one is damaged."""
        with _locked(self.path) as file:
            os.fsync(file)
        return {checksum for *_, checksum in self._records()}

    def _records(self) -> Iterator[tuple[str, bytes, str]]:
        """Hash, token and checksum of each record; a torn last line is none."""
        with self.path.open("rb") as lines:
            next(lines)
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n") and not self._is_whole(line[:-1]):
                    return
                if not self._is_whole(line[:-1]) or not line.endswith(b"\n"):
                    raise VaultError(f"its record {number:d} is damaged", where=self, fix="put a copy of the vault in its place")
                document, token, checksum = line.split()
                yield document.decode(), token, checksum.decode()

    def _is_whole(self, line: bytes) -> bool:
        record, _, checksum = line.rpartition(b" ")
        return hmac.compare_digest(self._checksum(record).encode(), checksum)

    def _checksum(self, record: bytes) -> str:
        return hmac.digest(self.key, b"incognote vault record:" + record, "sha256").hex()[:32]

    def _end(self, file: int) -> int:
        """Where the next record goes; a torn last line is cut off."""
        size = os.fstat(file).st_size
        if os.pread(file, 1, size - 1) != b"\n":
            size = _find_last_line(file, size)
            os.ftruncate(file, size)
        return size

    def restore(self, clean: Document, tokens: Mapping[str, Sequence[bytes]]) -> Document:
        """The original of a clean document, with the spans that were found in it."""
        entries = [self._entry(token, clean.id) for token in tokens.get(_hash(self.key, clean.id), ())]
        if not entries:
            raise VaultError(f"does not hold document {clean.id}", where=self)
        originals = [_undo(_rename(clean, names), edits) for digest, edits, names in entries if digest == _digest(clean)]
        if not originals:
            fault = "its text was changed after it was scrubbed, or its line is another note's; not restored"
            raise VaultError(fault, where=f"document {clean.id}")
        if any(other.text != originals[-1].text for other in originals):
            fault = "the vault holds two notes of this id that are alike when clean; not restored"
            raise VaultError(fault, where=f"document {clean.id}", fix="keep a vault for each table")
        return originals[-1]

    def _entry(self, token: bytes, document: str) -> tuple[str, list[tuple[int, str, str, str]], tuple[str, str] | None]:
        from cryptography.fernet import InvalidToken

        try:
            digest, edits, *names = json.loads(_cipher(self.key).decrypt(token))
        except InvalidToken:
            raise VaultError(f"the entry of document {document} is damaged", where=self) from None
        return digest, [(start, label, original, replacement) for start, label, original, replacement in edits], names[0] if names else None


def _rename(clean: Document, names: tuple[str, str] | None) -> Document:
    return replace(clean, id=names[0], patient=names[1]) if names else clean


def open_vault(path: str | Path, key: bytes, *, create: bool = False) -> Vault:
    """The vault in a file; with ``create``, a new one where there is none, that only its owner may read.

    A passphrase is stretched, so that guesses cannot be tested cheaply. Raises where a record is damaged.
    """
    key = stretch_key(key)
    _cipher(key)
    vault = Vault(Path(path), key)
    title = f"{_TITLE} {hmac.digest(vault.key, b'incognote vault check', 'sha256').hex()}\n".encode()
    try:
        if create:
            with _locked(vault.path, os.O_CREAT) as file:
                if not os.fstat(file).st_size:
                    os.write(file, title)
        with vault.path.open("rb") as lines:
            _check_title(lines.readline(), title, vault)
        for _ in vault._records():
            pass  # reading is the check
        if create:
            with _locked(vault.path) as file:
                vault._end(file)
    except OSError as error:
        raise VaultError(str(error.strerror), where=vault) from error
    return vault


def _check_title(first: bytes, title: bytes, vault: Vault) -> None:
    if not first.startswith(_NAME.encode()):
        raise VaultError("is not a vault of incognote", where=vault)
    if not first.startswith(f"{_TITLE} ".encode()):
        raise VaultError("was made by another version of incognote", where=vault, fix="use that one, or name a new vault")
    if not hmac.compare_digest(first, title):
        raise VaultError("was made with another key", where=vault, fix="give the key that the notes were scrubbed with")


@contextmanager
def _locked(path: Path, flags: int = 0) -> Iterator[int]:
    """The open file, for this process alone until it is closed."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(file)


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


def _find_last_line(file: int, end: int) -> int:
    """Where the last line begins."""
    while end and b"\n" not in (block := os.pread(file, min(4096, end), max(0, end - 4096))):
        end -= len(block)
    return max(0, end - 4096) + block.rindex(b"\n") + 1


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
