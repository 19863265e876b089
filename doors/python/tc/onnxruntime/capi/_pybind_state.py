"""The exceptions, options and values of sessions, at the place where programs look for onnxruntime's."""
from .._options import ExecutionMode, GraphOptimizationLevel, ModelMetadata, NodeArg, RunOptions, SessionOptions
from .._values import OrtDevice, OrtValue
from .onnxruntime_pybind11_state import *
