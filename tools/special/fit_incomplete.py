#!/usr/bin/env python3
"""Writes frontend/dsl/special_incomplete_tables.h: coefficients of the incomplete gamma and beta functions.

Run in the root of the repository: python3 tools/special/fit_incomplete.py > frontend/dsl/special_incomplete_tables.h
"""
from mpmath import mpf, bernoulli, cos, euler, factorial, gamma, pi

from chebyshev import begin, end, fit, over, table


def reciprocal(c):
    """The power series of 1 over that of c."""
    r = [1 / c[0]]
    for k in range(1, len(c)):
        r.append(-sum(c[j] * r[k - j] for j in range(1, k + 1)) / c[0])
    return r


def temme(orders, terms):
    """The coefficients of eta^k in C_0, C_1, ... (DLMF 8.12.8 to 8.12.13), where eta^2 / 2 = mu - log(1 + mu)."""
    length = terms + 2 * orders + 4
    mu = [mpf(0), mpf(1)]
    for k in range(2, length):  # from mu * dmu / deta = eta * (1 + mu)
        mu.append((mu[k - 1] - sum(mu[i] * (k + 1 - i) * mu[k + 1 - i] for i in range(2, k))) / (k + 1))
    inverse = reciprocal(mu[1:])  # eta / mu
    logarithm = [mpf(0)] * (2 * orders + 3)  # Stirling's series
    for k in range(1, orders + 1):
        logarithm[2 * k - 1] = bernoulli(2 * k) / (2 * k * (2 * k - 1))
    stirling = [mpf(1)]
    for n in range(1, orders):
        stirling.append(sum(j * logarithm[j] * stirling[n - j] for j in range(1, n + 1)) / n)
    rows = [inverse[1:]]
    for n in range(1, orders):
        last = rows[-1]
        rows.append([(k + 1) * last[k + 1] + (-1) ** n * stirling[n] * inverse[k] for k in range(1, len(last) - 1)])
    return [row[:terms] for row in rows]


def needed(row, n):
    """How many coefficients of the row of a^-n count for |eta| < 0.56 and a > 20."""
    return 1 + max(k for k, c in enumerate(row) if abs(c) * mpf('0.56') ** k * mpf(20) ** -n > mpf('2e-18'))


def legendre(n, x):
    """The polynomial and its derivative."""
    last, this = mpf(1), x
    for k in range(1, n):
        last, this = this, ((2 * k + 1) * x * this - k * last) / (k + 1)
    return this, n * (x * this - last) / (x * x - 1)


def gauss_legendre(n):
    """Nodes and weights of [0, 1]."""
    nodes = [cos(pi * (k + mpf(3) / 4) / (n + mpf(1) / 2)) for k in range(n)]
    for _ in range(8):
        values = [legendre(n, x) for x in nodes]
        nodes = [x - f / slope for x, (f, slope) in zip(nodes, values)]
    weights = [1 / ((1 - x * x) * legendre(n, x)[1] ** 2) for x in nodes]
    assert abs(sum(weights) - 1) < mpf(10) ** -30
    return [(1 - x) / 2 for x in nodes], weights


begin('tools/special/fit_incomplete.py')
table('kAtanhRest', '(atanh(s) / s - 1) / s^2 in s^2: the series.', [mpf(1) / (2 * k + 3) for k in range(22)])
table('kGammaRise', '(gamma(1 + a) - 1) / a in 2 a - 1, 0 <= a <= 1.',
      fit(over(0, 1, lambda a: (gamma(1 + a) - 1) / a if a else -euler), 26))
for n, row in enumerate(temme(12, 26)):
    table(f'kTemme{n}', f'The factor of a^-{n} in eta.', row[:needed(row, n)])
table('kExpRest', '(exp(z) - 1 - z) / z^2 in z: the series.', [1 / factorial(k + 2) for k in range(17)])
table('kSinhRest', '(sinh(t) - t) / t^3 in t^2, |t| < 1: the series.', [1 / factorial(2 * k + 3) for k in range(9)])
table('kSinRest', '(t - sin(t)) / t^3 in t^2, |t| <= pi: the series.', [(-1) ** k / factorial(2 * k + 3) for k in range(17)])
nodes, weights = gauss_legendre(32)
table('kNodes', 'The nodes of Gauss and Legendre on [0, 1].', nodes)
table('kWeights', 'Their weights.', weights)
end()
