// Samplers that integers decide: level A.
#include <algorithm>

#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/linalg.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_math.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/draws.h"

namespace tc::random {

using namespace dsl;

namespace {

bool unset(const ShapeArg& s) {
  return !s.dynamic() && s.extents().empty();
}

ShapeArg shape_of_all(const std::vector<Var>& parameters) {
  std::vector<Var> ranked;
  for (const Var& p : parameters)
    if (p.rank() > 0) ranked.push_back(p);
  if (ranked.empty()) return ShapeArg(std::vector<Extent>{});
  if (ranked.size() == 1) return ranked[0].shape();
  return broadcast_arrays(ranked)[0].shape();
}

ShapeArg shape_for(const SampleOptions& options, const std::vector<Var>& parameters) {
  return unset(options.shape) ? shape_of_all(parameters) : options.shape;
}

Var joined(const Words& w) {
  return (astype(w.high, u64) << 32) | astype(w.low, u64);
}

}  // namespace

Request request(const Args& parameters, const SampleOptions& options) {
  std::vector<Var> list;
  bool typed = false;
  for (const Arg& a : parameters) typed = typed || !a.weak();
  if (!parameters.empty()) list = promoted(parameters, Domain::real);
  DType t = typed && dtypes::floats.has(list[0].dtype()) ? list[0].dtype() : f32;
  t = options.dtype.value_or(t);
  if (t != f32 && t != f64) refuse(ErrorCode::bad_type, cat("random numbers of ", t, ", expected f32 or f64"));
  for (size_t i = 0; i < list.size(); ++i)
    list[i] = parameters[i].weak() ? astype(parameters[i], t) : astype(list[i], t);
  return {t, shape_for(options, list), list};
}

void fits(const Var& x, const std::vector<Var>& parameters) {
  for (const Var& p : parameters) {
    bool good = p.rank() <= x.rank();
    for (int i = 1; good && i <= p.rank(); ++i) {
      const Dim a = p.dim(-i), b = x.dim(-i);
      good = !a.is_const() || a.value() == 1 || !b.is_const() || a.value() == b.value();
    }
    if (!good)
      refuse(ErrorCode::bad_shape, cat("a parameter is ", p.type(), ", which does not broadcast to ", x.type()));
  }
}

namespace {

Var closed_uniform_of(const Words& w, DType dtype) {
  if (dtype == f32) return astype((w.high ^ w.low) >> 9, f32) * 0x1p-23;
  return astype(w.high, f64) * 0x1p-32 + astype(w.low >> 12, f64) * 0x1p-52;
}

}  // namespace

Var closed_uniform(const Key& k, const ShapeArg& shape, DType dtype) {
  return marked(closed_uniform_of(words(k, shape), dtype), draws::kUniform);
}

Var open_uniform(const Words& w, DType dtype) {
  return closed_uniform_of(w, dtype) + (dtype == f32 ? 0x1p-24 : 0x1p-53);
}

Var open_uniform(const Key& k, const ShapeArg& shape, DType dtype) {
  return marked(open_uniform(words(k, shape), dtype), draws::kOpen);
}

Var uniform(const Key& k, SampleOptions options, Location at) {
  const Site site("random.uniform", at);
  const Request r = request({}, options);
  return closed_uniform(k, r.shape, r.dtype);
}

Var uniform(const Key& k, Arg low, Arg high, SampleOptions options, Location at) {
  const Site site("random.uniform", at);
  const Request r = request({low, high}, options);
  const Var u = closed_uniform(k, r.shape, r.dtype);
  fits(u, r.parameters);
  return plus(u * (r.parameters[1] - r.parameters[0]), r.parameters[0]);
}

Var randint(const Key& k, Arg low, Arg high, SampleOptions options, Location at) {
  const Site site("random.randint", at);
  const DType t = options.dtype.value_or(i64);
  if (!dtypes::ints.has(t)) refuse(ErrorCode::bad_type, cat("whole numbers of ", t));
  const Var first = astype(operand(low, Domain::integer), i64), end = astype(operand(high, Domain::integer), i64);
  const Tensor *a = first.value()->constant(), *b = end.value()->constant();
  if (a && b && a->size() == 1 && b->size() == 1 && a->span<int64_t>()[0] >= b->span<int64_t>()[0])
    refuse(ErrorCode::bad_argument,
           cat("nothing is from ", a->span<int64_t>()[0], " on and below ", b->span<int64_t>()[0]));
  const Var word = marked(joined(words(k, shape_for(options, {first, end}))), draws::kBits);
  fits(word, {first, end});
  // Extents of the range wrap to what they are modulo 2^64.
  const Var range = where(end > first, end - first, 1);
  return astype(first + astype(word % astype(range, u64), i64), t);
}

Var bernoulli(const Key& k, Arg p, SampleOptions options, Location at) {
  const Site site("random.bernoulli", at);
  if (options.dtype && *options.dtype != bool_) refuse(ErrorCode::bad_type, cat("truth values of ", *options.dtype));
  options.dtype.reset();
  const Request r = request({p}, options);
  const Var u = closed_uniform(k, r.shape, r.dtype);
  fits(u, r.parameters);
  return u < r.parameters[0];
}

Var rademacher(const Key& k, SampleOptions options, Location at) {
  const Site site("random.rademacher", at);
  const DType t = options.dtype.value_or(i32);
  if (t == bool_ || dtypes::unsigned_ints.has(t)) refuse(ErrorCode::bad_type, cat("signs of ", t));
  const Words w = words(k, options.shape);
  return astype(astype(marked(w.high ^ w.low, draws::kBits) & 1, i32) * 2 - 1, t);
}

namespace {

// The first m of the places 0, ..., n - 1 in the order of random words. Those are sorted as signed numbers.
Var shuffled(const Key& k, const Extent& n) {
  return argsort(astype(marked(joined(words(k, {n})), draws::kBits) >> 1, i64));
}

}  // namespace

Var permutation(const Key& k, int64_t n, Location at) {
  const Site site("random.permutation", at);
  if (n < 0) refuse(ErrorCode::bad_argument, cat(n, " numbers"));
  return shuffled(k, n);
}

Var permutation(const Key& k, Var x, PermutationOptions options, Location at) {
  const Site site("random.permutation", at);
  const Var v = operand(Arg(std::move(x), at));
  const int axis = axis_of(options.axis, v.rank());
  return take(v, shuffled(k, v.dim(axis)), {.axis = axis});
}

Var choice(const Key& k, Arg x, int64_t n, ChoiceOptions options, Location at) {
  const Site site("random.choice", at);
  const Var v = operand(x);
  if (v.rank() == 0) refuse(ErrorCode::bad_shape, "a scalar has no slices");
  const Dim count = v.dim(0);
  if (n < 0) refuse(ErrorCode::bad_argument, cat(n, " slices"));
  if (options.replace) return take(v, randint(k, 0, asarray(count), {.shape = {n}}), {.axis = 0});
  if (count.is_const() && count.value() < n)
    refuse(ErrorCode::bad_argument, cat(n, " different slices of ", count.value()));
  return take(v, shuffled(k, count)[slice(n)], {.axis = 0});
}

}  // namespace tc::random
