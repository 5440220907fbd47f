"""Ids that were seen are known again, and take few bytes."""

import tracemalloc

from incognote.corpora.ids import Ids


def test_every_id_is_new_once() -> None:
    ids = Ids()
    names = [f"note-{number:010d}" for number in range(5000)]
    assert all(ids.add(name) for name in names)
    assert not any(ids.add(name) for name in names)
    assert ids.add("another")


def test_long_ids_take_a_few_bytes_each() -> None:
    tracemalloc.start()
    ids = Ids()
    for number in range(50_000):
        ids.add(f"https://records.example/notes/{number:040d}")
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 30 * 50_000
