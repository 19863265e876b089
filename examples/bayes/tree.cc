#include "tree.h"

#include <bit>
#include <vector>

namespace bayes {

using tc::Var;
using tc::where;

namespace {

struct Phase {
  Position at;
  Var p;
};

struct Tally {
  Var leaves, acceptance, diverging;
};

// A trajectory: its ends, the position that is drawn from it, and the sums of its leaves' momenta and weights
// exp(energy of the start - energy). `open`: no U-turn, no lost energy.
struct Tree {
  Phase left, right;
  Position drawn;
  Var momentum, weight;
  Tally tally;
  Var open;
};

// The momentum of the leaf that begins a subtree, for each level, and the sum of momenta up to it.
struct Beginnings {
  Var p, momentum;  // f64[levels, n]
};

// A subtree that grows leaf by leaf.
struct Branch {
  Phase tip;
  Position drawn;
  Var momentum, weight;
  Tally tally;
  Var open;
  Beginnings beginnings;
};

template <class T>
tc::Args arguments(const T& s) {
  tc::Outputs list;
  tc::dsl::flatten(s, list);
  std::vector<Var> vars;
  for (const tc::Output& o : list) vars.push_back(o.value);
  return tc::Args(vars);
}

Position choose(const Var& c, const Position& a, const Position& b) {
  return {where(c, a.q, b.q), where(c, a.log_density, b.log_density), where(c, a.slope, b.slope)};
}
Phase choose(const Var& c, const Phase& a, const Phase& b) {
  return {choose(c, a.at, b.at), where(c, a.p, b.p)};
}

Var f64_of(double x) {
  return tc::asarray(x, {.dtype = tc::f64});
}

struct Builder {
  const LogDensity& f;
  Var uniforms, step, inverse_mass, energy;  // that of the start
  int levels;

  Var energy_of(const Phase& z) const { return tc::portable::sum(z.p * z.p * inverse_mass) * 0.5 - z.at.log_density; }

  Phase leapfrog(const Phase& z, const Var& h) const {
    const Var half = z.p + z.at.slope * (h * 0.5);
    const Position at = position_at(f, z.at.q + half * inverse_mass * h);
    return {at, half + at.slope * (h * 0.5)};
  }

  // Whether a trajectory with these momenta at its ends and this sum of momenta has begun to come back; of the last
  // axis.
  Var turned(const Var& first, const Var& last, const Var& momentum) const {
    const Var velocity = momentum * inverse_mass;
    const tc::ReduceOptions rows{.axis = -1};
    return (tc::portable::sum(first * velocity, rows) <= 0) | (tc::portable::sum(last * velocity, rows) <= 0);
  }

  // Subtrees that leaf `i` of a branch ends are of the levels from `low` to `high`; where that is none, the leaf begins
  // those of level `high`.
  struct Levels {
    Var low, high;
  };
  Levels levels_of(const Var& i) const {
    std::vector<int64_t> low, high;
    for (uint64_t leaf = 0; leaf < uint64_t{1} << (levels - 1); ++leaf) {
      high.push_back(std::popcount(leaf >> 1));
      low.push_back(high.back() - std::countr_one(leaf) + 1);
    }
    const auto at = [&](const std::vector<int64_t>& list) {
      return tc::take(tc::Tensor::of<int64_t>({static_cast<int64_t>(list.size())}, list), i, {.axis = 0});
    };
    return {at(low), at(high)};
  }

  Branch with_leaf(const Branch& b, const Var& h, const Var& size) const {
    const Var i = b.tally.leaves;
    const Phase tip = leapfrog(b.tip, h);
    const Var lost = energy_of(tip) - energy;
    const Var kept = lost < 1000;  // false for a NaN
    const Var weight = where(kept, tc::portable::exp(-tc::maximum(lost, -300)), 0);
    const Var total = b.weight + weight;
    const Var drawn = uniforms[size - 1 + i] * total < weight;
    const Var momentum = b.momentum + tip.p;

    const auto [low, high] = levels_of(i);
    const Var level = tc::arange(levels);
    const Var begins = tc::expand_dims((low > high) & (level == high), 1);
    const Beginnings at{where(begins, tip.p, b.beginnings.p), where(begins, momentum, b.beginnings.momentum)};
    const Var back = turned(at.p, tip.p, momentum - at.momentum + at.p);
    const Var turns = tc::any(back & (level >= low) & (level <= high));
    const Tally tally{i + 1, b.tally.acceptance + tc::minimum(weight, 1), !kept};
    return {tip, choose(drawn, tip.at, b.drawn), momentum, total, tally, kept & !turns, at};
  }

  // `size` leaves from an end of the tree on, fewer where a subtree turns.
  Branch branch(const Phase& from, const Var& h, const Var& size) const {
    const Var none = from.p * 0;
    const Var rows = tc::zeros({levels, from.p.dim(0)}, {.dtype = tc::f64});
    const Tally tally{tc::asarray(0, {.dtype = tc::i64}), f64_of(0), tc::asarray(false)};
    const Branch start{from, from.at, none, f64_of(0), tally, tc::asarray(true), {rows, rows}};
    return tc::while_loop([&](const Branch& b) { return b.open & (b.tally.leaves < size); },
                          [&](const Branch& b) { return with_leaf(b, h, size); }, arguments(start));
  }

  Tree doubled(const Tree& t, const Var& depth, const Var& size) const {
    const int64_t leaves = (int64_t{1} << levels) - 1;
    const Var backwards = uniforms[depth + leaves] < 0.5;
    const Branch b = branch(choose(backwards, t.left, t.right), where(backwards, -step, step), size);
    // A branch as heavy as the tree is taken for certain: draws move away from the start.
    const Var taken = b.open & (uniforms[depth + (leaves + levels)] * t.weight < b.weight);
    const Phase left = choose(backwards, b.tip, t.left), right = choose(backwards, t.right, b.tip);
    const Var momentum = t.momentum + b.momentum;
    const Tally tally{t.tally.leaves + b.tally.leaves, t.tally.acceptance + b.tally.acceptance, b.tally.diverging};
    const Var open = b.open & !turned(left.p, right.p, momentum);
    return {left, right, choose(taken, b.drawn, t.drawn), momentum, t.weight + b.weight, tally, open};
  }
};

struct Growth {
  Tree tree;
  Var depth, size;
};

}  // namespace

Position position_at(const LogDensity& f, const Var& q) {
  const Var value = f(q);
  return {q, value, tc::grad(value, q)};
}

int64_t uniforms_of(int max_depth) {
  return (int64_t{1} << max_depth) - 1 + 2 * max_depth;
}

Transition transition(const LogDensity& f, const Position& from, const Var& z, const Var& uniforms, const Var& step,
                      const Var& inverse_mass, int max_depth) {
  const Phase start{from, z / tc::sqrt(inverse_mass)};
  Builder builder{f, uniforms, step, inverse_mass, Var(), max_depth};
  builder.energy = builder.energy_of(start);
  const Var zero = tc::asarray(0, {.dtype = tc::i64});
  const Tree leaf{start, start, from, start.p, f64_of(1), {zero, f64_of(0), tc::asarray(false)}, tc::asarray(true)};
  const Growth grown =
      tc::while_loop([&](const Growth& g) { return g.tree.open & (g.depth < max_depth); },
                     [&](const Growth& g) {
                       return Growth{builder.doubled(g.tree, g.depth, g.size), g.depth + 1, g.size * 2};
                     },
                     arguments(Growth{leaf, zero, zero + 1}));
  const Tally& t = grown.tree.tally;
  return {grown.tree.drawn, t.acceptance / tc::astype(t.leaves, tc::f64), t.leaves, t.diverging};
}

}  // namespace bayes
