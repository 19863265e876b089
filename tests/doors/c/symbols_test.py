"""What libtc_c.so exports: the functions of its header, and at least those of symbols.txt, the list of the last release.

symbols_test.py LIBRARY HEADER LIST    TC_BLESS=1 adds new functions to the list.
"""
import os
import pathlib
import re
import subprocess
import sys


def main(library, header, listed):
    table = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {}
    for line in table.splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # A: the name of a version
            name, _, version = name.partition("@@")
            exported[name] = version
    declared = set(re.findall(r"^TC_C_API [^;(]*?\b(tc_\w+)\(", pathlib.Path(header).read_text(), re.MULTILINE))
    released = dict(line.split() for line in pathlib.Path(listed).read_text().splitlines() if line.startswith("tc_"))
    problems = [f"{name} is declared and not exported" for name in sorted(declared - exported.keys())]
    problems += [f"{name} is exported and not declared" for name in sorted(exported.keys() - declared)]
    problems += [f"{name}@{version} is gone or has another version"
                 for name, version in released.items() if exported.get(name) != version]
    fresh = sorted(exported.keys() - released.keys())
    if fresh and os.environ.get("TC_BLESS"):
        with open(listed, "a", encoding="utf-8") as file:
            file.writelines(f"{name} {exported[name]}\n" for name in fresh)
    elif fresh:
        problems.append(f"{listed} lacks {', '.join(fresh)}; TC_BLESS=1 adds them")
    if len(exported) < 40:
        problems.append(f"only {len(exported)} functions are exported")
    print("\n".join(problems) or f"{len(exported)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
