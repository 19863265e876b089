"""What the scripts of this folder share: draws of arguments, and the files of values and derivatives.

A file has one line for each point: the arguments, the value, and the derivative by each argument that has one, all in
hexadecimal; nan for a derivative that is not known. All arguments, or those of three points of every four, are numbers of f32, so that one file serves both types.
"""
import pathlib
import random
import struct

from mpmath import mp, mpf

mp.dps = 50
FOLDER = pathlib.Path(__file__).parent


def f32(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def powers(low, high, n, seed=1):
    """n numbers, uniform in their logarithms, between powers of 10."""
    source = random.Random(seed)
    return [10 ** source.uniform(low, high) for _ in range(n)]


def uniform(low, high, n, seed=1):
    source = random.Random(seed)
    return [source.uniform(low, high) for _ in range(n)]


def seams(*xs):
    return [x + d * abs(x) for x in xs for d in (-1e-6, 0, 1e-6)]


def write(name, f, slopes, points, doubles=True):
    """f and slopes are functions of mpf. `doubles`: every fourth point is none of f32."""
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    rounded = sorted({tuple(float(x) if doubles and i % 4 == 3 else f32(x) for x in p) for i, p in enumerate(points)})
    lines = []
    for p in rounded:
        x = [mpf(v) for v in p]
        y = mp.re(f(*x))
        if abs(y) > mpf('1.7e308') or abs(y) < mpf(2) ** -1022:
            continue
        numbers = [*p, y, *(mp.re(s(*x)) for s in slopes)]
        lines.append(' '.join(float(v).hex() for v in numbers))
    (FOLDER / f'{name}.txt').write_text('\n'.join(lines) + '\n')
    print(name, len(lines))
