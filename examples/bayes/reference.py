#!/usr/bin/env python3
"""Posterior means and standard deviations of the models of models.cc, without sampling them as NUTS does.

eight_schools: given mu and tau, effects are independent and normal; what is left is an integral over two dimensions, by
the trapezoidal rule. gaussian_process: the same over its three parameters. seeds: effects of plates are integrated by
40 Gauss-Hermite points each, which leaves five dimensions, for a random walk of 400 chains; its own error is printed.

python3 examples/bayes/reference.py
"""
import numpy as np


def show(name, rows):
    print(name)
    for key, *values in rows:
        print(f"  {key:10s}" + "".join(f" {v:.5f}" for v in values))


def moments(weight, value):
    mean = np.sum(weight * value) / np.sum(weight)
    return mean, np.sqrt(np.sum(weight * (value - mean) ** 2) / np.sum(weight))


def eight_schools():
    y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
    s = np.array([15, 10, 16, 11, 9, 11, 10, 18.0])
    mu, log_tau = np.meshgrid(np.linspace(-35, 45, 1601), np.linspace(-30, 7, 3701), indexing="ij")
    tau = np.exp(log_tau)
    log_p = -0.5 * (mu / 5) ** 2 - np.log1p((tau / 5) ** 2) + log_tau
    for yj, sj in zip(y, s):
        v = sj**2 + tau**2
        log_p += -0.5 * (yj - mu) ** 2 / v - 0.5 * np.log(v)
    w = np.exp(log_p - log_p.max())
    rows = [("mu", *moments(w, mu)), ("tau", *moments(w, tau))]
    for j, (yj, sj) in enumerate(zip(y, s)):
        gain = tau**2 / (tau**2 + sj**2)
        centre, spread = mu + gain * (yj - mu), gain * sj**2
        mean, sd = moments(w, centre)
        rows.append((f"theta[{j + 1}]", mean, np.sqrt(sd**2 + np.sum(w * spread) / np.sum(w))))
    show("eight_schools", rows)


def gaussian_process():
    x = np.array([-2.0, -1.7, -1.5, -1.2, -0.9, -0.6, -0.4, -0.1, 0.3, 0.5, 0.8, 1.1, 1.4, 1.6, 1.9])
    y = np.array([-0.23, -0.71, -0.66, -1.13, -0.92, -0.84, -0.37, -0.33, 0.52, 0.61, 1.04, 0.87, 1.02, 0.63, 0.37])
    axes = [np.linspace(-3, 4, 113), np.linspace(-3.5, 5, 113), np.linspace(-7, 1.5, 113)]
    log_p = np.empty([len(a) for a in axes])
    distance = (x[:, None] - x) ** 2
    for i, length in enumerate(axes[0]):
        unit = np.exp(-0.5 * distance / np.exp(2 * length))
        for j, amplitude in enumerate(axes[1]):
            values, vectors = np.linalg.eigh(np.exp(2 * amplitude) * unit)
            z = vectors.T @ y
            v = np.maximum(values, 0)[:, None] + np.exp(2 * axes[2]) + 1e-8
            log_p[i, j] = -0.5 * np.sum(z[:, None] ** 2 / v + np.log(v), axis=0)
            log_p[i, j] -= 0.5 * (length**2 + amplitude**2 + (axes[2] + 2) ** 2)
    w = np.exp(log_p - log_p.max())
    grids = np.meshgrid(*axes, indexing="ij")
    show("gaussian_process", [(n, *moments(w, np.exp(g))) for n, g in zip(("length", "amplitude", "noise"), grids)])


def seeds(chains=400, steps=3000, warmup=1000):
    r = np.array([10, 23, 23, 26, 17, 5, 53, 55, 32, 46, 10, 8, 10, 8, 23, 0, 3, 22, 15, 32, 3.0])
    n = np.array([39, 62, 81, 51, 39, 6, 74, 72, 51, 79, 13, 16, 30, 28, 45, 4, 12, 41, 30, 51, 7.0])
    x1 = np.array([0.0] * 11 + [1.0] * 10)
    x2 = np.array([0.0] * 5 + [1.0] * 6 + [0.0] * 5 + [1.0] * 5)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    design = np.stack([np.ones(21), x1, x2, x1 * x2])

    def log_density(q):
        s = np.exp(q[:, 4])
        eta = (q[:, :4] @ design)[:, :, None] + s[:, None, None] * nodes
        log_l = r[:, None] * eta - n[:, None] * np.logaddexp(0, eta)
        top = log_l.max(axis=2, keepdims=True)
        marginal = np.log(np.exp(log_l - top) @ weights) + top[:, :, 0]
        return marginal.sum(axis=1) - 0.125 * np.sum(q[:, :4] ** 2, axis=1) + q[:, 4] - 0.5 * s**2

    random = np.random.default_rng(20)
    q = np.array([-0.5, 0, 1, -0.5, -1.3]) + 0.2 * random.standard_normal((chains, 5))
    value = log_density(q)
    # Differential evolution (C. ter Braak, 2006): steps are differences of other chains, halves move in turn.
    half = chains // 2
    sums = np.zeros((2, chains, 5))
    kept = 0
    for step in range(steps):
        for group in (0, 1):
            own = np.arange(half) + group * half
            other = half - group * half
            a, b = random.integers(half, size=(2, half)) + other
            scale = 1.0 if step % 10 == 0 else 2.38 / np.sqrt(10)
            proposal = q[own] + scale * (q[a] - q[b]) + 1e-4 * random.standard_normal((half, 5))
            found = log_density(proposal)
            taken = np.log(random.random(half)) < found - value[own]
            q[own[taken]], value[own[taken]] = proposal[taken], found[taken]
        if step >= warmup:
            shown = q.copy()
            shown[:, 4] = np.exp(q[:, 4])
            sums += np.stack([shown, shown**2])
            kept += 1
    means, squares = sums / kept
    mean = means.mean(axis=0)
    sd = np.sqrt(squares.mean(axis=0) - mean**2)
    show("seeds", zip(("a0", "a1", "a2", "a12", "s"), mean, sd, means.std(axis=0) / np.sqrt(chains)))


if __name__ == "__main__":
    eight_schools()
    gaussian_process()
    seeds()
