"""Arrays by the Python Array API standard, functions that compile themselves, gradients, and ONNX files.

    import tc.numpy as np

    x = np.linspace(0, 1, 5)
    np.sum(np.sin(x) ** 2)                    # runs at once

    @np.jit
    def loss(w, x, y):                        # compiled, once for each combination of types
        return np.mean((x @ w - y) ** 2)

    np.grad(loss)(w, x, y)                    # a function of the same arguments
    np.export_onnx(loss, "loss.onnx", np.ShapeDtype((3,)), np.ShapeDtype(("n", 3)), np.ShapeDtype(("n",)))

Element types are NumPy's dtypes. Python's numbers take the type of the array beside them; integers and floats do not mix
by themselves, as the standard has it. New arrays are float32 unless dtype says otherwise.
"""
import math as _math
import types as _types

import numpy as _numpy

from .. import _tc
from .._tc import (
    Array,
    Compiled,
    Dim,
    Function,
    Init,
    Optimizer,
    Param,
    Schedule,
    Trainer,
    load,
    load_onnx,
    load_tensors,
    parameters_of,
    parse,
    save_tensors,
    tracing,
    with_parameters,
)
from . import _tree
from ._standard import (
    __array_namespace_info__,
    arange,
    asarray,
    astype,
    can_cast,
    finfo,
    from_dlpack,
    iinfo,
    isdtype,
    result_type,
    split,
)
from ._transforms import (
    Jit,
    ShapeDtype,
    cond,
    custom_jvp,
    custom_vjp,
    export_onnx,
    fori_loop,
    grad,
    jit,
    scan,
    trace,
    value_and_grad,
    vjp,
    vmap,
    while_loop,
)

__array_api_version__ = "2024.12"

e, pi, inf, nan = _math.e, _math.pi, _math.inf, _math.nan
newaxis = None
ndarray = Array
tree_map = _tree.map_leaves
tree_flatten = _tree.flatten
tree_unflatten = _tree.unflatten

# Element types by their names: float32, bfloat16, ...
for _name, (_dtype, _, _) in _tc.dtypes.items():
    globals()["bool" if _name == "bool" else _name] = _dtype
del _name, _dtype
bool_ = _tc.dtype("bool")


def _functions(module):
    return {
        name: f for name, f in vars(module).items() if isinstance(f, _types.BuiltinFunctionType) and f.__module__.startswith("tc.numpy")
    }


# Those of the DSL; what stands above has the standard's form.
for _name, _f in _functions(_tc).items():
    if _name not in globals() or _name in ("abs", "all", "any", "max", "min", "pow", "round", "sum", "slice"):
        globals()[_name] = _f
del _name, _f


def _submodule(name, doc):
    import sys

    module = _types.ModuleType(f"{__name__}.{name}", doc)
    for key, f in _functions(getattr(_tc, name)).items():
        setattr(module, key, f)
    sys.modules[module.__name__] = module
    return module


_DOCS = {
    "linalg": "Products and decompositions of matrices, with the Array API's and SciPy's names.",
    "fft": "Discrete Fourier transforms; complex numbers are pairs of real ones along a last axis of extent 2.",
    "random": "Random numbers that are a function of a key, the same in every run, on every machine.",
    "special": "Special functions with SciPy's names.",
    "schedule": "Learning rates as functions of the number of steps done.",
}
for _name, _module in list(vars(_tc).items()):
    if isinstance(_module, _types.ModuleType) and _functions(_module):
        globals()[_name] = _submodule(_name, _DOCS.get(_name, f"Functions of tc::{_name}."))
del _name, _module


# A parameter stands for its array in expressions.
for _name in (
    "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift radd rsub rmul rtruediv rfloordiv rmod rpow "
    "rmatmul lt le gt ge neg abs getitem"
).split():

    def _operator(self, *args, _name=f"__{_name}__"):
        return getattr(self.array, _name)(*args)

    setattr(Param, f"__{_name}__", _operator)
del _name, _operator
for _name in ("shape", "ndim", "size", "dtype", "T", "mT", "at"):
    setattr(Param, _name, property(lambda self, _name=_name: getattr(self.array, _name)))
del _name


# Short forms on arrays, as NumPy has them.
def _method(name):
    f = globals()[name]

    def method(self, *args, **kwargs):
        return f(self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = f.__doc__
    return method


for _name in (
    "all any argmax argmin argsort astype clip conj cumulative_sum flatten max mean min prod reshape round sort squeeze std sum take var"
).split():
    setattr(Array, _name, _method(_name))
del _name


def transpose(x, axes=None):
    """The axes in another order; reversed without `axes`. The standard's name is permute_dims."""
    return permute_dims(x, tuple(axes) if axes is not None else tuple(reversed(range(asarray(x).ndim))))


# NumPy's names of functions that the standard has by others.
for _name, _standard in {
    "absolute": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "arctanh": "atanh", "bitwise_not": "bitwise_invert", "concatenate": "concat", "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum", "fix": "trunc", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "mod": "remainder",
    "power": "pow", "right_shift": "bitwise_right_shift", "rint": "round", "true_divide": "divide",
}.items():  # fmt: skip
    globals().setdefault(_name, globals()[_standard])
del _name, _standard


def __dir__():
    return sorted(n for n in globals() if not n.startswith("_"))
