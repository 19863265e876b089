#include "special_grids.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace tc {

#define TC_GRID(name, ...) \
  Grid::of(                \
      #name, [](Var x) { return special::name(x); }, __VA_ARGS__)
#define TC_GRID2(name, ...) \
  Grid::of(                 \
      #name, [](Var a, Var x) { return special::name(a, x); }, __VA_ARGS__)
#define TC_GRID3(name, ...) \
  Grid::of(                 \
      #name, [](Var a, Var b, Var x) { return special::name(a, b, x); }, __VA_ARGS__)

std::vector<Grid> special_grids() {
  using enum GridScale;
  return {
      TC_GRID(erfc, 8),
      TC_GRID(erfcx, 8),
      TC_GRID(ndtr, 8),
      TC_GRID(log_ndtr, 8),
      TC_GRID(i0, 8),
      TC_GRID(i1, 8),
      TC_GRID(i0e, 8),
      TC_GRID(i1e, 8),
      TC_GRID(digamma, 8),
      TC_GRID(trigamma, 8).slopes_within(0),
      TC_GRID(expit, 8),
      TC_GRID(log_expit, 8),
      TC_GRID(logit, 8),
      TC_GRID(log1mexp, 8),
      TC_GRID(entr, 8),
      TC_GRID(exp2, 8),
      TC_GRID(exp10, 8),
      TC_GRID(cbrt, 8),
      TC_GRID(deg2rad, 2),
      TC_GRID(rad2deg, 2),
      TC_GRID(erfinv, 8),
      TC_GRID(erfcinv, 8),
      TC_GRID(ndtri, 8),
      TC_GRID(gammaln, 8),
      TC_GRID(gamma, 8),
      TC_GRID(sinc, 8),
      TC_GRID2(betaln, 16, absolute),
      TC_GRID2(beta, 2, exponential),
      TC_GRID2(comb, 2, exponential),
      TC_GRID2(poch, 2, exponential),
      TC_GRID2(rel_entr, 8),
      TC_GRID2(kl_div, 16),
      TC_GRID2(logaddexp2, 8),
      TC_GRID(k0, 8),
      TC_GRID(k1, 8),
      TC_GRID(k0e, 8),
      TC_GRID(k1e, 8),
      TC_GRID(j0, 4, absolute).slopes_above(1e-5),
      TC_GRID(j1, 4, absolute).slopes_above(1e-5),
      TC_GRID(exp1, 8),
      TC_GRID(expi, 8),
      TC_GRID(dawsn, 8),
      TC_GRID(ndtri_exp, 8),
      TC_GRID(log1pexp, 8),
      TC_GRID2(gammainc, 4, exponential).f32_within(2),
      TC_GRID2(gammaincc, 4, exponential).f32_within(2),
      TC_GRID2(chi2sf, 4, exponential).f32_within(2),
      TC_GRID2(gammal, 4, exponential).f32_within(2),
      TC_GRID2(gammau, 4, exponential).f32_within(2),
      TC_GRID2(gammaincinv, 4, exponential).f32_within(2),
      TC_GRID2(gammainccinv, 4, exponential).f32_within(2),
      TC_GRID3(betainc, 4, exponential).f32_within(2),
      TC_GRID3(betaincc, 4, exponential).f32_within(2),
      TC_GRID3(betaincinv, 4, exponential).f32_within(2),
      TC_GRID2(expn, 4, exponential).f32_within(2),
      TC_GRID2(owens_t, 4, exponential).f32_within(2),
      TC_GRID2(zeta, 8).f32_within(2),
      TC_GRID2(polygamma, 8).f32_within(2),
      Grid::of(
          "multigammaln", [](Var a) { return special::multigammaln(a, 4); }, 8, absolute)
          .slopes_above(1e-5),
      TC_GRID2(jv, 8, absolute).slopes_above(1e-5),
      TC_GRID2(jn, 8, absolute).slopes_above(1e-5),
      TC_GRID2(iv, 4, exponential),
      TC_GRID2(ive, 4, exponential),
      TC_GRID2(log_ive, 8, absolute).slopes_above(1e-5),
      TC_GRID2(kv, 4, exponential),
      TC_GRID2(kve, 4, exponential),
      TC_GRID2(log_kve, 8, absolute).slopes_above(1e-5),
      TC_GRID2(kn, 4, exponential),
      TC_GRID3(hyp1f1, 4, exponential).f32_within(2),
      Grid::of(
          "hyp2f1", [](Var a, Var b, Var c, Var z) { return special::hyp2f1(a, b, c, z); }, 4, exponential)
          .f32_within(2),

  };
}

std::string GridRows::at(size_t row) const {
  std::ostringstream text;
  text.precision(17);
  for (const std::vector<double>& column : arguments) text << (text.tellp() ? ", " : "") << column[row];
  return text.str();
}

GridRows grid_rows(const Grid& grid, DType t) {
  const std::string path = TC_SOURCE_DIR "/tests/frontend/dsl/special_grids/" + grid.name + ".txt";
  std::ifstream file(path);
  TC_CHECK(file.good(), path);
  const auto n = static_cast<size_t>(grid.arguments);
  GridRows rows;
  rows.arguments.resize(n);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::vector<double> numbers;
    bool fits = true;
    for (std::string word; in >> word;) {
      numbers.push_back(std::strtod(word.c_str(), nullptr));
      const double x = numbers.back();
      if (t == f32 && numbers.size() <= n) fits = fits && static_cast<double>(static_cast<float>(x)) == x;
    }
    if (!fits) continue;
    TC_CHECK(numbers.size() > n, path, ": ", line);
    rows.slopes.resize(numbers.size() - n - 1);
    for (size_t i = 0; i < n; ++i) rows.arguments[i].push_back(numbers[i]);
    rows.values.push_back(numbers[n]);
    for (size_t i = 0; i < rows.slopes.size(); ++i) rows.slopes[i].push_back(numbers[n + 1 + i]);
  }
  return rows;
}

std::vector<Tensor> grid_inputs(const GridRows& rows, DType t) {
  std::vector<Tensor> inputs;
  for (const std::vector<double>& column : rows.arguments) {
    const auto n = static_cast<int64_t>(column.size());
    inputs.push_back(t == f64 ? Tensor::of<double>({n}, column)
                              : Tensor::of<float>({n}, std::vector<float>(column.begin(), column.end())));
  }
  return inputs;
}

Function grid_function(const Grid& grid, DType t) {
  std::vector<Input> inputs;
  for (int i = 0; i < grid.arguments; ++i) inputs.push_back({std::string(1, static_cast<char>('a' + i)), t, {"n"}});
  return dsl::trace(grid.name, inputs, grid.arguments, grid.f, Location::current());
}

std::pair<double, size_t> worst_error(const Grid& grid, const GridRows& rows, const Tensor& y) {
  const bool wide = y.dtype() == f64;
  using Wide = std::numeric_limits<double>;
  using Narrow = std::numeric_limits<float>;
  const double eps = wide ? Wide::epsilon() : Narrow::epsilon(), least = wide ? Wide::min() : Narrow::min();
  const double largest = wide ? Wide::max() : Narrow::max();
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < rows.values.size(); ++i) {
    const double want = rows.values[i], size = std::abs(want);
    if (size > largest || size < least) continue;
    double unit = std::ldexp(eps, std::ilogb(size));
    if (wide && grid.scale == GridScale::exponential) unit = eps * size * (4 + std::abs(std::log(size)));
    if (wide && grid.scale == GridScale::absolute) unit = std::max(unit, eps);
    const double got = wide ? y.span<double>()[i] : static_cast<double>(y.span<float>()[i]);
    const double error = std::abs(got - want) / unit;
    if (!(error <= worst)) worst = error, at = i;
    if (std::isnan(worst)) break;
  }
  return {worst, at};
}

}  // namespace tc
