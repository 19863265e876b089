"""The rows of tests/edges whose results NumPy gives: evaluates their `numpy` clauses and compares."""
import pathlib
import re
import sys
import unittest

import numpy as np

TYPES = {
    "f16": np.float16, "f32": np.float32, "f64": np.float64, "bool": np.bool_, "str": np.object_,
    **{f"{letter}{bits}": getattr(np, f"{kind}{bits}") for letter, kind in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
}
TENSOR = re.compile(r"(\w+)\[([\d, ]*)\](.*)", re.DOTALL)


def parse_tensor(text):
    """An array, with a mask of the zeros whose sign counts; None for `_`."""
    text = text.strip()
    if text == "_":
        return None
    name, extents, elements = TENSOR.fullmatch(text).groups()
    shape = tuple(int(e) for e in extents.split(",") if e.strip())
    count = int(np.prod(shape, dtype=np.int64))
    words = re.findall(r'"[^"]*"|\S+', elements)
    if words and words[-1].endswith("..."):
        words[-1] = words[-1][:-3]
        words += words[-1:] * (count - len(words))
    if name == "str":
        values = [w.strip('"') for w in words]
    elif name == "bool":
        values = [w == "true" for w in words]
    else:
        values = [float(w) if name[0] == "f" else int(w) for w in words]
    signs = np.array([w in ("-0", "+0") for w in words], np.bool_).reshape(shape)
    return np.array(values, TYPES[name]).reshape(shape), signs


def split_tensors(text):
    return [parse_tensor(t) for t in re.split(r';(?=(?:[^"]*"[^"]*")*[^"]*$)', text) if t.strip()]


def rows():
    """(place, row, clauses) of each row with a `numpy` clause."""
    for path in sorted(pathlib.Path(__file__).resolve().parent.glob("*.txt")):
        row = None
        if path.name == "CMakeLists.txt":
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line or line[0] == "#":
                continue
            if line[0] != " ":
                if row and "numpy" in row[2]:
                    yield row
                row = (f"{path.name}:{number}", line, {})
            else:
                key, _, value = line.strip().partition(":")
                row[2][key] = value.strip()
        if row and "numpy" in row[2]:
            yield row


def difference(got, want, signs, within):
    got = np.asarray(got)
    if got.shape != want.shape:
        return f"shape {got.shape}, the row says {want.shape}"
    if want.dtype != np.object_ and got.dtype != want.dtype:
        return f"type {got.dtype}, the row says {want.dtype}"
    if want.dtype.kind != "f":
        return "" if np.array_equal(got, want) else f"{got}, the row says {want}"
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    close = np.abs(got - want) <= within * np.abs(want)
    good = np.where(signs, same & (np.signbit(got) == np.signbit(want)), same | close)
    return "" if good.all() else f"{got}, the row says {want}"


class Rows(unittest.TestCase):
    def test_rows(self):
        count = 0
        with np.errstate(all="ignore"):
            for place, row, clauses in rows():
                count += 1
                with self.subTest(place, row=row):
                    operands, _, results = row.partition(": ")[2].partition("->")
                    names = {chr(ord("a") + i): t and t[0] for i, t in enumerate(split_tensors(operands))}
                    got = eval(clauses["numpy"], {"np": np}, names)
                    want = [t for t in split_tensors(results) if t is not None]
                    got = got if isinstance(got, tuple) else (got,)
                    self.assertEqual(len(got), len(want))
                    for g, (w, signs) in zip(got, want):
                        self.assertEqual(difference(g, w, signs, float(clauses.get("within", 0))), "")
        print(f"{count} rows", file=sys.stderr)
        self.assertGreater(count, 50)


if __name__ == "__main__":
    unittest.main()
