"""The installed package and the wheel that is made of it.

TC_CMAKE is CMake's program, TC_BUILD the build.
"""
import base64
import csv
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = """
import tc, tc.numpy as np, tc.onnxruntime as ort
model = np.trace(lambda x: 2 * x, np.ShapeDtype(("n",), name="x")).onnx_bytes()
print(tc.__file__, ort.InferenceSession(model).run(None, {"x": np.ones(2).numpy()})[0])
"""


class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            install = [os.environ["TC_CMAKE"], "--install", os.environ["TC_BUILD"], "--component", "python", "--prefix", folder]
            subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            (package,) = folder.rglob("tc/__init__.py")
            make = [sys.executable, ROOT / "doors/python/wheel.py", package.parents[1], folder / "out", "1.2.3"]
            wheel = subprocess.run(make, check=True, capture_output=True, text=True).stdout.strip()
            self.assertRegex(wheel, r"/tc-1\.2\.3-cp3\d+-cp3\d+-linux_x86_64\.whl$")
            with zipfile.ZipFile(wheel) as archive:
                names = archive.namelist()
                self.assertIn("tc/numpy/__init__.pyi", names)
                rows = list(csv.reader(archive.read("tc-1.2.3.dist-info/RECORD").decode().splitlines()))
                self.assertEqual([r[0] for r in rows], names)
                for name, digest, size in rows[:-1]:
                    data = archive.read(name)
                    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), (f"sha256={found}", len(data)))
                archive.extractall(folder / "there")
            environment = {**os.environ, "PYTHONPATH": str(folder / "there")}
            said = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
            self.assertIn(str(folder / "there"), said.stdout)
            self.assertIn("[2. 2.]", said.stdout)


if __name__ == "__main__":
    unittest.main()
