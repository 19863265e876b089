#!/usr/bin/env python3
"""Writes the grids of zeta and its kin, of expn and of Owen's function beside it, by mpmath."""
import random

from mpmath import erf, exp, expint, gamma, log, loggamma, mp, mpf, pi, psi, quad, sqrt

from grids import powers, seams, uniform, write

source = random.Random(9)
pairs = [(1 + 10 ** source.uniform(-4, 1.7), 10 ** source.uniform(-3, 4)) for _ in range(150)]
pairs += [(s, q) for s in (2.0, 3.0, 12.0, 40.5) for q in (1.0, 0.5, 9.999, 10.0, 10.001, 3.7)]
negative = [(float(s), -q) for s in (2, 3, 6, 9) for q in (0.5, 1.25, 7.75, 20.625)]


def hurwitz(s, q):
    """By terms up to 30, and the formula of Euler and Maclaurin from there."""
    head, w = mpf(0), q
    while w < 30:
        head += w ** -s if w > 0 else (-w) ** -s * (-1) ** int(s)
        w += 1
    tail, factor = w / (s - 1) + mpf(1) / 2, s / w
    for j in range(1, 40):
        tail += mp.bernoulli(2 * j) / mp.factorial(2 * j) * factor
        factor *= (s + 2 * j - 1) * (s + 2 * j) / w ** 2
    return head + w ** -s * tail


def hurwitz_slope(s, q):
    if q < 0:
        return mp.nan
    h = mpf(10) ** -16
    with mp.workdps(90):
        return (8 * (hurwitz(s + h, q) - hurwitz(s - h, q)) - (hurwitz(s + 2 * h, q) - hurwitz(s - 2 * h, q))) / (12 * h)


write('zeta', hurwitz, [hurwitz_slope, lambda s, q: -s * hurwitz(s + 1, q)], pairs + negative)


def polygamma(n, x):
    if n == 0:
        return psi(0, x)
    return (-1) ** (int(n) + 1) * gamma(n + 1) * hurwitz(n + 1, x)


orders = [(float(source.randrange(1, 12)), 10 ** source.uniform(-2, 4)) for _ in range(120)]
orders += [(0.0, x) for x in powers(-2, 3, 20)] + [(float(n), -q) for n in (1, 2, 5) for q in (0.5, 3.25, 12.75)]
write('polygamma', polygamma, [lambda n, x: polygamma(n + 1, x)], orders)


def multigammaln(a):
    return 4 * 3 * log(pi) / 4 + sum(loggamma(a - mpf(j) / 2) for j in range(4))


write('multigammaln', multigammaln, [lambda a: sum(psi(0, a - mpf(j) / 2) for j in range(4))],
      [1.5 + x for x in powers(-2, 4, 80)] + uniform(1.6, 6, 40))


def expn(n, x):
    return expint(n, x)


orders = [(float(source.choice([0, 1, 1, 2, 3, 4, 7, 12, 30, 100])), 10 ** source.uniform(-6, 2.3)) for _ in range(150)]
orders += [(float(n), x) for n in (1, 2, 5, 20) for x in seams(1)]
write('expn', expn, [lambda n, x: -expint(n - 1, x)], orders)


def owens(h, a):
    h, sign, a = abs(h), (-1 if a < 0 else 1), abs(a)
    end = min(a, 25 / h) if h else a
    points = [end * k / 8 for k in range(9)]
    return sign * exp(-h * h / 2) / (2 * pi) * quad(lambda t: exp(-(h * t) ** 2 / 2) / (1 + t * t), points)


points = [(10 ** source.uniform(-2, 1.5), 10 ** source.uniform(-2, 1.5)) for _ in range(120)]
points += [(-3.0, 0.5), (2.0, -0.75), (2.0, -1.5), (0.25, 0.999), (0.25, 1.001), (6.0, 0.99), (12.5, 0.25), (30.0, 0.1)]
write('owens_t', owens, [lambda h, a: -exp(-h * h / 2) / sqrt(2 * pi) * erf(h * a / sqrt(mpf(2))) / 2,
                         lambda h, a: exp(-h * h * (1 + a * a) / 2) / (2 * pi * (1 + a * a))], points)
