"""examples/parallel: two processes learn what one does, and a run that was killed goes on from its checkpoint.

parallel_test.py MPIRUN PROGRAM
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

MPIRUN, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}


def run(processes, *args):
    return subprocess.run([MPIRUN, "--oversubscribe", "-n", str(processes), PROGRAM, *args], capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=100)


class Parallel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def weights(self, processes, name, *args):
        result = run(processes, "--steps", "50", "--out", self.path(name), *args)
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(numpy.load(self.path(name))), result.stdout

    def assert_same(self, a, b, most):
        self.assertEqual(sorted(a), sorted(b))
        for name in a:
            self.assertLessEqual(float(numpy.abs(a[name] - b[name]).max()), most, name)

    def test_two_processes_are_as_one(self):
        one, text = self.weights(1, "one.npz")
        two, _ = self.weights(2, "two.npz")
        losses = [float(line.split()[-1]) for line in text.splitlines() if line.startswith("step")]
        self.assertLess(losses[-1], 0.7 * losses[0], text)
        self.assert_same(one, two, 2e-6)

    def test_a_killed_process(self):
        whole, _ = self.weights(2, "whole.npz")
        options = ["--checkpoint", self.path("state.safetensors"), "--every", "10"]
        self.assertNotEqual(run(2, "--steps", "50", *options, "--die-at", "25").returncode, 0)
        again, text = self.weights(2, "again.npz", *options)
        self.assertIn("goes on after step 20", text)
        self.assert_same(whole, again, 0)

    def test_bad_arguments(self):
        for args, message in ((["--batch", "63"], "--batch is no multiple"), (["--none", "1"], "unknown option --none"),
                              (["--checkpoint", __file__], "files of tensors end in")):
            result = run(2, *args)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    unittest.main()
