"""ONNX Runtime sessions over our graphs, with telemetry switched off."""

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def open_session(graph: bytes, *, threads: int) -> "InferenceSession":
    """A session that so many threads may run at once, each run on the thread that asks for it."""
    onnxruntime = _import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # One memory arena for all threads hands each what another has just released, and cores fetch it from one another.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = threads == 1
    # Higher levels would fuse norms with the sums before them, into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # A dequantized value is what the next quantization starts from; the pair must not be fused away.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def _import_onnxruntime() -> Any:
    """The package, which would else keep a file of events in the home folder and send it to Microsoft."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when the library is loaded
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
