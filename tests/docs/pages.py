"""The programs and commands that the pages of docs/guide show, compiled and run.

    pages.py source OUTPUT.cc PAGE.md...     one program that runs the `cpp` blocks of each page in order
    pages.py run PROGRAM TOOLS PAGE.md       runs them, then the `sh` and `js` blocks, in a folder that is gone afterwards

A `text` block is what the block before it prints: line by line, blanks at the ends aside, with `...` alone on a line for any
number of lines, and within one for anything.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEPARATOR = "\x1e"
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    """(language, text, line) of each block of a page."""
    page = path.read_text()
    return [(m[1], m[2], page.count("\n", 0, m.start(2)) + 1) for m in FENCE.finditer(page)]


def identifier(path):
    return "page_" + re.sub(r"\W", "_", path.stem)


def source(pages):
    includes, functions, calls = {'#include "tc/tc.h"', "#include <iostream>", "#include <string>"}, [], []
    for path in pages:
        body = []
        for language, text, line in blocks(path):
            if language != "cpp":
                continue
            includes.update(re.findall(r"^#include .*$", text, re.MULTILINE))
            code = re.sub(r"^#include .*$", "", text, flags=re.MULTILINE)
            body.append(f'#line {line} "{path}"\n{code}std::cout << "{SEPARATOR}";\n')
        functions.append(f"void {identifier(path)}() {{\n{''.join(body)}}}\n")
        calls.append(f'  if (page == "{path.stem}") return {identifier(path)}(), 0;\n')
    return "\n".join(sorted(includes)) + "\n\nnamespace {\n\n" + "\n".join(functions) + (
        "\n}  // namespace\n\nint main(int, char** argv) try {\n  const std::string page = argv[1];\n"
        + "".join(calls) + '  std::cerr << "no page " << page << "\\n";\n  return 2;\n'
        "} catch (const std::exception& e) {\n  std::cerr << e.what() << \"\\n\";\n  return 1;\n}\n")


def matches(told, printed):
    lines = [re.escape(line.strip()).replace(re.escape("..."), ".*") for line in told.strip().splitlines()]
    pattern = "\n".join("(?:.*\n?)*?" if line == ".*" else line for line in lines).replace("(?:.*\n?)*?\n", "(?:.*\n)*?")
    return re.fullmatch(pattern, "\n".join(line.strip() for line in printed.strip().splitlines())) is not None


def run(program, tools, page):
    shown = blocks(page)
    environment = dict(os.environ, PATH=f"{tools}{os.pathsep}{os.environ['PATH']}")
    with tempfile.TemporaryDirectory() as folder:
        def output_of(command):
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{page}: {command} gave {done.returncode}\n{done.stdout}{done.stderr}")
            return done.stdout
        programs = output_of([program, page.stem]).split(SEPARATOR)
        os.symlink(ROOT / "node_modules", pathlib.Path(folder) / "node_modules")
        kinds = {
            "cpp": lambda text: programs.pop(0),
            "sh": lambda text: output_of(["bash", "-euc", text]),
            "js": lambda text: output_of(["node", "--input-type=module", "--eval", text]),
        }
        bad = 0
        for i, (language, text, line) in enumerate(shown):
            if language not in kinds:
                continue
            printed = kinds[language](text)
            told = shown[i + 1][1] if i + 1 < len(shown) and shown[i + 1][0] == "text" else None
            if told is None and language != "cpp":
                continue
            if not matches(told or "", printed):
                bad += 1
                print(f"{page}:{line}: told\n{told or '(nothing)'}\nprinted\n{printed}")
        sys.exit(1 if bad else 0)


if sys.argv[1] == "source":
    pathlib.Path(sys.argv[2]).write_text(source([pathlib.Path(p) for p in sys.argv[3:]]))
else:
    run(pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve(), pathlib.Path(sys.argv[4]).resolve())
