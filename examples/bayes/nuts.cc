#include "nuts.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tree.h"

namespace bayes {

using tc::Var;
using tc::where;

namespace {

// Dual averaging of log(step): Hoffman and Gelman, section 3.2.
struct Averaging {
  Var count, error, log_step, mean, centre;
};
// Welford's sums for variances.
struct Moments {
  Var count, mean, squares;
};
// The window of iterations that variances are taken over: its last one, and its length.
struct Window {
  Var end, size;
};
struct Chain {
  Position position;
  Var step, inverse_mass;
  Averaging averaging;
  Moments moments;
  Window window;
};
struct Row {
  Var q, log_density, acceptance, leaves, diverging;
};

Var f64_of(double x) {
  return tc::asarray(x, {.dtype = tc::f64});
}

Averaging restarted(const Var& log_step) {
  return {f64_of(0), f64_of(0), log_step, f64_of(0), log_step + std::numbers::ln10};
}

Averaging updated(const Averaging& a, const Var& acceptance, double target) {
  const Var count = a.count + 1;
  const Var error = a.error + ((target - acceptance) - a.error) / (count + 10);
  const Var log_step = a.centre - tc::sqrt(count) * 20 * error;
  const Var root = tc::sqrt(count), power = root * tc::sqrt(root);  // count^(3/4)
  return {count, error, log_step, a.mean + (log_step - a.mean) / power, a.centre};
}

Averaging choose(const Var& c, const Averaging& a, const Averaging& b) {
  return {where(c, a.count, b.count), where(c, a.error, b.error), where(c, a.log_step, b.log_step),
          where(c, a.mean, b.mean), where(c, a.centre, b.centre)};
}

Moments updated(const Moments& m, const Var& q) {
  const Var count = m.count + 1, away = q - m.mean;
  const Var mean = m.mean + away / count;
  return {count, mean, m.squares + away * (q - mean)};
}
Moments choose(const Var& c, const Moments& a, const Moments& b) {
  return {where(c, a.count, b.count), where(c, a.mean, b.mean), where(c, a.squares, b.squares)};
}

// Drawn towards 1e-3, as few draws say little.
Var variances(const Moments& m) {
  return m.squares / tc::maximum(m.count - 1, 1) * (m.count / (m.count + 5)) + 0.005 / (m.count + 5);
}

// The iterations whose variances count: [first, last).
struct Plan {
  Var warmup, first, last, base;
};
Plan plan_of(const Var& warmup) {
  const Var few = warmup < 20, some = warmup < 150;
  const Var first = where(few, warmup, where(some, tc::floor_divide(warmup * 15, 100), 75));
  const Var rest = where(few, 0, where(some, tc::floor_divide(warmup, 10), 50));
  const Var last = warmup - rest;
  return {warmup, first, last, where(some, last - first, 25)};
}

Window next(const Window& w, const Plan& plan) {
  const Var size = w.size * 2, end = w.end + size;
  return {where(end + size * 2 >= plan.last, plan.last - 1, end), size};
}

// What warm-up learns of iteration i.
Chain adapted(const Chain& c, const Transition& t, const Var& i, const Plan& plan, double target) {
  const Var warming = i < plan.warmup, slow = (i >= plan.first) & (i < plan.last), ends = slow & (i == c.window.end);
  const Averaging averaging = updated(c.averaging, t.acceptance, target);
  const Moments moments = choose(slow, updated(c.moments, t.position.q), c.moments);
  const Moments none{f64_of(0), c.moments.mean * 0, c.moments.squares * 0};
  const Window following = next(c.window, plan);
  const Var found = where(i == plan.warmup - 1, averaging.mean, averaging.log_step);
  return {t.position,
          where(warming, tc::portable::exp(found), c.step),
          where(ends, variances(moments), c.inverse_mass),
          choose(ends, restarted(averaging.log_step), averaging),
          choose(ends, none, moments),
          {where(ends, following.end, c.window.end), where(ends, following.size, c.window.size)}};
}

}  // namespace

Draws nuts(const tc::random::Key& key, Var warmup, Var draws, int64_t n, const LogDensity& log_density,
           const NutsOptions& options) {
  const std::vector<tc::random::Key> keys = tc::random::split(key, 3);
  const Var iterations = warmup + draws;
  const Var momenta = tc::random::normal(keys[1], {.shape = {iterations, n}, .dtype = tc::f64});
  const Var streams = tc::random::split_data(keys[2], iterations);
  const Plan plan = plan_of(warmup);

  const Var q = tc::random::uniform(keys[0], -2, 2, {.shape = {n}, .dtype = tc::f64});
  const Var none = tc::zeros({n}, {.dtype = tc::f64});
  const Chain start{position_at(log_density, q),
                    f64_of(options.initial_step),
                    none + 1,
                    restarted(f64_of(std::log(options.initial_step))),
                    {f64_of(0), none, none},
                    {plan.first + plan.base - 1, plan.base}};
  const auto iterate = [&](const Chain& c, Var z, Var stream, Var i) {
    const Var uniforms = tc::random::uniform({stream}, {.shape = {uniforms_of(options.max_depth)}, .dtype = tc::f64});
    const Transition t = transition(log_density, c.position, z, uniforms, c.step, c.inverse_mass, options.max_depth);
    const Row row{t.position.q, t.position.log_density, t.acceptance, t.leaves, t.diverging};
    return std::pair{adapted(c, t, i, plan, options.acceptance), row};
  };
  tc::Outputs list;
  tc::dsl::flatten(start, list);
  std::vector<Var> initial;
  for (const tc::Output& o : list) initial.push_back(o.value);
  const auto [chain, rows] = tc::scan(iterate, tc::Args(initial), {momenta, streams, tc::arange(iterations)});
  return {rows.q, rows.log_density, rows.acceptance, rows.leaves, rows.diverging, chain.step, chain.inverse_mass};
}

}  // namespace bayes
