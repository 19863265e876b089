"""tc-info on a model with 3 GB of external weights: loading looks at none of them."""
import os
import subprocess
import sys
import tempfile
import unittest

import tool

GIGABYTES = 3
# A sanitizer's own memory and time are not what is measured.
SLOW = len(sys.argv) > 1 and sys.argv.pop() == "--sanitized"


class BigModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        script = tool.ROOT / "bench/session/make_big_model.py"
        subprocess.run([sys.executable, str(script), self.folder, str(GIGABYTES)], check=True, stdout=subprocess.PIPE)

    def run_info(self):
        """Exit status, output, CPU seconds, peak memory in MB."""
        out = os.path.join(self.folder, "out")
        with open(out, "wb") as f:
            process = subprocess.Popen([str(tool.TOOL), "model", os.path.join(self.folder, "big.onnx")], stdout=f, stderr=f)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(out, encoding="utf-8") as f:
            return process.returncode, f.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def test_loads_without_reading_weights(self):
        self.assertLess(os.stat(os.path.join(self.folder, "big.bin")).st_blocks * 512, 1 << 20)
        status, text, seconds, megabytes = self.run_info()
        print(f"{GIGABYTES} GB of weights: {seconds:.3f} s of CPU, {megabytes:.1f} MB", file=sys.stderr)
        self.assertEqual(status, 0, msg=text)
        self.assertIn("48 tensors", text)
        self.assertLess(seconds, 5 if SLOW else 0.25)
        self.assertLess(megabytes, 1000 if SLOW else 64)

    def test_missing_bytes_are_noticed(self):
        data = os.path.join(self.folder, "big.bin")
        os.truncate(data, os.path.getsize(data) - 1)
        status, text, _, _ = self.run_info()
        self.assertEqual(status, 1)
        for words in ["bad-external-data", "big.bin", "tensor w47"]:
            self.assertIn(words, text)


if __name__ == "__main__":
    tool.main()
