"""Models run on machines of every tier, of which qemu plays those that this one is not: an instruction that a machine
lacks ends the program."""
import pathlib
import sys
import unittest

import tool

QEMU = sys.argv.pop(1)
MODELS = sorted(pathlib.Path(sys.argv.pop(1)).glob("*.onnx"))
# SSE4.2 without AVX; AVX2 without AVX-512.
MACHINES = ["Nehalem", "Haswell"]


class OldMachines(tool.ToolTest):
    def test_models(self):
        self.assertTrue(MODELS)
        for model in MODELS:
            self.run_tool(model, "--random", "1", "--save-inputs", "in.npz", "--save", "out.npz")
            for machine in MACHINES:
                with self.subTest(model=model.name, machine=machine):
                    by = (QEMU, "-cpu", machine)
                    self.run_tool(model, "--inputs", "in.npz", "--expect", "out.npz", by=by)


if __name__ == "__main__":
    tool.main()
