#!/usr/bin/env python3
"""Writes frontend/dsl/random_tables.h: the coefficients of tc::random, fitted by Chebyshev interpolation with mpmath.

Run in the root of the repository: python3 tools/random/fit.py > frontend/dsl/random_tables.h
"""
from mpmath import mp, mpf, atanh, cos, erfinv, exp, expm1, legendre, log, pi, sin, sqrt

mp.dps = 60


def fit(f, terms):
    """Coefficients, lowest first, of the polynomial in t that agrees with f(t) at the Chebyshev nodes of [-1, 1]."""
    nodes = [cos(pi * (2 * k + 1) / (2 * terms)) for k in range(terms)]
    values = [f(t) for t in nodes]
    series = [2 * sum(v * cos(j * pi * (2 * k + 1) / (2 * terms)) for k, v in enumerate(values)) / terms
              for j in range(terms)]
    series[0] /= 2
    total, last, this = [mpf(0)] * terms, [mpf(1)], [mpf(0), mpf(1)]
    for j in range(terms):
        for i, c in enumerate(last):
            total[i] += series[j] * c
        following = [mpf(0)] + [2 * c for c in this]
        for i, c in enumerate(last):
            following[i] -= c
        last, this = this, following
    return total


def between(f, low, high):
    """f on [low, high] as a function of t in [-1, 1]."""
    return lambda t: f(low + (high - low) * (t + 1) / 2)


def scaled(f, high, terms):
    """Coefficients in y of f(y) on [0, high]."""
    c = fit(between(f, mpf(0), mpf(high)), terms)
    # From t = 2 y / high - 1 to y.
    total = [mpf(0)] * terms
    power = [mpf(1)]
    for a in c:
        for i, p in enumerate(power):
            total[i] += a * p
        following = [mpf(0)] * (len(power) + 1)
        for i, p in enumerate(power):
            following[i] -= p
            following[i + 1] += p * 2 / mpf(high)
        power = following
    return total


def log_series(y):
    s = sqrt(y)
    return 2 * (atanh(s) / s - 1) / y if s > mpf(10) ** -10 else mpf(2) / 3


def exp_series(r):
    return (expm1(r) - r) / (r * r) if abs(r) > mpf(10) ** -15 else mpf(1) / 2


def normal(w):
    """sqrt(2) erfinv(x) / x, where w = -log(1 - x^2)."""
    if w < mpf(10) ** -20:
        return sqrt(pi / 2)
    x = sqrt(-expm1(-w))
    # Near 1 the inverse needs more digits than x has.
    with mp.workdps(100):
        return sqrt(mpf(2)) * erfinv(sqrt(-expm1(-w))) / x


def sine(y):
    s = sqrt(y)
    return sin(pi * s) / s if s > mpf(10) ** -15 else +pi


def gauss(n):
    """Nodes in [0, 1] and weights of the Gauss-Legendre rule."""
    nodes, weights = [], []
    for k in range(n):
        x = -cos(pi * (k + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(8):  # Newton's steps; the start is good to 4 digits
            slope = n * (x * legendre(n, x) - legendre(n - 1, x)) / (x * x - 1)
            x -= legendre(n, x) / slope
        nodes.append((x + 1) / 2)
        weights.append(1 / ((1 - x * x) * slope * slope))
    return nodes, weights


def table(name, text, values):
    print(f'// {text}')
    print(f'inline constexpr double {name}[] = {{' + ', '.join(float(v).hex() for v in values) + '};')


print('// Coefficients of tc::random, lowest first: written by tools/random/fit.py.')
print('#pragma once\n\nnamespace tc::random::tables {\n')
limit = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2
for suffix, logs, exps, near, middle, far, trig in (('32', 3, 5, 9, 0, 10, 5), ('64', 9, 12, 23, 20, 18, 9)):
    table(f'kLog{suffix}', '(log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2, |s| < 0.1716.', scaled(log_series, limit, logs))
    half = log(mpf(2)) / 2
    t = fit(between(exp_series, -half, half), exps)
    table(f'kExp{suffix}', '(exp(r) - 1 - r) / r^2 in r, |r| < log(2) / 2.', [c / half ** i for i, c in enumerate(t)])
    if middle:
        table(f'kNormalNear{suffix}', 'Normal numbers: by 2 u - 1, in (w - 3) / 3, w < 6.', fit(between(normal, mpf(0), mpf(6)), near))
        table(f'kNormalMiddle{suffix}', 'In sqrt(w) - 3.2, w from 6 to 16.', [
            c / mpf('0.8') ** i for i, c in enumerate(fit(lambda t: normal((mpf('3.2') + t * mpf('0.8')) ** 2), middle))])
        table(f'kNormalFar{suffix}', 'In sqrt(w) - 5, w from 16 to 37.', [
            c / mpf('1.1') ** i for i, c in enumerate(fit(lambda t: normal((mpf(5) + t * mpf('1.1')) ** 2), far))])
    else:
        table(f'kNormalNear{suffix}', 'Normal numbers: by 2 u - 1, in (w - 2.5) / 2.5, w < 5.', fit(between(normal, mpf(0), mpf(5)), near))
        table(f'kNormalFar{suffix}', 'In sqrt(w) - 3.2, w from 5 to 17.', fit(lambda t: normal((mpf('3.2') + t) ** 2), far))
    table(f'kSine{suffix}', 'sin(pi y) / y in y^2, |y| <= 1/4.', scaled(sine, mpf(1) / 16, trig))
    table(f'kCosine{suffix}', 'cos(pi y) in y^2, |y| <= 1/4.', scaled(lambda y: cos(pi * sqrt(y)), mpf(1) / 16, trig))
nodes, weights = gauss(32)
table('kGaussNodes', 'The Gauss-Legendre rule of 32 points on [0, 1].', nodes)
table('kGaussWeights', 'Its weights.', weights)
print('\n}  // namespace tc::random::tables')
