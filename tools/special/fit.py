#!/usr/bin/env python3
"""Writes frontend/dsl/special_tables.h: the coefficients of tc::special, fitted by Chebyshev interpolation with mpmath.

Run in the root of the repository: python3 tools/special/fit.py > frontend/dsl/special_tables.h
"""
from mpmath import mp, mpf, pi, erf, erfc, erfinv, exp, log, sqrt, besseli, gamma, loggamma, psi, findroot, factorial

from chebyshev import begin, end, fit, over, table


def scaled_erfc(t):
    k = mpf('3.75')
    x = k * (1 + t) / (1 - t)
    # For large x, where erfc is no number any more, by its continued fraction.
    if x < 60:
        return (x + mpf(1) / 2) * exp(x * x) * erfc(x)
    tail = x
    for n in range(80, 0, -1):
        tail = x + mpf(n) / 2 / tail
    return (x + mpf(1) / 2) / (tail * sqrt(pi))


def small_erf(t):
    x = sqrt((t + 1) / 8)
    return erf(x) / x


def large_bessel(n):
    def f(t):
        x = mpf('15.5') / (t + 1)
        return sqrt(x) * exp(-x) * besseli(n, x)
    return f


root = findroot(lambda x: psi(0, x), 1.4616)
high = mpf(float(root))


def near_digamma(t):
    x = (t + 3) / 2
    return psi(0, x) / (x - root)


def near_loggamma(x):
    return loggamma(x) / ((x - 1) * (x - 2))


def central_erfinv(u):
    x = sqrt(u)
    return erfinv(x) / x


def tail_erfcinv(s):
    """x / s where erfc(x) = exp(-s^2), by Newton's method for the logarithm."""
    x = s
    for _ in range(200):
        e = erfc(x)
        step = (log(e) + s * s) * e * sqrt(pi) / (2 * exp(-x * x))
        x += step
        if abs(step) < mpf(10) ** -45:
            return x / s
    raise ArithmeticError


def divergence(d):
    return sum((-1) ** k * d ** k / ((k + 1) * (k + 2)) for k in range(140))


if __name__ == '__main__':
    begin('tools/special/fit.py')
    table('kErfcx', '(x + 1/2) erfcx(x) in t = (x - 3.75) / (x + 3.75).', fit(scaled_erfc, 28))
    table('kErf', 'erf(x) / x in 8 x^2 - 1, |x| < 1/2.', fit(small_erf, 12))
    table('kI0', 'I0(x) in x^2 / 4: the series.', [1 / factorial(k) ** 2 for k in range(25)])
    table('kI1', 'I1(x) / (x / 2) in x^2 / 4: the series.', [1 / factorial(k) / factorial(k + 1) for k in range(25)])
    table('kI0e', 'sqrt(x) exp(-x) I0(x) in 15.5 / x - 1, x > 7.75.', fit(large_bessel(0), 28))
    table('kI1e', 'sqrt(x) exp(-x) I1(x) in 15.5 / x - 1, x > 7.75.', fit(large_bessel(1), 28))
    table('kDigamma', 'digamma(x) / (x - root) in 2 x - 3, 1 <= x <= 2.', fit(near_digamma, 24))
    print(f'inline constexpr double kDigammaRoot = {float(high).hex()}, kDigammaRootLow = {float(root - high).hex()};')
    table('kGamma', 'gamma(x) in 2 x - 3, 1 <= x <= 2.', fit(over(1, 2, gamma), 26))
    table('kGammaln1', 'log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 2, 0.5 <= x <= 1.5.',
          fit(over(0.5, 1.5, near_loggamma), 32))
    table('kGammaln2', 'log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 4, 1.5 <= x <= 2.5.',
          fit(over(1.5, 2.5, near_loggamma), 22))
    table('kErfinv', 'erfinv(x) / x in x^2 / 0.28125 - 1, x^2 < 0.5625.', fit(over(0, 0.5625, central_erfinv), 30))
    table('kErfcinv1', 'erfcinv(exp(-s^2)) / s in (s - 1.85) / 0.65, 1.2 <= s <= 2.5.', fit(over(1.2, 2.5, tail_erfcinv), 26))
    table('kErfcinv2', 'erfcinv(exp(-s^2)) / s in (s - 4.25) / 1.75, 2.5 <= s <= 6.', fit(over(2.5, 6, tail_erfcinv), 26))
    table('kErfcinv3', 'erfcinv(exp(-s^2)) / s in (s - 9.5) / 3.5, 6 <= s <= 13.', fit(over(6, 13, tail_erfcinv), 24))
    table('kErfcinv4', 'erfcinv(exp(-s^2)) / s in (s - 20.5) / 7.5, 13 <= s <= 28.', fit(over(13, 28, tail_erfcinv), 24))
    table('kDivergence', '((1 + d) log(1 + d) - d) / d^2 in 2 d, |d| <= 1 / 2.', fit(over(-0.5, 0.5, divergence), 32))
    table('kSinc', "sin(pi x) / (pi x) in x^2: Taylor's series.",
          [(-1) ** k * pi ** (2 * k) / factorial(2 * k + 1) for k in range(16)])
    end()
