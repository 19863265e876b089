"""Positions and velocities from noisy positions: examples/gallery/kalman_filter.cc in Python.

Run as a program it writes kalman_filter.onnx, and follows a body that moves along a sine.
"""
import math

import numpy

import tc.numpy as np

MOTION = numpy.array([[1, 1], [0, 1]], "float32")
DRIFT = numpy.array([[0.01, 0], [0, 0.04]], "float32")
UNKNOWN = numpy.array([[100, 0], [0, 100]], "float32")


def kalman_filter(z, noise):
    """R. E. Kalman, "A new approach to linear filtering and prediction problems", 1960, for a body whose velocity drifts."""

    def step(carry, observed):
        mean, covariance, density = carry
        mean = MOTION @ mean
        covariance = MOTION @ covariance @ MOTION.T + DRIFT
        surprise, variance = observed - mean[0], covariance[0, 0] + noise
        gain = covariance[0] / variance  # the covariance is symmetric
        mean = mean + gain * surprise
        covariance = covariance - gain[:, None] * covariance[0]
        density = density - 0.5 * (np.log(2 * math.pi * variance) + surprise * surprise / variance)
        return (mean, covariance, density), (mean, covariance)

    (_, _, density), (means, covariances) = np.scan(step, (np.zeros(2), UNKNOWN, np.zeros(())), z)
    return {"means": means, "covariances": covariances, "log_density": density}


INPUTS = (np.ShapeDtype(("time",)), np.ShapeDtype(()))

if __name__ == "__main__":
    np.export_onnx(kalman_filter, "kalman_filter.onnx", *INPUTS)
    random = numpy.random.default_rng(0)
    truth = 4 * numpy.sin(0.1 * numpy.arange(200, dtype="float32"))
    z = truth + random.normal(size=200).astype("float32") * 0.5
    found = np.jit(kalman_filter)(z, 0.25)["means"].numpy()[:, 0]
    before, after = numpy.abs(z - truth)[20:].mean(), numpy.abs(found - truth)[20:].mean()
    print(f"mean distance from the truth: {before:.3f} observed, {after:.3f} filtered")
    assert after < 0.8 * before
