// Special functions beside the grids of mpmath's values and derivatives, at their edges, and what shapes they take.
#include "special_grids.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

class SpecialGrid : public testing::TestWithParam<Grid> {};

void compare(const Grid& grid, DType t) {
  const GridRows rows = grid_rows(grid, t);
  ASSERT_GT(rows.values.size(), 50u);
  const Tensor y = compile(grid_function(grid, t))(grid_inputs(rows, t))[0];
  const auto [worst, at] = worst_error(grid, rows, y);
  EXPECT_LE(worst, t == f64 ? grid.units : grid.units_f32) << "at " << rows.at(at);
  testing::Test::RecordProperty(t == f64 ? "f64" : "f32", std::to_string(worst));
}

TEST_P(SpecialGrid, IsNearTheTruth) {
  compare(GetParam(), f64);
  compare(GetParam(), f32);
}

TEST_P(SpecialGrid, GradientsAreNearTheTruth) {
  const Grid& grid = GetParam();
  if (grid.slopes == 0) GTEST_SKIP() << "without gradients";
  const GridRows rows = grid_rows(grid, f64);
  const size_t first = rows.arguments.size() - rows.slopes.size();
  std::vector<Input> inputs;
  for (int i = 0; i < grid.arguments; ++i) inputs.push_back({std::string(1, static_cast<char>('a' + i)), f64, {"n"}});
  const dsl::FlatFunction gradients = [&](const std::vector<Var>& v) {
    const std::vector<Var> g =
        grad(sum(grid.f(v)[0].value), std::vector<Var>(v.begin() + static_cast<int>(first), v.end()));
    Outputs outputs;
    for (const Var& x : g) outputs.push_back({"g" + std::to_string(outputs.size()), x});
    return outputs;
  };
  const Function f = dsl::trace(grid.name, inputs, grid.arguments, gradients, Location::current());
  const std::vector<Tensor> g = compile(f)(grid_inputs(rows, f64));
  ASSERT_EQ(g.size(), rows.slopes.size());
  for (size_t k = 0; k < g.size(); ++k) {
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < rows.values.size(); ++i) {
      const double want = rows.slopes[k][i];
      if (!std::isfinite(want) || (want != 0 && std::abs(want) < 1e-300)) continue;
      const double scale = std::max(std::abs(want), grid.least_slope);
      const double error = std::abs(g[k].span<double>()[i] - want) / scale;
      if (!(error <= worst)) worst = error, at = i;
    }
    EXPECT_LE(worst, grid.slopes) << "derivative " << k << " at " << rows.at(at);
    testing::Test::RecordProperty("slope" + std::to_string(k), std::to_string(worst));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpecialGrid, testing::ValuesIn(special_grids()),
                         [](const auto& c) { return c.param.name; });

using SpecialFn = Var (*)(Arg);

// f at x; NaN is wanted where `want` is one. Results of f32 are those of f64, rounded.
void edges(SpecialFn f, const std::vector<double>& x, const std::vector<double>& want,
           Location at = Location::current()) {
  const Function program = trace("f", {{"x", f64, {"n"}}}, [&](Var v) { return f(v); });
  const Tensor y = compile(program)({Tensor::of<double>({static_cast<int64_t>(x.size())}, x)})[0];
  for (size_t i = 0; i < x.size(); ++i) {
    const double got = y.span<double>()[i];
    if (std::isnan(want[i]))
      EXPECT_TRUE(std::isnan(got)) << "line " << at.line() << " at " << x[i] << ": " << got;
    else
      EXPECT_EQ(got, want[i]) << "line " << at.line() << " at " << x[i];
  }
}

#define TC_FN(name) [](Arg x) { return special::name(std::move(x)); }
#define TC_AT(name, a) [](Arg x) { return special::name(a, std::move(x)); }

TEST(SpecialEdges, OfBesselFunctions) {
  for (const SpecialFn f : std::vector<SpecialFn>{TC_FN(k0), TC_FN(k1), TC_FN(k0e), TC_FN(k1e)})
    edges(f, {0, -0.0, kInf, -1, -kInf, kNan}, {kInf, kInf, 0, kNan, kNan, kNan});
  edges(TC_FN(k0), {800}, {0});
  edges(TC_FN(j0), {0, kInf, -kInf, kNan}, {1, 0, 0, kNan});
  edges(TC_FN(j1), {0, kInf, -kInf, kNan}, {0, 0, 0, kNan});
}

TEST(SpecialEdges, OfBesselFunctionsOfRealOrder) {
  edges(TC_AT(iv, 0), {0, kInf, -1000, kNan}, {1, kInf, kInf, kNan});
  edges(TC_AT(iv, 2), {0, kInf, kNan}, {0, kInf, kNan});
  edges(TC_AT(iv, 0.5), {0, -1, kInf}, {0, kNan, kInf});
  edges(TC_AT(iv, -1), {1}, {kNan});
  edges(TC_AT(ive, 0), {0, kInf, kNan}, {1, 0, kNan});
  edges(TC_AT(log_ive, 2), {0, kInf, -1}, {-kInf, -kInf, kNan});
  edges(TC_AT(log_ive, 0), {0}, {0});
  for (const SpecialFn f : std::vector<SpecialFn>{TC_AT(kv, 1.5), TC_AT(kve, 1.5), TC_AT(kv, -2), TC_AT(kn, 2)})
    edges(f, {0, kInf, -1, kNan}, {kInf, 0, kNan, kNan});
  edges(TC_AT(log_kve, 1.5), {0, kInf, -1}, {kInf, -kInf, kNan});
  edges(TC_AT(kn, 1.5), {1}, {kNan});
  edges(TC_AT(jv, 0), {0, kInf, -kInf, kNan}, {1, 0, 0, kNan});
  edges(TC_AT(jv, 1.5), {0, kInf, -1}, {0, 0, kNan});
  edges(TC_AT(jv, -0.5), {1}, {kNan});
  edges(TC_AT(jn, 2), {0, kInf}, {0, 0});
  edges(TC_AT(jn, 1.5), {1}, {kNan});
}

TEST(SpecialEdges, OfHypergeometricFunctions) {
  edges([](Arg z) { return special::hyp1f1(2, 3, std::move(z)); }, {0, kNan}, {1, kNan});
  edges([](Arg z) { return special::hyp1f1(2, -1, std::move(z)); }, {0.5, kNan}, {kInf, kNan});
  edges([](Arg a) { return special::hyp1f1(std::move(a), 3, 2); }, {0, kNan, kInf}, {1, kNan, kNan});
  edges([](Arg z) { return special::hyp2f1(1, 2, 4, std::move(z)); }, {0, 1, 2, kNan}, {1, 3, kNan, kNan});
  edges([](Arg z) { return special::hyp2f1(1, 2, 3, std::move(z)); }, {1}, {kInf});
  edges([](Arg z) { return special::hyp2f1(1, 2, -3, std::move(z)); }, {0.5}, {kInf});
}

TEST(SpecialEdges, OfIntegrals) {
  edges(TC_FN(exp1), {0, kInf, -1, 800, kNan}, {kInf, 0, kNan, 0, kNan});
  edges(TC_FN(expi), {0, kInf, -kInf, 800, -800, kNan}, {-kInf, kInf, 0, kInf, 0, kNan});
  edges(TC_FN(dawsn), {0, kInf, -kInf, kNan}, {0, 0, 0, kNan});
  edges(TC_FN(ndtri_exp), {0, -kInf, 1, kInf, kNan}, {kInf, -kInf, kNan, kNan, kNan});
}

TEST(SpecialEdges, OfOwensFunctionAndOfExpn) {
  edges(TC_AT(owens_t, kInf), {1, -1, kNan}, {0, 0, kNan});
  edges([](Arg x) { return special::owens_t(std::move(x), kInf); }, {kInf, kNan}, {0, kNan});
  edges([](Arg x) { return special::owens_t(std::move(x), 0); }, {0, 1, kInf}, {0, 0, 0});
  edges(TC_AT(expn, 0), {0, kInf, -1, kNan}, {kInf, 0, kNan, kNan});
  edges(TC_AT(expn, 1), {0, kInf, -1}, {kInf, 0, kNan});
  edges(TC_AT(expn, 3), {0, kInf}, {0.5, 0});
  edges(TC_AT(expn, 1.5), {1}, {kNan});
  edges(TC_AT(expn, -1), {1}, {kNan});
}

TEST(SpecialEdges, OfIncompleteFunctions) {
  edges(TC_AT(gammainc, 0), {0, 1, kInf, -1, kNan}, {kNan, 1, 1, kNan, kNan});
  edges(TC_AT(gammaincc, 0), {0, 1, kInf}, {kNan, 0, 0});
  edges(TC_AT(gammainc, 2), {0, kInf, -1, kNan}, {0, 1, kNan, kNan});
  edges(TC_AT(gammaincc, 2), {0, kInf, -1, kNan}, {1, 0, kNan, kNan});
  edges(TC_AT(gammainc, kInf), {1, kInf}, {0, kNan});
  edges(TC_AT(gammaincc, kInf), {1, kInf}, {1, kNan});
  edges(TC_AT(gammainc, -1), {1}, {kNan});
  edges(TC_AT(gammaincinv, 2), {0, 1, -1, 2, kNan}, {0, kInf, kNan, kNan, kNan});
  edges(TC_AT(gammainccinv, 2), {0, 1, -1, 2, kNan}, {kInf, 0, kNan, kNan, kNan});
  edges(TC_AT(gammaincinv, 0), {0.5}, {kNan});
  edges([](Arg x) { return special::betainc(2, 3, std::move(x)); }, {0, 1, -1, 2, kNan}, {0, 1, kNan, kNan, kNan});
  edges([](Arg x) { return special::betaincc(2, 3, std::move(x)); }, {0, 1, -1, 2, kNan}, {1, 0, kNan, kNan, kNan});
  edges([](Arg a) { return special::betainc(std::move(a), 1, 0.25); }, {0, 1, kInf, -1, kNan},
        {1, 0.25, 0, kNan, kNan});
  edges([](Arg b) { return special::betainc(1, std::move(b), 0.75); }, {0, 1, kInf, -1, kNan},
        {0, 0.75, 1, kNan, kNan});
  edges([](Arg p) { return special::betaincinv(2, 3, std::move(p)); }, {0, 1, -1, 2, kNan}, {0, 1, kNan, kNan, kNan});
  edges([](Arg a) { return special::betaincinv(std::move(a), 3, 0.5); }, {0, -1, kInf}, {kNan, kNan, kNan});
}

TEST(SpecialEdges, OfZetaFunctions) {
  edges(TC_AT(zeta, 2), {0, -1, kInf, kNan}, {kInf, kInf, 0, kNan});
  edges([](Arg s) { return special::zeta(std::move(s)); }, {1, 0.5, kInf, kNan}, {kInf, kNan, 1, kNan});
  edges(TC_AT(zeta, 2.5), {-1.5}, {kNan});
  edges(TC_AT(polygamma, 0), {0, kNan}, {-kInf, kNan});
  edges(TC_AT(polygamma, 1), {0, -1, kInf, kNan}, {kInf, kInf, 0, kNan});
  edges(TC_AT(polygamma, 1.5), {1}, {kNan});
  edges([](Arg a) { return special::multigammaln(std::move(a), 3); }, {1, 0.5, kInf, kNan}, {kNan, kNan, kInf, kNan});
}

TEST(SpecialEdges, TypesAreKept) {
  for (const DType t : {f16, bf16, f32}) {
    const Function f = trace("f", {{"a", t, {2, 1}}, {"x", t, {3}}}, [](Var a, Var x) {
      return Outputs{{"p", special::gammainc(a, x)}, {"k", special::kv(a, x)}, {"b", special::betainc(a, 2, x)}};
    });
    for (const ValueInfo& v : f.outputs()) {
      EXPECT_EQ(v.type.dtype(), t);
      EXPECT_EQ(v.type.shape().rank(), 2);
    }
  }
}

TEST(SpecialEdges, LoopsTakeNoElements) {
  const Function f = trace("f", {{"a", f64, {"n"}}, {"x", f64, {"n"}}}, [](Var a, Var x) {
    return Outputs{{"p", special::gammainc(a, x)}, {"z", special::betainc(a, 2, x)}};
  });
  const std::vector<Tensor> none = compile(f)({Tensor::of<double>({0}, {}), Tensor::of<double>({0}, {})});
  EXPECT_EQ(none[0].extents(), (Extents{0}));
}

TEST(SpecialEdges, OfHelpers) {
  edges(TC_FN(log1pexp), {-kInf, kInf, 1000, kNan}, {0, kInf, 1000, kNan});
  edges([](Arg x) { return special::nan_to_num(std::move(x), {.nan = 3, .posinf = 5, .neginf = -7}); },
        {kNan, kInf, -kInf, 2}, {3, 5, -7, 2});
  const Function f = trace("f", {{"x", f32, {3}}}, [](Var x) { return special::nan_to_num(x); });
  const Tensor y = compile(f)({Tensor::of<float>({3}, {NAN, INFINITY, -INFINITY})})[0];
  constexpr float kLargest = std::numeric_limits<float>::max();
  EXPECT_EQ(y.span<float>()[0], 0);
  EXPECT_EQ(y.span<float>()[1], kLargest);
  EXPECT_EQ(y.span<float>()[2], -kLargest);
}

}  // namespace
}  // namespace tc
