"""Whatever functions are given, what comes of it is a result or an exception; and nothing is left behind."""
import gc
import itertools
import resource
import sys
import unittest
import warnings

import numpy as np

import tc
import tc.numpy as xp
import tc.onnxruntime as ort

JUNK = [
    None, True, 0, -1, 3, 2**70, 1.5, float("nan"), 1j, "", "f32", "n", b"x", (), [], [1, 2], [[1], [1, 2]], {}, object(),
    np.zeros((0, 2), "f4"), np.zeros((2, 3), "f4"), np.zeros(3, "i8"), np.zeros((), "?"), np.array(["a"]), np.zeros(2, "M8[s]"),
    np.zeros(2, ">f4"), np.zeros(2, [("a", "f4"), ("b", "f4")]), xp.zeros((2, 2)), xp.arange(3), xp.Dim("n"), lambda x: x,
]  # fmt: skip
# They make what an argument says, however large.
SIZED = {"arange", "eye", "linspace", "one_hot", "repeat", "split_equally", "tile", "pad", "fftfreq", "rfftfreq", "split_data"}


def functions():
    for space in (xp, xp.linalg, xp.fft, xp.random, xp.special, xp.schedule):
        for name, f in vars(space).items():
            if type(f) is type(xp.sin) and f.__module__.startswith("tc.numpy") and name not in SIZED:
                yield name, f


class BadInput(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def called(self, f, *args, **kwargs):
        try:
            f(*args, **kwargs)
        except (ArithmeticError, AssertionError, AttributeError, BufferError, LookupError, MemoryError, OSError, RuntimeError,
                TypeError, ValueError):  # fmt: skip
            return 0
        return 1

    def test_functions(self):
        good = calls = 0
        for name, f in functions():
            with self.subTest(name):
                for count in (0, 1, 2):
                    for args in itertools.islice(itertools.product(JUNK, repeat=count), 0, None, max(1, 2 * count - 1)):
                        good += self.called(f, *args)
                        calls += 1
                good += self.called(f, JUNK[20], **{"axis": "x"})
                self.called(f, *JUNK[:17])
                self.called(f, **{"\ud800": 1})
        self.assertGreater(calls, 60000)
        self.assertGreater(good, 2000)

    def test_arrays(self):
        for value in JUNK:
            x = xp.ones((2, 3))
            self.called(lambda: x[value])
            self.called(lambda: x.at[value].set(value))
            self.called(lambda: x.__setitem__(value, value))
            for f in ("__add__", "__rmatmul__", "__pow__", "__lshift__", "__eq__", "__and__"):
                self.called(getattr(x, f), value)
            for f in (xp.asarray, xp.from_dlpack, xp.load, xp.load_onnx, xp.parse, xp.save_tensors, xp.load_tensors, xp.Param,
                      xp.Init, xp.Trainer, xp.trace, xp.jit, tc._tc.view, tc._tc.dtype, tc._tc._fresh):  # fmt: skip
                self.called(f, value)
            self.called(xp.jit(lambda v: v), value)
            self.called(xp.grad(lambda v: v), value)
            self.called(xp.cond, value, lambda: value, lambda: value)
            self.called(xp.scan, lambda c, v: value, value, value)
            self.called(xp.while_loop, lambda v: False, lambda v: value, value)
        np.testing.assert_array_equal(xp.ones(2) + 1, [2, 2])

    def test_sessions(self):
        model = xp.trace(lambda x: 2 * x, xp.ShapeDtype(("n",), name="x")).onnx_bytes()
        session = ort.InferenceSession(model)
        binding = session.io_binding()
        for a, b in itertools.product(JUNK, repeat=2):
            self.called(session.run, a, b)
            self.called(session.run, None, {"x": a}, b)
            self.called(session.run_with_ort_values, a, {"x": b})
            self.called(ort.InferenceSession, a, b)
            self.called(ort.OrtValue.ortvalue_from_numpy, a, b)
            self.called(ort.OrtValue.ortvalue_from_shape_and_type, a, b)
            self.called(ort.OrtValue.ortvalue_from_numpy_with_onnx_type, a, b)
            self.called(binding.bind_cpu_input, a, b)
            self.called(session.run_with_iobinding, binding)
            binding.clear_binding_inputs()
        for cut in range(0, len(model), 3):
            self.called(ort.InferenceSession, model[:cut])
        np.testing.assert_array_equal(session.run(None, {"x": np.ones(2, "f4")})[0], [2, 2])

    def test_nothing_is_left_behind(self):
        model = xp.trace(lambda x: 2 * x, xp.ShapeDtype(("n",), name="x")).onnx_bytes()
        session = ort.InferenceSession(model)
        x = np.ones(250_000, "f4")
        f = xp.jit(lambda v: xp.sum(v * 2))

        def work(times):
            for _ in range(times):
                session.run(None, {"x": x})
                self.called(session.run, None, {"x": x, "y": x})
                f(x)
                xp.asarray(x) + 1
                self.called(xp.matmul, x, xp.ones((3, 3)))
                np.asarray(xp.from_dlpack(x))

        work(20)
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        work(300)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 20_000, "kilobytes")  # one array a turn would be 300,000
        del session, f
        gc.collect()
        self.assertEqual(sys.getrefcount(x), 2)  # this name's, and the call's


if __name__ == "__main__":
    unittest.main()
