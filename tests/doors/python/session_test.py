"""tc.onnxruntime: programs written for onnxruntime, and what goes wrong in them."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import tc
import tc.numpy as xp
import tc.onnxruntime as ort
from tc.onnxruntime.capi import onnxruntime_pybind11_state as state


def model(text):
    """The bytes of an ONNX file of textual IR."""
    return xp.parse(text).onnx_bytes()


DOUBLE = model("""graph @double(%x: f32[n,3]) {
  %0 = constant dense<2> : f32[]
  %1 = mul %x, %0 : f32[n,3]
  return %1, %x : "y", "same"
}""")


class Sessions(unittest.TestCase):
    def setUp(self):
        self.session = ort.InferenceSession(DOUBLE, providers=["CPUExecutionProvider"])
        self.x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def test_arguments(self):
        (x,) = self.session.get_inputs()
        self.assertEqual((x.name, x.type, x.shape), ("x", "tensor(float)", ["n", 3]))
        self.assertEqual([o.name for o in self.session.get_outputs()], ["y", "same"])
        self.assertEqual(self.session.get_providers(), ["CPUExecutionProvider"])
        self.assertEqual(self.session.get_modelmeta().producer_name, "tc")
        self.assertEqual(self.session.get_modelmeta().graph_name, "double")

    def test_run(self):
        y, same = self.session.run(None, {"x": self.x})
        np.testing.assert_array_equal(y, 2 * self.x)
        np.testing.assert_array_equal(same, self.x)
        for output in (y, same):
            self.assertTrue(output.flags.writeable and output.flags.c_contiguous)
            self.assertFalse(np.shares_memory(output, self.x))
        same, y = self.session.run(["same", "y"], {"x": self.x[::-1, ::-1]})
        np.testing.assert_array_equal(same, self.x[::-1, ::-1])
        np.testing.assert_array_equal(y, 2 * same)

    def test_outputs_stay_what_they_are(self):
        first = self.session.run(["y"], {"x": self.x})[0]
        copy = first.copy()
        self.session.run(["y"], {"x": self.x + 1})
        np.testing.assert_array_equal(first, copy)

    def test_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            path.write_bytes(DOUBLE)
            for spelled in (path, str(path)):
                y = ort.InferenceSession(spelled).run(["y"], {"x": self.x})[0]
                np.testing.assert_array_equal(y, 2 * self.x)
            with self.assertRaises(state.NoSuchFile):
                ort.InferenceSession(str(path) + "x")
            with self.assertRaises(FileNotFoundError):
                ort.InferenceSession(str(path) + "x")

    def test_errors(self):
        for feed, error, words in [
            ({}, ValueError, "missing: x"),
            ({"x": self.x, "z": self.x}, state.InvalidArgument, "no input 'z'"),
            ({"x": self.x.astype("f8")}, state.InvalidArgument, "must be f32"),
            ({"x": self.x[:, :2]}, state.InvalidArgument, "must be f32"),
            ({"x": np.zeros(3, "M8[s]")}, state.InvalidArgument, "no elements of dtype"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(error, words):
                self.session.run(None, feed)
        with self.assertRaisesRegex(state.InvalidArgument, "no output 'q'"):
            self.session.run(["q"], {"x": self.x})
        with self.assertRaises(state.InvalidProtobuf):
            ort.InferenceSession(b"no model")
        with self.assertRaises(TypeError):
            ort.InferenceSession(7)
        with self.assertRaises(TypeError):
            ort.InferenceSession(DOUBLE, colour="red")
        options = ort.RunOptions()
        options.terminate = True
        with self.assertRaisesRegex(state.RuntimeException, "terminated"):
            self.session.run(None, {"x": self.x}, options)
        self.assertTrue(issubclass(state.InvalidArgument, tc._tc.Error))

    def test_options(self):
        options = ort.SessionOptions()
        with self.assertRaises(AttributeError):
            options.intra_op_threads = 3
        options.intra_op_num_threads = 1
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.add_session_config_entry("tc.isa", "sse42")
        self.assertEqual(options.get_session_config_entry("tc.isa"), "sse42")
        options.add_free_dimension_override_by_name("n", 2)
        session = ort.InferenceSession(DOUBLE, options)
        self.assertEqual(session.get_inputs()[0].shape, [2, 3])
        np.testing.assert_array_equal(session.run(["y"], {"x": self.x})[0], 2 * self.x)
        with self.assertRaises(state.InvalidArgument):
            session.run(["y"], {"x": self.x[:1]})
        options.add_session_config_entry("tc.isa", "none")
        with self.assertRaises(state.InvalidArgument):
            ort.InferenceSession(DOUBLE, options)

    def test_profile(self):
        with tempfile.TemporaryDirectory() as folder:
            options = ort.SessionOptions()
            options.enable_profiling = True
            options.profile_file_prefix = folder + os.sep
            session = ort.InferenceSession(DOUBLE, options)
            session.run(None, {"x": self.x})
            with open(session.end_profiling(), encoding="utf-8") as file:
                events = json.load(file)
            self.assertTrue(events and all(e["dur"] >= 0 for e in events))

    def test_threads(self):
        failures = []

        def work(k):
            x = np.full((50, 3), k, np.float32)
            for _ in range(50):
                if not (self.session.run(["y"], {"x": x})[0] == 2 * k).all():
                    failures.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])

    def test_async(self):
        done = threading.Event()
        seen = []

        def callback(outputs, data, error):
            seen.append((outputs, data, error))
            done.set()

        self.session.run_async(["y"], {"x": self.x}, callback, "data")
        self.assertTrue(done.wait(10))
        np.testing.assert_array_equal(seen[0][0][0], 2 * self.x)
        self.assertEqual(seen[0][1:], ("data", ""))


class Installed(unittest.TestCase):
    def test_programs_as_they_are(self):
        program = """
import sys
import tc.onnxruntime
tc.onnxruntime.install()
import onnxruntime
from onnxruntime import InferenceSession
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
from onnxruntime.capi import _pybind_state as C
session = InferenceSession(sys.stdin.buffer.read(), C.SessionOptions())
try:
    session.run(None, {"q": 1})
except InvalidArgument:
    print("refused", onnxruntime.get_device(), C.Fail is onnxruntime.capi.onnxruntime_pybind11_state.Fail)
"""
        said = subprocess.run([sys.executable, "-c", program], input=DOUBLE, capture_output=True, check=True)
        self.assertEqual(said.stdout.decode(), "refused CPU True\n")


class Values(unittest.TestCase):
    def test_ort_value(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        v = ort.OrtValue.ortvalue_from_numpy(x)
        self.assertEqual((v.shape(), v.data_type(), v.element_type(), v.device_name()), ([2, 3], "tensor(float)", 1, "cpu"))
        address = v.data_ptr()
        v.update_inplace(x + 1)
        self.assertEqual(v.data_ptr(), address)
        np.testing.assert_array_equal(v.numpy(), x + 1)
        with self.assertRaises(ValueError):
            v.update_inplace(x[:1])
        y = ort.InferenceSession(DOUBLE).run_with_ort_values(["y"], {"x": v})[0]
        np.testing.assert_array_equal(y.numpy(), 2 * (x + 1))
        self.assertEqual(ort.OrtValue.ortvalue_from_shape_and_type([2], np.int64).numpy().tolist(), [0, 0])
        with self.assertRaises(ValueError):
            ort.OrtValue.ortvalue_from_numpy(x, "cuda", 0)

    def test_binding(self):
        session = ort.InferenceSession(DOUBLE)
        x = np.ones((2, 3), np.float32)
        out = np.zeros((2, 3), np.float32)
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
        binding.bind_output("y", "cpu", 0, np.float32, out.shape, out.ctypes.data)
        binding.bind_output("same")
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(out, 2 * x)
        x += 1
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(out, 2 * x)
        np.testing.assert_array_equal(binding.copy_outputs_to_cpu()[1], x)

    def test_strings(self):
        session = ort.InferenceSession(model("""graph @f(%x: str[n]) {
          %0 = identity %x : str[n]
          return %0 : "y"
        }"""))
        self.assertEqual(session.get_inputs()[0].type, "tensor(string)")
        for x in (np.array(["a", "größer"]), np.array(["a", "größer"], object), np.array(["a".encode(), "größer".encode()])):
            y = session.run(None, {"x": x})[0]
            self.assertEqual((y.dtype, y.tolist()), (np.dtype(object), ["a", "größer"]))

    def test_sequences_and_optionals(self):
        session = ort.InferenceSession(model("""graph @f(%s: seq<f32[*]>, %i: i64[]) {
          %0 = sequence_at %s, %i : f32[*]
          %1 = identity %s : seq<f32[*]>
          return %0, %1 : "one", "all"
        }"""))
        self.assertEqual(session.get_inputs()[0].type, "seq(tensor(float))")
        parts = [np.ones(2, np.float32), np.zeros((2, 2), np.float32)]
        one, everything = session.run(None, {"s": parts, "i": np.int64(1)})
        np.testing.assert_array_equal(one, parts[1])
        self.assertEqual([p.shape for p in everything], [(2,), (2, 2)])
        with self.assertRaisesRegex(state.InvalidArgument, "list"):
            session.run(None, {"s": 3, "i": np.int64(1)})

    def test_element_types(self):
        for name, (dtype, spelled, _) in tc._tc.dtypes.items():
            if name == "str":
                continue
            with self.subTest(name):
                session = ort.InferenceSession(xp.parse(f"""graph @f(%x: {spelled}[3]) {{
                  %0 = identity %x : {spelled}[3]
                  return %0 : "y"
                }}""").onnx_bytes(opset=25))
                words = np.array([1, 0, 1], f"u{dtype.itemsize}") if dtype.names else np.array([1, 0, 1])
                x = words.view(dtype) if dtype.names else words.astype(dtype)
                y = session.run(None, {"x": x})[0]
                self.assertEqual(y.dtype, dtype)
                self.assertEqual(y.tobytes(), x.tobytes())


class WordTypes(unittest.TestCase):
    def test_bfloat16(self):
        session = ort.InferenceSession(model("""graph @f(%x: f32[3]) {
          %0 = cast %x {to = bf16} : bf16[3]
          return %0 : "y"
        }"""))
        y = session.run(None, {"x": np.array([1, -2, 0.5], np.float32)})[0]
        self.assertEqual(y.dtype.names, ("bfloat16",))
        np.testing.assert_array_equal(y.view(np.uint16), [0x3F80, 0xC000, 0x3F00])
        np.testing.assert_array_equal(xp.astype(y, "float32"), [1, -2, 0.5])


if __name__ == "__main__":
    unittest.main()
