"""The table of packages in docs/building.md is the list in ./dev; the README is short."""
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Packages(unittest.TestCase):
    def test_same_rows(self):
        lists = re.findall(r"^[a-z]+_packages='\n(.*?)^'", (ROOT / "dev").read_text(), re.MULTILINE | re.DOTALL)
        installed = [tuple(cell.strip() for cell in line.split("|")) for text in lists for line in text.splitlines()]
        table = (ROOT / "docs/building.md").read_text().split("| Debian package | what it is for |\n|---|---|\n")[1].split("\n\n")[0]
        told = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines()]
        self.assertGreater(len(installed), 10)
        self.assertEqual(told, installed)

    def test_readme_is_short(self):
        self.assertLessEqual(len((ROOT / "README.md").read_text().split()), 1300)

    def test_script_is_valid(self):
        self.assertEqual(subprocess.run(["bash", "-n", ROOT / "dev"], capture_output=True, text=True).stderr, "")


if __name__ == "__main__":
    unittest.main()
