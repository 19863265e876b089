// What the samplers of tc::random are made of. Private to frontend/dsl; called within a Site.
#pragma once

#include <functional>

#include "tc/frontend/dsl/random.h"

namespace tc::random {

struct Words {
  Var high, low;  // u32, of equal shapes
};
// The two words of each element of the shape, in the order of its elements.
Words words(const Key& k, const ShapeArg& shape);
// The same of places in that order, i64.
Words words_at(const Key& k, const Var& places);
// The key's data. Error bad_type, bad_shape.
Var checked(const Key& k);
// x, named as one of tc/ir/draws.h.
Var marked(Var x, std::string_view name);

// What a sampler of real numbers draws: parameters in the type of the result, and its shape.
struct Request {
  DType dtype;
  ShapeArg shape;
  std::vector<Var> parameters;
};
Request request(const Args& parameters, const SampleOptions& options);
// Error bad_shape unless the parameters broadcast to the shape of x.
void fits(const Var& x, const std::vector<Var>& parameters);

// Multiples of 2^-23 (f32) or 2^-52 (f64) in [0, 1), and those half a step up, which are in (0, 1) and symmetric to
// 1/2: u and 1 - u are both exact.
Var closed_uniform(const Key& k, const ShapeArg& shape, DType dtype);
Var open_uniform(const Key& k, const ShapeArg& shape, DType dtype);
Var open_uniform(const Words& w, DType dtype);

// Rejection: a number for each element of the parameters, which are of one type and rank 1. `trial` makes one, and says
// whether it is taken, of two numbers of open_uniform and the parameters. What is not taken is tried again, with the
// words of its place in the next round, so that numbers do not depend on each other. 64 rounds at most; the last number
// stays.
struct Trial {
  Var x, taken;
};
using TrialFunction = std::function<Trial(const Var& u, const Var& v, const std::vector<Var>& parameters)>;
Var rejection(const Key& k, const std::vector<Var>& parameters, const TrialFunction& trial);
// The same at the places alone, i64 of rank 1; zeros elsewhere.
Var rejection_at(const Key& k, const Var& places, const std::vector<Var>& parameters, const TrialFunction& trial);

}  // namespace tc::random
