#!/usr/bin/python3
"""Checks that kernels name instructions of a machine in kernels/simd alone.

What runs on every machine is written against the primitives of kernels/simd, so that a new target is a folder there. Files for
what only x86 has are listed here, and are left out of the builds of other machines.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The targets' own folder, and files for what one machine has.
TARGETS = [
    r"kernels/simd/.*",
    r"kernels/.*_amx\.(cc|h)",  # tiles
    r"kernels/.*_(dotprod|i8mm)_neon\.cc",
    r"kernels/.*_(avx_)?vnni\.(cc|h)",
    r"kernels/conv/depthwise_plane_tier\.h",  # included with AVX2 only: masked loads, shifts across a register
    r"kernels/cpu\.cc",  # asks the processor
    r"kernels/parallel\.cc",  # waits
]

# Intrinsics and their types, builtins of one machine, registers in assembler, xsimd.
TOKEN = re.compile(
    r"\b(_mm\d*_\w+|_MM_\w+|__m(?:64|128|256|512)[id]?|__mmask\d+|_tile_\w+|__builtin_(?:ia32|aarch64|neon|wasm)_\w+"
    r"|v(?:ld|st)\d\w*_[suf]\d+|v[a-z]+q?(?:_(?:n|lane|laneq|low|high))?(?:_[suf](?:8|16|32|64))+|(?:float|u?int)(?:8|16|32|64)x\d+_t"
    r"|wasm_[iuvf]\d+x?\d*_\w+|v128_t|xsimd)\b|\b(asm|__asm__)\b"
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def findings(text):
    """Line and token of each intrinsic that the text names outside of comments."""
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return [(code.count("\n", 0, m.start()) + 1, m[0]) for m in TOKEN.finditer(code)]


def is_target(path):
    return any(re.fullmatch(pattern, path) for pattern in TARGETS)


def main():
    files = sorted(p for p in (ROOT / "kernels").rglob("*") if p.suffix in (".cc", ".h", ".def"))
    problems = []
    for file in files:
        path = file.relative_to(ROOT).as_posix()
        if not is_target(path):
            problems += [f"{path}:{line}: {token} belongs into kernels/simd" for line, token in findings(file.read_text())]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
