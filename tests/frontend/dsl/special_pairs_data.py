#!/usr/bin/env python3
"""Writes tests/frontend/dsl/special_pairs_data.h: special functions of two arguments by mpmath with 60 digits.

Run in the root of the repository: python3 tests/frontend/dsl/special_pairs_data.py > tests/frontend/dsl/special_pairs_data.h
The arguments are numbers of f32, so that one table serves both types.
"""
import random
import struct
from mpmath import mp, mpf, exp, log, loggamma, psi

mp.dps = 60
random.seed(11)


def f32(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def betaln(a, b):
    return loggamma(a) + loggamma(b) - loggamma(a + b)


def beta_slopes(a, b):
    return psi(0, a) - psi(0, a + b), psi(0, b) - psi(0, a + b)


def scaled(f, slopes):
    """exp(f) and its derivatives."""
    return lambda a, b: exp(f(a, b)), lambda a, b: [exp(f(a, b)) * s for s in slopes(a, b)]


def combln(n, k):
    return -log(n + 1) - betaln(n - k + 1, k + 1)


def comb_slopes(n, k):
    return psi(0, n + 1) - psi(0, n - k + 1), psi(0, n - k + 1) - psi(0, k + 1)


def pochln(z, m):
    return loggamma(z + m) - loggamma(z)


def poch_slopes(z, m):
    return psi(0, z + m) - psi(0, z), psi(0, z + m)


def log2_sum(x, y):
    return log(mpf(2) ** x + mpf(2) ** y) / log(2)


def log2_slopes(x, y):
    return 1 / (1 + mpf(2) ** (y - x)), 1 / (1 + mpf(2) ** (x - y))


def draw(low, high, n=150):
    """Pairs of numbers between powers of 10."""
    return [(10 ** random.uniform(low, high), 10 ** random.uniform(low, high)) for _ in range(n)]


seams = [(x, y) for x in (0.5, 1, 2.5, 7.9999, 8, 8.0001, 12) for y in (0.25, 1.5, 7.9999, 8.0001, 30)]
close = [(x, x * random.uniform(0.4, 2.2)) for x, _ in draw(-3, 3, 100)] + [(x, x * (1 + y / 1e3)) for x, y in draw(-2, 1, 40)]

# name, function, derivatives, pairs
FUNCTIONS = [
    ('betaln', betaln, beta_slopes, draw(-2, 2) + draw(-1, 5) + seams),
    ('beta', *scaled(betaln, beta_slopes), draw(-2, 2) + seams),
    ('comb', *scaled(combln, comb_slopes), [(x + y, y) for x, y in draw(-1, 2)] + [(x + y, y) for x, y in seams]),
    ('poch', *scaled(pochln, poch_slopes), draw(-1, 2) + seams + [(x + y, -y) for x, y in draw(-1, 1.5, 60)]),
    ('rel_entr', lambda x, y: x * log(x / y), lambda x, y: (log(x / y) + 1, -x / y), draw(-6, 6) + close),
    ('kl_div', lambda x, y: x * log(x / y) - x + y, lambda x, y: (log(x / y), 1 - x / y), draw(-6, 6) + close),
    ('logaddexp2', log2_sum, log2_slopes, draw(-3, 2) + [(-x, y + 2) for x, y in draw(-2, 1)]),
]

print('// Special functions of two arguments with their derivatives: written by tests/frontend/dsl/special_pairs_data.py.')
print('#pragma once\n\n#include <vector>\n\nnamespace tc {\n')
print('struct SpecialPair {\n  double a, b, y, da, db;\n};\n')
for name, f, slopes, pairs in FUNCTIONS:
    print(f'inline const std::vector<SpecialPair> k_{name} = {{')
    for a, b in sorted({(f32(a), f32(b)) for a, b in pairs}):
        y = mpf(f(mpf(a), mpf(b)).real)
        if abs(y) > 1.7e308 or abs(y) < 1e-300:
            continue
        print('    {' + ', '.join(float(v).hex() for v in (a, b, y, *slopes(mpf(a), mpf(b)))) + '},')
    print('};')
print('\n}  // namespace tc')
