// Pooling. Activations are [batch, channels, spatial...].
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"
#include "tc/ir/ops/window.h"

namespace tc {

// Pools keep the number of axes: all spatial extents of a global pool are 1.
struct GlobalPooling {
  static void infer(InferContext& ctx);
};

struct MaxPool {
  struct Attrs {
    std::vector<int64_t> kernel_shape = {}, strides = {}, pads = {}, dilations = {};
    AutoPad auto_pad = AutoPad::notset;
    bool ceil_mode = false;
    int64_t storage_order = 0;  // of the spatial part of indices: 0 row-major, 1 column-major
    static constexpr auto fields = Fields{field("kernel_shape", &Attrs::kernel_shape, required),
                                          field("strides", &Attrs::strides),
                                          field("pads", &Attrs::pads),
                                          field("dilations", &Attrs::dilations),
                                          field("auto_pad", &Attrs::auto_pad),
                                          field("ceil_mode", &Attrs::ceil_mode),
                                          field("storage_order", &Attrs::storage_order)};
  };
  static constexpr OpFacts facts{"max_pool",
                                 {"MaxPool", 1},
                                 "x:T -> y:T, indices:i64?",
                                 {{{'T', dtypes::floats | DType::i8 | DType::u8}}},
                                 "maximum of each window, NaN if it holds one, and its place in the flattened input"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct AveragePool {
  struct Attrs {
    std::vector<int64_t> kernel_shape = {}, strides = {}, pads = {}, dilations = {};
    AutoPad auto_pad = AutoPad::notset;
    bool ceil_mode = false;
    bool count_include_pad = false;
    static constexpr auto fields = Fields{field("kernel_shape", &Attrs::kernel_shape, required),
                                          field("strides", &Attrs::strides),
                                          field("pads", &Attrs::pads),
                                          field("dilations", &Attrs::dilations),
                                          field("auto_pad", &Attrs::auto_pad),
                                          field("ceil_mode", &Attrs::ceil_mode),
                                          field("count_include_pad", &Attrs::count_include_pad)};
  };
  static constexpr OpFacts facts{
      "average_pool", {"AveragePool", 1}, "x:T -> y:T", {{{'T', dtypes::floats}}}, "mean of each window"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct LpPool {
  struct Attrs {
    std::vector<int64_t> kernel_shape = {}, strides = {}, pads = {}, dilations = {};
    AutoPad auto_pad = AutoPad::notset;
    bool ceil_mode = false;
    int64_t p = 2;
    static constexpr auto fields = Fields{field("kernel_shape", &Attrs::kernel_shape, required),
                                          field("strides", &Attrs::strides),
                                          field("pads", &Attrs::pads),
                                          field("dilations", &Attrs::dilations),
                                          field("auto_pad", &Attrs::auto_pad),
                                          field("ceil_mode", &Attrs::ceil_mode),
                                          field("p", &Attrs::p)};
  };
  static constexpr OpFacts facts{
      "lp_pool", {"LpPool", 2}, "x:T -> y:T", {{{'T', dtypes::floats}}}, "p-norm of each window"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct GlobalAveragePool : GlobalPooling {
  static constexpr OpFacts facts{"global_average_pool",
                                 {"GlobalAveragePool", 1},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "mean over the spatial axes"};
  static void grad(GradContext& ctx);
};

struct GlobalMaxPool : GlobalPooling {
  static constexpr OpFacts facts{"global_max_pool",
                                 {"GlobalMaxPool", 1},
                                 "x:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "maximum over the spatial axes"};
  static void grad(GradContext& ctx);
};

struct GlobalLpPool : GlobalPooling {
  struct Attrs {
    int64_t p = 2;
    static constexpr auto fields = Fields{field("p", &Attrs::p)};
  };
  static constexpr OpFacts facts{
      "global_lp_pool", {"GlobalLpPool", 2}, "x:T -> y:T", {{{'T', dtypes::floats}}}, "p-norm over the spatial axes"};
  static void grad(GradContext& ctx);
};

// Indices refer to the flattened tensor of the extents that follow from kernel, strides and pads; a larger output_shape
// holds that tensor in its low corner.
struct MaxUnpool {
  struct Attrs {
    std::vector<int64_t> kernel_shape = {}, strides = {}, pads = {};
    static constexpr auto fields = Fields{field("kernel_shape", &Attrs::kernel_shape, required),
                                          field("strides", &Attrs::strides), field("pads", &Attrs::pads)};
  };
  static constexpr OpFacts facts{"max_unpool",
                                 {"MaxUnpool", 9},
                                 "x:T, indices:i64, output_shape:i64? -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "puts elements where a max_pool took them from, zeros elsewhere"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// rois is [regions, 5]: batch index, x1, y1, x2, y2. (Girshick, Fast R-CNN, 2015.)
struct MaxRoiPool {
  struct Attrs {
    std::vector<int64_t> pooled_shape = {};
    double spatial_scale = 1;
    static constexpr auto fields =
        Fields{field("pooled_shape", &Attrs::pooled_shape, required), field("spatial_scale", &Attrs::spatial_scale)};
  };
  static constexpr OpFacts facts{"max_roi_pool",
                                 {"MaxRoiPool", 1},
                                 "x:T, rois:T -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "maximum over a grid of bins of each region"};
  static void infer(InferContext& ctx);
};

enum class RoiMode : uint8_t { avg, max };
inline constexpr std::string_view kRoiModeNames[] = {"avg", "max"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<RoiMode> = kRoiModeNames;

enum class RoiCoordinates : uint8_t { half_pixel, output_half_pixel };
inline constexpr std::string_view kRoiCoordinatesNames[] = {"half_pixel", "output_half_pixel"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<RoiCoordinates> = kRoiCoordinatesNames;

// rois is [regions, 4]: x1, y1, x2, y2. (He et al., Mask R-CNN, 2017.)
struct RoiAlign {
  struct Attrs {
    int64_t output_height = 1, output_width = 1;
    int64_t sampling_ratio = 0;  // samples per bin and axis; 0: as many as elements, rounded up
    double spatial_scale = 1;
    RoiMode mode = RoiMode::avg;
    RoiCoordinates coordinate_transformation_mode = RoiCoordinates::half_pixel;
    static constexpr auto fields =
        Fields{field("output_height", &Attrs::output_height),
               field("output_width", &Attrs::output_width),
               field("sampling_ratio", &Attrs::sampling_ratio),
               field("spatial_scale", &Attrs::spatial_scale),
               field("mode", &Attrs::mode),
               field("coordinate_transformation_mode", &Attrs::coordinate_transformation_mode)};
  };
  static constexpr OpFacts facts{"roi_align",
                                 {"RoiAlign", 16},
                                 "x:T, rois:T, batch_indices:i64 -> y:T",
                                 {{{'T', dtypes::floats}}},
                                 "bilinear samples of a grid of bins of each region, averaged or their maximum"};
  static void infer(InferContext& ctx);
};

// The natural spatial extents of a max_unpool along axis i. Errors bad_attribute.
template <class Context>
Dim unpooled_extent(const Context& ctx, const MaxUnpool::Attrs& a, int i, const Dim& in) {
  const WindowSpec spec = window_spec(ctx, a, a.kernel_shape);
  return transposed_axis(spec, i, in, 0, nullptr).out;
}

}  // namespace tc
