// Statistics with NumPy's names. Results are of floating point: of the operand's type, f32 of integers.
#pragma once

#include "tc/frontend/dsl/reduce.h"

namespace tc {

Var ptp(Arg x, ReduceOptions options = {});  // max less min

// What lies between two neighbours in order.
enum class QuantileMethod : uint8_t { linear, lower, higher, nearest, midpoint };
struct QuantileOptions {
  Axes axis = {};
  bool keepdims = false;
  QuantileMethod method = QuantileMethod::linear;
};
// q is a number or rank 1, whose axis then comes first. A NaN makes its slice NaN.
Var quantile(Arg x, Arg q, QuantileOptions options = {});
Var percentile(Arg x, Arg q, QuantileOptions options = {});
Var median(Arg x, ReduceOptions options = {});
struct AverageOptions {
  Axes axis = {};
  Arg weights = {};  // of the shape of x, or one per element along the axis
  bool keepdims = false;
};
Var average(Arg x, AverageOptions options = {});

// Without the NaNs. Of nothing, sums are 0, products 1, all others NaN; nanargmax and nanargmin then give 0.
Var nansum(Arg x, SumOptions options = {});
Var nanprod(Arg x, SumOptions options = {});
Var nanmax(Arg x, ReduceOptions options = {});
Var nanmin(Arg x, ReduceOptions options = {});
Var nanmean(Arg x, ReduceOptions options = {});
Var nanvar(Arg x, VarianceOptions options = {});
Var nanstd(Arg x, VarianceOptions options = {});
Var nanmedian(Arg x, ReduceOptions options = {});
Var nanquantile(Arg x, Arg q, QuantileOptions options = {});
Var nanpercentile(Arg x, Arg q, QuantileOptions options = {});
Var nanargmax(Arg x, ArgOptions options = {});
Var nanargmin(Arg x, ArgOptions options = {});
Var nancumsum(Arg x, CumulativeOptions options = {});
Var nancumprod(Arg x, CumulativeOptions options = {});

struct CovOptions {
  Arg y = {};             // more variables
  bool rows = true;       // each row is a variable, else each column
  double correction = 1;  // of the divisor
};
Var cov(Arg x, CovOptions options = {});
struct CorrcoefOptions {
  Arg y = {};
  bool rows = true;
};
Var corrcoef(Arg x, CorrcoefOptions options = {});

struct ModeOptions {
  int64_t axis = 0;
};
struct [[nodiscard]] ModeResult {
  Var values, counts;
};
ModeResult mode(Arg x, ModeOptions options = {});  // the commonest element, of equally common ones the least

struct TrapezoidOptions {
  Arg x = {};  // where the elements of y are, else `dx` apart
  double dx = 1;
  int64_t axis = -1;
};
Var trapezoid(Arg y, TrapezoidOptions options = {});
struct GradientAlongOptions {
  Arg spacing = 1;  // a number, or where the elements are
  int64_t axis = -1;
};
// Differences between both neighbours, at the ends to the only one.
Var gradient(Arg x, GradientAlongOptions options = {});

struct CumulativeExtremeOptions {
  int64_t axis = -1;
};
Var cummax(Arg x, CumulativeExtremeOptions options = {});
Var cummin(Arg x, CumulativeExtremeOptions options = {});

}  // namespace tc
