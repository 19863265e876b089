#!/usr/bin/env python3
"""Writes the grids of functions of one argument beside it, by mpmath with 50 digits."""
from mpmath import besselj, besselk, e1, ei, erfc, erfi, exp, log, log1p, mp, mpf, pi, sqrt

from grids import powers, seams, uniform, write


def near_zero(zeros):
    return [z + s * 10.0 ** -k for z in zeros for k in (2, 4, 6) for s in (1, -1)]


positive = powers(-30, 2.3, 150) + uniform(0, 8, 60) + seams(0.25, 1, 2, 4)
signed = positive + [-x for x in positive]


def dawson(x):
    """By its integral's series or, where that has too many terms, its asymptotic series (DLMF 7.12.1)."""
    if abs(x) < 12:
        with mp.workdps(150):
            return sqrt(pi) / 2 * exp(-x * x) * erfi(x)
    total = term = mpf(1)
    for n in range(1, 60):
        term *= (2 * n - 1) / (2 * x * x)
        total += term
    return total / (2 * x)


def dawson_slope(x):
    with mp.workdps(120):
        return 1 - 2 * x * dawson(x)


def k_slope(n):
    return lambda x: -(besselk(n - 1, x) + besselk(n + 1, x)) / 2


def ke(n):
    return lambda x: exp(x) * besselk(n, x)


def ke_slope(n):
    return lambda x: exp(x) * (besselk(n, x) + k_slope(n)(x))


def log_ndtr(x):
    z = -x / sqrt(mpf(2))
    return log(erfc(z) / 2) if z > 0 else log1p(-erfc(-z) / 2)


def ndtri_exp(y):
    x = -sqrt(-2 * y) if y < -1 else mpf(0)
    if y > -0.1:
        x = sqrt(-2 * log(-y))
    for _ in range(100):
        step = (log_ndtr(x) - y) * hazard_inverse(x)
        x -= step
        if abs(step) < mpf(10) ** -44 * (1 + abs(x)):
            return x
    raise ArithmeticError(y)


def hazard_inverse(x):
    return erfc(-x / sqrt(mpf(2))) * exp(x * x / 2) * sqrt(pi / 2)


def slope_of_ndtri_exp(y):
    return hazard_inverse(ndtri_exp(y))


for order in (0, 1):
    write(f'k{order}', lambda x: besselk(order, x), [k_slope(order)], [x for x in positive if x < 700] + [650.0])
    write(f'k{order}e', ke(order), [ke_slope(order)], positive + [700.0, 1e4])
    zeros = [float(mp.besseljzero(order, k)) for k in (1, 2, 3, 4)]
    write(f'j{order}', lambda x: besselj(order, x), [lambda x: (besselj(order - 1, x) - besselj(order + 1, x)) / 2],
          [x for x in signed if abs(x) > 1e-12] + seams(8, -8) + near_zero(zeros) + [1000.5, 12345.0])
write('exp1', e1, [lambda x: -exp(-x) / x], positive + [300.0, 700.0])
write('expi', ei, [lambda x: exp(x) / x], signed + near_zero([0.3725074107813666]) + seams(10, 20) + [500.0, 700.0, -600.0])
write('dawsn', dawson, [dawson_slope], signed + seams(1.5, 3, 6, 20, -20) + [1e4, 1e10])
write('ndtri_exp', ndtri_exp, [slope_of_ndtri_exp],
      [-x for x in powers(-20, 8, 160)] + seams(-0.1335, -2.0794, -784.6, -0.6931472) + [-0.69314, -0.69316, -1e12])
write('log1pexp', lambda x: log1p(exp(x)), [lambda x: 1 / (1 + exp(-x))], signed)
