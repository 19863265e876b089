// Special functions with the files of values and derivatives that they are compared with (special_grids/*.py), and the
// measure of errors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tc/tc.h"

namespace tc {

// What an error is measured in: units of the last place; of (4 + |log y|) of them, where an exponential is one of a
// rounded number; or of the last place of 1 where y is smaller than that, of functions with zeros.
enum class GridScale { ulp, exponential, absolute };

struct Grid {
  std::string name;
  int arguments;
  dsl::FlatFunction f;
  double units;  // of the error in f64
  GridScale scale;
  double units_f32 = 1;         // in units of the last place
  double slopes = 1e-9;         // the relative error of derivatives; 0: they are not compared
  double least_slope = 1e-300;  // of smaller derivatives the error is relative to this

  template <class F>
  static Grid of(std::string name, F, double units, GridScale scale = GridScale::ulp) {
    using Plain = Outputs (*)(const std::vector<Var>&);
    const Plain call = [](const std::vector<Var>& v) {
      F f;
      return dsl::Flat<F>{f}(v);
    };
    return {std::move(name), dsl::Flat<F>::kArity, call, units, scale};
  }
  Grid f32_within(double ulps) && {
    units_f32 = ulps;
    return std::move(*this);
  }
  Grid slopes_within(double relative) && {
    slopes = relative;
    return std::move(*this);
  }
  Grid slopes_above(double least) && {
    least_slope = least;
    return std::move(*this);
  }
};
std::vector<Grid> special_grids();

// The rows of a grid whose arguments are numbers of T.
struct GridRows {
  std::vector<std::vector<double>> arguments, slopes;  // columns
  std::vector<double> values;
  std::string at(size_t row) const;  // the arguments
};
GridRows grid_rows(const Grid& grid, DType t);
std::vector<Tensor> grid_inputs(const GridRows& rows, DType t);
Function grid_function(const Grid& grid, DType t);

// The largest error of y, in the units that the grid or the type bounds, and the row it is at. Beside what the type can
// hold nothing is compared.
std::pair<double, size_t> worst_error(const Grid& grid, const GridRows& rows, const Tensor& y);

}  // namespace tc
