#!/usr/bin/env python3
"""Writes the grids of Bessel functions of real order and of hypergeometric functions beside it, by mpmath."""
import random

from mpmath import besseli, besselj, besselk, exp, hyp1f1, hyp2f1, log, mp, mpf

from grids import write

source = random.Random(21)


def by(f, k):
    """The derivative by argument k, by central differences with enough digits."""
    def slope(*x):
        with mp.workdps(90):
            h = mpf(10) ** -18 * (1 + abs(x[k])) * (min(abs(1 - x[k]), 1) if len(x) == 4 and k == 3 else 1)
            y = [f(*[v + s * h if i == k else v for i, v in enumerate(x)]) for s in (-2, -1, 1, 2)]
            return (8 * (y[2] - y[1]) - (y[3] - y[0])) / (12 * h)
    return slope


def order():
    return source.choice([float(source.randrange(0, 6)), 10 ** source.uniform(-2, 2), source.uniform(0.1, 30)])


points = [(order(), 10 ** source.uniform(-3, 2.5)) for _ in range(190)]
points += [(v, x) for v in (0.5, 3.0, 12.0, 19.9) for x in (19.99, 20.01, 5.0, 300.0)]
positive = [(max(v, 0.05), x) for v, x in points]


def scaled_i(v, x):
    return besseli(v, x) * exp(-x)


def scaled_k(v, x):
    return besselk(v, x) * exp(x)


write('iv', besseli, [by(besseli, 0), by(besseli, 1)], positive)
write('ive', scaled_i, [by(scaled_i, 0), by(scaled_i, 1)], positive)
log_i, log_k = lambda v, x: log(scaled_i(v, x)), lambda v, x: log(scaled_k(v, x))
write('log_ive', log_i, [by(log_i, 0), by(log_i, 1)], positive)
write('kv', besselk, [by(besselk, 0), by(besselk, 1)], positive)
write('kve', scaled_k, [by(scaled_k, 0), by(scaled_k, 1)], [(-v if i % 5 == 0 else v, x) for i, (v, x) in enumerate(positive)])
write('log_kve', log_k, [by(log_k, 0), by(log_k, 1)], positive)
write('kn', besselk, [by(besselk, 1)], [(float(source.randrange(0, 9)), x) for _, x in points[:100]])
write('jv', besselj, [by(besselj, 1)], [p for p in points if p[1] > 0.01] + [(float(n), -x) for n in (0, 1, 2, 7) for x in (0.5, 8.0, 40.0)] +
      [(18.5, 94.75), (40.0, 300.0), (70.25, 250.0)])
write('jn', besselj, [by(besselj, 1)], [(float(source.randrange(-6, 12)), x) for _, x in points[:130] if x > 0.05])

kummer = [(10 ** source.uniform(-1, 1), 10 ** source.uniform(-1, 1), 10 ** source.uniform(-3, 1.7)) for _ in range(90)]
for _ in range(60):
    a = 10 ** source.uniform(-1, 1)
    kummer.append((a, a + 10 ** source.uniform(-1, 1), -10 ** source.uniform(-2, 2)))
kummer += [(-2.0, 1.5, 0.5), (2.5, 4.5, -640.0), (2.5, 4.5, -599.0), (2.5, 4.5, 650.0)]
write('hyp1f1', hyp1f1, [by(hyp1f1, k) for k in range(3)], kummer)

gauss = []
for _ in range(120):
    z = source.choice([source.random(), 1 - 10 ** source.uniform(-4, -0.3), -10 ** source.uniform(-2, 2)])
    a, b = source.uniform(0.1, 4), source.uniform(0.1, 4)
    gauss.append((a, b, b + source.uniform(0.1, 5), z))
gauss += [(a, b, a + b + m, z) for a, b in ((0.5, 0.5), (1.25, 2.0)) for m in (0, 1, 2) for z in (0.45, 0.6, 0.99)]
write('hyp2f1', hyp2f1, [by(hyp2f1, k) for k in range(4)], gauss)
