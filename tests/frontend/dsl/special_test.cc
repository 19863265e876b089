// Special functions of special.h at their edges, and what shapes and types they take.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tc/tc.h"

namespace tc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

using SpecialFn = Var (*)(Arg);

template <class T>
std::vector<T> run(const Function& f, const std::vector<double>& x) {
  const std::vector<T> in(x.begin(), x.end());
  const Tensor y = compile(f)({Tensor::of<T>({static_cast<int64_t>(in.size())}, in)})[0];
  return {y.span<T>().begin(), y.span<T>().end()};
}

template <class T>
Function program(SpecialFn f) {
  return trace("f", {{"x", std::is_same_v<T, float> ? f32 : f64, {"n"}}}, [&](Var x) { return f(x); });
}

TEST(Special, PairsBroadcast) {
  const Function f = trace("f", {{"a", f64, {2, 1}}, {"b", f64, {3}}}, [](Var a, Var b) {
    const Var y = special::beta(a, b);
    return Outputs{{"y", y}, {"g", grad(sum(y), {b})[0]}};
  });
  const auto y = compile(f)({Tensor::of<double>({2, 1}, {1, 2}), Tensor::of<double>({3}, {1, 2, 3})});
  EXPECT_EQ(y[0].extents(), (Extents{2, 3}));
  EXPECT_EQ(y[1].extents(), (Extents{3}));
  EXPECT_NEAR(y[0].span<double>()[5], 1. / 12, 1e-16);
  EXPECT_NEAR(y[1].span<double>()[0], -1 - 0.75, 1e-15);
}

TEST(Special, EdgesAreSciPys) {
  const auto edges = [](SpecialFn f, const std::vector<double>& x, const std::vector<double>& want) {
    const std::vector<double> y = run<double>(program<double>(f), x);
    const std::vector<float> z = run<float>(program<float>(f), x);
    for (size_t i = 0; i < x.size(); ++i)
      for (const double got : {y[i], static_cast<double>(z[i])}) {
        if (std::isnan(want[i]))
          EXPECT_TRUE(std::isnan(got)) << "at " << x[i] << ": " << got;
        else
          EXPECT_EQ(got, want[i]) << "at " << x[i];
      }
  };
  const std::vector<double> ends = {-kInf, kInf, kNan};
  const auto at_ends = [&](SpecialFn f, double low, double high) { edges(f, ends, {low, high, kNan}); };
#define TC_FN(name) [](Arg x) { return special::name(std::move(x)); }
  at_ends(TC_FN(erfc), 2, 0);
  at_ends(TC_FN(erfcx), kInf, 0);
  at_ends(TC_FN(ndtr), 0, 1);
  at_ends(TC_FN(log_ndtr), -kInf, 0);
  at_ends(TC_FN(i0), kInf, kInf);
  at_ends(TC_FN(i1), -kInf, kInf);
  at_ends(TC_FN(i0e), 0, 0);
  at_ends(TC_FN(i1e), 0, 0);
  at_ends(TC_FN(expit), 0, 1);
  at_ends(TC_FN(log_expit), -kInf, 0);
  at_ends(TC_FN(log1mexp), 0, kNan);
  at_ends(TC_FN(entr), -kInf, -kInf);
  at_ends(TC_FN(exp2), 0, kInf);
  at_ends(TC_FN(exp10), 0, kInf);
  at_ends(TC_FN(cbrt), -kInf, kInf);
  at_ends(TC_FN(logit), kNan, kNan);
  at_ends(TC_FN(digamma), kNan, kInf);
  edges(TC_FN(erfc), {0, 30, -30}, {1, 0, 2});
  edges(TC_FN(erfcx), {0, -30}, {1, kInf});
  edges(TC_FN(ndtr), {0}, {0.5});
  edges(TC_FN(i0), {0, 800}, {1, kInf});
  edges(TC_FN(i1), {0, -800}, {0, -kInf});
  edges(TC_FN(expit), {0, -1000, 1000}, {0.5, 0, 1});
  edges(TC_FN(log_expit), {-1000}, {-1000});
  edges(TC_FN(logit), {0, 0.5, 1, -0.5, 2}, {-kInf, 0, kInf, kNan, kNan});
  edges(TC_FN(log1mexp), {0, 1}, {-kInf, kNan});
  edges(TC_FN(entr), {0, 1, -1}, {0, 0, -kInf});
  edges(TC_FN(exp2), {0, 10, -1, 2000}, {1, 1024, 0.5, kInf});
  edges(TC_FN(exp10), {0, 1, 500}, {1, 10, kInf});
  edges(TC_FN(cbrt), {0, 27, -8}, {0, 3, -2});
  edges(TC_FN(digamma), {0, -0.0, -1, -20}, {-kInf, kInf, kNan, kNan});
  edges(TC_FN(trigamma), {0, -1, kInf, kNan}, {kInf, kInf, 0, kNan});
  at_ends(TC_FN(gammaln), kInf, kInf);
  at_ends(TC_FN(gamma), kNan, kInf);
  at_ends(TC_FN(gammasgn), kNan, 1);
  at_ends(TC_FN(factorial), 0, kInf);
  at_ends(TC_FN(sinc), 0, 0);
  at_ends(TC_FN(erfinv), kNan, kNan);
  at_ends(TC_FN(erfcinv), kNan, kNan);
  at_ends(TC_FN(ndtri), kNan, kNan);
  edges(TC_FN(gammaln), {0, -0.0, 1, 2, -1, -40}, {kInf, kInf, 0, 0, kInf, kInf});
  edges(TC_FN(gamma), {0, -0.0, 1, 2, 5, 8, -1, -3, 400}, {kInf, -kInf, 1, 1, 24, 5040, kNan, kNan, kInf});
  edges(TC_FN(gammasgn), {0, -0.0, -0.5, -1.5, -2, 3}, {1, -1, -1, 1, kNan, 1});
  edges(TC_FN(factorial), {0, 1, 4, -1, 200}, {1, 1, 24, 0, kInf});
  edges(TC_FN(sinc), {0, 1, -2}, {1, 0, 0});
  edges(TC_FN(erfinv), {0, 1, -1, 2}, {0, kInf, -kInf, kNan});
  edges(TC_FN(erfcinv), {0, 1, 2, -1, 3}, {kInf, 0, -kInf, kNan, kNan});
  edges(TC_FN(ndtri), {0, 0.5, 1, -1, 2}, {-kInf, 0, kInf, kNan, kNan});
#define TC_AT(name, a) [](Arg x) { return special::name(a, std::move(x)); }
  edges(TC_AT(betaln, 2), {0, kInf, -1, kNan}, {kInf, -kInf, kNan, kNan});
  edges(TC_AT(beta, 1), {0, kInf, -1, 2}, {kInf, 0, kNan, 0.5});
  edges(TC_AT(comb, 40), {0, 40, 41, -1, 3, 5, kNan}, {1, 1, 0, 0, 9880, 658008, kNan});
  edges(TC_AT(poch, 3), {0, 2, -1, -3, kNan}, {1, 12, 0.5, kNan, kNan});
  edges(TC_AT(rel_entr, 0), {0, 2, -1, kNan}, {0, 0, kInf, kNan});
  edges(TC_AT(rel_entr, 1), {0, 1, -1, kNan}, {kInf, 0, kInf, kNan});
  edges(TC_AT(kl_div, 0), {0, 2, -1, kNan}, {0, 2, kInf, kNan});
  edges(TC_AT(kl_div, 2), {0, 2, -1, kInf, kNan}, {kInf, 0, kInf, kInf, kNan});
  edges(TC_AT(logaddexp2, 3), {3, kInf, -kInf, kNan}, {4, kInf, 3, kNan});
  edges(TC_AT(logaddexp2, -kInf), {-kInf, 1}, {-kInf, 1});
  edges([](Arg x) { return special::xlogy(0, std::move(x)); }, {0, kInf, -1, 3, kNan}, {0, 0, 0, 0, kNan});
  edges([](Arg x) { return special::xlogy(2, std::move(x)); }, {0, kInf, -1, 1}, {-kInf, kInf, kNan, 0});
  edges([](Arg x) { return special::xlog1py(0, std::move(x)); }, {-1, kInf, -3, 3, kNan}, {0, 0, 0, 0, kNan});
  edges([](Arg x) { return special::xlog1py(2, std::move(x)); }, {-1, kInf, -3, 0}, {-kInf, kInf, kNan, 0});
}

TEST(Special, SmallFloatsKeepTheirType) {
  for (const DType t : {f16, bf16}) {
    const Function f = trace("f", {{"x", t, {3}}}, [](Var x) { return special::erfc(x); });
    EXPECT_EQ(f.outputs()[0].type.dtype(), t);
  }
}

// Kernels take part in what is folded, batched and computed at once.
TEST(Special, KernelsGiveTheSameOnEveryWay) {
  const std::vector<float> x = {0.25F, 1.5F, 3, 7.75F, 20, -0.5F};
  const Tensor in = Tensor::of<float>({2, 3}, x);
  const Function f = trace("f", {{"x", f32, {2, 3}}}, [&](Var v) {
    const Var c = asarray(in);
    return Outputs{{"plain", special::gammaln(v)},
                   {"constant", special::gammaln(c)},
                   {"batch", vmap([](Var row) { return special::gammaln(row); })(v)},
                   {"fused", special::gammaln(v) * 2 - special::digamma(v)}};
  });
  const std::vector<Tensor> y = compile(f)({in});
  const Eager eager;
  const Var a = asarray(in);
  const Tensor at_once = special::gammaln(a).tensor(), slope = special::digamma(a).tensor();
  for (size_t i = 0; i < x.size(); ++i) {
    const float want = y[0].span<float>()[i];
    EXPECT_FLOAT_EQ(want, std::lgamma(x[i]));
    EXPECT_FLOAT_EQ(y[1].span<float>()[i], want);
    EXPECT_EQ(y[2].span<float>()[i], want);
    EXPECT_EQ(at_once.span<float>()[i], want);
    EXPECT_FLOAT_EQ(y[3].span<float>()[i], want * 2 - slope.span<float>()[i]);
  }
}

// The gradient takes the exact result, not the one that is rounded to f32: exp(y^2) makes much of little.
TEST(Special, GradientsOfF32AreExact) {
  const Function f = trace("f", {{"x", f32, {3}}}, [](Var x) { return grad(sum(special::erfinv(x)), {x})[0]; });
  const std::vector<float> x = {0.5F, 0.99F, 0.99999F};
  const Tensor g = compile(f)({Tensor::of<float>({3}, x)})[0];
  const Function wide = trace("f", {{"x", f64, {3}}}, [](Var v) { return grad(sum(special::erfinv(v)), {v})[0]; });
  const Tensor exact = compile(wide)({Tensor::of<double>({3}, {x.begin(), x.end()})})[0];
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(g.span<float>()[i] / exact.span<double>()[i], 1, 1e-7) << x[i];
}

}  // namespace
}  // namespace tc
