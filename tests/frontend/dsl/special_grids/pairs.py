#!/usr/bin/env python3
"""Writes the grids of beta functions, binomials and entropies beside it, by mpmath with 60 digits."""
import random

from mpmath import mp, mpf, exp, log, loggamma, psi

from grids import write

mp.dps = 60
random.seed(11)


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

for name, f, slopes, points in FUNCTIONS:
    by = [lambda a, b, k=k, slopes=slopes: slopes(a, b)[k] for k in (0, 1)]
    write(name, f, by, points, doubles=False)
