#!/usr/bin/python3
"""Checks every #include of the tree against what its folder may see, and CMake's layers against the same table.

Include roots already keep one layer of the library from including another that it does not declare. This check adds what
they cannot see: system libraries, which lie in the default search path, and folders within folders.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Folder -> folders of this tree that it may include from, beside itself. The longest matching folder counts.
LIBRARY = {
    "ir": [],
    "ir/eval": ["ir"],
    "frontend/dsl": ["ir"],
    "frontend/onnx": ["ir"],
    "kernels": [],
    "passes": ["ir", "ir/eval"],
    "backend/cpu": ["ir", "ir/eval", "passes", "kernels"],
    "backend/onnx": ["ir", "ir/eval", "passes"],
}
LIBRARY["frontend/api"] = list(LIBRARY)
PROGRAMS = {
    "doors": [*LIBRARY, "tc.h"],
    "doors/python": [*LIBRARY, "tc.h"],
    "tools": [*LIBRARY, "tc.h", "tools/common", "bench/zoo"],
    "tools/common": [*LIBRARY, "tc.h"],
    "bench": [*LIBRARY, "tc.h", "doors", "tools/common", "bench/zoo"],
    "bench/zoo": [*LIBRARY, "tc.h", "tools/common"],
    "tests": [*LIBRARY, "tc.h", "doors", "tools", "tools/common", "bench", "bench/zoo", "examples"],
    "examples": ["tc.h", "tools/common", "bench/zoo"],
}
FOLDERS = LIBRARY | PROGRAMS

# System headers beside C++'s own: pattern of the header -> patterns of the files that may include it. The first match counts.
SYSTEM = {
    r"(regex|format|print)": [],  # crashes on long input; not in g++ 12
    r"omp\.h": [r"kernels/parallel\.cc"],
    r"xsimd/.*": [r"kernels/simd/.*"],
    r"([a-z]*mmintrin|immintrin|arm_neon|wasm_simd128)\.h": [r"kernels/simd/.*", r"(tests/)?kernels/.*(vnni|bf16|amx)[^/]*"],
    r"(onnx|google/protobuf)/.*": [r"backend/onnx/.*", r"tests/.*"],
    r"(Eigen|unsupported/Eigen|boost)/.*": [r"ir/eval/.*"],
    r"re2/.*": [r"(ir/eval|tools)/.*"],
    r"CLI/.*": [r"tools/.*"],
    r"nlohmann/.*": [r"(tools|bench|tests|examples|frontend/api/files)/.*", r"frontend/api/graph_view\.cc"],
    r"graph_view_page\.h": [r"frontend/api/graph_view\.cc"],  # generated
    r"png\.h": [r"(ir/eval|examples|tests/ir/eval)/.*"],
    r"(jerror|jpeglib|openjpeg|tiffio|webp/[a-z]+)\.h": [r"(tests/)?ir/eval/image_.*"],
    r"zip\.h": [r"frontend/api/files/.*"],
    r"gtest/.*": [r"tests/.*"],
    r"(pybind11/.*|Python\.h)": [r"doors/python/.*"],
    r"sanitizer/.*": [r"tests/fuzz/.*"],
    r"benchmark/.*": [r"bench/.*"],
    r"httplib\.h": [r"tools/serve/.*"],
    r"mpi\.h": [r"examples/parallel/.*"],
    r"std(def|int)\.h": [r"doors/c/tc_c\.h"],  # of C
    r"[a-z_]+": [r".*"],  # the C++ standard library
    r"((sys|linux|asm)/[a-z0-9_]+|cpuid|dlfcn|fcntl|pthread|sched|signal|spawn|unistd|poll)\.h": [
        r"(kernels|frontend/onnx|backend|doors|tools|bench|tests|examples)/.*",
        r"ir/pages_posix\.cc",
        r"frontend/api/compile_onnx_posix\.cc",
    ],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]*)[>"]', re.MULTILINE)
LAYER = re.compile(r"^tc_layer\(\w+ (\S+)([^)]*)\)", re.MULTILINE)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def folder_of(path):
    return max((f for f in FOLDERS if inside(path, f)), key=len, default=None)


def refusal(path, bracket, name, exists=lambda path: (ROOT / path).exists()):
    """Why `path` may not have this include, or None."""
    folder = folder_of(path)
    if folder is None:
        return "no rule for this folder"
    if bracket == "<":
        for header, files in SYSTEM.items():
            if re.fullmatch(header, name):
                return None if any(re.fullmatch(f, path) for f in files) else f"<{name}> is not for {folder}"
        return f"<{name}> is in no rule"
    if not name.startswith("tc/"):
        local = str(pathlib.PurePosixPath(path).parent / name)
        if folder in ("bench", "tests", "examples") and exists(local):
            return None
        if folder == "tests" and name.startswith("tests/") and exists(name):
            return None
        return f'"{name}" should be included by its full name, "tc/..."'
    target = name.removeprefix("tc/")
    allowed = [folder, *FOLDERS[folder]]
    # A folder within an allowed one is another folder when it has a row of its own.
    if any(inside(target, f) for f in allowed) and (folder_of(target) in allowed or target in allowed):
        return None
    return f'"{name}" is not for {folder}'


def check_sources(files):
    for path in files:
        text = (ROOT / path).read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            why = refusal(path, match[1], match[2])
            if why:
                yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {why}"


def check_layers():
    layers = {}
    for file in (f for top in {f.split("/")[0] for f in LIBRARY} for f in (ROOT / top).rglob("CMakeLists.txt")):
        for folder, rest in LAYER.findall(file.read_text()):
            depends = re.search(r"DEPENDS((?: +[a-z_]+)*)", rest)
            layers[folder] = depends[1].split() if depends else []
    for folder, depends in layers.items():
        row = folder_of(folder)
        if row not in LIBRARY:
            yield f"{folder}: a layer of the library that has no row here"
            continue
        allowed = {f.replace("/", "_") for f in LIBRARY[row]}
        for name in depends:
            if name not in allowed:
                yield f"{folder}: CMake lets it depend on {name}"


def sources():
    """Every .cc, .h and .def file of the folders above, relative to the root."""
    tops = sorted({f.split("/")[0] for f in FOLDERS})
    files = [p for top in tops for p in (ROOT / top).rglob("*") if p.suffix in (".cc", ".h", ".def")]
    return sorted(p.relative_to(ROOT).as_posix() for p in files)


def main():
    problems = [*check_sources(sources()), *check_layers()]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
