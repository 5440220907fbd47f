"""What runtimes need to know of this machine: cores (affinity and container quota), processor flags, GPU, installed packages."""

import math
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock, Thread

_CGROUP = Path("/sys/fs/cgroup")
_CPUINFO = Path("/proc/cpuinfo")
_PACKAGES = ("onnxruntime", "torch", "transformers", "tokenizers", "numpy")

_SHORT_TURN = 0.0002  # seconds that a thread may keep Python from others

_shares = 1
_turns, _hurried, _usual_turn = Lock(), 0, 0.0


def count_cores(*, cgroup: Path = _CGROUP, own: Path = Path("/proc/self/cgroup")) -> int:
    """The cores this process may keep busy: those it is bound to, but no more than its container's quota."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = read_quota(cgroup, own)
    return bound if quota is None else max(1, min(bound, math.ceil(quota)))


def read_quota(cgroup: Path = _CGROUP, own: Path = Path("/proc/self/cgroup")) -> float | None:
    """The container's limit in cores, the tightest of this process's control groups, or None where there is none."""
    limits = [limit for folder in _groups(cgroup, own) if (limit := _limit(folder)) is not None]
    return min(limits, default=None)


def _groups(cgroup: Path, own: Path) -> list[Path]:
    """The process's own control group and all above it, for versions 1 and 2, and the root that a container sees."""
    folders = [cgroup, cgroup / "cpu", cgroup / "cpu,cpuacct"]
    for line in _read(own).splitlines():
        _, controllers, path = line.split(":", 2)
        roots = [cgroup] if not controllers else [cgroup / controllers, cgroup / "cpu"] if "cpu" in controllers.split(",") else []
        parts = Path(path).parts[1:]
        folders += [root.joinpath(*parts[:depth]) for root in roots for depth in range(1, len(parts) + 1)]
    return folders


def _limit(folder: Path) -> float | None:
    both = _read(folder / "cpu.max").split() or [_read(folder / f"cpu.cfs_{part}_us").strip() for part in ("quota", "period")]
    try:
        quota, period = (float(part) for part in both)
    except ValueError:  # "max", or no such file
        return None
    return quota / period if quota > 0 and period > 0 else None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def share_cores(processes: int) -> None:
    """Set how many processes share the cores; each then uses its part of them."""
    global _shares
    _shares = max(1, processes)


def own_cores() -> int:
    """How many threads this process should run."""
    return max(1, count_cores() // _shares)


@contextmanager
def quick_turns() -> Iterator[None]:
    """Shorten the interval at which threads release the GIL: else threads of the model wait for the rules longer than a window takes."""
    global _hurried, _usual_turn
    with _turns:
        if not _hurried:
            _usual_turn = sys.getswitchinterval()
            sys.setswitchinterval(_SHORT_TURN)
        _hurried += 1
    try:
        yield
    finally:
        with _turns:
            _hurried -= 1
            if not _hurried:
                sys.setswitchinterval(_usual_turn)


@cache
def cpu_flags() -> frozenset[str]:
    """The instruction sets that the processor lists; empty where the system does not report them."""
    for line in _read(_CPUINFO).splitlines():
        if line.startswith(("flags", "Features")):
            return frozenset(line.partition(":")[2].split())
    return frozenset()


@cache
def cpu_name() -> str:
    """The processor's own name."""
    for line in _read(_CPUINFO).splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def multiplies_bytes() -> bool:
    """Whether products of unsigned and signed bytes cannot overflow here (VNNI, or not an x86 at all)."""
    return platform.machine() not in ("x86_64", "AMD64") or bool(cpu_flags() & {"avx512_vnni", "avx_vnni"})


def has_gpu() -> bool:
    """Whether there is an NVIDIA card with its driver; PyTorch decides whether it can be used."""
    return Path("/dev/nvidiactl").exists() or Path("/proc/driver/nvidia/version").exists()


def installed_packages() -> dict[str, str]:
    """The versions of the packages that runtimes are made of; those that are missing are left out."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def end_with_parent() -> None:
    """End this process when its parent is killed.

    Otherwise it would wait forever with notes in its memory, or continue work that was restarted elsewhere.
    """
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()
