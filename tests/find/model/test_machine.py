import os
import sys

import pytest

from incognote.find.model import machine
from incognote.find.model.machine import count_cores, own_cores, quick_turns, read_quota, share_cores


@pytest.fixture
def groups(tmp_path):
    own = tmp_path / "self"
    root = tmp_path / "cgroup"
    root.mkdir()
    return root, own


def test_no_quota_means_all_bound_cores(groups):
    root, own = groups
    assert read_quota(root, own) is None
    assert count_cores(cgroup=root, own=own) == len(os.sched_getaffinity(0))


def test_the_quota_of_version_2_is_found_where_the_process_is_and_above(groups):
    root, own = groups
    own.write_text("0::/pod/box\n")
    (root / "pod" / "box").mkdir(parents=True)
    (root / "pod" / "box" / "cpu.max").write_text("max 100000\n")
    assert read_quota(root, own) is None
    (root / "pod" / "cpu.max").write_text("150000 100000\n")
    assert read_quota(root, own) == 1.5
    (root / "cpu.max").write_text("50000 100000\n")
    assert read_quota(root, own) == 0.5
    assert count_cores(cgroup=root, own=own) == 1


def test_the_quota_of_version_1(groups):
    root, own = groups
    own.write_text("4:memory:/box\n3:cpu,cpuacct:/box\n")
    folder = root / "cpu,cpuacct" / "box"
    folder.mkdir(parents=True)
    (folder / "cpu.cfs_quota_us").write_text("-1\n")
    (folder / "cpu.cfs_period_us").write_text("100000\n")
    assert read_quota(root, own) is None
    (folder / "cpu.cfs_quota_us").write_text("200000\n")
    assert read_quota(root, own) == 2.0


def test_processes_side_by_side_share_the_cores(monkeypatch):
    monkeypatch.setattr(machine, "count_cores", lambda: 8)
    monkeypatch.setattr(machine, "_shares", 1)
    assert own_cores() == 8
    share_cores(3)
    assert own_cores() == 2
    share_cores(20)
    assert own_cores() == 1


def test_turns_are_quick_as_long_as_anyone_needs_them() -> None:
    usual = sys.getswitchinterval()
    with quick_turns():
        with quick_turns():
            assert sys.getswitchinterval() < usual
        assert sys.getswitchinterval() < usual
    assert sys.getswitchinterval() == usual
