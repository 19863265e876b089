"""onnxruntime's Python API on tc.

    import tc.onnxruntime as ort

    session = ort.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": x})

Names and meanings are onnxruntime's. Inputs are not copied where they are contiguous; outputs are arrays of their own.
Elements that NumPy lacks (bfloat16, 8-bit floats, integers below 8 bits) are arrays of unsigned words, one element
each, whose dtype has a field of the type's name: see docs/python.md.
"""
from ._options import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    ModelMetadata,
    NodeArg,
    OrtAllocatorType,
    OrtMemType,
    RunOptions,
    SessionOptions,
)
from ._session import InferenceSession, IOBinding, Session, SessionIOBinding
from ._values import OrtDevice, OrtValue, SparseTensor
from .capi.onnxruntime_pybind11_state import (
    EPFail,
    EngineError,
    Fail,
    InvalidArgument,
    InvalidGraph,
    InvalidProtobuf,
    ModelLoaded,
    NoModel,
    NoSuchFile,
    NotImplemented,
    RuntimeException,
)
from .. import __version__ as tc_version

# Programs ask for what onnxruntime had at a version: this is the one whose API is followed.
__version__ = "1.20.0"


def get_available_providers():
    """The providers that can be asked for: tc's own kernels, under onnxruntime's name for those of the CPU."""
    return ["CPUExecutionProvider"]


def get_all_providers():
    """As get_available_providers."""
    return get_available_providers()


def get_device():
    """'CPU'."""
    return "CPU"


def get_version_string():
    """The version of the API that is followed."""
    return __version__


def get_build_info():
    """Which library answers."""
    return f"tc {tc_version}"


def set_default_logger_severity(level):
    """Accepted: tc logs nothing; errors are exceptions."""


def set_default_logger_verbosity(level):
    """Accepted, as set_default_logger_severity."""


def set_seed(seed):
    """The seed of sessions made from here on, for random operators without one of their own."""
    from . import _session

    _session.default_seed = seed


def enable_telemetry_events():
    """Nothing: there are none."""


def disable_telemetry_events():
    """Nothing: there are none."""


def install():
    """From here on `import onnxruntime` means this package, so that programs for onnxruntime run as they are."""
    import importlib
    import sys

    for module in ("capi.onnxruntime_inference_collection", "capi.onnxruntime_pybind11_state", "capi._pybind_state"):
        importlib.import_module(f"{__name__}.{module}")
    for name, module in list(sys.modules.items()):
        if name == __name__ or name.startswith(__name__ + "."):
            sys.modules["onnxruntime" + name[len(__name__) :]] = module
