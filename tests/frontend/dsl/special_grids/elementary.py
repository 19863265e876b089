#!/usr/bin/env python3
"""Writes the grids of error, gamma, logistic and Bessel functions I beside it, by mpmath with 60 digits."""
import random

from mpmath import mp, mpf, erf, erfc, exp, expm1, log, log1p, sqrt, pi, besseli, psi, cbrt
from mpmath import erfinv, gamma, loggamma, sin, cos

from grids import f32, write

mp.dps = 60


def scaled_erfc(x):
    if x < 100:
        return exp(x * x) * erfc(x)
    r = 1 / (2 * x * x)
    total = term = mpf(1)
    for n in range(1, 30):
        term *= -(2 * n - 1) * r
        total += term
    return total / (x * sqrt(pi))


def ndtr(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def log_ndtr(x):
    if x > 0:
        return log1p(-erfc(x / sqrt(mpf(2))) / 2)
    return log(scaled_erfc(-x / sqrt(mpf(2))) / 2) - x * x / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * pi)


def hazard(x):
    return sqrt(2 / pi) / scaled_erfc(-x / sqrt(mpf(2)))


def sgn(x):
    return (x > 0) - (x < 0)


def expit(x):
    return 1 / (1 + exp(-x))


def log_expit(x):
    return -log1p(exp(-x)) if x > 0 else x - log1p(exp(x))


def i1_slope(x):
    return (besseli(0, x) + besseli(2, x)) / 2


def erfcx_slope(x):
    with mp.workdps(120):
        return 2 * x * scaled_erfc(x) - 2 / sqrt(pi)


def log1mexp(x):
    return log(-expm1(x)) if x > -1 else log1p(-exp(x))


def erfcinv(q):
    if q > mpf('0.1'):
        return erfinv(1 - q)
    x = sqrt(-log(q))
    for _ in range(60):
        e = erfc(x)
        x += (log(e) - log(q)) * e * sqrt(pi) / 2 * exp(x * x)
    return x


def erfcinv_slope(q):
    return -sqrt(pi) / 2 * exp(erfcinv(q) ** 2)


def sinc(x):
    return sin(pi * x) / (pi * x)


wide = [s * 2.0 ** e * m for e in (-120, -40, -20, -8, -4, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8) for m in (1, 1.37, 1.81)
        for s in (1, -1)]
random.seed(7)
near = [random.uniform(-8, 8) for _ in range(60)]
positive = sorted({abs(x) for x in wide + near})
seam = lambda *xs: [s * (x + d * abs(x)) for x in xs for d in (-1e-6, 0, 1e-6) for s in (1, -1)]
large = [1e4, 1e10, 1e30, -1e4, -1e10, -1e30]
half = [x / 16 for x in near] + [-x / 16 for x in near] + seam(0.75, 0.5, 0.25, 0.99, 0.9999, 1 - 2 ** -24)
quantiles = [2.0 ** -k * m for k in (1, 2, 3, 5, 8, 9, 10, 16, 30, 50, 52, 53, 60, 90, 120, 126) for m in (1, 1.37, 1.81)]
quantiles += [abs(x) / 8 for x in near] + [abs(x) for x in seam(0.25, 0.5, 0.75)]
gammas = [x for x in positive if x < 1e3] + [abs(x) for x in seam(1, 2, 0.5, 1.5, 2.5, 3, 8, 10, 20)] + [33.3, 100.7, 150.2]

NEGATIVE = [-0.25, -0.75, -1e-3, -1.5, -2.75, -7.125, -20.3, -33.7, -100.6, -127.3]

# name, function, derivative, arguments
FUNCTIONS = [
    ('erfc', erfc, lambda x: -2 / sqrt(pi) * exp(-x * x), wide + near + seam(0.5, 26.5, 26, 10, 3.75)),
    ('erfcx', scaled_erfc, erfcx_slope, wide + near + seam(50, 3.75, 26.5) + [1e4, 1e10, 1e30]),
    ('ndtr', ndtr, density, wide + near + seam(0.7, 37, 30, 20)),
    ('log_ndtr', log_ndtr, hazard, wide + near + seam(1, 37) + [-1e4, -1e10]),
    ('i0', lambda x: besseli(0, x), lambda x: besseli(1, x), wide + near + seam(7.75, 709, 713)),
    ('i1', lambda x: besseli(1, x), i1_slope, wide + near + seam(7.75, 709, 713)),
    ('i0e', lambda x: besseli(0, x) * exp(-abs(x)), lambda x: (besseli(1, x) - sgn(x) * besseli(0, x)) * exp(-abs(x)),
     wide + near + seam(7.75)),
    ('i1e', lambda x: besseli(1, x) * exp(-abs(x)), lambda x: (i1_slope(x) - sgn(x) * besseli(1, x)) * exp(-abs(x)),
     wide + near + seam(7.75)),
    ('digamma', lambda x: psi(0, x), lambda x: psi(1, x),
     positive + [abs(x) for x in seam(1, 2, 10, 1.4616321449683622, 9, 5)] + [1e10, 1e30]),
    ('trigamma', lambda x: psi(1, x), None, [x for x in positive if x > 1e-15] + [abs(x) for x in seam(1, 2, 10, 9)] +
     [1e10, -0.25, -1.5, -2.75, -7.125]),
    ('expit', expit, lambda x: expit(x) * expit(-x), wide + near),
    ('log_expit', log_expit, lambda x: expit(-x), wide + near + large),
    ('logit', lambda x: log(x / (1 - x)), lambda x: 1 / (x * (1 - x)),
     [x for x in positive if x < 1] + [abs(x) for x in half if abs(f32(x)) < 1] + [0.3, 0.65, 0.49, 0.5000001, 0.49999997, 0.999999, 0.99]),
    ('log1mexp', log1mexp, lambda x: -1 / expm1(-x), [-x for x in positive if x < 700] + [-0.693147, -0.6931472, -0.69315]),
    ('entr', lambda x: -x * log(x), lambda x: -log(x) - 1, positive + [1e10, 1e30]),
    ('erfinv', erfinv, lambda x: sqrt(pi) / 2 * exp(erfinv(x) ** 2),
     [x for x in half + wide if abs(f32(x)) < 1]),
    ('erfcinv', erfcinv, erfcinv_slope, [x for x in quantiles if x != 1] + [1.3, 1.7499, 1.7501, 1.9999, 1.001]),
    ('ndtri', lambda p: -sqrt(2) * erfcinv(2 * p), lambda p: sqrt(2 * pi) * exp(erfcinv(2 * p) ** 2),
     [x for x in quantiles if x < 1 and x != 0.5] + [0.87, 0.9999, 0.501]),
    ('gammaln', lambda x: mp.re(loggamma(x)), lambda x: psi(0, x), gammas + [1e4, 1e10, 1e30]),
    ('gamma', gamma, lambda x: gamma(x) * psi(0, x), [x for x in gammas if x < 171] + [171.3, 170.6] + NEGATIVE),
    ('sinc', sinc, lambda x: (cos(pi * x) - sinc(x)) / x, 
     [x for x in wide + near if x % 1 and abs(x) > 1e-6] + seam(0.5)),
    ('exp2', lambda x: mpf(2) ** x, lambda x: mpf(2) ** x * log(2), wide + near + [1000.3, -1000.7]),
    ('exp10', lambda x: mpf(10) ** x, lambda x: mpf(10) ** x * log(10), wide + near + [300.3, -300.7]),
    ('cbrt', lambda x: sgn(x) * cbrt(abs(x)), lambda x: 1 / (3 * cbrt(abs(x)) ** 2), wide + near + large),
    ('deg2rad', lambda x: x * pi / 180, lambda x: pi / 180, near),
    ('rad2deg', lambda x: x * 180 / pi, lambda x: 180 / pi, near),
]


for name, f, slope, arguments in FUNCTIONS:
    if name in ('i0', 'i1', 'i0e', 'i1e'):
        arguments = [x for x in arguments if abs(f32(x)) <= 800]
    write(name, f, [slope] if slope else [], arguments, doubles=False)
