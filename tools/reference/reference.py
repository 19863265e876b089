#!/usr/bin/python3
"""Writes the reference of the public headers, with Doxygen: reference.py FOLDER [DOXYGEN]

Doxygen gets copies of the headers in which the comments are documentation. A block of `//` lines above a declaration describes it, a comment behind one describes what stands before it, and the
block that starts a file describes the file. Nothing else changes, so line numbers stay.
"""
import pathlib
import re
import subprocess
import sys

# The headers that programs include.
PUBLIC = ["frontend/api/*.h", "frontend/api/files/*.h", "frontend/dsl/*.h", "doors/c/tc_c.h", "ir/tensor.h", "ir/type.h", "ir/dtype.h", "ir/diag.h"]

CODE_THEN_COMMENT = re.compile(r'^(?P<code>(?:[^"/]|"(?:[^"\\]|\\.)*"|/(?!/))*\S)(?P<space>\s+)//(?P<text>\s.*)$')


def escaped(text):
    """Without what Doxygen takes for commands, markup or HTML."""
    text = re.sub(r"([\\@<>#%]|::)", r"\\\1", text)
    return re.sub(r"(?<![\w`])\.\.\.", "&hellip;", text)


def filtered(lines, name):
    result = []
    at_start = True
    for i, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("// "):
            indent = line[: len(line) - len(line.lstrip())]
            text = escaped(stripped[3:])
            result.append(f"{indent}///{' @file ' + name + ' ' if at_start else ' '}{text}")
            at_start = False
            continue
        if stripped == "//":
            result.append(line.replace("//", "///"))
            continue
        at_start = at_start and not stripped
        match = CODE_THEN_COMMENT.match(line)
        if match and match["code"].rstrip().endswith((";", ",", "{", "}")):
            # What follows a brace describes a body, for which Doxygen has no place.
            mark = "///<" if not match["code"].rstrip().endswith(("{", "}")) else "//"
            result.append(f"{match['code']}{match['space']}{mark}{escaped(match['text'])}")
        else:
            result.append(line)
    return result


def with_tables(lines, folder):
    """With the declarations that the rows of an included .def file make."""
    result = []
    macros = {}
    for line in lines:
        define = re.match(r"#define (TC_DSL_\w+)\(([^)]*)\) (.*)", line)
        table = re.match(r'#include "tc/(.*\.def)"', line)
        if define:
            macros[define[1]] = ([p.strip() for p in define[2].split(",")], define[3])
        elif table and macros:
            for row in re.finditer(r"^(TC_DSL_\w+)\((.*)\)", (folder / table[1]).read_text(encoding="utf-8"), re.MULTILINE):
                parameters, body = macros[row[1]]
                for parameter, value in zip(parameters, row[2].split(", ")):
                    body = re.sub(rf"\b{parameter}\b", value, body)
                result.append(body)
        elif table:
            result.append("")  # enumerators, which the headers around them describe
        else:
            result.append(line)
    return result


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    root = pathlib.Path(__file__).resolve().parents[2]
    copies = out / "headers"
    for pattern in PUBLIC:
        for path in sorted(root.glob(pattern)):
            if path.name.endswith(("_parts.h", "_tables.h")):
                continue
            copy = copies / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            lines = path.read_text(encoding="utf-8").split("\n")
            copy.write_text("\n".join(with_tables(filtered(lines, path.name), root)), encoding="utf-8")
    settings = (pathlib.Path(__file__).parent / "Doxyfile").read_text(encoding="utf-8")
    settings += f"\nOUTPUT_DIRECTORY = {out}\nINPUT = {copies}\nSTRIP_FROM_PATH = {copies}\n"
    done = subprocess.run([*(sys.argv[2:3] or ["doxygen"]), "-"], input=settings, text=True, check=False)
    if done.returncode:
        sys.exit(f"reference.py: doxygen failed with {done.returncode}")
    print(out / "index.html")


if __name__ == "__main__":
    main()
