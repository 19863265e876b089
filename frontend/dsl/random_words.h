// What the samplers of tc::random are made of. Private to frontend/dsl; called within a Site.
#pragma once

#include "tc/frontend/dsl/random.h"

namespace tc::random {

struct Words {
  Var high, low;  // u32, of equal shapes
};
// The two words of each element of the shape, in the order of its elements.
Words words(const Key& k, const ShapeArg& shape);
// The key's data. Error bad_type, bad_shape.
Var checked(const Key& k);

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

}  // namespace tc::random
