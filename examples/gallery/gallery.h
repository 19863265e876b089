// Short programs to copy from: each is one function that traces a tc::Function. Networks of the usual sizes (ResNet,
// MobileNet, BERT, ViT, a GPT decoder step with its key-value cache) stand in bench/zoo; the command exports both.
#pragma once

#include <ostream>

#include "tc/tc.h"

namespace gallery {

// (x: f32[n, features], y: f32[n] of 0 and 1, w: f32[features]) -> the logarithm of the unnormalised posterior density
// of w, f32[], and its gradient, f32[features]: what a sampler such as Hamiltonian Monte Carlo asks for.
tc::Function logistic_regression();

// (z: f32[time] observed positions, noise: f32[] their variance) -> means f32[time, 2] of position and velocity given
// the observations so far, their covariances f32[time, 2, 2], and the logarithm of the observations' density, f32[].
tc::Function kalman_filter();

// (words: i64[time, batch]) -> scores f32[time, batch, tags], and the best tag of each word, i64[time, batch].
tc::Function tagger();

struct Program {
  const char* name;
  const char* about;
  tc::Function (*make)();
  friend std::ostream& operator<<(std::ostream& out, const Program& p) { return out << p.name; }
};
inline constexpr Program kPrograms[] = {
    {"logistic_regression", "log-density of Bayesian logistic regression, and its gradient", logistic_regression},
    {"kalman_filter", "positions and velocities from noisy positions, by scan", kalman_filter},
    {"tagger", "a tag per word, by an LSTM that reads in both directions", tagger},
};

}  // namespace gallery
