"""ONNX's own runner of its test cases, on tc.onnx_backend."""
import io
import unittest

import numpy

# What onnx 1.12's runner asks NumPy for, and NumPy has no longer.
numpy.object = object
numpy.bool = bool

import onnx.backend.test  # noqa: E402

import tc.onnx_backend as backend  # noqa: E402

# Numbers that hang on a generator, zeros of transforms that are compared by their relative error, references of another
# rounding, and a reference that the runner itself cannot compare.
KNOWN_FAILURES = {
    "test_adam_multiple_cpu",
    "test_bernoulli_cpu",
    "test_bernoulli_double_cpu",
    "test_bernoulli_double_expanded_cpu",
    "test_bernoulli_expanded_cpu",
    "test_bernoulli_seed_cpu",
    "test_bernoulli_seed_expanded_cpu",
    "test_dft_axis_cpu",
    "test_dft_cpu",
    "test_dft_inverse_cpu",
    "test_loop16_seq_none_cpu",
}


class Runner(unittest.TestCase):
    def test_cases(self):
        cases = onnx.backend.test.BackendTest(backend, __name__).test_cases
        suite = unittest.TestSuite()
        for name, case in cases.items():
            if name != "OnnxBackendRealModelTest":  # it fetches its models
                suite.addTests(unittest.TestLoader().loadTestsFromTestCase(case))
        result = unittest.TextTestRunner(io.StringIO(), verbosity=0).run(suite)
        failed = {case.id().rsplit(".", 1)[1]: text for case, text in result.failures + result.errors}
        for name in sorted(failed.keys() - KNOWN_FAILURES):
            print(name, failed[name], sep="\n")
        passed = result.testsRun - len(result.skipped) - len(failed)
        print(f"{passed} cases pass, {len(failed)} fail")
        self.assertLessEqual(failed.keys(), KNOWN_FAILURES)
        # Random numbers may be right by chance, and rounding depends on the machine.
        for name in sorted(KNOWN_FAILURES - failed.keys()):
            print(f"{name} passes here")
        self.assertGreaterEqual(passed, 1060)


if __name__ == "__main__":
    unittest.main()
