"""Writes the type stubs of tc.numpy: the functions of the DSL from vocabulary.json, which generate.py made of its headers,
below what stands in stubs_head.pyi.

stubs.py VOCABULARY HEAD OUT_DIR
"""
import json
import pathlib
import re
import sys

PREAMBLE = """from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple
"""
NUMBERS = {"f16": "float16", "f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64", "u32": "uint32", "u64": "uint64"}


def default(text):
    if text is None:
        return ""
    number = text.strip("'")
    return f" = {NUMBERS[number]!r}" if number in NUMBERS else f" = {text}"


def declaration(function, overloaded):
    parameters = ", ".join(
        f"{name}: {type}{' | None' if value == 'None' and 'None' not in type else ''}{default(value)}"
        for name, type, value in function["parameters"]
    )
    lines = ["@overload"] if overloaded else []
    lines.append(f"def {function['name']}({parameters}) -> {function['returns']}:")
    doc = function["doc"].replace("\\", "\\\\").replace('"""', "'''")
    lines.append(f'    """{doc}"""')
    lines.append("    ...")
    return "\n".join(lines)


def declarations(functions):
    counts = {}
    for f in functions:
        counts[f["name"]] = counts.get(f["name"], 0) + 1
    return [declaration(f, counts[f["name"]] > 1) for f in functions]


def main(vocabulary, head, out):
    data = json.loads(vocabulary.read_text(encoding="utf-8"))
    text = head.read_text(encoding="utf-8")
    own = set(re.findall(r"^def (\w+)", text, re.MULTILINE))
    tuples = [
        "\n".join([f"class {name}(NamedTuple):", *(f"    {field}: Array" for field in fields)])
        for name, fields in data["tuples"].items()
    ]
    functions = data["functions"]
    top = declarations([f for f in functions if not f["space"] and f["name"] not in own])
    out.mkdir(parents=True, exist_ok=True)
    spaces = sorted({f["space"] for f in functions} - {""})
    imports = "\n".join(f"from . import {space} as {space}" for space in spaces)
    if data["left_out"]:
        imports += "\n\n# Of C++ alone: " + ", ".join(data["left_out"])
    (out / "__init__.pyi").write_text("\n\n".join([text, imports, *tuples, *top, ""]), encoding="utf-8")
    for space in spaces:
        listed = declarations([f for f in functions if f["space"] == space])
        imports = PREAMBLE + "from typing import overload\n\nfrom . import *\nfrom . import Shape, Axes, Extent, ArrayLike, DTypeLike"
        (out / f"{space}.pyi").write_text("\n\n".join([imports, *listed, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
