#!/usr/bin/env python3
"""Writes frontend/dsl/special_integral_tables.h: coefficients of Bessel functions, exponential integrals and Dawson's.

Run in the root of the repository: python3 tools/special/fit_integrals.py > frontend/dsl/special_integral_tables.h
"""
from mpmath import mp, mpf, besselj, besselk, bessely, cos, ei, erfi, exp, expint, factorial, findroot, harmonic, log, pi, psi
from mpmath import sin, sqrt

from chebyshev import begin, end, fit, over, table

FAR = mpf(10) ** 9  # in place of infinity


def mapped(k, f):
    """f(x) of x >= 1 in t in [-1, 1], where (1 + t) / 2 is linear in (x - k) / (x + k)."""
    def g(u):
        return f(min(k * (1 + u) / (1 - u), FAR))
    return over((1 - mpf(k)) / (1 + k), 1, g)


def scaled_k(n):
    return lambda x: sqrt(x) * exp(x) * besselk(n, x)


def split(value, name):
    high = float(value)
    print(f'inline constexpr double {name} = {high.hex()}, {name}Low = {float(value - mpf(high)).hex()};')


def oscillation(n, part):
    """P (part 0) or x Q (part 1) of J_n = sqrt(2 / (pi x)) (P cos(x - (2 n + 1) pi / 4) - Q sin(...)) in (8 / x)^2."""
    def f(u):
        u = max(u, mpf(10) ** -12)
        x = 8 / sqrt(u)
        j, y, angle = besselj(n, x), bessely(n, x), x - (2 * n + 1) * pi / 4
        scale = sqrt(pi * x / 2)
        if part == 0:
            return scale * (j * cos(angle) + y * sin(angle))
        return scale * x * (y * cos(angle) - j * sin(angle))
    return over(0, 1, f)


def ei_scaled(u):
    return exp(-1 / u) / u * ei(1 / u) if u > mpf(10) ** -9 else 1 + u


def dawson(x):
    return sqrt(pi) / 2 * exp(-x * x) * erfi(x)


def dawson_far(u):
    return 6 / sqrt(u) * dawson(6 / sqrt(u)) if u > mpf(10) ** -6 else mpf(1) / 2 + u / 144


begin('tools/special/fit_integrals.py')
table('kI0Short', 'I0(x) in x^2 / 4, x <= 1: the series.', [1 / factorial(k) ** 2 for k in range(11)])
table('kI1Short', 'I1(x) / (x / 2) in x^2 / 4, x <= 1: the series.', [1 / factorial(k) / factorial(k + 1) for k in range(11)])
table('kK0', 'K0(x) + (log(x / 2) + gamma) I0(x) in x^2 / 4, x <= 1: DLMF 10.31.2.',
      [harmonic(k) / factorial(k) ** 2 for k in range(11)])
table('kK1', '(K1(x) - 1 / x - log(x / 2) I1(x)) / x in x^2 / 4, x <= 1: DLMF 10.31.1.',
      [-(psi(0, k + 1) + psi(0, k + 2)) / (4 * factorial(k) * factorial(k + 1)) for k in range(11)])
table('kK0e', 'sqrt(x) exp(x) K0(x) in (x - 1) / (x + 1) * 2 - 1, x > 1.', fit(mapped(1, scaled_k(0)), 23))
table('kK1e', 'sqrt(x) exp(x) K1(x) in (x - 1) / (x + 1) * 2 - 1, x > 1.', fit(mapped(1, scaled_k(1)), 23))
table('kKDifference', 'x^(3/2) exp(x) (K1(x) - K0(x)) in (x - 1) / (x + 1) * 2 - 1, x > 1.',
      fit(mapped(1, lambda x: x * (scaled_k(1)(x) - scaled_k(0)(x))), 24))

for n, guesses in ((0, (2.4, 5.52)), (1, (3.83, 7.01))):
    a, b = [findroot(lambda x: besselj(n, x), g) for g in guesses]
    table(f'kJ{n}', f'J{n}(x) {"/ x " if n else ""}/ ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, in x^2 / 32 - 1, x <= 8.',
          fit(over(0, 64, lambda u: besselj(n, sqrt(u)) / sqrt(u) ** n / ((u - a * a) * (u - b * b))), 18))
    split(a, f'kJ{n}First')
    split(b, f'kJ{n}Second')
    table(f'kP{n}', f'The cosine part of J{n}(x) in 128 / x^2 - 1, x >= 8.', fit(oscillation(n, 0), 14))
    table(f'kQ{n}', f'The sine part of J{n}(x), times x, in 128 / x^2 - 1, x >= 8.', fit(oscillation(n, 1), 16))

table('kEin', '(E1(x) + log(x) + gamma) / x, x <= 1: the series (DLMF 6.6.2).',
      [(-1) ** k / ((k + 1) * factorial(k + 1)) for k in range(18)])
table('kE1', '(x + 1) exp(x) E1(x) in ((x - 2) / (x + 2) - 1 / 3) * 3 / 2, x > 1.',
      fit(mapped(2, lambda x: (x + 1) * exp(x) * expint(1, x) if x < FAR else mpf(1)), 29))
root = findroot(ei, 0.3725)
split(root, 'kEiRoot')
table('kEi', '(Ei(x) - log(x / root)) / (x - root) in x / 2 - 1, 0 <= x <= 4.',
      fit(over(0, 4, lambda x: (ei(x) - log(x / root)) / (x - root)), 20))
table('kEi1', 'x exp(-x) Ei(x) in 40 / 3 / x - 7 / 3, 4 <= x <= 10.', fit(over(mpf(1) / 10, mpf(1) / 4, ei_scaled), 26))
table('kEi2', 'x exp(-x) Ei(x) in 40 / x - 3, 10 <= x <= 20.', fit(over(mpf(1) / 20, mpf(1) / 10, ei_scaled), 21))
table('kEi3', 'x exp(-x) Ei(x) in 40 / x - 1, x >= 20.', fit(over(0, mpf(1) / 20, ei_scaled), 27))

table('kDawson', "Dawson's integral of x, over x, in x^2 * 8 / 9 - 1, x <= 1.5.",
      fit(over(0, mpf(9) / 4, lambda u: dawson(sqrt(u)) / sqrt(u)), 18))
table('kDawson1', "Dawson's integral times x in (x - 2.25) * 4 / 3, 1.5 <= x <= 3.", fit(over(1.5, 3, lambda x: x * dawson(x)), 25))
table('kDawson2', "Dawson's integral times x in (x - 4.5) * 2 / 3, 3 <= x <= 6.", fit(over(3, 6, lambda x: x * dawson(x)), 28))
table('kDawson3', "Dawson's integral times x in 72 / x^2 - 1, x >= 6.", fit(over(0, 1, dawson_far), 15))
end()
