// Convolutions and layout reorders of every tier against double precision, on buffers that end at guard pages.
#include "tc/kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>

#include "guard.h"
#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

size_t count(int64_t v) {
  return static_cast<size_t>(v);
}
int64_t volume(const int64_t (&v)[3]) {
  return v[0] * v[1] * v[2];
}

struct Extras {
  bool bias = false, scale = false, residual = false, in_place = false, clip = false, strip = false;
  float slope = 1;
};

ConvShape shape_2d(int64_t n, int64_t ic, int64_t oc, int64_t h, int64_t w, int64_t kh, int64_t kw, int64_t stride = 1,
                   int64_t pad = 0, int64_t dilation = 1, int64_t groups = 1) {
  ConvShape s;
  s.n = n, s.ic = ic, s.oc = oc, s.groups = groups;
  s.in[1] = h, s.in[2] = w, s.kernel[1] = kh, s.kernel[2] = kw;
  for (const int axis : {1, 2}) {
    s.stride[axis] = stride, s.pad[axis] = s.kernel[axis] == 1 ? 0 : pad, s.dilation[axis] = dilation;
    s.out[axis] = (s.in[axis] + 2 * s.pad[axis] - (s.kernel[axis] - 1) * dilation - 1) / stride + 1;
  }
  return s;
}

ConvShape transposed_2d(int64_t n, int64_t ic, int64_t oc, int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad,
                        int64_t extra = 0, int64_t dilation = 1, int64_t groups = 1) {
  ConvShape s = shape_2d(n, ic, oc, h, w, k, k, stride, pad, dilation, groups);
  s.transposed = true;
  for (const int axis : {1, 2}) {
    s.pad[axis] = pad;
    s.out[axis] = (s.in[axis] - 1) * stride + (k - 1) * dilation + 1 - 2 * pad + extra;
  }
  return s;
}

std::string describe(const ConvShape& s, ConvAlgorithm a, Tier tier) {
  std::string out = std::string(tier_name(tier)) + " algorithm " + std::to_string(static_cast<int>(a)) +
                    (s.transposed ? " transposed" : "") + " n" + std::to_string(s.n) + " ic" + std::to_string(s.ic) +
                    " oc" + std::to_string(s.oc) + " g" + std::to_string(s.groups);
  for (int i = 0; i < 3; ++i) {
    out += " [" + std::to_string(s.in[i]) + " k" + std::to_string(s.kernel[i]) + " s" + std::to_string(s.stride[i]) +
           " p" + std::to_string(s.pad[i]) + " d" + std::to_string(s.dilation[i]) + " -> " + std::to_string(s.out[i]) +
           "]";
  }
  return out;
}

std::vector<double> reference(const ConvShape& s, const float* x, const float* w) {
  const int64_t icg = s.ic / s.groups, ocg = s.oc / s.groups;
  std::vector<double> y(count(s.n * s.oc * volume(s.out)), 0.0);
  const int64_t taps = volume(s.kernel);
  for (int64_t n = 0; n < s.n; ++n) {
    for (int64_t o = 0; o < s.oc; ++o) {
      for (int64_t i = 0; i < icg; ++i) {
        const int64_t g = o / ocg;
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
          const double weight =
              double{s.transposed ? w[((g * icg + i) * ocg + o % ocg) * taps + t] : w[(o * icg + i) * taps + t]};
          const int64_t grid = s.transposed ? volume(s.in) : volume(s.out);
          const int64_t* extent = s.transposed ? s.in : s.out;
          const int64_t* other = s.transposed ? s.out : s.in;
          for (int64_t q = 0; q < grid; ++q) {
            const int64_t p[3] = {q / extent[2] / extent[1], q / extent[2] % extent[1], q % extent[2]};
            int64_t at = 0;
            bool inside = true;
            for (int a = 0; a < 3; ++a) {
              const int64_t c = p[a] * s.stride[a] + k[a] * s.dilation[a] - s.pad[a];
              inside = inside && c >= 0 && c < other[a];
              at = at * other[a] + c;
            }
            if (!inside) continue;
            const int64_t in_plane = (n * s.ic + g * icg + i) * volume(s.in);
            const int64_t out_plane = (n * s.oc + o) * volume(s.out);
            if (s.transposed) {
              y[count(out_plane + at)] += weight * double{x[in_plane + q]};
            } else {
              y[count(out_plane + q)] += weight * double{x[in_plane + at]};
            }
          }
        }
      }
    }
  }
  return y;
}

std::vector<float> blocked(const std::vector<float>& x, int64_t n, int64_t c, int64_t pixels, float padding) {
  std::vector<float> out(count(blocked_floats(n, c, pixels)), padding);
  const int64_t blocks = (c + 15) / 16;
  for (int64_t i = 0; i < n * c * pixels; ++i) {
    const int64_t channel = i / pixels % c;
    out[count(((i / pixels / c * blocks + channel / 16) * pixels + i % pixels) * 16 + channel % 16)] = x[count(i)];
  }
  return out;
}

std::vector<float> unblocked(const float* x, int64_t n, int64_t c, int64_t pixels) {
  std::vector<float> out(count(n * c * pixels));
  const int64_t blocks = (c + 15) / 16;
  for (int64_t i = 0; i < n * c * pixels; ++i) {
    const int64_t channel = i / pixels % c;
    out[count(i)] = x[((i / pixels / c * blocks + channel / 16) * pixels + i % pixels) * 16 + channel % 16];
  }
  return out;
}

void twice(void*, float* tile, int64_t rows, int64_t cols, int64_t ld, int64_t, int64_t) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) tile[r * ld + c] = 2 * tile[r * ld + c] + 1;
  }
}

struct Operands {
  explicit Operands(const ConvShape& s)
      : x(random.floats(count(s.n * s.ic * volume(s.in)))),
        w(random.floats(count(s.oc * s.ic / s.groups * volume(s.kernel)))) {}
  Random random{11};
  std::vector<float> x, w;
};

// truth: the plain convolution; gets the epilogue added.
std::vector<float> run(Tier tier, ConvAlgorithm algorithm, const ConvShape& s, const Extras& e, Team& team, Edge edge,
                       std::vector<double>* truth) {
  Operands operands(s);
  Random& random = operands.random;
  const std::vector<float>& x_values = operands.x;
  const std::vector<float>& w_values = operands.w;
  const int64_t pixels = volume(s.in), out_pixels = volume(s.out);
  const std::vector<float> y_values = random.floats(count(s.n * s.oc * out_pixels));
  const bool out_blocked = conv_gives_blocked(algorithm), in_blocked = conv_takes_blocked(algorithm);
  const auto out_layout = [&](const std::vector<float>& v) {
    return out_blocked ? blocked(v, s.n, s.oc, out_pixels, 0) : v;
  };
  // Padding lanes of the input are NaN: they must reach nothing.
  GuardedBuffer<float> x(in_blocked ? blocked(x_values, s.n, s.ic, pixels, std::nanf("")) : x_values, edge);
  GuardedBuffer<float> y(out_layout(y_values), edge);
  const std::vector<float> residual_values = e.in_place ? y_values : random.floats(count(s.n * s.oc * out_pixels));
  GuardedBuffer<float> residual(out_layout(residual_values), edge);
  GuardedBuffer<float> bias(random.floats(count(s.oc)), edge);
  GuardedBuffer<float> scale(random.floats(count(s.oc)), edge);
  const ConvTable& kernels = table(tier).conv;
  GuardedBuffer<float> w(count(conv_packed_floats(algorithm, s)), edge);
  // Extents and pads may be known after the weights are packed.
  ConvShape packed = s;
  for (int i = 0; i < 3; ++i) packed.in[i] = packed.out[i] = 32, packed.pad[i] = 0;
  conv_pack(team, kernels, packed, algorithm, w_values.data(), w.data());

  ConvArgs args;
  args.shape = s;
  args.x = x.data(), args.w = w.data(), args.y = y.data();
  if (e.bias) args.epilogue.bias = bias.data();
  if (e.scale) args.epilogue.scale = scale.data();
  if (e.residual) args.epilogue.residual = e.in_place ? y.data() : residual.data();
  if (e.clip) args.epilogue.lo = -0.25f, args.epilogue.hi = 1.5f;
  if (e.strip) args.epilogue.strip = twice;
  args.epilogue.slope = e.slope;
  const ConvPlan plan = conv_plan(algorithm, s, table(tier).gemm.traits.fn().width);
  GuardedBuffer<float> scratch(conv_scratch_bytes(plan, team.threads()) / sizeof(float));
  args.scratch = scratch.data();
  conv(team, kernels, args, plan);

  if (truth != nullptr) {
    for (size_t i = 0; i < truth->size(); ++i) {
      const size_t channel = i / count(out_pixels) % count(s.oc);
      double& v = (*truth)[i];
      if (e.scale) v *= double{scale[channel]};
      if (e.bias) v += double{bias[channel]};
      if (e.residual) v += double{residual_values[i]};
      if (v < 0) v *= double{e.slope};
      if (e.clip) v = std::fmin(1.5, std::fmax(-0.25, v));
      if (e.strip) v = 2 * v + 1;
    }
  }
  if (!out_blocked) return {y.begin(), y.end()};
  return unblocked(y.data(), s.n, s.oc, out_pixels);
}

std::vector<ConvAlgorithm> all_algorithms() {
  std::vector<ConvAlgorithm> all;
  for (int i = 0; i < kConvAlgorithms; ++i) all.push_back(static_cast<ConvAlgorithm>(i));
  return all;
}

// Of an algorithm's error, for a sum of `terms` products of numbers up to 1 whose largest result is `largest`.
double error_bound(ConvAlgorithm algorithm, double terms, double largest) {
  const double direct = 4e-7 * (terms + 4);
  if (algorithm == ConvAlgorithm::winograd2) return kWinograd2Error * largest + 1e-6;
  if (algorithm == ConvAlgorithm::winograd4) return kWinograd4Error * largest + 1e-6;
  if (algorithm == ConvAlgorithm::winograd6) return kWinograd6Error * largest + 1e-6;
  if (algorithm == ConvAlgorithm::split_winograd) return kSplitWinogradError * largest + 1e-6;
  // Split bf16 of factors that are 0.5 on average.
  if (conv_in_split_bf16(algorithm)) return direct + kSplitError * std::fmax(1.0, 0.5 * terms);
  return direct;
}

// Over every algorithm that accepts the shape.
void check(const ConvShape& s, const Extras& extras = {}) {
  Team one(1);
  const Operands operands(s);
  const std::vector<double> plain = reference(s, operands.x.data(), operands.w.data());
  double largest = 0;
  for (const double v : plain) largest = std::fmax(largest, std::fabs(v));
  if (extras.strip) largest *= 2;  // as it doubles
  for (const ConvAlgorithm algorithm : all_algorithms()) {
    if (!conv_accepts(algorithm, s)) continue;
    Extras e = extras;
    if (!conv_gives_blocked(algorithm)) e.scale = false;
    for (const Tier tier : testing::machine_tiers(Tier::amx)) {
      if (table(tier).conv.tile(algorithm).fn == nullptr) continue;
      for (const Edge edge : testing::kEdges) {
        SCOPED_TRACE(describe(s, algorithm, tier));
        std::vector<double> truth = plain;
        const std::vector<float> got = run(tier, algorithm, s, e, one, edge, &truth);
        const double bound = error_bound(algorithm, static_cast<double>(s.ic / s.groups * volume(s.kernel)), largest);
        ASSERT_EQ(got.size(), truth.size());
        for (size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(got[i], truth[i], bound) << "at " << i;
      }
    }
  }
}

// One that no machine has would be tested by none of these.
TEST(Conv, EveryTierHasAllButSplit) {
  for (const Tier tier : testing::machine_tiers(Tier::amx))
    for (const ConvAlgorithm algorithm : all_algorithms()) {
      if (conv_in_split_bf16(algorithm) && tier != Tier::amx) continue;
      EXPECT_NE(table(tier).conv.tile(algorithm).fn, nullptr) << tier_name(tier) << conv_facts(algorithm).name;
    }
}

TEST(Conv, ChannelTails) {
  for (const int64_t ic : {1, 3, 15, 16, 17, 33}) {
    for (const int64_t oc : {1, 15, 16, 17, 40, 64, 70, 100}) {
      check(shape_2d(1, ic, oc, 5, 6, 3, 3, 1, 1));
      check(shape_2d(2, ic, oc, 3, 5, 1, 1));
    }
  }
}

TEST(Conv, EveryWidth) {
  for (int64_t w = 1; w <= 30; ++w) {
    check(shape_2d(1, 5, 20, 3, w, 3, 3, 1, 1));
    check(shape_2d(1, 17, 64, 2, w, 1, 1));
    check(shape_2d(1, 20, 20, 4, w, 3, 3, 1, 1, 1, 20));
  }
}

TEST(Conv, DepthwiseLines) {
  for (const int64_t w : {7, 14, 28, 31, 33, 34, 47, 48, 49, 63, 64, 65, 100}) {
    for (const int64_t k : {3, 5, 7}) {
      check(shape_2d(2, 3, 3, 9, w, k, k, 1, k / 2, 1, 3), {.bias = true, .residual = true, .slope = 0.1f});
      check(shape_2d(1, 2, 2, 10, w, k, k, 2, k / 2, 1, 2), {.bias = true, .clip = true});
      check(shape_2d(1, 2, 2, 8, w, k, k, 1, 0, 1, 2), {.residual = true, .in_place = true, .strip = true});
      check(shape_2d(1, 2, 2, 8, w, k, k, 1, k - 1, 1, 2), {.bias = true});  // more padding than a line's last register
    }
  }
}

TEST(Conv, StridesPadsDilations) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t pad : {0, 1, 2, 4}) {
      for (const int64_t dilation : {1, 2}) {
        for (const int64_t k : {1, 2, 3, 5}) {
          if (9 + 2 * pad < (k - 1) * dilation + 1) continue;
          check(shape_2d(1, 3, 18, 9, 11, k, k, stride, pad, dilation));
          check(shape_2d(1, 18, 18, 9, 11, k, k, stride, pad, dilation, 18));
        }
      }
    }
  }
  ConvShape padded_pointwise = shape_2d(1, 20, 20, 4, 5, 1, 1);
  padded_pointwise.pad[1] = padded_pointwise.pad[2] = 1;
  padded_pointwise.out[1] = 6, padded_pointwise.out[2] = 7;
  check(padded_pointwise);
  check(shape_2d(1, 20, 20, 7, 7, 1, 1, 2));
  check(shape_2d(1, 8, 20, 1, 40, 1, 7, 1, 3));  // one axis
  check(shape_2d(1, 3, 16, 33, 35, 7, 7, 2, 3));
}

// Of 1x1, also where the last ones lie behind the image.
TEST(Conv, PixelsAtADistance) {
  for (const int64_t stride : {2, 3})
    for (const int64_t ic : {16, 40, 300}) {
      ConvShape s = shape_2d(2, ic, 48, 11, 13, 1, 1, stride, 0);
      check(s, {.bias = true});
      check(shape_2d(1, ic * 2, 64, 10, 70, 1, 1, stride, 0, 1, 2), {.residual = true});
      ++s.out[1];
      check(s);
      ++s.out[2];
      check(s, {.bias = true});
    }
}

// Kernels as wide as their stride: panels that cross lines, pixels beyond the last patch, padding above.
TEST(Conv, PatchesSideBySide) {
  for (const int64_t k : {2, 3, 4, 8, 16}) {
    for (const int64_t w : {1, 2, 7, 16, 17, 35}) {
      check(shape_2d(2, 3, 9, 3 * k, w * k, k, k, k), {.bias = true});
      check(shape_2d(1, 2, 20, 2 * k + 1, w * k + k - 1, k, k, k), {.residual = true, .clip = true});
    }
  }
  ConvShape padded = shape_2d(1, 3, 16, 20, 24, 4, 4, 4);
  padded.pad[1] = 3, padded.out[1] = 6;
  check(padded);
  check(shape_2d(1, 70, 16, 12, 12, 4, 4, 4), {.strip = true});  // several blocks of the sum
  check(shape_2d(1, 6, 6, 8, 44, 3, 4, 4, 0, 1, 2));
}

// A row of one channel's taps is summed at once.
TEST(Conv, LongKernelsOfOneChannel) {
  ConvShape line = shape_2d(1, 1, 37, 1, 500, 1, 40, 7);
  check(line);
  line.pad[2] = 19, line.out[2] = (500 + 38 - 40) / 7 + 1;
  check(line);
  ConvShape plane = shape_2d(2, 1, 70, 19, 81, 3, 35, 2, 1);
  check(plane);
  plane.pad[2] = 20, plane.out[2] = (81 + 40 - 35) / 2 + 1;
  check(plane, {.bias = true, .clip = true});
}

// Taps that lie in the padding for whole tiles, or for all of the image.
TEST(Conv, ImagesSmallerThanKernels) {
  for (const auto& [h, w] : {std::pair<int64_t, int64_t>{1, 40}, {40, 1}, {1, 1}, {2, 3}, {30, 5}})
    for (const int64_t stride : {1, 2})
      for (const int64_t dilation : {1, 3, 6}) {
        check(shape_2d(1, 20, 33, h, w, 3, 3, stride, dilation, dilation), {.bias = true});
        check(shape_2d(2, 32, 32, h, w, 5, 3, stride, 2 * dilation, dilation, 2), {.residual = true});
        for (const int64_t k : {3, 5, 7}) {
          const ConvShape depthwise = shape_2d(1, 40, 40, h, w, k, 8 - k, stride, dilation, 1, 40);
          if (depthwise.out[1] > 0 && depthwise.out[2] > 0) check(depthwise, {.bias = true, .strip = true});
        }
      }
  check(shape_2d(1, 16, 16, 1, 1, 3, 3, 4, 9), {.bias = true});  // outputs of nothing but padding
  check(transposed_2d(1, 20, 18, 1, 3, 3, 2, 1), {.bias = true});
}

TEST(Conv, HalvesOfEveryShape) {
  for (const int64_t ic : {16, 24, 32, 50}) {
    for (const int64_t oc : {16, 33, 48, 64}) {
      for (const int64_t stride : {1, 2, 3}) check(shape_2d(2, ic, oc, 13, 17, 3, 3, stride, 1), {.bias = true});
      check(shape_2d(1, ic, oc, 6, 50, 1, 1), {.residual = true, .clip = true, .slope = 0.2f});
    }
  }
  check(shape_2d(1, 40, 40, 15, 40, 5, 3, 2, 3, 2), {.scale = true, .strip = true});
  check(shape_2d(1, 512, 96, 7, 7, 3, 3, 1, 1), {.bias = true, .residual = true, .in_place = true});
}

// Padding on some sides only, tiles that end early, several tiles of the plan and panels of output channels.
TEST(Conv, WinogradEdges) {
  for (const int64_t h : {3, 4, 5, 8, 9}) {
    for (const int64_t w : {3, 6, 7, 130}) {
      check(shape_2d(1, 20, 24, h, w, 3, 3, 1, 0));
      check(shape_2d(2, 16, 16, h, w, 3, 3, 1, 2), {.bias = true, .strip = true});
    }
  }
  ConvShape lopsided = shape_2d(1, 16, 80, 10, 11, 3, 3, 1, 1);
  lopsided.pad[1] = 2, lopsided.pad[2] = 0, lopsided.out[1] = 12, lopsided.out[2] = 10;
  check(lopsided, {.residual = true, .in_place = true});
  check(shape_2d(1, 256, 272, 14, 14, 3, 3, 1, 1), {.scale = true, .clip = true});
}

TEST(Conv, WinogradWithStride) {
  for (const int64_t h : {3, 4, 6, 9, 16, 17}) {
    for (const int64_t w : {3, 8, 15, 130}) {
      check(shape_2d(1, 16, 24, h, w, 3, 3, 2, 0));
      check(shape_2d(2, 32, 16, h, w, 3, 3, 2, 1), {.bias = true, .strip = true});
    }
  }
  ConvShape lopsided = shape_2d(1, 48, 80, 10, 11, 3, 3, 2, 1);
  lopsided.pad[1] = 2, lopsided.pad[2] = 0, lopsided.out[1] = 6, lopsided.out[2] = 5;
  check(lopsided, {.residual = true, .in_place = true});
  check(shape_2d(1, 256, 272, 28, 28, 3, 3, 2, 1), {.scale = true, .clip = true});
}

// Pieces of a kernel: along one axis or both, with dilation, a plane or several.
TEST(Conv, WinogradInPieces) {
  for (const int64_t k : {2, 3, 4, 5, 7, 11}) {
    for (const int64_t dilation : {1, 3}) {
      const int64_t pad = (k - 1) * dilation / 2;
      ConvShape across = shape_2d(2, 24, 40, 3, 37, 1, k, 1, 0, dilation);
      across.pad[2] = pad, across.out[2] = 37 + 2 * pad - (k - 1) * dilation;
      check(across, {.bias = true, .strip = true});
      ConvShape down = shape_2d(1, 16, 70, 37, 3, k, 1, 1, 0, dilation);
      down.pad[1] = pad, down.out[1] = 37 + 2 * pad - (k - 1) * dilation;
      check(down, {.residual = true, .in_place = true, .strip = true});
      check(shape_2d(1, 16, 18, 14, 15, k, k, 1, pad, dilation), {.bias = true, .clip = true});
    }
  }
  check(shape_2d(1, 20, 33, 9, 50, 7, 3, 1, 2), {.scale = true});
  ConvShape halved = shape_2d(2, 20, 33, 1, 50, 1, 3, 1, 0);
  halved.stride[2] = 2, halved.pad[2] = 1, halved.out[2] = 25;
  check(halved, {.bias = true, .strip = true});
}

TEST(Conv, Groups) {
  check(shape_2d(2, 32, 64, 5, 6, 3, 3, 1, 1, 1, 2));
  check(shape_2d(1, 12, 8, 5, 6, 3, 3, 1, 1, 1, 4));
  check(shape_2d(1, 6, 12, 5, 6, 3, 3, 2, 1, 1, 6));  // two outputs per channel
}

TEST(Conv, ThreeAxes) {
  ConvShape s = shape_2d(2, 3, 5, 6, 7, 3, 2, 1, 1);
  s.in[0] = 5, s.kernel[0] = 3, s.pad[0] = 1, s.stride[0] = 2, s.out[0] = 3;
  check(s);
  s.dilation[0] = 2, s.pad[0] = 0, s.stride[0] = 1, s.out[0] = 1;
  check(s);
}

ConvShape shape_3d(int64_t n, int64_t ic, int64_t oc, int64_t d, int64_t h, int64_t w, int64_t kd, int64_t k,
                   int64_t stride, int64_t pad, int64_t dilation = 1, int64_t groups = 1, bool transposed = false) {
  ConvShape s = transposed ? transposed_2d(n, ic, oc, h, w, k, stride, pad, 0, dilation, groups)
                           : shape_2d(n, ic, oc, h, w, k, k, stride, pad, dilation, groups);
  s.in[0] = d, s.kernel[0] = kd, s.stride[0] = stride, s.dilation[0] = dilation, s.pad[0] = kd == 1 ? 0 : pad;
  s.out[0] = transposed ? (d - 1) * stride + (kd - 1) * dilation + 1 - 2 * s.pad[0]
                        : (d + 2 * s.pad[0] - (kd - 1) * dilation - 1) / stride + 1;
  return s;
}

TEST(Conv, Videos) {
  for (const int64_t stride : {1, 2}) {
    for (const int64_t dilation : {1, 2}) {
      check(shape_3d(1, 32, 48, 4, 6, 9, 3, 3, stride, dilation, dilation), {.bias = true});
      check(shape_3d(2, 20, 18, 3, 5, 4, 3, 1, stride, dilation, dilation), {.bias = true, .strip = true});
      check(shape_3d(1, 3, 20, 5, 9, 8, 3, 5, stride, 2), {.clip = true});
      check(shape_3d(1, 32, 32, 3, 4, 5, 3, 3, stride, 1, dilation, 2, true), {.residual = true, .strip = true});
    }
  }
  check(shape_3d(1, 40, 70, 3, 6, 7, 1, 1, 1, 0), {.residual = true, .strip = true});   // pointwise
  check(shape_3d(2, 32, 64, 4, 5, 6, 3, 3, 1, 1, 1, 2), {.scale = true});               // groups
  check(shape_3d(1, 96, 96, 2, 20, 22, 3, 3, 1, 1), {.bias = true, .residual = true});  // several tiles and chunks
}

// Taps that lie beyond the image for some rows and tiles, and for all.
TEST(Conv, WideDilations) {
  for (const int64_t dilation : {2, 5, 6, 9, 12, 24}) {
    check(shape_2d(1, 32, 64, 14, 14, 3, 3, 1, dilation, dilation), {.bias = true});
    check(shape_2d(1, 20, 16, 6, 31, 3, 3, 2, dilation, dilation), {.strip = true});
    check(shape_2d(1, 3, 16, 9, 33, 3, 3, 1, dilation, dilation));
    check(shape_2d(2, 32, 72, 13, 18, 3, 3, 1, dilation + 1, dilation), {.residual = true, .in_place = true});
    check(shape_2d(1, 16, 16, 29, 31, 3, 3, 1, dilation / 2, dilation), {.bias = true, .clip = true, .strip = true});
    check(shape_2d(1, 64, 64, 20, 9, 5, 5, 1, 2 * dilation, dilation, 2), {.residual = true});
  }
}

TEST(Conv, Transposed) {
  for (const int64_t stride : {1, 2, 3}) {
    for (const int64_t k : {1, 2, 3, 4}) {
      for (const int64_t pad : {0, 1}) {
        if (k <= pad) continue;
        check(transposed_2d(1, 5, 18, 4, 5, k, stride, pad), {.bias = true});
        check(transposed_2d(2, 20, 3, 3, 4, k, stride, pad, stride - 1), {.bias = true, .clip = true, .strip = true});
        check(transposed_2d(1, 32, 32, 3, 4, k, stride, pad, 0, 2, 2), {.residual = true});
      }
    }
  }
}

TEST(Conv, TransposedTapsThatDoNotOverlap) {
  for (const int64_t w : {1, 5, 47, 48, 49, 100}) {
    check(transposed_2d(2, 24, 1, 3, w, 2, 2, 0), {.bias = true, .clip = true});
    check(transposed_2d(1, 16, 3, 5, w, 3, 3, 0), {.residual = true, .strip = true, .slope = 0.1f});
    check(transposed_2d(1, 7, 4, 2, w, 4, 4, 0), {.bias = true, .residual = true, .in_place = true});
  }
  ConvShape s = transposed_2d(2, 40, 2, 4, 6, 2, 2, 0);
  s.in[0] = 3, s.kernel[0] = s.stride[0] = 2, s.out[0] = 6;
  EXPECT_TRUE(conv_accepts(ConvAlgorithm::patches, s));
  check(s, {.bias = true, .strip = true});
}

TEST(Conv, DepthwiseOfEveryKind) {
  for (const int64_t channels : {2, 16, 21, 40}) {
    for (const int64_t stride : {1, 2, 3}) {
      check(transposed_2d(2, channels, channels, 5, 7, 4, stride, 1, 0, 1, channels), {.bias = true, .strip = true});
      check(transposed_2d(1, channels, channels, 4, 30, 3, stride, 0, 0, 2, channels), {.residual = true});
      check(shape_3d(1, channels, channels, 4, 6, 9, 3, 3, stride, 1, 1, channels), {.scale = true, .clip = true});
    }
  }
  check(transposed_2d(1, 64, 64, 30, 31, 4, 2, 1, 0, 1, 64), {.bias = true});
  check(transposed_2d(2, 40, 70, 17, 18, 4, 2, 1), {.bias = true, .strip = true});
  check(transposed_2d(1, 64, 33, 9, 40, 5, 3, 2, 1), {.bias = true, .residual = true, .clip = true});
}

// In pieces, of which some touch the padding.
TEST(Conv, DepthwiseOfOneRow) {
  for (const int64_t w : {1, 6, 60, 1100}) {
    for (const int64_t k : {2, 5, 9, 31}) {
      for (const int64_t stride : {1, 2, 5}) {
        for (const int64_t dilation : {1, 3, 12}) {
          const int64_t reach = (k - 1) * dilation;
          for (const int64_t pad : {reach / 2, reach + 3}) {
            const ConvShape s = shape_2d(1, 20, 20, w < 100 ? 3 : 1, w, 1, k, stride, pad, dilation, 20);
            if (s.out[2] <= 0) continue;
            check(s, {.bias = true, .residual = pad > reach, .strip = true});
            ConvShape padded_below = s;
            padded_below.out[1] += 2;
            if (k == 2 && w < 100) check(padded_below, {.bias = true});
          }
        }
      }
    }
  }
}

TEST(Conv, FewOutputs) {
  for (int64_t oc = 1; oc <= kFewOutputs + 1; ++oc) {
    for (const int64_t ic : {3, 16, 21, 40}) {
      for (const int64_t stride : {1, 2}) {
        check(shape_2d(1, ic, oc, 6, 19, 3, 3, stride, 1), {.bias = true, .clip = true});
        check(transposed_2d(1, ic, oc, 5, 7, 4, stride, 1), {.residual = true, .slope = 0.2f});
      }
      check(shape_2d(2, ic, oc, 5, 7, 1, 1), {.scale = true, .strip = true});
    }
    check(shape_2d(1, 150, oc, 7, 9, 5, 5, 1, 4, 2), {.bias = true, .residual = true, .in_place = true});
    check(shape_2d(1, 64, oc, 60, 61, 3, 3, 1, 1), {.bias = true});
  }
}

TEST(Conv, Epilogues) {
  const Extras extras[] = {
      {.bias = true},     {.scale = true},
      {.residual = true}, {.residual = true, .in_place = true},
      {.clip = true},     {.slope = 0.1f},
      {.strip = true},    {.bias = true, .scale = true, .residual = true, .clip = true, .strip = true, .slope = 0.2f}};
  for (const Extras& e : extras) {
    check(shape_2d(2, 3, 20, 7, 9, 3, 3, 2, 1), e);
    check(shape_2d(1, 20, 20, 7, 9, 3, 3, 1, 1, 1, 20), e);
    check(shape_2d(1, 36, 70, 6, 7, 1, 1), e);
    check(shape_2d(1, 150, 40, 6, 7, 3, 3, 1, 1), e);  // more than one block of K
  }
}

// Groups of some blocks, and such as share blocks.
TEST(Conv, GroupsBeforeWinograd) {
  const Extras e{.bias = true, .scale = true, .residual = true, .clip = true, .strip = true, .slope = 0.25f};
  for (const auto& [channels, groups] :
       {std::pair<int64_t, int64_t>{4, 7}, {8, 6}, {16, 3}, {24, 4}, {24, 3}, {10, 9}, {32, 2}, {48, 2}})
    for (const int64_t stride : {1, 2}) {
      const int64_t c = channels * groups;
      check(shape_2d(2, c, c, 9, 11, 3, 3, stride, 1, 1, groups), stride == 1 ? e : Extras{});
      check(shape_2d(1, c, 2 * c, 6, 7, 3, 3, stride, 0, 1, groups), {.bias = true});
    }
}

TEST(Conv, ManyTiles) {
  check(shape_2d(1, 64, 128, 20, 30, 3, 3, 1, 1), {.bias = true, .clip = true});
  check(shape_2d(1, 16, 16, 5, 700, 3, 3, 1, 1), {.strip = true});
  check(shape_2d(3, 64, 192, 30, 30, 1, 1), {.residual = true, .strip = true});
  check(shape_2d(1, 600, 64, 8, 8, 1, 1));
}

TEST(Conv, SameBitsForAnyNumberOfThreads) {
  Team one(1);
  Team three(3);
  const ConvShape shapes[] = {shape_2d(2, 40, 128, 20, 21, 3, 3, 1, 1), shape_2d(1, 32, 32, 40, 41, 3, 3, 2, 1, 1, 32)};
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    for (const ConvShape& s : shapes) {
      for (const ConvAlgorithm algorithm : all_algorithms()) {
        if (!conv_accepts(algorithm, s)) continue;
        if (table(tier).conv.tile(algorithm).fn == nullptr) continue;
        EXPECT_EQ(run(tier, algorithm, s, {}, one, Edge::kBack, nullptr),
                  run(tier, algorithm, s, {}, three, Edge::kBack, nullptr))
            << describe(s, algorithm, tier);
      }
    }
  }
}

TEST(Reorder, RoundTripsEveryTail) {
  Team one(1);
  Random random(5);
  for (const Tier tier : testing::machine_tiers(Tier::amx)) {
    for (int64_t c = 1; c <= 35; ++c) {
      for (const int64_t pixels : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 300}) {
        for (const Edge edge : testing::kEdges) {
          const std::vector<float> values = random.floats(count(2 * c * pixels));
          GuardedBuffer<float> x(values, edge);
          GuardedBuffer<float> y(count(blocked_floats(2, c, pixels)), edge);
          to_blocked(one, table(tier).conv, x.data(), 2, c, pixels, y.data());
          ASSERT_EQ(std::vector<float>(y.begin(), y.end()), blocked(values, 2, c, pixels, 0));
          GuardedBuffer<float> back(values.size(), edge);
          to_plain(one, table(tier).conv, y.data(), 2, c, pixels, back.data());
          ASSERT_EQ(std::vector<float>(back.begin(), back.end()), values) << tier_name(tier) << c << " " << pixels;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tc::kernels
