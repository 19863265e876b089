"""Completion in bash offers what the programs' --help names.

completion_test.py TC_RUN TC_INFO
"""
import pathlib
import subprocess
import sys
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/completion/tc.bash"
TC_RUN, TC_INFO = sys.argv[1:3]
del sys.argv[1:3]


def offered(program, word):
    text = 'source "$1"; COMP_WORDS=("$2" "$3"); COMP_CWORD=1; _tc_programs; printf "%s\\n" "${COMPREPLY[@]}"'
    return subprocess.run(["bash", "-c", text, "bash", SCRIPT, program, word], capture_output=True, text=True,
                          cwd=SCRIPT.parent, check=True).stdout.split()


class Completion(unittest.TestCase):
    def test_options(self):
        self.assertEqual(offered(TC_RUN, "--rep"), ["--repeat"])
        self.assertIn("--version", offered(TC_RUN, "--"))

    def test_subcommands_and_files(self):
        self.assertEqual(offered(TC_INFO, "cp"), ["cpu"])
        self.assertEqual(offered(TC_RUN, "pag"), ["page.sh"])

    def test_help_names_them(self):
        for program in (TC_RUN, TC_INFO):
            text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
            for option in offered(program, "--"):
                self.assertIn(option, text)


if __name__ == "__main__":
    unittest.main()
