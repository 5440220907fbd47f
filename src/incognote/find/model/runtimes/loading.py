"""Runtimes by name: which there are, what they need, and how to load one."""

from collections.abc import Mapping
from importlib.util import find_spec

from incognote.errors import ConfigError, MissingExtraError
from incognote.find.model.checkpoint import Checkpoint
from incognote.find.model.runtimes import Runtime

AUTO, TORCH = "auto", "torch"
ONNX, ONNX_EXACT, ONNX_FP32 = "onnx", "onnx-exact", "onnx-fp32"
NAMES = (AUTO, ONNX, ONNX_EXACT, ONNX_FP32, TORCH)

_NEEDS: Mapping[str, tuple[str, ...]] = {
    ONNX: ("onnxruntime",),
    ONNX_EXACT: ("onnxruntime",),
    ONNX_FP32: ("onnxruntime",),
    TORCH: ("torch", "transformers", "safetensors"),
}


def check_runtime(name: str) -> str:
    """The name itself, when there is such a runtime and its packages are installed."""
    lacking = missing_package(check_name(name))
    if lacking:
        raise MissingExtraError(lacking, "train")
    return name


def check_name(name: str) -> str:
    """The name itself, when there is such a runtime, installed or not."""
    if name not in NAMES:
        raise ConfigError("runtime", [f"{name}: is one of {', '.join(NAMES)}"])
    return name


def missing_package(name: str) -> str:
    """The first package that this runtime needs and that is not installed, or nothing."""
    return next((package for package in _NEEDS.get(name, ()) if find_spec(package) is None), "")


def load_runtime(checkpoint: Checkpoint, name: str, *, device: str = "auto", threads: int | None = None) -> Runtime:
    """The checkpoint on the runtime of that name; ``threads`` follows the cores this process may use."""
    if check_runtime(name) == TORCH:
        from incognote.find.model.runtimes.torch import load_torch_runtime

        return load_torch_runtime(checkpoint, device=device)
    if name == ONNX_EXACT:
        from incognote.find.model.runtimes.cascade import load_cascade

        return load_cascade(checkpoint, threads=threads)
    from incognote.find.model.runtimes.onnx import FULL, INT8, load_onnx_runtime

    return load_onnx_runtime(checkpoint, precision=FULL if name == ONNX_FP32 else INT8, threads=threads)
