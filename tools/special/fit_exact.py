#!/usr/bin/python3
"""Coefficients of backend/onnx/exact_tables.h: polynomials of f64 functions that ONNX Runtime has for f32 alone.

Chebyshev interpolation in 60 digits, turned into powers of the variable. Prints the header, and on stderr the largest
relative error of each polynomial in exact arithmetic.

    tools/special/fit_exact.py > backend/onnx/exact_tables.h
"""
import sys

import mpmath as mp

mp.mp.dps = 60


def chebyshev(f, low, high, degree):
    """Coefficients, lowest power first, of the polynomial that agrees with f at the Chebyshev nodes of [low, high]."""
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    matrix = mp.matrix(degree + 1, degree + 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            matrix[i, j] = x**j
    return list(mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes])))


def worst(f, coefficients, low, high):
    error = mp.mpf(0)
    for k in range(1, 400):
        x = low + (high - low) * k / 400
        value = mp.polyval(coefficients[::-1], x)
        error = max(error, abs(value / f(x) - 1))
    return error


def atan_rest(z):
    """(atan(t) / t - 1) / t^2 for z = t^2."""
    t = mp.sqrt(z)
    return (mp.atan(t) / t - 1) / z


def erf_over_x(z):
    x = mp.sqrt(z)
    return mp.erf(x) / x


def scaled_erfc(t):
    """(1 + 2x) exp(x^2) erfc(x) for x = K (1 + t) / (1 - t), K = 2.5 (Shepherd and Laframboise, 1981)."""
    x = mp.mpf("2.5") * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def map_t(x):
    return (x - mp.mpf("2.5")) / (x + mp.mpf("2.5"))


TABLES = [
    ("kAtan", "(atan(t) / t - 1) / t^2 in t^2, |t| <= tan(pi / 8)", atan_rest, mp.mpf("1e-9"), (mp.sqrt(2) - 1) ** 2, 11),
    ("kErf", "erf(x) / x in x^2, |x| <= 1", erf_over_x, mp.mpf("1e-9"), mp.mpf(1), 13),
    ("kErfc", "(1 + 2 x) e^(x^2) erfc(x) in (x - 2.5) / (x + 2.5), 1 <= x <= 6", scaled_erfc, map_t(mp.mpf(1)), map_t(mp.mpf(6)), 17),
]


def main():
    print("// Written by tools/special/fit_exact.py.")
    print("#pragma once\n\nnamespace tc::onnx {\n")
    for name, doc, f, low, high, degree in TABLES:
        coefficients = chebyshev(f, low, high, degree)
        rounded = [mp.mpf(float(c)) for c in coefficients]
        print(name, mp.nstr(worst(f, rounded, low, high), 3), file=sys.stderr)
        print(f"// {doc}; the constant first.")
        print(f"inline constexpr double {name}[] = {{")
        for c in coefficients:
            print(f"    {float(c)!r},")
        print("};\n")
    print("}  // namespace tc::onnx")


if __name__ == "__main__":
    main()
