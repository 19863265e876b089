// Resampling on a regular grid.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

enum class ResizeMode { nearest, linear, cubic };
inline constexpr std::string_view kResizeModeNames[] = {"nearest", "linear", "cubic"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ResizeMode>{kResizeModeNames};

// How the place of a result element maps to one between operand elements.
enum class ResizeCoordinates {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_crop_and_resize,
  tf_half_pixel_for_nn
};
inline constexpr std::string_view kResizeCoordinatesNames[] = {
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",  "align_corners",
    "asymmetric", "tf_crop_and_resize",   "tf_half_pixel_for_nn"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ResizeCoordinates>{kResizeCoordinatesNames};

enum class ResizeNearest { round_prefer_floor, round_prefer_ceil, floor, ceil };
inline constexpr std::string_view kResizeNearestNames[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ResizeNearest>{kResizeNearestNames};

enum class ResizeAspect { stretch, not_larger, not_smaller };
inline constexpr std::string_view kResizeAspectNames[] = {"stretch", "not_larger", "not_smaller"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<ResizeAspect>{kResizeAspectNames};

struct Resize {
  struct Attrs {
    ResizeMode mode = ResizeMode::nearest;
    ResizeCoordinates coordinates = ResizeCoordinates::half_pixel;
    ResizeNearest nearest_mode = ResizeNearest::round_prefer_floor;
    std::optional<std::vector<int64_t>> axes = {};
    ResizeAspect aspect = ResizeAspect::stretch;
    double cubic_coeff_a = -0.75;
    bool antialias = false, exclude_outside = false;
    double extrapolation_value = 0;
    static constexpr auto fields = Fields{field("mode", &Attrs::mode),
                                          field("coordinates", &Attrs::coordinates, "coordinate_transformation_mode"),
                                          field("nearest_mode", &Attrs::nearest_mode),
                                          field("axes", &Attrs::axes),
                                          field("aspect", &Attrs::aspect, "keep_aspect_ratio_policy"),
                                          field("cubic_coeff_a", &Attrs::cubic_coeff_a),
                                          field("antialias", &Attrs::antialias),
                                          field("exclude_outside", &Attrs::exclude_outside),
                                          field("extrapolation_value", &Attrs::extrapolation_value)};
  };
  static constexpr OpFacts facts{"resize",
                                 {"Resize", 11},
                                 "x:T, roi:R?, scales:f32?, sizes:i64? -> y:T",
                                 {{{'T', dtypes::all}, {'R', dtypes::floats}}},
                                 "resampled by scales or to sizes; an empty scales or sizes counts as absent"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// The extent that `scale` gives to an axis: floor(d * scale), the product rounded to f32 as runtimes do.
int64_t scaled_extent(int64_t d, double scale);
// The common scale of all resized axes, and the extents it gives, when the aspect ratio is kept.
double aspect_scale(ResizeAspect aspect, const std::vector<double>& scales);
int64_t aspect_extent(int64_t d, double scale);

}  // namespace tc
