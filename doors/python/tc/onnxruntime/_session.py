"""Sessions: compiled models that run by the names of their inputs and outputs."""
import ctypes
import json
import os
import threading
import time

import numpy as np

from .. import _tc
from ._options import GraphOptimizationLevel, ModelMetadata, NodeArg, SessionOptions
from ._values import OrtValue, _check_device

default_seed = None

_STANDARD_METADATA = {"producer_name", "producer_version", "domain", "doc_string", "model_version", "ir_version"}


def _compiler_options(options):
    level = options.graph_optimization_level
    result = {
        "threads": options.intra_op_num_threads,
        "level": 0 if level == GraphOptimizationLevel.ORT_DISABLE_ALL else 1 if level == GraphOptimizationLevel.ORT_ENABLE_BASIC else 2,
        "seed": default_seed,
    }
    for name, value in options._entries.items():
        if name.startswith("tc."):
            result[name[3:]] = value if name == "tc.isa" else int(value)
    return result


def _check_providers(providers, provider_options):
    names = [p if isinstance(p, str) else p[0] for p in providers or []]
    if provider_options is not None and len(provider_options) != len(names):
        raise ValueError("there are not as many provider options as providers")
    return names


class Session:
    """What InferenceSession has beside runs."""

    def get_session_options(self):
        """The options that the session was made with."""
        return self._options

    def get_inputs(self):
        """A NodeArg for each input, in order."""
        return self._inputs

    def get_outputs(self):
        """A NodeArg for each output, in order."""
        return self._outputs

    def get_overridable_initializers(self):
        """None: weights are not inputs."""
        return []

    def get_modelmeta(self):
        """What the model says about itself."""
        known = dict(self._metadata())
        custom = {k: v for k, v in known.items() if k not in _STANDARD_METADATA and not k.startswith("opset.")}
        return ModelMetadata(
            producer_name=known.get("producer_name", ""),
            graph_name=self.function.name,
            domain=known.get("domain", ""),
            description=known.get("doc_string", ""),
            version=int(known.get("model_version", 0)),
            custom_metadata_map=custom,
        )

    def get_providers(self):
        """Who runs the nodes."""
        return ["CPUExecutionProvider"]

    def get_provider_options(self):
        """Options of providers: none."""
        return {"CPUExecutionProvider": {}}

    def set_providers(self, providers=None, provider_options=None):
        """Accepted: nodes run on the CPU."""
        _check_providers(providers, provider_options)

    def enable_fallback(self):
        """Accepted: there is nothing to fall back from."""

    def disable_fallback(self):
        """Accepted: there is nothing to fall back from."""


class InferenceSession(Session, _tc.Session):
    """A compiled model.

    InferenceSession(path_or_bytes, sess_options=None, providers=None, provider_options=None)

    Providers are accepted by any name; tc's kernels run the model. Runs of one session may overlap in several threads.
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, **kwargs):
        unknown = set(kwargs) - {"disabled_optimizers", "enable_fallback", "read_config_from_model"}
        if unknown:
            raise TypeError(f"InferenceSession has no argument '{unknown.pop()}'")
        if isinstance(path_or_bytes, (bytearray, memoryview)):
            path_or_bytes = bytes(path_or_bytes)
        if not isinstance(path_or_bytes, (bytes, str, os.PathLike)):
            raise TypeError(f"a model is a path or bytes, not {type(path_or_bytes).__name__}")
        _check_providers(providers, provider_options)
        self._options = sess_options if sess_options is not None else SessionOptions()
        self._started = time.perf_counter_ns()
        super().__init__(
            path_or_bytes, _compiler_options(self._options), bool(self._options.enable_profiling), self._options._dims or None
        )
        self._inputs = [NodeArg(*a) for a in self._arguments(True)]
        self._outputs = [NodeArg(*a) for a in self._arguments(False)]
        if self._options.optimized_model_filepath:
            self.function.export_onnx(self._options.optimized_model_filepath)

    def run_async(self, output_names, input_feed, callback, user_data=None, run_options=None):
        """Runs in a thread of its own; then callback(outputs, user_data, error)."""

        def work():
            try:
                outputs, error = self.run(output_names, input_feed, run_options), ""
            except Exception as e:  # whatever it is, it is the callback's
                outputs, error = [], str(e)
            callback(outputs, user_data, error)

        threading.Thread(target=work, daemon=True).start()

    def run_with_ort_values(self, output_names, input_dict_ort_values, run_options=None):
        """As run, with OrtValues in and out."""
        feed = {name: value._value for name, value in input_dict_ort_values.items()}
        return [OrtValue(v) for v in self._run_values(output_names, feed, run_options)]

    def io_binding(self):
        """A binding of inputs and outputs to memory."""
        return IOBinding(self)

    def run_with_iobinding(self, iobinding, run_options=None):
        """Runs with the inputs of a binding; its outputs are where it says, or kept in it."""
        iobinding._run(run_options)

    def end_profiling(self):
        """Writes a trace of the runs, in the format of Chrome's about:tracing; its path."""
        if not self._options.enable_profiling:
            raise RuntimeError("the session was made without enable_profiling")
        timings = self._timings()
        first = min((t[3] for t in timings), default=0)
        events = [
            {"cat": "Node", "pid": os.getpid(), "tid": 0, "ph": "X", "name": node, "ts": (begin - first) / 1e3,
             "dur": duration / 1e3, "args": {"op_name": op, "kernel": kernel}}
            for node, op, kernel, begin, duration in timings
        ]  # fmt: skip
        path = f"{self._options.profile_file_prefix}{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)
        return path

    def get_profiling_start_time_ns(self):
        """When the session was made, on the clock of time.perf_counter_ns."""
        return self._started


class IOBinding:
    """Inputs and outputs of a session, bound to memory that stays between runs."""

    def __init__(self, session):
        self._session = session
        self._feed = {}
        self._wanted = {}
        self._results = []

    def bind_cpu_input(self, name, arr_on_cpu):
        """An input from an array, which is read at the run."""
        self._feed[name] = arr_on_cpu

    def bind_input(self, name, device_type, device_id, element_type, shape, buffer_ptr):
        """An input from memory at an address, which is read at the run."""
        _check_device(device_type, device_id)
        self._feed[name] = _memory(element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name, ortvalue):
        """An input from an OrtValue."""
        self._feed[name] = ortvalue._value

    def bind_output(self, name, device_type="cpu", device_id=0, element_type=None, shape=None, buffer_ptr=None):
        """An output into memory at an address, or, without one, into a value that the binding keeps."""
        _check_device(device_type, device_id)
        self._wanted[name] = None if buffer_ptr is None else _memory(element_type, shape, buffer_ptr)

    def bind_ortvalue_output(self, name, ortvalue):
        """An output into an OrtValue."""
        self._wanted[name] = ortvalue

    def synchronize_inputs(self):
        """Nothing: the CPU is not behind."""

    def synchronize_outputs(self):
        """Nothing: the CPU is not behind."""

    def get_outputs(self):
        """The outputs of the last run as OrtValues, in the order in which they were bound."""
        return list(self._results)

    def copy_outputs_to_cpu(self):
        """The outputs of the last run as arrays."""
        return [v.numpy() for v in self._results]

    def clear_binding_inputs(self):
        """Forgets the inputs."""
        self._feed.clear()

    def clear_binding_outputs(self):
        """Forgets the outputs."""
        self._wanted.clear()
        self._results.clear()

    def _run(self, run_options):
        values = {
            name: v if isinstance(v, _tc.OrtValue) else _tc.OrtValue.from_numpy(v) for name, v in self._feed.items()
        }
        made = self._session._run_values(list(self._wanted), values, run_options)
        self._results = []
        for value, target in zip(made, self._wanted.values()):
            if isinstance(target, np.ndarray):
                target[...] = value.numpy().reshape(target.shape)
                self._results.append(OrtValue(value))
            elif target is not None:
                target.update_inplace(value.numpy())
                self._results.append(target)
            else:
                self._results.append(OrtValue(value))


SessionIOBinding = IOBinding


def _memory(element_type, shape, address):
    """Memory at an address as an array."""
    if isinstance(element_type, int):
        element_type = {code: dtype for dtype, _, code in _tc.dtypes.values()}[element_type]
    dtype = _tc.dtype(element_type)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if size == 0:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * size).from_address(int(address)), dtype).reshape(shape)
