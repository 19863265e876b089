"""The table of packages in docs/building.md is the list in ./dev; the README is short; names that pages tell exist."""
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

    def test_names_exist(self):
        headers = [path for folder in ("dsl", "api") for path in (ROOT / "frontend" / folder).iterdir() if path.suffix in (".h", ".def")]
        words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in headers)))
        told = []
        for page in ("docs/names.md", "docs/guide/from-numpy.md"):
            told += re.findall(r"\btc::((?:\w+::)*\w+)", (ROOT / page).read_text(encoding="utf-8"))
        self.assertGreater(len(told), 200)
        self.assertEqual([name for name in told if name.split("::")[-1] not in words], [])


if __name__ == "__main__":
    unittest.main()
