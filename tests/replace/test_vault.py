"""The vault: what was replaced comes back to the character, for the right key only."""

import hmac
import stat
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from incognote.document import Document, parse_markup
from incognote.errors import VaultError
from incognote.replace import Vault, open_vault, rewrite
from incognote.replace.keys import stretch_key
from tests.strategies import documents

KEY = b"k" * 32


def fill(path: Path) -> tuple[Vault, Document, Document]:
    original = parse_markup("<PATIENT>Ann Lee</PATIENT> came <DATE>7/22</DATE>.", id="n1")
    clean, edits = rewrite(original, ["Ines Vargas", ""])
    vault = open_vault(path, KEY, create=True)
    vault.append(clean, edits)
    return vault, original, clean


def test_the_original_comes_back(tmp_path: Path) -> None:
    vault, original, clean = fill(tmp_path / "v")
    assert open_vault(tmp_path / "v", KEY).restore(clean, vault.tokens()) == original


@given(data=st.data())
@settings(max_examples=60)
def test_any_document_comes_back_whatever_replaced_it(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    original = data.draw(documents())
    texts = [data.draw(st.text("ab* \n", max_size=6)) for _ in original.spans]
    clean, edits = rewrite(original, texts)
    vault = open_vault(tmp_path_factory.mktemp("vault") / "v", KEY, create=True)
    vault.append(clean, edits)
    assert vault.restore(clean, vault.tokens()) == original


def test_the_file_tells_nothing_and_is_the_owners(tmp_path: Path) -> None:
    fill(tmp_path / "v")
    content = (tmp_path / "v").read_bytes()
    assert not any(word in content for word in (b"Ann", b"Ines", b"7/22", b"PATIENT", b"n1 "))
    assert stat.S_IMODE((tmp_path / "v").stat().st_mode) == 0o600
    assert "kkkk" not in repr(open_vault(tmp_path / "v", KEY))


def test_what_was_scrubbed_twice_comes_back_from_both(tmp_path: Path) -> None:
    vault, original, before = fill(tmp_path / "v")
    clean, edits = rewrite(original, ["Bo", "8/1"])
    vault.append(clean, edits)
    vault.append(clean, edits)
    assert vault.restore(clean, vault.tokens()) == original
    assert vault.restore(before, vault.tokens()) == original


def test_notes_of_two_tables_that_have_one_id_both_come_back(tmp_path: Path) -> None:
    vault, original, clean = fill(tmp_path / "v")
    other = parse_markup("Seen by <DOCTOR>Bea Orr</DOCTOR>.", id="n1")
    other_clean, edits = rewrite(other, ["Ines Vargas"])
    vault.append(other_clean, edits)
    assert vault.restore(clean, vault.tokens()) == original
    assert vault.restore(other_clean, vault.tokens()) == other


def test_of_two_notes_that_have_one_id_and_are_alike_when_clean_none_is_guessed(tmp_path: Path) -> None:
    vault, _, clean = fill(tmp_path / "v")
    other, edits = rewrite(parse_markup("<PATIENT>Bea Orr</PATIENT> came <DATE>7/22</DATE>.", id="n1"), ["Ines Vargas", ""])
    assert other == clean
    vault.append(other, edits)
    with pytest.raises(VaultError, match="document n1: the vault holds two notes of this id that are alike when clean"):
        vault.restore(clean, vault.tokens())


def test_another_key_is_refused(tmp_path: Path) -> None:
    fill(tmp_path / "v")
    for create in (True, False):
        with pytest.raises(VaultError, match="made with another key"):
            open_vault(tmp_path / "v", b"x" * 32, create=create)


def test_a_torn_last_line_is_left_out_and_cut_off(tmp_path: Path) -> None:
    vault, original, clean = fill(tmp_path / "v")
    whole = (tmp_path / "v").read_bytes()
    (tmp_path / "v").write_bytes(whole + b"0123 torn" + b"x" * 9000)
    assert vault.restore(clean, vault.tokens()) == original
    open_vault(tmp_path / "v", KEY, create=True)
    assert (tmp_path / "v").read_bytes() == whole


def test_what_does_not_fit_is_said_without_note_text(tmp_path: Path) -> None:
    vault, _, clean = fill(tmp_path / "v")
    with pytest.raises(VaultError, match="does not hold document n2"):
        vault.restore(replace(clean, id="n2"), vault.tokens())
    with pytest.raises(VaultError, match="was changed after it was scrubbed") as caught:
        vault.restore(replace(clean, text=clean.text.replace("Ines", "Inez"), spans=()), vault.tokens())
    assert "Ann" not in str(caught.value)
    for changed in (clean.text.replace("came", "left"), clean.text + " Well."):
        with pytest.raises(VaultError, match="was changed after it was scrubbed, or its line is another"):
            vault.restore(replace(clean, text=changed), vault.tokens())
    damaged = {name: [token[:-9] + b"AAAAAAAAA"] for name, (token,) in vault.tokens().items()}
    with pytest.raises(VaultError, match="entry of document n1 is damaged"):
        vault.restore(clean, damaged)


def test_a_document_without_phi_that_was_changed_is_refused_too(tmp_path: Path) -> None:
    vault = open_vault(tmp_path / "v", KEY, create=True)
    vault.append(Document("n1", "Well."), [])
    assert vault.restore(Document("n1", "Well."), vault.tokens()).text == "Well."
    with pytest.raises(VaultError, match="document n1: its text was changed"):
        vault.restore(Document("n1", "Ill."), vault.tokens())


def test_lines_of_notes_that_are_alike_when_clean_cannot_be_exchanged(tmp_path: Path) -> None:
    vault, _, clean = fill(tmp_path / "v")
    other, edits = rewrite(parse_markup("<PATIENT>Bea Orr</PATIENT> came <DATE>7/22</DATE>.", id="n2"), ["Ines Vargas", ""])
    assert other.text == clean.text
    vault.append(other, edits)
    one, two = vault.tokens()
    exchanged = {one: vault.tokens()[two], two: vault.tokens()[one]}
    with pytest.raises(VaultError, match="changed after it was scrubbed, or its line is another note's"):
        vault.restore(clean, exchanged)


def test_white_space_of_another_kind_is_no_change(tmp_path: Path) -> None:
    vault, original, clean = fill(tmp_path / "v")
    blank = replace(clean, text=clean.text.replace(" came", "\tcame"))
    assert vault.restore(blank, vault.tokens()).text == original.text.replace(" came", "\tcame")
    blank = replace(clean, text=clean.text.replace("Ines Vargas", "Ines\nVargas"))
    assert vault.restore(blank, vault.tokens()) == original
    wider = replace(clean, text=f"  {clean.text}", spans=())
    with pytest.raises(VaultError, match="white space was changed"):
        vault.restore(wider, vault.tokens())


def test_a_vault_of_another_version_is_refused_as_such(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("incognote-vault-2 0123\n")
    with pytest.raises(VaultError, match="another version"):
        open_vault(tmp_path / "v", KEY)


def test_a_file_that_is_no_vault_is_refused(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("a note\n")
    for create in (True, False):
        with pytest.raises(VaultError, match="is not a vault"):
            open_vault(tmp_path / "v", KEY, create=create)
    with pytest.raises(VaultError, match="No such file"):
        open_vault(tmp_path / "none", KEY)


def fill_many(path: Path, count: int = 6) -> tuple[Vault, list[Document]]:
    vault, clean = open_vault(path, KEY, create=True), []
    for at in range(count):
        document, edits = rewrite(
            parse_markup(f"<PATIENT>Ann Lee{at}</PATIENT> came <DATE>7/{at + 1}</DATE>.", id=f"n{at}"), ["Ines", "8/8"]
        )
        vault.append(document, edits)
        clean.append(document)
    return vault, clean


def test_a_changed_byte_anywhere_is_found_and_its_record_named(tmp_path: Path) -> None:
    fill_many(tmp_path / "v")
    whole = (tmp_path / "v").read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(whole) if byte == ord("\n"))]
    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << at % 8
        (tmp_path / "v").write_bytes(damaged)
        for create in (True, False):
            with pytest.raises(VaultError) as caught:
                open_vault(tmp_path / "v", KEY, create=create)
            record = sum(start <= at for start in starts) - 1
            assert record == 0 or f"its record {record} is damaged" in str(caught.value)
            assert "Ann" not in str(caught.value)
        assert (tmp_path / "v").read_bytes() == damaged


def test_a_file_cut_at_any_byte_keeps_the_records_before(tmp_path: Path) -> None:
    vault, clean = fill_many(tmp_path / "v", 3)
    whole = (tmp_path / "v").read_bytes()
    for end in range(whole.index(b"\n") + 1, len(whole), 5):
        (tmp_path / "v").write_bytes(whole[:end])
        kept = whole[:end].count(b"\n") - 1
        reopened = open_vault(tmp_path / "v", KEY, create=True)
        assert len(reopened.checksums()) == kept
        assert whole.startswith((tmp_path / "v").read_bytes())
    for document in clean:
        with pytest.raises(VaultError) if document is clean[-1] else nullcontext():
            vault.restore(document, vault.tokens())


def test_processes_that_write_at_once_lose_no_record(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from incognote.document import Document; from incognote.replace import open_vault\n"
        "sys.stdin.readline()\n"
        "for at in range(100):\n"
        "    open_vault(sys.argv[1], b'k' * 32, create=True).append(Document(f'{sys.argv[2]}-{at}', 'Well. ' * 50), [])"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "v"), str(number)], stdin=subprocess.PIPE) for number in range(3)
    ]
    for each in runs:
        assert each.stdin is not None
        each.stdin.write(b"\n")
        each.stdin.close()
    assert [each.wait(timeout=120) for each in runs] == [0, 0, 0]
    vault = open_vault(tmp_path / "v", KEY)
    assert len(vault.checksums()) == 300
    tokens = vault.tokens()
    for id in ("0-0", "1-50", "2-99"):
        assert vault.restore(Document(id, "Well. " * 50), tokens).id == id


def test_a_full_disk_leaves_whole_records(tmp_path: Path) -> None:
    program = (
        "import resource, signal, sys; from incognote.document import Document; from incognote.errors import VaultError\n"
        "from incognote.replace import open_vault\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "vault = open_vault(sys.argv[1], b'k' * 32, create=True)\n"
        "vault.append(Document('n1', 'Well.'), [])\n"
        "size = vault.path.stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, size + 100))\n"
        "try:\n    vault.append(Document('n2', 'Well.'), [])\n"
        "except VaultError as error:\n    assert 'the disk is full' in str(error)\n"
        "else:\n    sys.exit('no error')\n"
        "assert vault.path.stat().st_size == size"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "v")], check=True)


def test_a_passphrase_is_stretched_so_that_guesses_cost_time(tmp_path: Path) -> None:
    phrase = b"correct horse battery staple"
    vault = open_vault(tmp_path / "v", phrase, create=True)
    assert vault.key == stretch_key(phrase) != phrase
    title = (tmp_path / "v").read_bytes().split()[1].decode()
    assert title != hmac.digest(phrase, b"incognote vault check", "sha256").hex()
    assert open_vault(tmp_path / "v", stretch_key(phrase)).key == vault.key
