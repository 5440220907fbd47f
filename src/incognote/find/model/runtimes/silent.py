"""ONNX Runtime and OpenVINO loaded so that they tell nobody of it: both report their use to their makers unless they are kept from it."""

import os
import sys
from typing import Any

from incognote.errors import MissingExtraError

_ONNX_VARIABLE = "ORT_DISABLE_TELEMETRY"
_OPENVINO_REPORTER = "openvino_telemetry"


def import_onnxruntime() -> Any:
    """The package onnxruntime, which would else keep a file of events in the home folder and send it to Microsoft."""
    os.environ[_ONNX_VARIABLE] = "1"  # read when the library is loaded
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError("onnxruntime", "fast") from None
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def import_openvino() -> Any:
    """The package openvino, which would else make an id of this user and tell Google Analytics that it was imported.

    It does without the package that does so where that is not installed; so that is what it is told. The user's own consent, in a
    file in the home folder, is not touched.
    """
    hidden = _OPENVINO_REPORTER not in sys.modules
    if hidden:
        sys.modules[_OPENVINO_REPORTER] = None  # type: ignore[assignment]
    try:
        import openvino
    except ImportError:
        raise MissingExtraError("openvino", "fast") from None
    finally:
        if hidden:
            del sys.modules[_OPENVINO_REPORTER]
    return openvino
