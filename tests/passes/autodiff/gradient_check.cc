#include "tests/passes/autodiff/gradient_check.h"

#include <cmath>
#include <random>

#include "tc/ir/eval/interp.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"
#include "tc/passes/autodiff/autodiff.h"

namespace tc {
namespace {

using Doubles = std::vector<double>;

bool smooth(const Value* v) {
  return v && v->type().is_tensor() && differentiable(v->type());
}

Tensor tensor_of(const Extents& extents, const Doubles& v) {
  return Tensor::of<double>(extents, v);
}

double dot(const Doubles& a, const Doubles& b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

double dot(const std::vector<Doubles>& a, const std::vector<Doubles>& b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += dot(a[k], b[k]);
  return sum;
}

double size_of(const std::vector<Doubles>& a) {
  double most = 0;
  for (const auto& v : a)
    for (double x : v)
      if (std::isfinite(x)) most = std::max(most, std::abs(x));
  return most;
}

// The rounding of the narrowest floating-point type in the program: rules hold constants (1 / n, epsilon) of the type,
// where the ops themselves compute with doubles here.
double rounding_of(const Module& m) {
  double unit = 0;
  const auto note = [&](const Value* v) {
    if (!v->type().is_tensor()) return;
    const DType t = v->dtype();
    const int bits = t == DType::bf16 ? 8 : t == DType::f16 ? 11 : t == DType::f32 ? 24 : 53;
    unit = std::max(unit, std::ldexp(1.0, -bits));
  };
  for (const Value* v : m.main().inputs()) note(v);
  walk(m.main(), [&](Node& n) {
    for (int j = 0; j < n.num_results(); ++j) note(n.result(j));
  });
  return unit;
}

class Random {
 public:
  Doubles like(const Doubles& v) {
    Doubles r(v.size());
    for (double& x : r) x = std::uniform_real_distribution<double>(-1, 1)(rng_);
    return r;
  }

 private:
  std::mt19937_64 rng_{7};
};

std::vector<Datum> run(const Module& m, const std::vector<Datum>& inputs) {
  InterpOptions options;
  options.widened = true;
  options.seed = 1;  // random ops draw the same in each run
  return interpret(m, inputs, options);
}

}  // namespace

std::vector<int> differentiable_inputs(const Module& m) {
  std::vector<int> result;
  for (int i = 0; i < m.main().num_inputs(); ++i)
    if (smooth(m.main().input(i))) result.push_back(i);
  return result;
}

std::vector<int> differentiable_outputs(const Module& m) {
  std::vector<int> result;
  for (int j = 0; j < m.main().num_outputs(); ++j)
    if (smooth(m.main().output(j))) result.push_back(j);
  return result;
}

void name_inputs(Module& m) {
  for (Value* v : m.main().inputs())
    if (v->name().empty()) v->set_name(cat("in", v->index()));
}

std::vector<Doubles> evaluate(const Module& m, const std::vector<Datum>& inputs) {
  std::vector<Doubles> result;
  for (const Datum& d : run(m, inputs)) {
    const bool real = d.is_tensor() && kind(d.tensor().dtype()) == DTypeKind::floating;
    result.push_back(real ? widen<double>(d.tensor()) : Doubles());
  }
  return result;
}

bool check_gradient(const Module& m, const std::vector<Datum>& inputs, const CheckOptions& options) {
  const auto ins = differentiable_inputs(m), outs = differentiable_outputs(m);
  const auto vjp = vjp_of(m);
  verify(*vjp);
  SCOPED_TRACE(print(*vjp));
  // Gradients have the types of what they belong to, and values the types that inference says.
  const int outputs = m.main().num_outputs();
  EXPECT_EQ(vjp->main().num_outputs(), outputs + static_cast<int>(ins.size()));
  std::vector<Datum> rounded = inputs, wide = inputs;
  const auto plain = interpret(m, inputs);
  for (int j : outs) {
    const Tensor& y = plain[static_cast<size_t>(j)].tensor();
    Tensor seed(y.dtype(), y.extents());
    narrow(Doubles(static_cast<size_t>(y.size()), 1.0), seed);
    rounded.push_back(std::move(seed));
  }
  InterpOptions typed;
  typed.check_types = true;
  const auto typed_results = interpret(*vjp, rounded, typed);
  for (size_t k = 0; k < ins.size(); ++k) {
    const Tensor &x = inputs[static_cast<size_t>(ins[k])].tensor(),
                 &g = typed_results[static_cast<size_t>(outputs) + k].tensor();
    EXPECT_EQ(g.type().str(), x.type().str()) << "gradient of input " << ins[k];
  }

  std::vector<Doubles> x;
  std::mt19937_64 nudges(11);
  for (int i : ins) {
    const Tensor& t = inputs[static_cast<size_t>(i)].tensor();
    x.push_back(widen<double>(t));
    // Narrow types have few numbers, many of which are steps and kinks of functions.
    if (t.dtype() == DType::bf16 || t.dtype() == DType::f16)
      for (double& e : x.back()) e *= std::uniform_real_distribution<double>(0.999, 1)(nudges);
    wide[static_cast<size_t>(i)] = tensor_of(t.extents(), x.back());
  }
  const auto values = evaluate(m, wide);
  std::unique_ptr<Module> jvp;
  if (options.forward) {
    jvp = jvp_of(m);
    verify(*jvp);
  }
  const double rounding = 2 * rounding_of(m);
  const double tolerance = std::max(options.tolerance, rounding), exact = std::max(1e-9, rounding);
  // Where a value is not finite there is no derivative.
  bool finite = true;
  const auto masked = [&](std::vector<Doubles> rows) {
    for (size_t k = 0; k < rows.size(); ++k) {
      const Doubles& y = values[static_cast<size_t>(outs[k])];
      for (size_t i = 0; i < std::min(rows[k].size(), y.size()); ++i)
        if (!std::isfinite(y[i])) rows[k][i] = 0, finite = false;
    }
    return rows;
  };
  Random random;
  bool nonzero = false;
  for (int round = 0; round < options.directions; ++round) {
    std::vector<Doubles> v, w;
    for (const auto& e : x) v.push_back(random.like(e));
    for (int j : outs) w.push_back(random.like(values[static_cast<size_t>(j)]));
    w = masked(std::move(w));
    auto moved = [&](double h) {
      auto at = wide;
      for (size_t k = 0; k < ins.size(); ++k) {
        Doubles e = x[k];
        for (size_t i = 0; i < e.size(); ++i) e[i] += h * v[k][i];
        at[static_cast<size_t>(ins[k])] = tensor_of(inputs[static_cast<size_t>(ins[k])].tensor().extents(), e);
      }
      return evaluate(m, at);
    };
    const double h = options.step * std::max(1.0, size_of(x));
    // Of fourth order, so that the step can be large enough for the rounding of what is subtracted.
    const auto up = moved(h), down = moved(-h), far_up = moved(2 * h), far_down = moved(-2 * h);
    std::vector<Doubles> difference;  // J v
    for (int j : outs) {
      const auto k = static_cast<size_t>(j);
      const auto &p = up[k], &q = down[k], &pp = far_up[k], &qq = far_down[k];
      Doubles d(p.size());
      for (size_t i = 0; i < d.size(); ++i) d[i] = (8 * (p[i] - q[i]) - (pp[i] - qq[i])) / (12 * h);
      difference.push_back(std::move(d));
    }
    difference = masked(std::move(difference));
    auto with_seeds = wide;
    for (size_t k = 0; k < outs.size(); ++k)
      with_seeds.push_back(tensor_of(plain[static_cast<size_t>(outs[k])].tensor().extents(), w[k]));
    auto reverse = evaluate(*vjp, with_seeds);
    for (int j = 0; j < outputs; ++j) {
      const auto k = static_cast<size_t>(j);
      EXPECT_EQ(reverse[k].size(), values[k].size());
      for (size_t i = 0; i < std::min(values[k].size(), reverse[k].size()); ++i)
        EXPECT_TRUE(reverse[k][i] == values[k][i] || std::isnan(values[k][i])) << "output " << j << " changed";
    }
    reverse.erase(reverse.begin(), reverse.begin() + outputs);
    if (!finite && std::isnan(dot(reverse, v))) continue;
    nonzero = nonzero || size_of(reverse) > 0;
    const double scale = 1e-9 + std::max({size_of(reverse), size_of(difference), std::abs(dot(difference, w))});
    EXPECT_NEAR(dot(reverse, v), dot(difference, w), tolerance * scale) << "reverse mode, direction " << round;
    if (!jvp) continue;
    auto with_tangents = wide;
    for (size_t k = 0; k < ins.size(); ++k)
      with_tangents.push_back(tensor_of(inputs[static_cast<size_t>(ins[k])].tensor().extents(), v[k]));
    auto forward = evaluate(*jvp, with_tangents);
    forward.erase(forward.begin(), forward.begin() + outputs);
    EXPECT_EQ(forward.size(), outs.size());
    forward = masked(std::move(forward));
    EXPECT_NEAR(dot(forward, w), dot(reverse, v), exact * scale) << "the dot-product test, direction " << round;
    for (size_t k = 0; k < forward.size(); ++k)
      for (size_t i = 0; i < std::min(forward[k].size(), difference[k].size()); ++i)
        EXPECT_NEAR(forward[k][i], difference[k][i], tolerance * scale)
            << "forward mode, output " << outs[k] << " element " << i;
  }
  return nonzero;
}

}  // namespace tc
