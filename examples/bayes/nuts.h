// The No-U-Turn Sampler as a program: from a key to draws of a density that a C++ function of Vars states. Warm-up
// adapts the step size and a diagonal mass matrix; all of it is one tc::Function, which exports as one ONNX file.
//
// M. Hoffman, A. Gelman, "The No-U-Turn Sampler", JMLR 15, 2014, with multinomial draws from trajectories and the
// U-turn criterion of M. Betancourt, "A Conceptual Introduction to Hamiltonian Monte Carlo", 2017. Trees grow without
// recursion: a leaf is compared with the leaves that begin the subtrees it ends, of which there is one per level (D.
// Phan, N. Pradhan, M. Jankowiak, "Composable Effects for Flexible and Accelerated Probabilistic Programming", 2019).
//
// Everything here is of + - * / and sqrt in a fixed order, and of tc::portable: where the density is, too, the same key
// gives the same draws, bit for bit, in every runtime.
#pragma once

#include <functional>

#include "tc/tc.h"

namespace bayes {

// The logarithm of a density, up to a constant, at a position f64[n] of the whole real space.
using LogDensity = std::function<tc::Var(tc::Var position)>;

struct NutsOptions {
  int max_depth = 10;       // of trees: 2^max_depth - 1 leaves, each a gradient
  double acceptance = 0.8;  // that the step size is adapted to
  double initial_step = 0.5;
};

// One row per iteration, those of the warm-up first.
struct Draws {
  tc::Var positions;     // f64[iterations, n]
  tc::Var log_density;   // f64[iterations]
  tc::Var acceptance;    // f64[iterations]: mean over the leaves of a tree
  tc::Var leaves;        // i64[iterations]
  tc::Var diverging;     // bool[iterations]: whether the integrator lost the energy
  tc::Var step;          // f64: what warm-up found
  tc::Var inverse_mass;  // f64[n]: variances, as warm-up found them
};

// warmup and draws are scalar i64 Vars. The windows of warm-up are those of Stan's reference manual (ch. "HMC algorithm
// parameters"): step size alone, then variances over windows that double, then step size alone.
Draws nuts(const tc::random::Key& key, tc::Var warmup, tc::Var draws, int64_t n, const LogDensity& log_density,
           const NutsOptions& options = {});

}  // namespace bayes
