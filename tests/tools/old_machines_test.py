"""Models run on machines of every tier, of which qemu plays those that this one is not: an instruction that a machine
lacks ends the program."""
import pathlib
import subprocess
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
            here = ["--inputs", "in.npz"]
            self.run_tool(model, "--random", "1", "--save-inputs", "in.npz", "--save", "out.npz")
            for machine in MACHINES:
                with self.subTest(model=model.name, machine=machine):
                    command = [QEMU, "-cpu", machine, tool.TOOL, model, *here, "--expect", "out.npz"]
                    result = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=300)
                    self.assertEqual(result.returncode, 0, msg=result.stderr.decode()[-2000:])


if __name__ == "__main__":
    tool.main()
