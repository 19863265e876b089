// Rejection with the lanes that wait: what the samplers of tc::random that reject have in common.
#include "tc/frontend/dsl/control.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::random {

using namespace dsl;

namespace {

constexpr int64_t kRounds = 64;

// Of each place and round: for f32 the words of one block, for f64 two blocks.
std::pair<Var, Var> two_uniforms(const Key& k, const Var& round, const Var& places, DType t) {
  if (t == f32) {
    const Words w = words_at(fold_in(k, round), places);
    const Var nothing = asarray(0, {.dtype = u32});
    return {open_uniform(Words{w.high, nothing}, t), open_uniform(Words{nothing, w.low}, t)};
  }
  const Var first = round * 2;
  return {open_uniform(words_at(fold_in(k, first), places), t),
          open_uniform(words_at(fold_in(k, first + 1), places), t)};
}

}  // namespace

Var rejection_at(const Key& k, const Var& places, const std::vector<Var>& parameters, const TrialFunction& trial) {
  const Var none = zeros_like(parameters[0]);
  const auto again = [](Var round, Var waiting, Var) { return (round < kRounds) & (shape_of(waiting)[0] > 0); };
  const auto next = [&](Var round, Var waiting, Var y) {
    const auto [u, v] = two_uniforms(k, round, waiting, none.dtype());
    std::vector<Var> own;
    for (const Var& p : parameters) own.push_back(take(p, waiting, {.axis = 0}));
    const Trial t = trial(u, v, own);
    return std::vector<Var>{round + 1, waiting[{!t.taken}], y.at(waiting).set(t.x)};
  };
  return while_loop(again, next, {asarray(0, {.dtype = i64}), places, none})[2];
}

Var rejection(const Key& k, const std::vector<Var>& parameters, const TrialFunction& trial) {
  return rejection_at(k, arange(parameters[0].dim(0), TypeOptions{.dtype = i64}), parameters, trial);
}

}  // namespace tc::random
