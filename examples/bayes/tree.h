// One transition of the No-U-Turn Sampler.
#pragma once

#include "nuts.h"

namespace bayes {

struct Position {
  tc::Var q, log_density, slope;
};
struct Transition {
  Position position;
  tc::Var acceptance, leaves, diverging;
};

Position position_at(const LogDensity& f, const tc::Var& q);

// From a position with momentum p = z / sqrt(inverse_mass), z standard normal. `uniforms` are uniforms_of(max_depth)
// numbers in (0, 1).
int64_t uniforms_of(int max_depth);
Transition transition(const LogDensity& f, const Position& from, const tc::Var& z, const tc::Var& uniforms,
                      const tc::Var& step, const tc::Var& inverse_mass, int max_depth);

}  // namespace bayes
