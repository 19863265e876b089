"""Runs one tool, given as the program's only argument, in a folder of the test's own."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(sys.argv.pop(1)).resolve()


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def start(self, *args, by=()):
        """`by`: the command of a program that runs the tool."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TC_")}
        # What hangs ends, what is slow may be: a browser on a busy machine has taken more than a minute.
        return subprocess.run(
            [*by, str(TOOL), *map(str, args)], cwd=self.folder, env=environment, capture_output=True, timeout=300
        )

    def run_tool(self, *args, status=0, by=()):
        """Standard output, after checking the exit status."""
        result = self.start(*args, by=by)
        self.assertEqual(result.returncode, status, msg=(args, result.stderr.decode()[:2000]))
        return result.stdout.decode()

    def run_json(self, *args):
        return json.loads(self.run_tool(*args))

    def fails(self, *args, says, code=None, status=1):
        """A failure is one line `tool: code: what`, and indented lines of context."""
        result = self.start(*args)
        text = result.stderr.decode()
        self.assertEqual(result.returncode, status, msg=(args, text))
        first, *rest = text.splitlines()
        self.assertTrue(first.startswith(f"{TOOL.name}: {code or ''}"), msg=text)
        self.assertTrue(all(line.startswith("  ") for line in rest), msg=text)
        for words in [says] if isinstance(says, str) else says:
            self.assertIn(words, text)
        return text

    def refuses(self, *args, says=""):
        """A wrong command line: exit status 2, something on standard error and nothing on standard output."""
        result = self.start(*args)
        self.assertEqual(result.returncode, 2, msg=(args, result.stdout, result.stderr))
        self.assertIn(says, result.stderr.decode())
        self.assertEqual(result.stdout, b"")
        self.assertNotEqual(result.stderr, b"")
        return result.stderr.decode()


def main():
    unittest.main(module="__main__")
