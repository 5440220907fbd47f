"""Runtimes by name: which there are, what they need, and how to load one."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from incognote.errors import ConfigError, MissingExtraError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.runtimes import Runtime

AUTO, TORCH = "auto", "torch"
ONNX, ONNX_FINE, ONNX_FP32 = "onnx", "onnx-fine", "onnx-fp32"
OPENVINO, OPENVINO_FINE = "openvino", "openvino-fine"
NAMES = (AUTO, ONNX, ONNX_FINE, ONNX_FP32, OPENVINO, OPENVINO_FINE, TORCH)

ISAS = ("", "AVX512_CORE_FP16", "AVX512_CORE_VNNI", "AVX2")
"""The instructions that OpenVINO may be kept to, most of them first; none named means all that the processor names."""

QUICK = "quick"
"""For a few notes, what is open soonest where its makers vouch for it; a program says this in place of ``auto``, not a user."""

# What each needs, and the extra it comes with; an empty extra means the plain installation.
_NEEDS: Mapping[str, tuple[tuple[str, ...], str]] = {
    ONNX: (("onnxruntime",), ""),
    ONNX_FINE: (("onnxruntime",), ""),
    ONNX_FP32: (("onnxruntime",), ""),
    OPENVINO: (("openvino",), "fast"),
    OPENVINO_FINE: (("onnxruntime", "openvino"), "fast"),
    TORCH: (("torch", "transformers", "safetensors"), "train"),
}


def check_runtime(name: str) -> str:
    """The name itself, when there is such a runtime and its packages are installed; ``openvino/ISA`` caps the instructions."""
    plain = check_name(name).partition("/")[0]
    lacking = missing_package(plain)
    if lacking:
        raise MissingExtraError(lacking, _NEEDS[plain][1] or "fast")
    return name


def check_name(name: str) -> str:
    """The name itself, when there is such a runtime, installed or not."""
    if name not in (*NAMES, QUICK, *(f"{plain}/{isa}" for plain in (OPENVINO, OPENVINO_FINE) for isa in ISAS if isa)):
        raise ConfigError("runtime", [f"{name}: is one of {', '.join(NAMES)}"])
    return name


def missing_package(name: str) -> str:
    """The first package that this runtime needs and that is not installed, or nothing."""
    return next((package for package in _NEEDS.get(name, ((), ""))[0] if find_spec(package) is None), "")


_begun: dict[tuple[Path, str], Future[Runtime]] = {}


def begin_runtime(checkpoint: Checkpoint, name: str) -> None:
    """Load the checkpoint in a thread, so that it is open when :func:`load_runtime` is asked for it once."""
    _begun[checkpoint.folder, name] = ThreadPoolExecutor(1).submit(_load, checkpoint, name, "auto", None)


def load_runtime(checkpoint: Checkpoint, name: str, *, device: str = "auto", threads: int | None = None) -> Runtime:
    """The checkpoint on the runtime of that name."""
    begun = _begun.pop((checkpoint.folder, name), None) if threads is None else None
    return begun.result() if begun is not None else _load(checkpoint, name, device, threads)


def _load(checkpoint: Checkpoint, name: str, device: str, threads: int | None) -> Runtime:
    plain, _, isa = check_runtime(name).partition("/")
    options: dict[str, Any] = {"threads": threads}
    if plain in (ONNX_FINE, OPENVINO_FINE):
        from incognote.find.model.runtimes.cascade import load_glancing_runtime

        return load_glancing_runtime(checkpoint, openvino=plain == OPENVINO_FINE, isa=isa, **options)
    if plain == OPENVINO:
        from incognote.find.model.runtimes.openvino import load_openvino_runtime

        return load_openvino_runtime(checkpoint, isa=isa, **options)
    if plain in (ONNX, ONNX_FP32):
        from incognote.find.model.runtimes.onnx import FULL, INT8, load_onnx_runtime

        return load_onnx_runtime(checkpoint, grade=INT8 if plain == ONNX else FULL, **options)
    from incognote.find.model.runtimes.torch import load_torch_runtime

    return load_torch_runtime(checkpoint, device=device)
