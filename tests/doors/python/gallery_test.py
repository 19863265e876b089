"""Programs of examples/gallery in Python: the same numbers as those that C++ exports, here and from their files.

TC_GALLERY is the program that exports those of C++.
"""
import os
import pathlib
import runpy
import subprocess
import tempfile
import unittest

import numpy as np

import tc.numpy as xp
import tc.onnxruntime as ort

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples/python"


def feed(name):
    random = np.random.default_rng(3)
    if name == "logistic_regression":
        x = random.normal(size=(17, 3))
        return [x.astype("f4"), (np.arange(17) % 3 == 0).astype("f4"), random.normal(size=3).astype("f4")]
    return [(4 * np.sin(0.3 * np.arange(25))).astype("f4"), np.float32(0.5)]


class Gallery(unittest.TestCase):
    def check(self, name, function):
        module = runpy.run_path(str(EXAMPLES / f"{name}.py"))
        inputs = feed(name)
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = pathlib.Path(folder) / "cc.onnx", pathlib.Path(folder) / "py.onnx"
            subprocess.run([os.environ["TC_GALLERY"], name, theirs], check=True)
            xp.export_onnx(module[function], ours, *module["INPUTS"])
            sessions = [ort.InferenceSession(path) for path in (theirs, ours)]
        results = [s.run(None, dict(zip((i.name for i in s.get_inputs()), inputs))) for s in sessions]
        self.assertEqual([i.name for i in sessions[0].get_inputs()], [i.name for i in sessions[1].get_inputs()])
        self.assertEqual([i.shape for i in sessions[0].get_inputs()], [i.shape for i in sessions[1].get_inputs()])
        compiled = xp.jit(module[function])(*inputs)
        self.assertEqual(len(results[0]), len(compiled))
        for name, cc, py in zip((o.name for o in sessions[1].get_outputs()), *results):
            np.testing.assert_allclose(py, cc, rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(compiled[name], cc, rtol=1e-5, atol=1e-5)

    def test_logistic_regression(self):
        self.check("logistic_regression", "with_gradient")

    def test_kalman_filter(self):
        self.check("kalman_filter", "kalman_filter")


if __name__ == "__main__":
    unittest.main()
