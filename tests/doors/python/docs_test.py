"""The programs of docs/python.md, one after the other, and those of examples/python, each on its own."""
import os
import pathlib
import re
import runpy
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]


class Documentation(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.home)
        self.folder.cleanup()

    def test_page(self):
        page = ROOT / "docs/python.md"
        text = page.read_text(encoding="utf-8")
        names = {}
        blocks = list(re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
        self.assertGreater(len(blocks), 6)
        for block in blocks:
            lines = text.count("\n", 0, block.start(1))
            exec(compile("\n" * lines + block[1], str(page), "exec"), names)

    def test_examples(self):
        files = sorted((ROOT / "examples/python").glob("*.py"))
        self.assertGreaterEqual(len(files), 2)
        for file in files:
            with self.subTest(file.name):
                runpy.run_path(str(file), run_name="__main__")


if __name__ == "__main__":
    unittest.main()
