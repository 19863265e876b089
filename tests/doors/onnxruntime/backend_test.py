"""ONNX's own backend runner over the drop-in library, or over ONNX Runtime with a provider as plug-in.

backend_test.py LIBRARY KNOWN_FAILURES [PROVIDER_NAME PLUG_IN]

The list of known failures is a ratchet: a listed case that passes fails the test.
"""
import pathlib
import sys
import unittest

import numpy

# This release of ONNX's runner uses names that NumPy no longer has.
numpy.object, numpy.bool = object, bool

import onnx.backend.test
from onnx.backend.base import Backend, BackendRep

import ort_client

LIBRARY = ort_client.Library(sys.argv[1])
if len(sys.argv) > 3:
    LIBRARY.use_provider(*sys.argv[3:])
KINDS = ["Node", "Simple", "PyTorchConverted", "PyTorchOperator"]  # the others fetch models from elsewhere


class Rep(BackendRep):
    def __init__(self, session):
        self.session = session

    def run(self, inputs, **kwargs):
        return self.session.run(inputs)


class Tc(Backend):
    @classmethod
    def prepare(cls, model, device="CPU", **kwargs):
        return Rep(ort_client.Session(LIBRARY, model.SerializeToString()))

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


def main():
    lines = pathlib.Path(sys.argv[2]).read_text().splitlines()
    known = {line.split()[0] for line in lines if line and not line.startswith("#")}
    cases = onnx.backend.test.BackendTest(Tc, __name__).test_cases
    suite = unittest.TestSuite()
    for kind in KINDS:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(cases[f"OnnxBackend{kind}ModelTest"]))
    result = unittest.TestResult()
    suite.run(result)
    reasons = {test.id().split(".")[-1]: text.strip().splitlines()[-1] for test, text in [*result.failures, *result.errors]}
    failed = set(reasons)
    ran = result.testsRun - len(result.skipped)
    for name in sorted(failed - known):
        print(f"FAILED {name}: {reasons[name]}")
    for name in sorted(known - failed):
        print(f"{name} is listed as a failure and passes")
    print(f"{ran - len(failed)} passed, {len(failed)} failed, {len(result.skipped)} skipped")
    # Random numbers may be right by chance, and rounding depends on the machine.
    return 1 if failed - known or ran < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
