// Window geometry against its definition by counting, and symbolic extents against actual ones.
#include "tc/ir/ops/window.h"

#include <gtest/gtest.h>

#include <functional>

namespace tc {
namespace {

WindowSpec spec_of(AutoPad auto_pad, bool ceil_mode, int64_t kernel, int64_t stride, int64_t dilation, int64_t begin,
                   int64_t end) {
  WindowSpec s;
  s.auto_pad = auto_pad;
  s.ceil_mode = ceil_mode;
  s.kernel = {kernel};
  s.strides = {stride};
  s.dilations = {dilation};
  EXPECT_EQ(complete_window(s, {begin, end}), "");
  return s;
}

// Calls f(spec, in) for many small geometries.
void for_each_geometry(AutoPad auto_pad, bool ceil_mode, const std::function<void(const WindowSpec&, int64_t)>& f) {
  for (int64_t kernel = 1; kernel <= 4; ++kernel)
    for (int64_t stride = 1; stride <= 4; ++stride)
      for (int64_t dilation = 1; dilation <= 2; ++dilation)
        for (int64_t begin = 0; begin <= 2; ++begin)
          for (int64_t end = 0; end <= 3; ++end)
            for (int64_t in = 1; in <= 13; ++in)
              f(spec_of(auto_pad, ceil_mode, kernel, stride, dilation, begin, end), in);
}

TEST(Window, FloorModeCountsWholeWindows) {
  for_each_geometry(AutoPad::notset, false, [](const WindowSpec& s, int64_t in) {
    const int64_t padded = in + s.pads_begin[0] + s.pads_end[0];
    if (padded < s.reach(0)) return;
    int64_t count = 0;
    while (count * s.strides[0] + s.reach(0) <= padded) ++count;
    EXPECT_EQ(window_axis(s, 0, in).out, Dim(count));
  });
}

TEST(Window, CeilModeCountsOneMoreUnlessItStartsInThePadding) {
  for_each_geometry(AutoPad::notset, true, [](const WindowSpec& s, int64_t in) {
    const int64_t padded = in + s.pads_begin[0] + s.pads_end[0];
    if (padded < s.reach(0)) return;
    int64_t whole = 0;
    while (whole * s.strides[0] + s.reach(0) <= padded) ++whole;
    const bool covered = (whole - 1) * s.strides[0] + s.reach(0) == padded;
    int64_t count = covered ? whole : whole + 1;
    if ((count - 1) * s.strides[0] >= in + s.pads_begin[0]) --count;
    EXPECT_EQ(window_axis(s, 0, in).out, Dim(count))
        << "in " << in << " kernel " << s.kernel[0] << " stride " << s.strides[0];
  });
}

// As ONNX Runtime: where the first window is longer than the axis, it is there if that is by less than a stride.
TEST(Window, PoolsTruncate) {
  for (const bool ceil_mode : {false, true})
    for_each_geometry(AutoPad::notset, ceil_mode, [&](const WindowSpec& convolution, int64_t in) {
      WindowSpec pool = convolution;
      pool.pool = true;
      const int64_t slack = in + pool.pads_begin[0] + pool.pads_end[0] - pool.reach(0), stride = pool.strides[0];
      const Dim fixed = window_axis(pool, 0, in).out, symbolic = window_axis(pool, 0, Dim::symbol("W")).out;
      EXPECT_EQ(fixed, slack >= 0 ? window_axis(convolution, 0, in).out : Dim(slack / stride + 1))
          << "in " << in << " kernel " << pool.kernel[0] << " stride " << stride;
      EXPECT_EQ(symbolic.eval([&](const std::string&) { return std::optional(in); }), fixed.value());
    });
}

TEST(Window, PaddedPoolsHaveThePlainExtent) {
  WindowSpec stem = spec_of(AutoPad::notset, false, 3, 2, 1, 1, 1);
  stem.pool = true;
  EXPECT_EQ(window_axis(stem, 0, Dim::symbol("W")).out, floordiv(Dim::symbol("W") - 1, 2) + 1);
}

TEST(Window, SamePadsAsLittleAsItCan) {
  for (const AutoPad mode : {AutoPad::same_upper, AutoPad::same_lower})
    for_each_geometry(mode, true, [&](const WindowSpec& s, int64_t in) {
      const auto axis = actual(window_axis(s, 0, in));
      EXPECT_EQ(axis.out, (in + s.strides[0] - 1) / s.strides[0]);
      const int64_t total = axis.pad_begin + axis.pad_end, needed = (axis.out - 1) * s.strides[0] + s.reach(0) - in;
      EXPECT_EQ(total, std::max<int64_t>(needed, 0));
      EXPECT_EQ(mode == AutoPad::same_upper ? axis.pad_end - axis.pad_begin : axis.pad_begin - axis.pad_end, total % 2);
    });
}

TEST(Window, SymbolicAgreesWithActual) {
  for (const AutoPad mode : {AutoPad::notset, AutoPad::same_upper, AutoPad::same_lower, AutoPad::valid})
    for (const bool ceil_mode : {false, true})
      for_each_geometry(mode, ceil_mode, [](const WindowSpec& s, int64_t in) {
        const auto symbolic = window_axis(s, 0, Dim::symbol("W"));
        const auto fixed = window_axis(s, 0, in);
        const auto value = [&](const Dim& d) { return d.eval([&](const std::string&) { return std::optional(in); }); };
        EXPECT_EQ(value(symbolic.out), fixed.out.value());
        EXPECT_EQ(value(symbolic.pad_begin), fixed.pad_begin.value());
        EXPECT_EQ(value(symbolic.pad_end), fixed.pad_end.value());
      });
}

TEST(Window, TransposedUndoesTheForwardExtent) {
  for_each_geometry(AutoPad::notset, false, [](const WindowSpec& s, int64_t in) {
    const auto up = transposed_axis(s, 0, in, 0, nullptr);
    if (up.out.value() < 1) return;
    EXPECT_EQ(window_axis(s, 0, up.out).out, Dim(in));
    // Asked for explicitly, an extent is met by padding; what the padding cannot take away stays.
    const int64_t wanted = up.out.value() - 1;
    const auto asked = transposed_axis(s, 0, in, 0, &wanted);
    EXPECT_EQ(asked.out, Dim(wanted));
    const int64_t natural = (in - 1) * s.strides[0] + s.reach(0);
    EXPECT_EQ((asked.pad_begin + asked.pad_end).value(), std::max<int64_t>(natural - wanted, 0));
  });
}

TEST(Window, BadAttributesAreNamed) {
  WindowSpec s;
  s.kernel = {3, 0};
  EXPECT_NE(complete_window(s, {}).find("kernel_shape"), std::string::npos);
  s.kernel = {3, 3};
  s.strides = {1};
  EXPECT_NE(complete_window(s, {}).find("strides"), std::string::npos);
  s.strides = {1, 1};
  EXPECT_NE(complete_window(s, {1, 1}).find("pads"), std::string::npos);
  EXPECT_NE(complete_window(s, {1, 1, 1, int64_t{1} << 62}).find("pads"), std::string::npos);
  EXPECT_EQ(complete_window(s, {1, -1, 0, 2}), "");
}

}  // namespace
}  // namespace tc
