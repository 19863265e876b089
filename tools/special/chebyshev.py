"""Polynomials through the Chebyshev nodes, with mpmath, and the headers that hold their coefficients."""
from mpmath import mp, mpf, cos, pi

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


def over(low, high, f):
    """f as a function of t in [-1, 1], which stands for [low, high]."""
    return lambda t: f((mpf(high) - low) / 2 * t + (mpf(high) + low) / 2)


def begin(script):
    print(f'// Coefficients of tc::special, lowest first: written by {script}.')
    print('#pragma once\n\nnamespace tc::special::tables {\n')


def end():
    print('\n}  // namespace tc::special::tables')


def table(name, text, values):
    print(f'// {text}')
    print(f'inline constexpr double {name}[] = {{' + ', '.join(float(v).hex() for v in values) + '};')
