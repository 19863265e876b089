#!/usr/bin/env python3
"""Writes kernels/elementwise/special_tables.h: the coefficients of the kernels of tc::special.

They are fitted like those of fit.py, most of them twice: for doubles, and for floats, which kernels compute in doubles
too, but to fewer places.

Run in the root of the repository: python3 tools/special/fit_kernels.py > kernels/elementwise/special_tables.h
"""
from mpmath import (atanh, bernoulli, besseli, besselj, besseljzero, bessely, binomial, cos, exp, factorial, gamma, log,
                    loggamma, mpf, pi, psi, sin, sqrt)

from chebyshev import fit, over
from fit import (central_erfinv, large_bessel, near_digamma, near_loggamma, root, scaled_erfc, tail_erfcinv)


def text_of(values):
    return ', '.join(float(v).hex() for v in values)


def table(name, text, values):
    print(f'// {text}')
    print(f'inline constexpr double {name}[] = {{' + text_of(values) + '};')


def both(name, text, f, terms, brief):
    table(name, text, fit(f, terms))
    print(f'inline constexpr double {name}Brief[] = {{' + text_of(fit(f, brief)) + '};')


def plain(low, high, f, terms):
    """The fit on [low, high] as a polynomial of the variable itself."""
    middle, half = (mpf(low) + high) / 2, (mpf(high) - low) / 2
    values = fit(over(low, high, f), terms)
    return [sum(c / half ** k * binomial(k, j) * (-middle) ** (k - j) for k, c in enumerate(values) if k >= j)
            for j in range(terms)]


def stirling(u):
    """x (log(gamma(x)) - (x - 1/2) log(x) + x - log(2 pi) / 2) in u = 1 / x^2."""
    if u < mpf('1e-3'):
        return sum(bernoulli_term(k) * u ** k for k in range(12))
    x = 1 / sqrt(u)
    return x * (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2)


def bernoulli_term(k):
    return bernoulli(2 * k + 2) / ((2 * k + 1) * (2 * k + 2))


def log_rest(u):
    s = sqrt(u)
    return 2 / mpf(3) if s < mpf('1e-12') else (2 * atanh(s) / s - 2) / u


def exp_rest(r):
    return mpf(1) / 2 if abs(r) < mpf('1e-12') else (exp(r) - 1 - r) / (r * r)


def digamma_tail(u):
    """x^2 (log(x) - 1 / (2 x) - digamma(x)) in u = 1 / x^2."""
    if u < mpf('1e-3'):
        return sum(bernoulli(2 * k + 2) / (2 * k + 2) * u ** k for k in range(12))
    x = 1 / sqrt(u)
    return (log(x) - 1 / (2 * x) - psi(0, x)) * x * x


def trigamma_tail(u):
    """x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)) in u = 1 / x^2."""
    if u < mpf('1e-3'):
        return sum(bernoulli(2 * k + 2) * u ** k for k in range(12))
    x = 1 / sqrt(u)
    return (psi(1, x) - 1 / x - 1 / (2 * x * x)) * x ** 3


def sine_rest(u):
    r = sqrt(u)
    return -pi ** 3 / 6 if r < mpf('1e-12') else (sin(pi * r) / r - pi) / u


def near_bessel_i(n):
    """exp(-x) times what the series gives, in x: I0(x), or I1(x) / x."""
    def f(x):
        if n == 0:
            return exp(-x) * besseli(0, x)
        return exp(-x) * (besseli(1, x) / x if x > mpf('1e-20') else mpf(1) / 2)
    return f


zeros = [[besseljzero(n, k) for k in (1, 2)] for n in (0, 1)]


def near_bessel_j(n):
    """J0(x), or J1(x) / x, without its first two zeros, in x^2."""
    def f(u):
        x = sqrt(u)
        y = besselj(n, x)
        if n == 1:
            y = y / x if x > mpf('1e-20') else mpf(1) / 2
        return y / ((u - zeros[n][0] ** 2) * (u - zeros[n][1] ** 2))
    return f


def phases(n):
    """The factors of cos(x - shift) and of -sin(x - shift) / x in J, times sqrt(pi x / 2), in 128 / x^2 - 1."""
    def of(pick):
        def f(t):
            x = sqrt(128 / (t + 1))
            w = x - (2 * n + 1) * pi / 4
            j, y = besselj(n, x), bessely(n, x)
            scale = sqrt(pi * x / 2)
            return scale * (j * cos(w) + y * sin(w)) if pick == 'p' else scale * x * (y * cos(w) - j * sin(w))
        return f
    return of('p'), of('q')


print('// Coefficients of the special functions, lowest first; those called Brief are for results of floats. Written by')
print('// tools/special/fit_kernels.py.')
print('#pragma once\n\nnamespace tc::kernels::special {\n')
both('kErfcx', '(x + 1/2) erfcx(x) in t = (x - 3.75) / (x + 3.75).', scaled_erfc, 28, 14)
both('kErfinv', 'erfinv(x) / x in x^2 / 0.28125 - 1, x^2 < 0.5625.', over(0, 0.5625, central_erfinv), 30, 13)
both('kErfcinv1', 'erfcinv(exp(-s^2)) / s in (s - 1.85) / 0.65, 1.2 <= s <= 2.5.', over(1.2, 2.5, tail_erfcinv), 26, 12)
both('kErfcinv2', 'erfcinv(exp(-s^2)) / s in (s - 4.25) / 1.75, 2.5 <= s <= 6.', over(2.5, 6, tail_erfcinv), 26, 12)
both('kErfcinv3', 'erfcinv(exp(-s^2)) / s in (s - 9.5) / 3.5, 6 <= s <= 13.', over(6, 13, tail_erfcinv), 24, 11)
table('kErfcinv4', 'erfcinv(exp(-s^2)) / s in (s - 20.5) / 7.5, 13 <= s <= 28.', fit(over(13, 28, tail_erfcinv), 24))
table('kGammaln1', 'log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 2, 0.5 <= x <= 1.5.',
      fit(over(0.5, 1.5, near_loggamma), 32))
table('kGammaln2', 'log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 4, 1.5 <= x <= 2.5.',
      fit(over(1.5, 2.5, near_loggamma), 22))
table('kGammalnBrief', 'log(gamma(x)) / ((x - 1) (x - 2)) in 2 x - 3, 1 <= x <= 2.', fit(over(1, 2, near_loggamma), 12))
both('kGamma', 'gamma(x) in 2 x - 3, 1 <= x <= 2.', over(1, 2, gamma), 26, 13)
table('kStirling', "x times Stirling's series in 1 / x^2, x >= 8.", plain(0, mpf(1) / 64, stirling, 9))
table('kStirlingBrief', "x times Stirling's series in 1 / x^2, x >= 3.", plain(0, mpf(1) / 9, stirling, 6))
both('kDigamma', 'digamma(x) / (x - root) in 2 x - 3, 1 <= x <= 2.', near_digamma, 24, 12)
print(f'inline constexpr double kDigammaRoot = {float(root).hex()}, '
      f'kDigammaRootLow = {float(root - mpf(float(root))).hex()};')
table('kDigammaTail', 'x^2 (log(x) - 1 / (2 x) - digamma(x)) in 1 / x^2, x >= 10.',
      plain(0, mpf(1) / 100, digamma_tail, 9))
table('kDigammaTailBrief', 'x^2 (log(x) - 1 / (2 x) - digamma(x)) in 1 / x^2, x >= 3.',
      plain(0, mpf(1) / 9, digamma_tail, 7))
table('kTrigammaTail', 'x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)) in 1 / x^2, x >= 10.',
      plain(0, mpf(1) / 100, trigamma_tail, 9))
table('kTrigammaTailBrief', 'x^3 (trigamma(x) - 1 / x - 1 / (2 x^2)) in 1 / x^2, x >= 4.',
      plain(0, mpf(1) / 16, trigamma_tail, 7))
table('kI0', 'I0(x) in x^2 / 4: the series.', [1 / factorial(k) ** 2 for k in range(25)])
table('kI1', 'I1(x) / (x / 2) in x^2 / 4: the series.', [1 / factorial(k) / factorial(k + 1) for k in range(25)])
table('kI0Brief', 'exp(-x) I0(x) in x / 3.875 - 1, x < 7.75.', fit(over(0, 7.75, near_bessel_i(0)), 20))
table('kI1Brief', 'exp(-x) I1(x) / x in x / 3.875 - 1, x < 7.75.', fit(over(0, 7.75, near_bessel_i(1)), 20))
both('kI0e', 'sqrt(x) exp(-x) I0(x) in 15.5 / x - 1, x > 7.75.', large_bessel(0), 28, 12)
both('kI1e', 'sqrt(x) exp(-x) I1(x) in 15.5 / x - 1, x > 7.75.', large_bessel(1), 28, 12)
for n in (0, 1):
    both(f'kJ{n}', f"J{n}(x){' / x' if n else ''} / ((x^2 - a^2) (x^2 - b^2)) in x^2 / 32 - 1, x < 8.",
         over(0, 64, near_bessel_j(n)), 22, 13)
    p, q = phases(n)
    table(f'kP{n}', f'The factor of the cosine in J{n}, in 128 / x^2 - 1, x > 8.', fit(p, 14))
    table(f'kQ{n}', f'The factor of the sine in J{n}, times x, in 128 / x^2 - 1, x > 8.', fit(q, 14))
    for name, zero in zip(('First', 'Second'), zeros[n]):
        print(f'inline constexpr double kJ{n}{name} = {float(zero).hex()}, '
              f'kJ{n}{name}Low = {float(zero - mpf(float(zero))).hex()};')
table('kSine', '(sin(pi r) / r - pi) / r^2 in r^2, |r| <= 1/2.', plain(0, 0.25, sine_rest, 10))
table('kLogBrief', '(2 atanh(s) / s - 2) / s^2 in s^2 of 1 + f = (1 + s) / (1 - s), sqrt(1/2) < 1 + f < sqrt(2).',
      plain(0, 0.0295, log_rest, 5))
table('kExpBrief', '(exp(r) - 1 - r) / r^2, |r| <= log(2) / 2.', plain(-0.347, 0.347, exp_rest, 7))
print('\n}  // namespace tc::kernels::special')
