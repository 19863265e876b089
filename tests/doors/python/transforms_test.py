"""Functions that compile themselves, gradients, control flow, training and files, from Python."""
import collections
import inspect
import pathlib
import tempfile
import threading
import unittest

import numpy as np

import tc.numpy as xp
import tc.onnxruntime as ort


def loss(w, x, y):
    return xp.mean((x @ w - y) ** 2)


W, X, Y = np.ones(3, "f4"), np.arange(12, dtype="f4").reshape(4, 3), np.ones(4, "f4")
SLOPE = 2 * X.T @ (X @ W - Y) / 4


class Jit(unittest.TestCase):
    def test_versions(self):
        traced = []

        @xp.jit
        def f(x, n=1.0):
            """Twice x, and n."""
            traced.append(x.dtype)
            return 2 * x + n

        self.assertEqual(f.__doc__, "Twice x, and n.")
        np.testing.assert_array_equal(f(X), 2 * X + 1)
        np.testing.assert_array_equal(f(X + 1), 2 * X + 3)
        np.testing.assert_array_equal(f(X, n=2.5), 2 * X + 2.5)
        np.testing.assert_array_equal(f(X, n=3.5), 2 * X + 3.5)
        self.assertEqual(f(X.astype("f8"), 1).dtype, np.float64)
        self.assertEqual(f(X, 2.5).dtype, np.float32)  # Python's numbers are weak
        self.assertEqual(len(traced), len(f.versions()))
        self.assertLessEqual(len(traced), 5)
        self.assertIn("mul", str(f.graph()))

    def test_structures(self):
        Point = collections.namedtuple("Point", "x y")
        f = xp.jit(lambda p, d, mode: Point(p.x + d["a"], [p.y, None, (d["b"],)]) if mode == "sum" else d)
        p = f(Point(1.0, X), {"a": W, "b": 2}, "sum")
        np.testing.assert_array_equal(p.x, W + 1)
        np.testing.assert_array_equal(p.y[0], X)
        self.assertIsNone(p.y[1])
        self.assertEqual(int(p.y[2][0]), 2)
        self.assertEqual(set(f(Point(1.0, X), {"a": W, "b": 2}, "other")), {"a", "b"})

    def test_static_arguments(self):
        f = xp.jit(lambda x, n: xp.stack([x] * n), static_argnums=1)
        self.assertEqual(f(W, 2).shape, (2, 3))
        self.assertEqual(f(W, 5).shape, (5, 3))
        with self.assertRaises(TypeError):
            f(W, [1, 2])

    def test_results_by_shape(self):
        f = xp.jit(lambda x: tuple(x[i] for i in range(x.shape[0])))
        for n in (2, 3, 2, 3):
            self.assertEqual(len(f(np.zeros((n, 2), "f4"))), n)

    def test_symbolic(self):
        f = xp.jit(lambda x: xp.sum(x, axis=0) / x.shape[0], shapes="ranks")
        for n in (2, 5, 9):
            np.testing.assert_allclose(f(np.ones((n, 3), "f4")), np.ones(3))
        self.assertEqual(len(f.versions()), 1)

    def test_results_are_no_views_of_arguments(self):
        a = np.ones(4, "f4")
        y = xp.jit(lambda x: x)(a)
        a[0] = 9
        self.assertEqual(y.tolist(), [1, 1, 1, 1])

    def test_values_are_not_known(self):
        with self.assertRaisesRegex(ValueError, "no elements before its program runs"):
            xp.jit(lambda x: x if x > 0 else -x)(1.0)
        with self.assertRaises(ZeroDivisionError):
            xp.jit(lambda x: 1 / 0)(1.0)
        np.testing.assert_array_equal(xp.ones(2) + 1, [2, 2])  # nothing is left behind

    def test_threads(self):
        f = xp.jit(lambda x: xp.sum(x * x))
        wrong = []

        def work(k):
            for n in range(1, 12):
                if float(f(np.full(n, k, "f4"))) != n * k * k or float(xp.sum(xp.full((n,), k))) != n * k:
                    wrong.append(k)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])

    def test_a_failing_run_names_the_line(self):
        f = xp.jit(lambda x, i: x[i])
        with self.assertRaises(xp._tc.Error) as caught:
            f(W, np.array([7]))
        self.assertIn(pathlib.Path(__file__).name + ":" + str(inspect.currentframe().f_lineno - 3), str(caught.exception))


class Gradients(unittest.TestCase):
    def test_grad(self):
        np.testing.assert_allclose(xp.grad(loss)(W, X, Y), SLOPE, rtol=1e-6)
        value, slope = xp.jit(xp.value_and_grad(loss))(W, X, Y)
        np.testing.assert_allclose(slope, SLOPE, rtol=1e-6)
        self.assertAlmostEqual(float(value), float(np.mean((X @ W - Y) ** 2)), 3)
        self.assertEqual([g.shape for g in xp.grad(loss, argnums=(0, 2))(W, X, Y)], [(3,), (4,)])

    def test_structures_and_aux(self):
        f = lambda p, x: (xp.sum(p["a"] * x + p["b"] ** 2), {"seen": x})  # noqa: E731
        gradients, aux = xp.grad(f, has_aux=True)({"a": 2.0, "b": W}, X)
        self.assertEqual(float(gradients["a"]), X.sum())
        np.testing.assert_array_equal(gradients["b"], 8 * W)
        np.testing.assert_array_equal(aux["seen"], X)

    def test_higher_orders_and_equal_arguments(self):
        self.assertEqual(float(xp.grad(xp.grad(lambda x: x**3))(2.0)), 12)
        self.assertEqual(float(xp.grad(lambda a, b: a * b)(3.0, 3.0)), 3)
        x = xp.asarray(3.0)
        self.assertEqual(float(xp.grad(lambda a, b: a * b)(x, x)), 3)

    def test_custom(self):
        @xp.custom_vjp
        def limited(x):
            return x * x

        @limited.rule
        def rule(x, y, g):
            return xp.clip(2 * x * g, -1, 1)

        np.testing.assert_allclose(xp.grad(lambda x: xp.sum(limited(x)))(xp.asarray([0.1, 5.0])), [0.2, 1], rtol=1e-6)

        @xp.custom_jvp
        def twice(x):
            return 2 * x

        @twice.rule
        def tangent(x, t):
            return 3 * t

        np.testing.assert_allclose(xp.grad(lambda x: xp.sum(twice(x)))(W), 3 * W)

    def test_vjp(self):
        @xp.jit
        def f(x):
            y, back = xp.vjp(lambda v: v * v, x)
            return y, back(xp.ones_like(y))[0]

        np.testing.assert_array_equal(f(X)[1], 2 * X)
        with self.assertRaises(NotImplementedError):
            xp.grad(lambda x: xp.sum(x))(np.array([1, 2]))


class Control(unittest.TestCase):
    def test_all(self):
        for run in (lambda f: f, xp.jit):
            carry, ys = run(lambda x: xp.scan(lambda c, v: (c + v, c * v), 0.0, x))(np.arange(5, dtype="f4"))
            self.assertEqual((float(carry), ys.tolist()), (10, [0, 0, 2, 9, 24]))
            carry, ys = run(lambda x: xp.scan(lambda c, _: (c * 2, c), x, length=3))(np.float32(1))
            self.assertEqual((float(carry), ys.tolist()), (8, [1, 2, 4]))
            value = run(lambda x: xp.while_loop(lambda v: v[0] < 10, lambda v: (v[0] * 2, v[1] + 1), (x, 0)))(np.float32(1))
            self.assertEqual([float(v) for v in value], [16, 4])
            self.assertEqual(int(run(lambda x: xp.fori_loop(0, 5, lambda i, v: v + i, x))(0)), 10)
            f = run(lambda x: xp.cond(xp.sum(x) > 0, lambda a: a * 2, lambda a: a - 1, x))
            np.testing.assert_array_equal(f(X), X * 2)
            np.testing.assert_array_equal(f(-X), -X - 1)
            np.testing.assert_allclose(run(xp.vmap(lambda a, b: a @ b, (0, None)))(X, W), X @ W)
            np.testing.assert_allclose(run(xp.vmap(lambda a: {"s": xp.sum(a)}, 1))(X)["s"], X.sum(0))

    def test_gradient_through_scan(self):
        def f(x):
            return xp.sum(xp.scan(lambda c, v: (c * v, c), 1.0, x)[0])

        np.testing.assert_allclose(xp.grad(f)(np.array([2, 3, 4], "f4")), [12, 8, 6])

    def test_structures_must_match(self):
        with self.assertRaises(TypeError):
            xp.while_loop(lambda v: v[0] < 3, lambda v: v[0], (xp.asarray(1.0), 2))


class Files(unittest.TestCase):
    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "loss.onnx"
            specs = xp.ShapeDtype((3,)), xp.ShapeDtype(("n", 3)), xp.ShapeDtype(("n",))
            xp.export_onnx(loss, path, *specs, opset=17)
            session = ort.InferenceSession(path)
            self.assertEqual([(i.name, i.shape) for i in session.get_inputs()], [("w", [3]), ("x", ["n", 3]), ("y", ["n"])])
            y = session.run(None, {"w": W, "x": X, "y": Y})[0]
            np.testing.assert_allclose(y, np.mean((X @ W - Y) ** 2), rtol=1e-6)
            f = xp.load(path)
            np.testing.assert_allclose(f(W, X, Y)[0], y, rtol=1e-6)
            np.testing.assert_allclose(f.grad(["w"]).compile(threads=1)(W, X, Y)[0], SLOPE, rtol=1e-6)
            with self.assertRaises(TypeError):
                xp.export_onnx(loss, path, *specs, colour=1)
            with self.assertRaises(ValueError):
                xp.export_onnx(loss, path, *specs, opset=3)

    def test_named_outputs(self):
        f = xp.trace(lambda x: {"twice": 2 * x, "sum": xp.sum(x)}, xp.ShapeDtype(("n",), name="values"))
        self.assertEqual([i[0] for i in f.inputs], ["values"])
        self.assertEqual([o[0] for o in f.outputs], ["twice", "sum"])

    def test_training(self):
        w = xp.Param("w", xp.zeros(3))
        b = xp.Param("b", xp.zeros(()))
        program = xp.trace(lambda x, y: xp.mean((x @ w + b - y) ** 2), xp.ShapeDtype(("n", 3)), xp.ShapeDtype(("n",)))
        trainer = xp.Trainer(program, xp.adam(xp.schedule.constant(0.1)), clip_norm=100)
        losses = [float(trainer.step(X, Y)[0]) for _ in range(60)]
        self.assertLess(losses[-1], 0.1 * losses[0])
        self.assertEqual(trainer.steps, 60)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "state.safetensors"
            xp.save_tensors(path, trainer.state())
            other = xp.Trainer(program, xp.adam(xp.schedule.constant(0.1)), clip_norm=100)
            other.set_state(xp.load_tensors(path))
        self.assertEqual(float(other.step(X, Y)[0]), float(trainer.step(X, Y)[0]))
        w.assign(trainer.parameters()["w"])
        self.assertEqual(w.value.tolist(), trainer.parameters()["w"].tolist())

    def test_optimizer_by_hand(self):
        rule = xp.sgd(0.1, momentum=0.9)

        @xp.jit
        def step(n, w, velocity):
            value, slope = xp.value_and_grad(loss)(w, X, Y)
            (w,), (velocity,) = rule(n, [w], [slope], [velocity])
            return value, w, velocity

        value, w, velocity = step(xp.asarray(0), W, np.zeros(3, "f4"))
        np.testing.assert_allclose(w, W - 0.1 * SLOPE, rtol=1e-5)
        np.testing.assert_allclose(velocity, SLOPE, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
