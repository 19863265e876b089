"""NumPy's side of the tests of tools/common/npy.h.

npy_peer.py make DIR   writes one .npy per element type, shape, order and format version, and .npz files of them
npy_peer.py check DIR  reads what the C++ side wrote from the same values
"""
import pathlib
import sys

import numpy as np

TYPES = ["f2", "f4", "f8", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "c8", "c16", "U7", "S7"]
SHAPES = [(), (1,), (0,), (7,), (2, 3, 5), (4, 0, 2)]


def values(dtype, shape):
    """Element i, in C order, is a function of i that npy_test.cc computes too."""
    n = int(np.prod(shape, dtype=np.int64))
    i = np.arange(n)
    if dtype == "U7":
        flat = [f"é{k}字\U0001f600" if k % 2 else "" for k in i]
    elif dtype == "S7":
        flat = [b"s%d" % k for k in i]
    elif dtype == "?":
        flat = i % 3 == 0
    elif dtype.startswith("c"):
        flat = (i - 2) + 0.5j * i
    elif dtype.startswith("u"):
        flat = i * 3
    elif dtype.startswith("i"):
        flat = i * 3 - 4
    else:
        flat = i * 0.75 - 2
    return np.array(flat, dtype=dtype).reshape(shape)


def cases():
    for dtype in TYPES:
        for k, shape in enumerate(SHAPES):
            yield f"{dtype.replace('?', 'b')}_{k}", values(dtype, shape)


def make(folder):
    for name, array in cases():
        np.save(folder / f"{name}.npy", array)
        np.save(folder / f"{name}_fortran.npy", np.array(array, order="F"))
    for version in [(2, 0), (3, 0)]:
        with open(folder / f"version{version[0]}.npy", "wb") as f:
            np.lib.format.write_array(f, values("f4", (2, 3, 5)), version=version)
    np.savez(folder / "stored.npz", **dict(cases()))
    np.savez_compressed(folder / "deflated.npz", **dict(cases()))
    np.save(folder / "big_endian.npy", values("f4", (7,)).astype(">f4"))
    np.save(folder / "objects.npy", np.array([{}, None], dtype=object), allow_pickle=True)
    np.save(folder / "structured.npy", np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))


def check(folder):
    written = np.load(folder / "written.npz", allow_pickle=False)
    expected = {name: array.astype("U7") if array.dtype.kind == "S" else array for name, array in cases()}
    assert sorted(written.files) == sorted(expected), (sorted(written.files), sorted(expected))
    for name, array in expected.items():
        got = written[name]
        assert got.shape == array.shape and got.dtype.kind == array.dtype.kind, (name, got.dtype, got.shape)
        assert got.dtype == array.dtype or array.dtype.kind == "U", (name, got.dtype)
        np.testing.assert_array_equal(got, array, err_msg=name)
    widened = np.load(folder / "widened.npz", allow_pickle=False)
    np.testing.assert_array_equal(widened["a/b.bf16"], np.array([1.5, -2, 0.15625], "f4"))
    np.testing.assert_array_equal(widened["i4"], np.array([-8, 7], "i1"))
    assert widened["a/b.bf16"].dtype == "f4" and widened["i4"].dtype == "i1"
    assert np.load(folder / "written.npy").item() == 42


if __name__ == "__main__":
    {"make": make, "check": check}[sys.argv[1]](pathlib.Path(sys.argv[2]))
