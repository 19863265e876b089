"""tc.numpy against NumPy: each function of docs/dsl.md is there, and gives NumPy's values."""
import inspect
import pathlib
import re
import unittest

import numpy as np

import tc.numpy as xp

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Words of C++'s DSL that Python says by its own means.
OF_PYTHON = {"map": "vmap", "op": None, "op_n": None, "x[...]": None}


def at(name):
    place = xp
    for part in name.split("."):
        place = getattr(place, part)
    return place


class Vocabulary(unittest.TestCase):
    def test_every_row_is_there(self):
        text = (ROOT / "docs/dsl.md").read_text(encoding="utf-8").split("## Names of the standard that are elsewhere")[0]
        stub = (pathlib.Path(xp._tc.__file__).parent / "numpy/__init__.pyi").read_text(encoding="utf-8")
        of_cxx = re.search(r"^# Of C\+\+ alone: (.*)", stub, re.MULTILINE)
        left_out = set(of_cxx[1].split(", ")) if of_cxx else set()
        count = 0
        for section in text.split("\n## ")[1:]:
            for name in re.findall(r"^\| ([\w.\[\]()]+) \|", section, re.MULTILINE)[1:]:
                count += 1
                if name.startswith("x.at(...)."):
                    self.assertTrue(hasattr(xp.zeros(3).at[0], name.rsplit(".", 1)[1]), name)
                elif section.startswith("Folds") or name in left_out:
                    pass  # their bodies, or their arguments, are C++'s; Python has scan and cond
                elif OF_PYTHON.get(name, name):
                    self.assertTrue(callable(at(OF_PYTHON.get(name, name).rstrip("_"))), name)
        self.assertGreater(count, 200)

    def test_every_function_tells_of_itself(self):
        for space in (xp, xp.linalg, xp.fft, xp.random, xp.special, xp.schedule):
            for name, f in vars(space).items():
                if not name.startswith("_") and callable(f) and not isinstance(f, type):
                    self.assertGreater(len(f.__doc__ or ""), 3, name)
        self.assertEqual(str(inspect.signature(xp.softmax)), "(x, axis=-1)")
        self.assertEqual(str(inspect.signature(xp.linalg.qr)), "(x, mode='reduced')")

    def test_standard(self):
        """Names of the Array API standard 2024.12."""
        names = """abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan atan2 atanh
            bitwise_and bitwise_invert bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor broadcast_arrays
            broadcast_to can_cast ceil clip concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff
            divide e empty empty_like equal exp expand_dims expm1 eye finfo flip floor floor_divide from_dlpack full
            full_like greater greater_equal hypot iinfo imag inf isdtype isfinite isinf isnan less less_equal linspace log
            log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul matrix_transpose max maximum
            mean meshgrid min minimum moveaxis multiply nan negative newaxis nextafter nonzero not_equal ones ones_like
            permute_dims pi positive pow prod real reciprocal remainder repeat reshape result_type roll round searchsorted
            sign signbit sin sinh sort sqrt square squeeze stack std subtract sum take take_along_axis tan tanh tensordot
            tile tril triu trunc unique_all unique_counts unique_inverse unique_values unstack var vecdot where zeros
            zeros_like __array_namespace_info__ bool float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
            complex64 complex128 linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.inv linalg.matmul
            linalg.matrix_norm linalg.matrix_power linalg.matrix_transpose linalg.outer linalg.qr linalg.slogdet
            linalg.solve linalg.tensordot linalg.trace linalg.vecdot linalg.vector_norm fft.fft fft.ifft fft.fftn fft.ifftn
            fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq fft.rfftfreq fft.fftshift
            fft.ifftshift""".split()
        for name in names:
            at(name)


# name, NumPy's name, low, high of the argument
UNARY = """abs absolute -3 3; acos arccos -1 1; acosh arccosh 1 5; asin arcsin -1 1; asinh arcsinh -4 4; atan arctan -4 4;
atanh arctanh -0.9 0.9; cos cos -4 4; cosh cosh -4 4; exp exp -4 4; log log 0.1 9; reciprocal reciprocal 1 4; sign sign -2 2;
sin sin -4 4; sinh sinh -3 3; sqrt sqrt 0 9; tan tan -1 1; tanh tanh -3 3; ceil ceil -4 4; conj conj -1 1; expm1 expm1 -1 1;
floor floor -4 4; isfinite isfinite -1 1; isinf isinf -1 1; isnan isnan -1 1; log1p log1p -0.5 4; log2 log2 0.1 9;
log10 log10 0.1 9; negative negative -1 1; positive positive -1 1; round round -4 4; signbit signbit -1 1; square square -3 3;
trunc trunc -4 4; real real -1 1; special.exp2 exp2 -3 3; special.cbrt cbrt -8 8; special.sinc sinc -3 3;
special.deg2rad deg2rad -90 90; special.rad2deg rad2deg -3 3; special.i0 i0 -4 4"""
BINARY = """add subtract multiply divide maximum minimum less less_equal greater greater_equal equal not_equal hypot logaddexp
copysign remainder floor_divide nextafter"""
REDUCED = "sum prod mean std var max min argmax argmin all any count_nonzero"


class Values(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def same(self, got, want, rtol=2e-6):
        got = got if isinstance(got, tuple) else (got,)
        want = want if isinstance(want, (tuple, list)) else (want,)
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertIsInstance(g, xp.Array)
            np.testing.assert_allclose(np.asarray(g), w, rtol=rtol, atol=rtol)
            self.assertEqual(g.shape, np.shape(w))

    def test_unary(self):
        for row in UNARY.replace("\n", " ").split(";"):
            name, numpy_name, low, high = row.split()
            x = self.random.uniform(float(low), float(high), (3, 17)).astype("f4")
            with self.subTest(name):
                self.same(at(name)(x), getattr(np, numpy_name)(x), 5e-6)

    def test_binary(self):
        a = self.random.uniform(0.5, 4, (3, 17)).astype("f4")
        b = self.random.uniform(0.5, 4, 17).astype("f4")
        for name in BINARY.split():
            with self.subTest(name):
                self.same(at(name)(a, b), getattr(np, name)(a, b))
        i, j = self.random.integers(1, 50, (3, 4)), self.random.integers(1, 9, 4)
        for name, numpy_name in [("bitwise_and", "bitwise_and"), ("bitwise_or", "bitwise_or"), ("bitwise_xor", "bitwise_xor"),
                                 ("bitwise_left_shift", "left_shift"), ("bitwise_right_shift", "right_shift")]:  # fmt: skip
            self.same(at(name)(i, j), getattr(np, numpy_name)(i, j))

    def test_reductions(self):
        x = self.random.normal(size=(3, 4, 5)).astype("f4")
        for name in REDUCED.split():
            for axis in (None, 0, -1):
                with self.subTest(name, axis=axis):
                    self.same(at(name)(x, axis=axis), getattr(np, name)(x, axis=axis), 1e-5)
        self.same(xp.sum(x, axis=(0, 2), keepdims=True), np.sum(x, axis=(0, 2), keepdims=True), 1e-5)
        self.same(xp.cumulative_sum(x, 1), np.cumsum(x, 1), 1e-5)

    def test_operators(self):
        a, b = np.arange(1, 7, dtype="f4").reshape(2, 3), np.array([2, 3, 4], "f4")
        x, y = xp.asarray(a), xp.asarray(b)
        for f in (lambda p, q: p + q, lambda p, q: p - q, lambda p, q: p * q, lambda p, q: p / q, lambda p, q: p // q,
                  lambda p, q: p % q, lambda p, q: p**q, lambda p, q: p < q, lambda p, q: p == q, lambda p, q: p @ q,
                  lambda p, q: -p + abs(q), lambda p, q: 2 - p, lambda p, q: 1 / q, lambda p, q: p.T[0]):  # fmt: skip
            self.same(f(x, y), f(a, b))
        self.same(a + y, a + b)
        self.same(x + b, a + b)
        i = np.array([1, 2, 12])
        self.same(xp.asarray(i) << 2, i << 2)
        self.same(~(xp.asarray(i) > 1), ~(i > 1))
        self.assertEqual((xp.asarray([1, 2]) + 1).dtype, np.int64)
        self.assertEqual((xp.ones(2, dtype="float16") * 2.5).dtype, np.float16)
        with self.assertRaises(TypeError):
            xp.ones(2) + xp.ones(2, dtype="int32")
        with self.assertRaises(ValueError):
            xp.ones(2) + xp.ones(3)

    def test_indexing(self):
        a = self.random.normal(size=(4, 5, 6)).astype("f4")
        x = xp.asarray(a)
        rows = np.array([2, 0, 2])
        for index in [0, -1, (1, 2, 3), slice(1, 3), (slice(None, None, -1), 2), (..., 0), (None, 1), (rows,), (rows, 1),
                      (slice(None), rows, None), a[:, 0, 0] > 0, a > 0, (slice(3, 0, -2), ..., slice(1, None))]:  # fmt: skip
            with self.subTest(index):
                self.same(x[index], a[index])
                b = a.copy()
                b[index] = 5
                self.same(x.at[index].set(5), b)
                y = xp.asarray(a)
                y[index] = 5
                self.same(y, b)
        b = a.copy()
        np.add.at(b, (rows,), 1)
        self.same(x.at[rows].add(1), b)
        self.same(x, a)
        for bad in (7, (0, 0, 0, 0), (slice(None), 9)):
            with self.assertRaises(IndexError):
                x[bad]
        self.assertEqual([float(v) for v in xp.arange(3)], [0, 1, 2])

    def test_creation_and_shapes(self):
        a = np.arange(6, dtype="f4").reshape(2, 3)
        self.same(xp.arange(2, 9, 3), np.arange(2, 9, 3))
        self.same(xp.linspace(0, 1, 5), np.linspace(0, 1, 5))
        self.same(xp.eye(3, 4, k=1), np.eye(3, 4, 1))
        self.same(xp.full((2, 2), 7), np.full((2, 2), 7))
        self.same(xp.meshgrid(xp.arange(2), xp.arange(3)), np.meshgrid(np.arange(2), np.arange(3)))
        self.same(xp.concat([a, a], axis=1), np.concatenate([a, a], 1))
        self.same(xp.concat([a, a], axis=None), np.concatenate([a, a], None))
        self.same(xp.stack((a, a)), np.stack((a, a)))
        self.same(xp.reshape(a, (3, -1)), a.reshape(3, -1))
        self.same(xp.permute_dims(a, (1, 0)), a.T)
        self.same(xp.roll(a, 1, axis=1), np.roll(a, 1, 1))
        self.same(xp.pad(a, [(1, 2)]), np.pad(a, [(0, 0), (1, 2)]))
        self.same(xp.split(a, 3, axis=1), np.split(a, 3, 1))
        self.same(xp.split(a, [1, 2], axis=1), np.split(a, [1], 1))
        self.same(xp.where(a > 2, a, 0), np.where(a > 2, a, 0))
        self.same(xp.take(a, [2, 0], axis=1), np.take(a, [2, 0], 1))
        self.same(xp.sort(-a, axis=1), np.sort(-a, 1))
        self.same(xp.tile(a, (2, 1)), np.tile(a, (2, 1)))
        self.same(xp.broadcast_to(a[0], (4, 3)), np.broadcast_to(a[0], (4, 3)))
        self.same(tuple(xp.unique_counts([3, 1, 3])), ([1, 3], [1, 2]))
        self.same(xp.einsum("ij,kj->ik", a, a), a @ a.T)
        self.assertEqual(xp.asarray([[1.0, 2.0]]).dtype, np.float32)
        self.assertEqual(xp.asarray(np.float64([1])).dtype, np.float64)
        self.assertEqual(xp.asarray([1.0], dtype="float64").dtype, np.float64)

    def test_linalg(self):
        a = self.random.normal(size=(2, 4, 4)) + 4 * np.eye(4)
        b = self.random.normal(size=(4, 3))
        self.same(xp.linalg.inv(a), np.linalg.inv(a), 1e-9)
        self.same(xp.linalg.det(a), np.linalg.det(a), 1e-9)
        self.same(xp.linalg.solve(a[0], b), np.linalg.solve(a[0], b), 1e-9)
        self.same(tuple(xp.linalg.slogdet(a)), np.linalg.slogdet(a), 1e-9)
        self.same(xp.linalg.cholesky(a[0] @ a[0].T), np.linalg.cholesky(a[0] @ a[0].T), 1e-9)
        q, r = xp.linalg.qr(a)
        self.same(q @ r, a, 1e-9)
        factor = xp.linalg.lu_factor(a[0])
        self.same(xp.linalg.lu_solve(factor, b), np.linalg.solve(a[0], b), 1e-9)

    def test_fft_and_random(self):
        x = self.random.normal(size=8)
        spectrum = xp.fft.rfft(x)
        self.same(spectrum, np.stack([np.fft.rfft(x).real, np.fft.rfft(x).imag], -1), 1e-9)
        self.same(xp.fft.irfft(spectrum), x, 1e-9)
        key = xp.random.key(42)
        first, second = xp.random.split(key)
        self.assertEqual(first.tolist(), xp.random.split(xp.random.key(42))[0].tolist())
        z = np.asarray(xp.random.normal(first, shape=(20000,)))
        self.assertLess(abs(z.mean()), 0.03)
        self.assertLess(abs(z.std() - 1), 0.03)
        self.assertTrue(set(xp.random.randint(second, 0, 3, shape=(50,)).tolist()) == {0, 1, 2})
        self.assertEqual(sorted(xp.random.permutation(key, 5).tolist()), [0, 1, 2, 3, 4])
        self.assertEqual(sorted(xp.random.permutation(key, xp.arange(5)).tolist()), [0, 1, 2, 3, 4])

    def test_networks(self):
        x = self.random.normal(size=(2, 3, 6)).astype("f4")
        e = np.exp(x - x.max(-1, keepdims=True))
        self.same(xp.softmax(x), e / e.sum(-1, keepdims=True))
        self.same(xp.relu(x), np.maximum(x, 0))
        w = self.random.normal(size=(4, 3, 3)).astype("f4")
        want = np.stack([np.stack([np.tensordot(x[:, :, i : i + 3], w[k], ((1, 2), (0, 1))) for i in range(4)], -1) for k in range(4)], 1)
        self.same(xp.conv(x, w), want, 1e-5)
        self.assertEqual(xp.conv(x, w, padding="same_upper", strides=2).shape, (2, 4, 3))
        self.same(xp.one_hot([0, 2], 3), np.eye(3)[[0, 2]])


class Exchange(unittest.TestCase):
    def test_memory_is_shared(self):
        x = xp.arange(5.0)
        for view in (np.asarray(x), x.numpy(), np.frombuffer(x, "f4"), np.from_dlpack(x)):
            self.assertTrue(np.shares_memory(view, x.numpy()))
        self.assertFalse(x.numpy().flags.writeable)
        a = np.arange(4.0)
        self.assertTrue(np.shares_memory(xp.from_dlpack(a).numpy(), a))
        self.assertTrue(np.shares_memory(xp.asarray(a, copy=False).numpy(), a))
        self.assertFalse(np.shares_memory(xp.asarray(a).numpy(), a))
        np.testing.assert_array_equal(xp.from_dlpack(np.arange(12.0).reshape(3, 4)[:, ::2]), np.arange(12.0).reshape(3, 4)[:, ::2])
        with self.assertRaises(ValueError):
            xp.asarray([1, 2], copy=False)

    def test_an_array_outlives_its_source(self):
        x = xp.from_dlpack(np.full(1000, 7.0))
        self.assertEqual(float(xp.sum(x)), 7000)
        capsule = xp.arange(3).__dlpack__()
        self.assertEqual(xp.from_dlpack(capsule).tolist(), [0, 1, 2])
        with self.assertRaises(ValueError):
            xp.from_dlpack(capsule)

    def test_numbers(self):
        self.assertEqual((float(xp.asarray(2.5)), int(xp.asarray(3)), bool(xp.asarray(True))), (2.5, 3, True))
        self.assertEqual([10, 20, 30][xp.asarray(1)], 20)
        with self.assertRaises(ValueError):
            bool(xp.ones(2))
        with self.assertRaises(TypeError):
            hash(xp.ones(2))
        self.assertEqual(repr(xp.asarray([1, 2])), "Array([1, 2], dtype=int64)")
        self.assertEqual(xp.astype([1.5, -2.0], "bfloat16").tolist(), [1.5, -2.0])
        self.assertEqual(repr(xp.astype([1.5], xp.bfloat16)), "Array([1.5], dtype=bfloat16)")

    def test_types(self):
        self.assertEqual(xp.result_type(xp.int8, xp.ones(2, dtype="int16")), np.int16)
        with self.assertRaises(TypeError):
            xp.result_type(xp.int8, xp.float32)
        self.assertTrue(xp.isdtype(xp.float32, "real floating") and not xp.isdtype(xp.float32, ("integral", "bool")))
        self.assertTrue(xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.int16, xp.int8))
        self.assertEqual(xp.finfo(xp.float32).eps, 2.0**-23)
        self.assertEqual(xp.iinfo(xp.int8).max, 127)
        self.assertEqual(xp.__array_namespace_info__().default_dtypes()["integral"], np.int64)
        self.assertIs(xp.ones(2).__array_namespace__(), xp)


class Errors(unittest.TestCase):
    def test_the_users_line(self):
        with self.assertRaises(xp._tc.BadShape) as caught:
            xp.matmul(xp.ones((2, 3)), xp.ones((2, 3)))
        line = inspect.currentframe().f_lineno - 1
        self.assertEqual(caught.exception.location, f"{__file__}:{line}")
        self.assertEqual(caught.exception.code, "bad-shape")
        self.assertIsInstance(caught.exception, ValueError)

    def test_arguments(self):
        for call, words in [
            (lambda: xp.softmax(), "lacks its argument 'x'"),
            (lambda: xp.softmax([1.0], axes=1), "no argument 'axes'"),
            (lambda: xp.softmax([1.0], 0, 1), "at most 2 arguments"),
            (lambda: xp.softmax([1.0], 0, axis=1), "two values for argument 'axis'"),
            (lambda: xp.softmax("abc"), "argument 'x' is an array"),
            (lambda: xp.sum([1.0], axis=1.5), "argument 'axis' is an integer"),
        ]:
            with self.subTest(words), self.assertRaisesRegex(TypeError, words):
                call()
        with self.assertRaisesRegex(ValueError, "'exact', 'tanh'"):
            xp.gelu([1.0], form="other")


if __name__ == "__main__":
    unittest.main()
