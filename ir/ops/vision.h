// Sampling of images and volumes (N, C, d1, ..., dk) at points given in normalised coordinates: -1 and 1 are the outer
// edges of the first and last element of an axis, or, with align_corners, their centres. A point's coordinates come in
// reverse order of the axes: (x, y) for (height, width).
#pragma once

#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

enum class GridMode : uint8_t { linear, nearest, cubic };
inline constexpr std::string_view kGridModeNames[] = {"linear", "nearest", "cubic"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<GridMode> = kGridModeNames;
enum class GridPadding : uint8_t { zeros, border, reflection };
inline constexpr std::string_view kGridPaddingNames[] = {"zeros", "border", "reflection"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<GridPadding> = kGridPaddingNames;

// Spatial axes that grid_sample takes: cubic interpolation reads 4^axes elements for each one it makes.
inline constexpr int kMaxGridAxes = 6;

// Strings can be sampled by mode `nearest` only.
struct GridSample {
  struct Attrs {
    GridMode mode = GridMode::linear;
    GridPadding padding_mode = GridPadding::zeros;
    bool align_corners = false;
    static constexpr auto fields = Fields{field("mode", &Attrs::mode), field("padding_mode", &Attrs::padding_mode),
                                          field("align_corners", &Attrs::align_corners)};
  };
  static constexpr OpFacts facts{
      "grid_sample",
      {"GridSample", 20},
      "x:T, grid:G -> y:T",
      {{{'T', dtypes::numeric | dtypes::boolean | dtypes::strings | dtypes::complex}, {'G', dtypes::floats}}},
      "x interpolated at the points of a grid (N, e1, ..., ek, k)"};
  static void infer(InferContext& ctx);
};

// The grid (N, e1, ..., ek, k) that maps a result of extents `size` = (N, C, e1, ..., ek) to an input of the same
// extents by the affine transforms theta (N, k, k + 1), for k = 2 or 3.
struct AffineGrid {
  struct Attrs {
    bool align_corners = false;
    static constexpr auto fields = Fields{field("align_corners", &Attrs::align_corners)};
  };
  static constexpr OpFacts facts{"affine_grid",
                                 {"AffineGrid", 20},
                                 "theta:T, size:i64 -> grid:T",
                                 {{{'T', dtypes::floats}}},
                                 "the sampling grid of affine transforms, for grid_sample"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
