"""The least of a Python interface over the C API, by ctypes: what ONNX's backend runner needs of a runtime."""
import ctypes as C
import pathlib
import re

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[3]
SLOTS = re.findall(r"^TC_SLOT_\w+\((\w+)\)", (SOURCE / "doors/onnxruntime/slots.def").read_text(), re.MULTILINE)
# ONNXTensorElementDataType and what NumPy has for it.
TYPES = {1: "f4", 2: "u1", 3: "i1", 4: "u2", 5: "i2", 6: "i4", 7: "i8", 9: "?", 10: "f2", 11: "f8", 12: "u4", 13: "u8", 14: "c8", 15: "c16"}
CODES = {np.dtype(t): code for code, t in TYPES.items()}
STRING, BFLOAT16 = 8, 16
TENSOR, SEQUENCE = 1, 2


class Failure(RuntimeError):
    pass


class Library:
    def __init__(self, path):
        class Base(C.Structure):
            _fields_ = [("get", C.CFUNCTYPE(C.c_void_p, C.c_uint32)), ("version", C.CFUNCTYPE(C.c_char_p))]

        self.library = C.CDLL(path)
        self.library.OrtGetApiBase.restype = C.POINTER(Base)
        table = self.library.OrtGetApiBase().contents.get(23)
        self.table = (C.c_void_p * len(SLOTS)).from_address(table)
        self.made = {}
        self.env = self.get("CreateEnv", 4, b"python")
        self.allocator = self.get("GetAllocatorWithDefaultOptions")
        self.memory = self.get("CreateCpuMemoryInfo", 0, 0)
        self.device = None

    def use_provider(self, name, path):
        """Sessions that are made from now on have this plug-in's provider before the library's own."""
        self.ok("RegisterExecutionProviderLibrary", self.env, b"plug-in", path.encode())
        devices, n = C.c_void_p(), C.c_size_t()
        self.ok("GetEpDevices", self.env, devices, n)
        for device in (C.c_void_p * n.value).from_address(devices.value):
            if self.call("EpDevice_EpName", device, result=C.c_char_p) == name.encode():
                self.device = device

    def call(self, name, *args, result=C.c_void_p):
        """Numbers and addresses go as they are, bytes as text; objects of ctypes by their address."""
        plain = [C.addressof(a) if isinstance(a, (C.Array, C._SimpleCData)) else a for a in args]
        types = [C.c_char_p if isinstance(a, bytes) else C.c_void_p for a in plain]
        key = (name, tuple(types), result)
        if key not in self.made:
            self.made[key] = C.CFUNCTYPE(result, *types)(self.table[SLOTS.index(name)])
        return self.made[key](*plain)

    def ok(self, name, *args):
        status = self.call(name, *args)
        if status:
            text = self.call("GetErrorMessage", status, result=C.c_char_p).decode()
            self.call("ReleaseStatus", status)
            raise Failure(text)

    def get(self, name, *args, kind=C.c_void_p):
        out = kind()
        self.ok(name, *args, out)
        return out.value


class Session:
    """Arrays in, arrays out: lists are sequences, None is an optional that is empty."""

    def __init__(self, library, model):
        self.library = library
        options = library.get("CreateSessionOptions")
        try:
            if library.device:
                one = (C.c_void_p * 1)(library.device)
                library.ok("SessionOptionsAppendExecutionProvider_V2", options, library.env, one, 1, None, None, 0)
            data = C.create_string_buffer(model, len(model))
            self.handle = library.get("CreateSessionFromArray", library.env, data, len(model), options)
        finally:
            library.call("ReleaseSessionOptions", options)
        self.inputs, self.outputs = self.names("Input"), self.names("Output")
        self.codes = [self.code(i) for i in range(len(self.inputs))]

    def names(self, what):
        l, names = self.library, []
        for i in range(l.get(f"SessionGet{what}Count", self.handle, kind=C.c_size_t)):
            text = l.get(f"SessionGet{what}Name", self.handle, i, l.allocator)
            names.append(C.string_at(text))
            l.ok("AllocatorFree", l.allocator, text)
        return names

    def code(self, i):
        """Element type of an input that is a tensor."""
        l = self.library
        info = l.get("SessionGetInputTypeInfo", self.handle, i)
        tensor = l.get("CastTypeInfoToTensorInfo", info)
        code = l.get("GetTensorElementType", tensor, kind=C.c_int) if tensor else 0
        l.call("ReleaseTypeInfo", info, result=None)
        return code

    def value(self, x, kept, code=0):
        l = self.library
        if isinstance(x, list):
            items = [self.value(item, kept) for item in x]
            return l.get("CreateValue", (C.c_void_p * max(len(items), 1))(*items), len(items), SEQUENCE)
        x = np.asarray(x)
        dims = (C.c_int64 * max(x.ndim, 1))(*x.shape)
        if x.dtype.kind in "OUS":
            v = l.get("CreateTensorAsOrtValue", l.allocator, dims, x.ndim, STRING)
            texts = [s if isinstance(s, bytes) else str(s).encode() for s in x.ravel()]
            l.ok("FillStringTensor", v, (C.c_char_p * max(len(texts), 1))(*texts), len(texts))
            return v
        x = np.ascontiguousarray(x).reshape(x.shape)
        kept.append(x)
        # NumPy has no bfloat16: its bits are u16 here, as in ONNX's cases.
        code = BFLOAT16 if code == BFLOAT16 and x.dtype == np.uint16 else CODES[x.dtype]
        return l.get("CreateTensorWithDataAsOrtValue", l.memory, x.ctypes.data, x.nbytes, dims, x.ndim, code)

    def array(self, v):
        l = self.library
        if not l.get("HasValue", v, kind=C.c_int):
            return None
        if l.get("GetValueType", v, kind=C.c_int) == SEQUENCE:
            return [self.array(l.get("GetValue", v, i, l.allocator)) for i in range(l.get("GetValueCount", v, kind=C.c_size_t))]
        info = l.get("GetTensorTypeAndShape", v)
        rank = l.get("GetDimensionsCount", info, kind=C.c_size_t)
        dims = (C.c_int64 * max(rank, 1))()
        l.ok("GetDimensions", info, dims, rank)
        code = l.get("GetTensorElementType", info, kind=C.c_int)
        l.call("ReleaseTensorTypeAndShapeInfo", info, result=None)
        shape = list(dims)[:rank]
        if code == STRING:
            return self.texts(v, int(np.prod(shape))).reshape(shape)
        dtype = np.dtype("u2" if code == BFLOAT16 else TYPES[code])
        size = int(np.prod(shape)) * dtype.itemsize
        return np.frombuffer(C.string_at(l.get("GetTensorMutableData", v), size), dtype).reshape(shape)

    def texts(self, v, n):
        l = self.library
        size = l.get("GetStringTensorDataLength", v, kind=C.c_size_t)
        text, at = C.create_string_buffer(size + 1), (C.c_size_t * max(n, 1))()
        l.ok("GetStringTensorContent", v, text, size, at, n)
        ends = [*list(at)[1:n], size]
        return np.array([text.raw[at[i] : ends[i]].decode() for i in range(n)], dtype=object)

    def run(self, arrays):
        l, kept = self.library, []
        given = [(name, x, code) for name, x, code in zip(self.inputs, arrays, self.codes) if x is not None]
        inputs = [name for name, x, code in given]
        values = [self.value(x, kept, code) for name, x, code in given]
        out = (C.c_void_p * len(self.outputs))()
        names = lambda all, n: (C.c_char_p * max(n, 1))(*all[:n])
        try:
            l.ok(
                "Run", self.handle, None, names(inputs, len(values)), (C.c_void_p * max(len(values), 1))(*values),
                len(values), names(self.outputs, len(out)), len(out), out,
            )
            return [self.array(v) for v in out]
        finally:
            for v in [*values, *(v for v in out if v)]:
                l.call("ReleaseValue", v, result=None)

    def close(self):
        self.library.call("ReleaseSession", self.handle, result=None)
