"""ONNX Runtime sessions over graphs of ours."""

from typing import TYPE_CHECKING

from incognote.find.model.runtimes.silent import import_onnxruntime

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def open_session(graph: bytes, *, threads: int) -> "InferenceSession":
    """A session that so many threads may run at once, each run on the thread that asks for it."""
    onnxruntime = import_onnxruntime()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # One pool of memory for all threads hands each what another has just let go, and cores fetch it from one another.
    options.enable_cpu_mem_arena = options.enable_mem_pattern = threads == 1
    # Higher levels would fuse norms with the sums before them, into a slower operator.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    # What is made whole again from codes is what is left to be coded; it must not be fused away.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
