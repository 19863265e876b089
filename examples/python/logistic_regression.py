"""Bayesian logistic regression: examples/gallery/logistic_regression.cc in Python.

The logarithm of the unnormalised posterior density of the weights, and its gradient: what a sampler such as Hamiltonian
Monte Carlo asks for. Run as a program it writes logistic_regression.onnx, and finds the most probable weights.
"""
import numpy

import tc.numpy as np


def log_density(x, y, w):
    logits = x @ w
    # log p(y | x, w) of Bernoulli outcomes; weights are normal with variance 4 before anything is seen.
    likelihood = np.sum(y * logits - np.softplus(logits))
    prior = np.sum(w * w) * (-0.5 / 4)
    return likelihood + prior


def with_gradient(x, y, w):
    value, slope = np.value_and_grad(log_density, argnums=2)(x, y, w)
    return {"log_density": value, "slope": slope}


INPUTS = (np.ShapeDtype(("n", "features")), np.ShapeDtype(("n",)), np.ShapeDtype(("features",)))

if __name__ == "__main__":
    np.export_onnx(with_gradient, "logistic_regression.onnx", *INPUTS)
    random = numpy.random.default_rng(0)
    x = random.normal(size=(200, 3)).astype("float32")
    truth = numpy.array([1.0, -2.0, 0.5], "float32")
    y = (random.uniform(size=200) < 1 / (1 + numpy.exp(-x @ truth))).astype("float32")

    @np.jit
    def ascent(w):
        return w + 0.01 * with_gradient(x, y, w)["slope"]

    w = np.zeros(3)
    for _ in range(300):
        w = ascent(w)
    print("the most probable weights:", w, "of data made with", truth)
    assert numpy.abs(w.numpy() - truth).max() < 0.6
    assert numpy.abs(numpy.asarray(with_gradient(x, y, w)["slope"])).max() < 1e-2
