// The special functions of one argument with their tables, and the measure of errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "special_data.h"
#include "special_pairs_data.h"
#include "tc/tc.h"

namespace tc {

using SpecialFn = Var (*)(Arg);
struct SpecialCase {
  const char* name;
  SpecialFn f;
  const std::vector<SpecialRow>& rows;
  double ulps;             // of f64; of f32 it is 1
  double slope_tolerance;  // relative; 0 to leave gradients out
};

#define TC_CASE(name, ulps, slope)                                                  \
  SpecialCase {                                                                     \
#name, [](Arg x) { return special::name(std::move(x)); }, k_##name, ulps, slope \
  }
inline std::vector<SpecialCase> special_cases() {
  return {TC_CASE(erfc, 8, 1e-9),    TC_CASE(erfcx, 8, 1e-9),    TC_CASE(ndtr, 8, 1e-9),    TC_CASE(log_ndtr, 8, 1e-9),
          TC_CASE(i0, 8, 1e-9),      TC_CASE(i1, 8, 1e-9),       TC_CASE(i0e, 8, 1e-9),     TC_CASE(i1e, 8, 1e-9),
          TC_CASE(digamma, 8, 1e-9), TC_CASE(trigamma, 8, 0),    TC_CASE(expit, 8, 1e-9),   TC_CASE(log_expit, 8, 1e-9),
          TC_CASE(logit, 8, 1e-9),   TC_CASE(log1mexp, 8, 1e-9), TC_CASE(entr, 8, 1e-9),    TC_CASE(exp2, 8, 1e-9),
          TC_CASE(exp10, 8, 1e-9),   TC_CASE(cbrt, 8, 1e-9),     TC_CASE(deg2rad, 2, 1e-9), TC_CASE(rad2deg, 2, 1e-9),
          TC_CASE(erfinv, 8, 1e-9),  TC_CASE(erfcinv, 8, 1e-9),  TC_CASE(ndtri, 8, 1e-9),   TC_CASE(gammaln, 8, 1e-9),
          TC_CASE(gamma, 8, 1e-9),   TC_CASE(sinc, 8, 1e-9)};
}

// The largest error of y in units of the last place of T, and where it is. Beside what T can hold nothing is compared.
template <class T, class Values>
std::pair<double, double> worst_error(const std::vector<SpecialRow>& rows, const Values& y) {
  double worst = 0, at = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double want = rows[i].y, size = std::abs(want);
    if (size > static_cast<double>(std::numeric_limits<T>::max()) ||
        size < static_cast<double>(std::numeric_limits<T>::min()))
      continue;
    const double ulp = std::ldexp(static_cast<double>(std::numeric_limits<T>::epsilon()), std::ilogb(size));
    const double error = std::abs(static_cast<double>(y[i]) - want) / ulp;
    if (!(error <= worst)) worst = error, at = rows[i].x;
  }
  return {worst, at};
}

// Those of two arguments. Errors are in units of the last place, or of (4 + |log y|) of them where an exponential is
// one of a rounded number, or of that of 1 too where the function has zeros.
enum class Scale { ulp, exponential, absolute };
struct PairCase {
  const char* name;
  Var (*f)(Arg, Arg);
  const std::vector<SpecialPair>& rows;
  double units;
  Scale scale;
};
#define TC_PAIR(name, units, scale)                                                                       \
  PairCase {                                                                                              \
#name, [](Arg a, Arg b) { return special::name(std::move(a), std::move(b)); }, k_##name, units, scale \
  }
inline std::vector<PairCase> pair_cases() {
  return {TC_PAIR(betaln, 16, Scale::absolute), TC_PAIR(beta, 4, Scale::exponential),
          TC_PAIR(comb, 4, Scale::exponential), TC_PAIR(poch, 4, Scale::exponential),
          TC_PAIR(rel_entr, 8, Scale::ulp),     TC_PAIR(kl_div, 16, Scale::ulp),
          TC_PAIR(logaddexp2, 8, Scale::ulp)};
}

// The largest error of y in the units of the case, and its row.
template <class T, class Values>
std::pair<double, size_t> worst_error(const PairCase& c, const Values& y) {
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < c.rows.size(); ++i) {
    const double want = c.rows[i].y, size = std::abs(want);
    if (size > static_cast<double>(std::numeric_limits<T>::max()) ||
        size < static_cast<double>(std::numeric_limits<T>::min()))
      continue;
    const bool wide = std::is_same_v<T, double>;
    double unit = std::ldexp(static_cast<double>(std::numeric_limits<T>::epsilon()), std::ilogb(size));
    if (wide && c.scale == Scale::exponential) unit *= 4 + std::abs(std::log(size));
    if (wide && c.scale == Scale::absolute)
      unit = std::max(unit, static_cast<double>(std::numeric_limits<T>::epsilon()));
    const double error = std::abs(static_cast<double>(y[i]) - want) / unit;
    if (!(error <= worst)) worst = error, at = i;
  }
  return {worst, at};
}

}  // namespace tc
