"""tc, a tensor compiler for CPUs.

    import tc.onnxruntime as ort     # ONNX models, as onnxruntime runs them
    import tc.numpy as np            # arrays, compiled functions, gradients, ONNX export
"""
import os as _os

from . import _tc

_tc._set_package_folder(_os.path.dirname(_os.path.abspath(__file__)) + _os.sep)

__version__ = _tc.__version__
