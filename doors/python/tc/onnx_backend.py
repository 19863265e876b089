"""ONNX's backend interface on tc, for ONNX's own runner of its test cases and for programs that take a backend.

    import tc.onnx_backend as backend

    outputs = backend.prepare(model).run(inputs)
"""
import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

from . import _tc
from .onnxruntime import InferenceSession, InvalidArgument

_FLOATS = {"float16", "float32", "float64"}


class TcBackendRep(BackendRep):
    """A compiled model."""

    def __init__(self, model):
        self._model = model
        self._session = InferenceSession(model)

    def run(self, inputs, **kwargs):
        """The outputs as a list, for inputs in order or by name."""
        arguments = self._session.get_inputs()
        if not isinstance(inputs, dict):
            if isinstance(inputs, np.ndarray):
                inputs = [inputs]
            inputs = dict(zip((a.name for a in arguments), inputs))
        types = {a.name: a.type for a in arguments}
        feed = {name: _stored(value, types.get(name, "")) for name, value in inputs.items()}
        try:
            outputs = self._session.run(None, feed)
        except InvalidArgument as e:
            if e.code != "bad-input":
                raise
            outputs = InferenceSession(_without_shapes(self._model)).run(None, feed)
        return [_shown(o) for o in outputs]


def _stored(value, declared):
    """ONNX's Python package shows numbers that NumPy lacks as f32."""
    word = declared.removeprefix("tensor(").removesuffix(")")
    if isinstance(value, np.ndarray) and word in _tc.dtypes and value.dtype.name in _FLOATS and word not in _FLOATS | {"float", "double"}:
        return _tc.astype(_tc.view(value), word).numpy()
    return value


def _without_shapes(model):
    """The model with inputs of any shape: some of ONNX's cases give others than their models declare."""
    proto = onnx.ModelProto.FromString(model)
    for value in proto.graph.input:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]
    for value in proto.graph.output:
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.ClearField("shape")
    return proto.SerializeToString()


def _shown(value):
    """As ONNX's cases have it: numbers that NumPy lacks are words."""
    if isinstance(value, np.ndarray) and value.dtype.names:
        return value.view(f"u{value.dtype.itemsize}")
    return value


class TcBackend(Backend):
    """The backend."""

    @classmethod
    def is_compatible(cls, model, device="CPU", **kwargs):
        """Whether prepare takes the model."""
        try:
            cls.prepare(model, device)
        except _tc.Error:
            return False
        return True

    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        """A compiled model of a ModelProto, or of bytes or a path."""
        if not cls.supports_device(device):
            raise ValueError(f"there is no device {device}; tc runs on CPU")
        if isinstance(model, onnx.ModelProto):
            model = model.SerializeToString()
        elif not isinstance(model, bytes):
            with open(model, "rb") as file:
                model = file.read()
        return TcBackendRep(model)

    @classmethod
    def run_model(cls, model, inputs, device="CPU", **kwargs):
        """The outputs of a model."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device="CPU", outputs_info=None, **kwargs):
        """The outputs of one node, of the newest opset unless `opset_version` says otherwise."""
        inputs = [np.asarray(i) for i in inputs]
        names = [n for n in node.input if n]
        declared = [
            onnx.helper.make_tensor_value_info(n, onnx.helper.mapping.NP_TYPE_TO_TENSOR_TYPE[i.dtype], i.shape)
            for n, i in zip(names, inputs)
        ]
        results = [onnx.helper.make_empty_tensor_value_info(n) for n in node.output]
        if outputs_info is not None:
            results = [
                onnx.helper.make_tensor_value_info(n, onnx.helper.mapping.NP_TYPE_TO_TENSOR_TYPE[np.dtype(t)], s)
                for n, (t, s) in zip(node.output, outputs_info)
            ]
        graph = onnx.helper.make_graph([node], "node", declared, results)
        opset = kwargs.get("opset_version", onnx.defs.onnx_opset_version())
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid(node.domain, opset)])
        return cls.run_model(model, inputs, device)

    @classmethod
    def supports_device(cls, device):
        """The CPU."""
        return device.split(":")[0] == "CPU"


is_compatible = TcBackend.is_compatible
prepare = TcBackend.prepare
run = run_model = TcBackend.run_model
run_node = TcBackend.run_node
supports_device = TcBackend.supports_device
