"""What the Array API standard has beside functions of arrays, and functions whose form there is another than the DSL's."""
import numpy as _np

from .. import _tc

_ARRAYS = (_tc.Array, _tc.Param, _np.ndarray, _np.generic)
_INTEGERS = {"signed integer": "int8 int16 int32 int64", "unsigned integer": "uint8 uint16 uint32 uint64"}
_KINDS = {
    "bool": "bool",
    **_INTEGERS,
    "integral": " ".join(_INTEGERS.values()),
    "real floating": "float16 bfloat16 float32 float64",
    "complex floating": "complex64 complex128",
}
_KINDS["numeric"] = " ".join([_KINDS["integral"], _KINDS["real floating"], _KINDS["complex floating"]])


def asarray(obj, /, *, dtype=None, device=None, copy=None):
    """An array of what numpy.asarray takes. Python's floats become float32, integers int64. With copy=False memory is
    shared, or it is an error."""
    _check_device(device)
    if copy is False and not isinstance(obj, _tc.Array):
        if not isinstance(obj, _np.ndarray) or (dtype is not None and obj.dtype != _tc.dtype(dtype)) or not obj.flags.c_contiguous:
            raise ValueError("asarray: this needs a copy")
        return _tc.view(obj)
    if isinstance(obj, complex):
        obj = _np.asarray(obj, "complex64")
    if dtype is not None and not isinstance(obj, (_tc.Array, _tc.Param, _tc.Dim, _np.ndarray)):
        # Nothing is rounded on the way.
        named = _tc.dtype(dtype)
        if named.names is None and not _holds_arrays(obj):
            return _tc.view(_np.array(obj, dtype=named))
    x = _tc.asarray(obj) if dtype is None else _tc.asarray(obj, dtype)
    return _tc.view(x.numpy().copy()) if copy and not x.traced else x


def _holds_arrays(obj):
    return isinstance(obj, (list, tuple)) and any(isinstance(o, _tc.Array) or _holds_arrays(o) for o in obj)


def _check_device(device):
    if device not in (None, "cpu"):
        raise ValueError(f"there is no device {device!r}; the only one is 'cpu'")


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements converted: floats to integers truncate, integers wrap."""
    _check_device(device)
    return _tc.astype(x, dtype)


def arange(start, /, stop=None, step=1, *, dtype=None, device=None):
    """start, start + step, ... below stop; arange(n) is 0, ..., n - 1. int64 when all arguments are integers."""
    _check_device(device)
    if stop is None:
        start, stop = 0, start
    return _tc.arange(start, stop, step, dtype=dtype)


def from_dlpack(x, /, *, device=None, copy=None):
    """The array that an object with __dlpack__ is; memory is shared where its elements are contiguous."""
    _check_device(device)
    array = _tc.from_dlpack(x)
    return asarray(array, copy=True) if copy else array


def split(x, extents, axis=0):
    """Consecutive parts along an axis: so many equal ones, or ones of these extents."""
    if isinstance(extents, int):
        return _tc.split_equally(x, extents, axis)
    return _tc.split(x, extents, axis)


def isdtype(dtype, kind):
    """Whether an element type is of a kind: another type, the name of a kind, or a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return _name(dtype) in _KINDS[kind].split()
    return _tc.dtype(dtype) == _tc.dtype(kind)


def _name(dtype):
    dtype = _tc.dtype(dtype)
    return dtype.names[0] if dtype.names else dtype.name


def result_type(*arrays_and_dtypes):
    """The element type of the result of mixing these."""
    types, numbers = [], []
    for a in arrays_and_dtypes:
        if isinstance(a, (bool, int, float, complex)):
            numbers.append(a)
        else:
            types.append(a.dtype if isinstance(a, _ARRAYS) else _tc.dtype(a))
    if not types:
        raise ValueError("result_type: numbers alone have no type")
    result = types[0]
    for t in types[1:]:
        common = _tc.promote(result, t)
        if common is None:
            raise TypeError(f"result_type: {_name(result)} and {_name(t)} have no common type")
        result = common
    return result


def can_cast(from_, to, /):
    """Whether elements can be converted by promotion."""
    source = from_.dtype if isinstance(from_, _ARRAYS) else _tc.dtype(from_)
    return _tc.promote(source, to) == _tc.dtype(to)


class finfo:
    """The limits of a floating-point type."""

    def __init__(self, type, /):
        dtype = type.dtype if isinstance(type, _ARRAYS) else _tc.dtype(type)
        if _name(dtype) == "bfloat16":
            self.bits, self.eps, self.max, self.smallest_normal = 16, 2.0**-7, 3.3895313892515355e38, 2.0**-126
        else:
            info = _np.finfo(dtype)
            self.bits, self.eps = info.bits, float(info.eps)
            self.max, self.smallest_normal = float(info.max), float(info.smallest_normal)
        self.min, self.dtype = -self.max, dtype


class iinfo:
    """The limits of an integer type."""

    def __init__(self, type, /):
        self.dtype = type.dtype if isinstance(type, _ARRAYS) else _tc.dtype(type)
        info = _np.iinfo(self.dtype)
        self.bits, self.min, self.max = info.bits, int(info.min), int(info.max)


class _Info:
    """What the namespace can do."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        return "cpu"

    def devices(self):
        return ["cpu"]

    def default_dtypes(self, *, device=None):
        return {
            "real floating": _tc.dtype("float32"),
            "complex floating": _tc.dtype("complex64"),
            "integral": _tc.dtype("int64"),
            "indexing": _tc.dtype("int64"),
        }

    def dtypes(self, *, device=None, kind=None):
        names = [n for n in _KINDS["bool"].split() + _KINDS["numeric"].split() if n != "bfloat16"]
        return {n: _tc.dtype(n) for n in names if kind is None or isdtype(n, kind)}


def __array_namespace_info__():
    """What the namespace can do: types, devices, limits."""
    return _Info()
