"""Compiles every header of the library alone, with the include roots of its layer only.

headers.py BUILD_DIR COMPILER
"""
import concurrent.futures
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/checks"))
import includes

# Vector code means something only inside an object of its tier.
def only_in_a_tier(path):
    if path.startswith("kernels/simd/") or path.endswith("_tier.h"):
        return True
    if not path.startswith("kernels/"):
        return False
    included = [m[1] for m in includes.INCLUDE.findall((includes.ROOT / path).read_text())]
    return any(only_in_a_tier(i.removeprefix("tc/")) for i in included if i.startswith("tc/"))


def main(build, compiler):
    def problem(path):
        layer = includes.folder_of(path)
        roots = [f"-I{build}/include/{f.replace('/', '_')}" for f in [layer, *includes.LIBRARY[layer]]]
        onnx = ["-DONNX_ML=1", "-DONNX_NAMESPACE=onnx"]  # as libonnx itself was built
        command = [compiler, *onnx, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]
        result = subprocess.run(
            [*command, *roots, "-x", "c++", "-"], input=f'#include "tc/{path}"\n', capture_output=True, text=True
        )
        return f"{path} does not compile alone:\n{result.stderr}" if result.returncode else None

    headers = [
        path
        for path in includes.sources()
        if path.endswith(".h") and includes.folder_of(path) in includes.LIBRARY and not only_in_a_tier(path)
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(problem, headers) if p]
    print(*problems, f"{len(headers)} headers, {len(problems)} problems", sep="\n")
    return 1 if problems or not headers else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
