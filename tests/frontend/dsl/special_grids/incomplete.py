#!/usr/bin/env python3
"""Writes the grids of the incomplete gamma and beta functions and of their inverses beside it, by mpmath.

The functions are sums of positive terms with as many digits as 1 minus a sum needs; mpmath's own do not converge for
large arguments.
"""
import random

from mpmath import exp, gamma, log, loggamma, mp, mpf

from grids import write


def gamma_sum(a, x, digits):
    total = term = mpf(1)
    k = 0
    while a + k <= x or term > mpf(10) ** -digits * total:
        k += 1
        term *= x / (a + k)
        total += term
    return total * exp(a * log(x) - x - loggamma(a + 1))


def lower_gamma(a, x):
    digits = mp.dps + 10
    with mp.workdps(digits + 10):
        return gamma_sum(a, x, digits)


def upper_gamma(a, x):
    lost = 20 + (max(0, int((x - a * log(x) + loggamma(a)) / mpf('2.3'))) if x > a else 0)
    digits = mp.dps + min(lost, 340)
    with mp.workdps(digits + 10):
        return 1 - gamma_sum(a, x, digits)


def beta_sum(a, b, x):
    """I_x(a, b) of x < 0.9."""
    digits = mp.dps
    with mp.workdps(digits + 10):
        total = term = mpf(1)
        k, ratio = 0, mpf(1)
        while ratio >= 1 or term > mpf(10) ** -digits * total * (1 - ratio):
            ratio = (a + b + k) / (a + k + 1) * x
            k += 1
            term *= ratio
            total += term
        logarithm = a * log(x) + b * log(1 - x) - log(a) - loggamma(a) - loggamma(b) + loggamma(a + b)
        return total * exp(logarithm)


def beta_sides(a, b, x):
    left = x < mpf('0.9') and (x <= (a + 1) / (a + b + 2) or 1 - x >= mpf('0.9'))
    with mp.workdps(mp.dps + 50):
        p = beta_sum(a, b, x) if left else beta_sum(b, a, 1 - x)
        return (p, 1 - p) if left else (1 - p, p)


def lower_beta(a, b, x):
    return beta_sides(a, b, x)[0]


def upper_beta(a, b, x):
    return beta_sides(a, b, x)[1]


def by(f, k):
    """The derivative by argument k, by central differences with enough digits."""
    def slope(*x):
        with mp.workdps(70):
            h = x[k] * mpf(10) ** -15 * (min(1 - x[k], 1) if k == 2 else 1)
            y = [f(*[v + s * h if i == k else v for i, v in enumerate(x)]) for s in (-2, -1, 1, 2)]
            # Where the values agree in all digits, nothing is known of the derivative.
            return (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * h) or mpf('nan')
    return slope


def gamma_density(a, x):
    return exp((a - 1) * log(x) - x - loggamma(a))


def beta_density(a, b, x):
    return exp((a - 1) * log(x) + (b - 1) * log(1 - x) - loggamma(a) - loggamma(b) + loggamma(a + b))


def solve(f, low, high, target):
    """The u between low and high where f, which rises, is target."""
    with mp.workdps(30):
        while high - low > mpf('1e-6') * (1 + abs(low)):
            u = (low + high) / 2
            low, high = (u, high) if f(u) < target else (low, u)
    return (low + high) / 2


def polished(x, f, density, target):
    for _ in range(4):
        x -= (f(x) - target) / density(x)
    return x


def inverse_lower(a, p):
    u = solve(lambda v: log(lower_gamma(a, exp(v))), (log(p) + loggamma(a + 1)) / a - 1, log(a + 40 * a ** 0.5 + 800), log(p))
    return polished(exp(u), lambda x: lower_gamma(a, x), lambda x: gamma_density(a, x), p)


def inverse_upper(a, q):
    low = (log(1 - q) + loggamma(a + 1)) / a - 1
    u = solve(lambda v: -log(upper_gamma(a, exp(v))), low, log(a + 40 * a ** 0.5 + 800), -log(q))
    return polished(exp(u), lambda x: upper_gamma(a, x), lambda x: -gamma_density(a, x), q)


def inverse_beta(a, b, p):
    odds = lambda u: exp(u) / (1 + exp(u))
    low = (log(p) + log(a) + loggamma(a) + loggamma(b) - loggamma(a + b)) / a - 1
    high = -(log(1 - p) + log(b) + loggamma(a) + loggamma(b) - loggamma(a + b)) / b + 1
    u = solve(lambda v: lower_beta(a, b, odds(v)), low, high, p) if p > 0.01 else solve(
        lambda v: log(lower_beta(a, b, odds(v))), low, high, log(p))
    return polished(odds(u), lambda x: lower_beta(a, b, x), lambda x: beta_density(a, b, x), p)


def slope_of_inverse(inverse, f, density, k):
    """By the theorem of implicit functions."""
    def slope(*x):
        y = inverse(*x)
        arguments = (*x[:-1], y)
        d = density(*arguments)
        return 1 / d if k == len(x) - 1 else -by(f, k)(*arguments) / d
    return slope


source = random.Random(5)
wide = [(10 ** source.uniform(-3, 3), 10 ** source.uniform(-3, 3)) for _ in range(110)]
for _ in range(160):  # near the transition
    a = 10 ** source.uniform(-1.5, 3.5)
    x = a * (1 + source.gauss(0, 2) / max(1, a) ** 0.5)
    if x > 0:
        wide.append((a, x))
wide += [(a, a * r) for a in (20, 20.001, 200, 5, 8, 8.001) for r in (0.59999, 0.60001, 1, 1.39999, 1.40001)]
wide += [(a, x) for a in (0.01, 0.5, 0.999, 1.001) for x in (1.0999, 1.1001, 0.9)]

def slope_of_lower(a, x):
    return by(lower_gamma, 0)(a, x) if x < a else -by(upper_gamma, 0)(a, x)


write('gammainc', lower_gamma, [slope_of_lower, gamma_density], wide)
write('gammaincc', upper_gamma, [by(upper_gamma, 0), lambda a, x: -gamma_density(a, x)], wide)
half = lambda x, k: upper_gamma(k / 2, x / 2)
write('chi2sf', half, [by(half, 0), by(half, 1)], [(x * 2, a * 2) for a, x in wide[:120]])
few = [(a, x) for a, x in wide if 0.02 < a < 150][:120]
whole_lower, whole_upper = lambda a, x: gamma(a) * lower_gamma(a, x), lambda a, x: gamma(a) * upper_gamma(a, x)
write('gammal', whole_lower, [by(whole_lower, 0), lambda a, x: x ** (a - 1) * exp(-x)], few)
write('gammau', whole_upper, [by(whole_upper, 0), lambda a, x: -x ** (a - 1) * exp(-x)], few)

triples = []
for _ in range(90):
    x = source.choice([source.random(), 10 ** source.uniform(-6, 0), 1 - 10 ** source.uniform(-6, 0)])
    triples.append((10 ** source.uniform(-2, 2.5), 10 ** source.uniform(-2, 2.5), x))
for _ in range(130):
    a, b = 10 ** source.uniform(-1.5, 3.5), 10 ** source.uniform(-1.5, 3.5)
    mean = a / (a + b)
    x = mean + (mean * (1 - mean) / (a + b + 1)) ** 0.5 * source.gauss(0, 2)
    if 0 < x < 1:
        triples.append((a, b, x))
triples += [(301.0, 301.0, 0.45), (299.0, 301.0, 0.55), (8.0, 8.0, 0.3), (8.001, 8.0, 0.3), (1.0, 5.0, 0.1), (0.999, 5.0, 0.1)]


def slope_of_beta(k, sign):
    """From the side that is small."""
    def slope(*p):
        return sign * (by(lower_beta, k)(*p) if lower_beta(*p) < 0.5 else -by(upper_beta, k)(*p))
    return slope


write('betainc', lower_beta, [slope_of_beta(0, 1), slope_of_beta(1, 1), beta_density], triples)
write('betaincc', upper_beta, [slope_of_beta(0, -1), slope_of_beta(1, -1), lambda a, b, x: -beta_density(a, b, x)], triples)

quantiles = [(10 ** source.uniform(-1.3, 2.5), source.choice([source.random(), 10 ** source.uniform(-8, 0)])) for _ in range(120)]
for name, inverse, f, sign in (('gammaincinv', inverse_lower, lower_gamma, 1), ('gammainccinv', inverse_upper, upper_gamma, -1)):
    density = lambda a, x: sign * gamma_density(a, x)
    write(name, inverse, [slope_of_inverse(inverse, f, density, k) for k in (0, 1)], quantiles)
pairs = [(10 ** source.uniform(-0.7, 2), *q) for q in quantiles[:90]]
write('betaincinv', inverse_beta, [slope_of_inverse(inverse_beta, lower_beta, beta_density, k) for k in range(3)], pairs)
