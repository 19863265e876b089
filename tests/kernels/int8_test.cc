#include "tc/kernels/int8/int8.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {

// What the tiers multiply with where the machine has no VNNI.
extern const Int8Table int8_table_avx2, int8_table_avx512;

namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

struct Variant {
  std::string name;
  Int8Table table;
  ConvTable conv;
};
std::vector<Variant> variants() {
  std::vector<Variant> list;
  for (const Tier tier : machine_tiers(Tier::amx))
    list.push_back({tier_name(tier), table(tier).int8, table(tier).conv});
#if TC_WITH_AVX2 && TC_WITH_AVX512 && !defined(TC_EMULATED_TILES)
  for (const Tier tier : machine_tiers())
    if (tier >= Tier::avx2)
      list.push_back({std::string(tier_name(tier)) + "_madd", tier == Tier::avx2 ? int8_table_avx2 : int8_table_avx512,
                      table(tier).conv});
#endif
  return list;
}

class Int8 : public ::testing::TestWithParam<Variant> {
 protected:
  const Int8Table& kernels() const { return GetParam().table; }
  const ConvTable& conv() const { return GetParam().conv; }
};

// Whole range of a byte: a kernel that saturates its intermediate sums fails.
std::vector<uint8_t> bytes(Random& random, int64_t n) {
  std::vector<uint8_t> v(static_cast<size_t>(n));
  const auto extremes = random.floats(v.size(), 0, 1);
  const auto values = random.floats(v.size(), 0, 256);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = extremes[i] < 0.2F ? 255 : extremes[i] < 0.4F ? 127 : static_cast<uint8_t>(values[i]);
  return v;
}

// Of the whole range, or half of it, in which two products with unsigned bytes fit 16 bits: kernels may add those up
// first; or of half but for a few.
enum class Range : uint8_t { whole, half, mostly_half };
constexpr Range kRanges[] = {Range::whole, Range::half, Range::mostly_half};
std::vector<uint8_t> within(Range range, std::vector<uint8_t> v, bool is_signed) {
  if (range == Range::whole) return v;
  for (auto& byte : v) byte = static_cast<uint8_t>(byte % 128 + (is_signed ? -64 : 64));
  if (range == Range::half) return v;
  // Runs of the ends of the range.
  for (size_t i = 0; i < v.size(); ++i)
    if (i % 223 < 8) v[i] = static_cast<uint8_t>((i / 223 % 2 == 0 ? 0 : 255) - (is_signed ? 128 : 0));
  return v;
}

int32_t value(uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<int8_t>(byte) : byte;
}

struct Scratch {
  explicit Scratch(size_t n) : memory(n + 64) {}
  std::byte* data() {
    const auto at = reinterpret_cast<uintptr_t>(memory.data());
    return memory.data() + ((at + 63) / 64 * 64 - at);
  }
  std::vector<std::byte> memory;
};

struct GemmCase {
  int64_t m, n, k;
  bool a_signed, b_signed, pack, zeros, per_column;
  Range range;
};

void check_gemm(const Int8Table& table, Team& team, const GemmCase& c, Edge edge) {
  Random random(static_cast<uint64_t>(c.m * 7 + c.n * 3 + c.k));
  const auto all_b = bytes(random, c.k * c.n);
  GuardedBuffer<uint8_t> a(bytes(random, c.m * c.k), edge), b(within(c.range, all_b, c.b_signed), edge);
  const auto b_zero = bytes(random, c.per_column ? c.n : 1);
  const uint8_t a_zero = 77;
  GuardedBuffer<int32_t> y(static_cast<size_t>(c.m * c.n), edge);
  Int8GemmArgs g;
  g.m = c.m, g.n = c.n, g.k = c.k;
  g.a = a.data(), g.a_signed = c.a_signed, g.b_signed = c.b_signed;
  if (c.zeros) g.a_zero = &a_zero, g.b_zero = b_zero.data(), g.b_zero_step = c.per_column;
  std::vector<uint8_t> packed(int8_packed_bytes(table, c.k, c.n) + 64);
  if (c.pack) {
    int8_pack(team, table, b.data(), c.b_signed, c.k, c.n, packed.data());
    g.packed_b = packed.data();
  } else {
    g.b = b.data();
  }
  Scratch scratch(int8_gemm_scratch(table, g, team.threads()));
  g.scratch = scratch.data();
  g.c = y.data();
  int8_gemm(team, table, g);
  for (int64_t i = 0; i < c.m; ++i)
    for (int64_t j = 0; j < c.n; ++j) {
      int32_t sum = 0;
      for (int64_t p = 0; p < c.k; ++p)
        sum += (value(a[static_cast<size_t>(i * c.k + p)], c.a_signed) - (c.zeros ? value(a_zero, c.a_signed) : 0)) *
               (value(b[static_cast<size_t>(p * c.n + j)], c.b_signed) -
                (c.zeros ? value(b_zero[static_cast<size_t>(c.per_column ? j : 0)], c.b_signed) : 0));
      ASSERT_EQ(y[static_cast<size_t>(i * c.n + j)], sum)
          << c.m << "x" << c.n << "x" << c.k << " signed " << c.a_signed << c.b_signed << " packed " << c.pack
          << " zeros " << c.zeros << " at " << i << ", " << j;
    }
}

TEST_P(Int8, Gemm) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (const auto& [m, n, k] :
         std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                             {1, 70, 5},
                                             {3, 16, 8},
                                             {6, 65, 130},
                                             {41, 129, 63},
                                             {7, 33, 0},
                                             {85, 7, 36},
                                             {7, 20, 1234},
                                             {5, 600, 33},    // several panels to a piece
                                             {131, 40, 66}})  // more rows than a worker copies for itself
      for (int bits = 0; bits < 32; ++bits) {
        const auto bit = [&](int i) { return (bits >> i & 1) != 0; };
        for (const Range range : kRanges)
          check_gemm(kernels(), team, {m, n, k, bit(0), bit(1), bit(2), bit(3), bit(4), range}, edge);
      }
}

// Of row i of unsigned bytes and column j of signed ones.
int32_t sum_at(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, int64_t n, int64_t k, int64_t i,
               int64_t j) {
  int32_t sum = 0;
  for (int64_t p = 0; p < k; ++p)
    sum += a[static_cast<size_t>(i * k + p)] * value(b[static_cast<size_t>(p * n + j)], true);
  return sum;
}

TEST_P(Int8, GemmToBytes) {
  Team team(1);
  Random random(5);
  constexpr int64_t kM = 9, kN = 71, kK = 40;
  const auto a = bytes(random, kM * kK), b = bytes(random, kK * kN);
  const auto scale = random.floats(kN, 1e-4F, 1e-2F);
  for (const bool is_signed : {false, true}) {
    std::vector<uint8_t> y(kM * kN);
    Int8GemmArgs g;
    g.m = kM, g.n = kN, g.k = kK, g.a = a.data(), g.b = b.data();
    g.output = {.kind = is_signed ? Int8Output::Kind::i8 : Int8Output::Kind::u8,
                .scale = scale.data(),
                .scale_col = 1,
                .zero = is_signed ? -3 : 100};
    Scratch scratch(int8_gemm_scratch(kernels(), g, 1));
    g.scratch = scratch.data(), g.c = y.data();
    int8_gemm(team, kernels(), g);
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t j = 0; j < kN; ++j) {
        const int32_t sum = sum_at(a, b, kN, kK, i, j);
        const float want = std::clamp(
            std::nearbyint(static_cast<float>(sum) * scale[static_cast<size_t>(j)]) + static_cast<float>(g.output.zero),
            is_signed ? -128.0F : 0.0F, is_signed ? 127.0F : 255.0F);
        ASSERT_EQ(static_cast<float>(value(y[static_cast<size_t>(i * kN + j)], is_signed)), want) << i << ", " << j;
      }
  }
}

TEST_P(Int8, GemmToFloats) {
  Team team(1);
  Random random(6);
  constexpr int64_t kM = 9, kK = 40;
  for (const int64_t n : {64, 71})
    for (const bool per_column : {false, true})
      for (const bool relu : {false, true})
        for (const Edge edge : kEdges) {
          const auto a = bytes(random, kM * kK), b = bytes(random, kK * n);
          GuardedBuffer<float> scale(random.floats(static_cast<size_t>(per_column ? n : 1), 1e-4F, 1e-2F), edge),
              shift(random.floats(static_cast<size_t>(n), -50, 50), edge);
          GuardedBuffer<float> y(static_cast<size_t>(kM * n), edge);
          Int8GemmArgs g;
          g.m = kM, g.n = n, g.k = kK, g.a = a.data(), g.b = b.data();
          g.output = {.kind = Int8Output::Kind::f32, .scale = scale.data(), .scale_col = per_column, .relu = relu};
          if (relu) g.output.shift = shift.data();
          Scratch scratch(int8_gemm_scratch(kernels(), g, 1));
          g.scratch = scratch.data(), g.c = y.data();
          int8_gemm(team, kernels(), g);
          for (int64_t i = 0; i < kM; ++i)
            for (int64_t j = 0; j < n; ++j) {
              const int32_t sum = sum_at(a, b, n, kK, i, j);
              const float scaled = static_cast<float>(sum) * scale[static_cast<size_t>(per_column ? j : 0)];
              const float want = relu ? std::max(0.0F, scaled + shift[static_cast<size_t>(j)]) : scaled;
              ASSERT_NEAR(y[static_cast<size_t>(i * n + j)], want, 1e-6F * (1 + std::abs(scaled))) << i << ", " << j;
            }
        }
}

// Where element i of [n][c][pixels] lies, in blocks of 16 channels where `blocked`.
size_t place(size_t i, int64_t c, int64_t pixels, bool blocked) {
  if (!blocked) return i;
  const auto at = static_cast<int64_t>(i), image = at / (c * pixels), channel = at / pixels % c;
  return static_cast<size_t>(((image * ((c + 15) / 16) + channel / 16) * pixels + at % pixels) * 16 + channel % 16);
}

// What there is beyond the channels is anything.
std::vector<uint8_t> laid_out(const std::vector<uint8_t>& plain, int64_t n, int64_t c, int64_t pixels, bool blocked) {
  std::vector<uint8_t> to(static_cast<size_t>(n * pixels * (blocked ? (c + 15) / 16 * 16 : c)), 0x5a);
  for (size_t i = 0; i < plain.size(); ++i) to[place(i, c, pixels, blocked)] = plain[i];
  return to;
}

struct ConvCase {
  Int8ConvArgs shape;
  bool w_signed = true;
  int64_t w_zeros = 0;  // 0, 1 or as many as there are filters
  Int8Output::Kind kind = Int8Output::Kind::i32;
  bool adds = false;  // another tensor
  Edge edge = Edge::kBack;
  Range range = Range::whole;
};

// Scales are powers of two, so that nothing is rounded twice.
int32_t finished(int32_t sum, const Int8Output& out, float scale, const Int8Sum& s, const uint8_t* other) {
  const auto clamp = [](float x, bool is_signed) {
    return std::clamp(x, is_signed ? -128.0F : 0.0F, is_signed ? 127.0F : 255.0F);
  };
  float x = clamp(std::nearbyint(static_cast<float>(sum) * scale) + static_cast<float>(out.zero),
                  out.kind == Int8Output::Kind::i8);
  if (out.relu) x = std::max(x, static_cast<float>(out.zero));
  if (other) {
    x = (x - static_cast<float>(out.zero)) * s.product_scale +
        static_cast<float>(value(*other, s.other_signed) - s.other_zero) * s.other_scale;
    if (s.relu) x = std::max(x, 0.0F);
    x = clamp(std::nearbyint(x / s.scale) + static_cast<float>(s.zero), s.is_signed);
  }
  return static_cast<int32_t>(x);
}

void check_conv(const Int8Table& table, const ConvTable& conv, Team& team, const ConvCase& how) {
  Int8ConvArgs c = how.shape;
  const int64_t filters = c.groups * c.out, channels = c.groups * c.channels, taps = c.kernel[0] * c.kernel[1];
  const int64_t in_pixels = c.in[0] * c.in[1], pixels = c.extent[0] * c.extent[1];
  const bool blocked = int8_conv_gives_blocked(c.algorithm), to_bytes = how.kind != Int8Output::Kind::i32;
  Random random(static_cast<uint64_t>(filters * 31 + c.in[1] * 7 + c.stride[1]));
  const auto plain_x = bytes(random, c.batch * channels * in_pixels);
  const auto all_w = bytes(random, filters * c.channels * taps);
  GuardedBuffer<uint8_t> x(laid_out(plain_x, c.batch, channels, in_pixels, c.x_blocked), how.edge),
      w(within(how.range, all_w, how.w_signed), how.edge);
  GuardedBuffer<int32_t> bias(static_cast<size_t>(filters), how.edge);
  for (size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<int32_t>(i * 100) - 300;
  GuardedBuffer<uint8_t> w_zero(bytes(random, how.w_zeros), how.edge);
  c.x = x.data(), c.bias = bias.data(), c.w_signed = how.w_signed;
  if (how.w_zeros) c.w_zero = w_zero.data(), c.w_zero_step = how.w_zeros > 1;
  const auto zero_of = [&](int64_t f) {
    return how.w_zeros ? value(w_zero[static_cast<size_t>(f * c.w_zero_step)], c.w_signed) : c.w_signed ? 0 : 128;
  };
  const auto lanes = static_cast<size_t>(blocked ? (filters + 15) / 16 * 16 : filters);
  GuardedBuffer<float> scale(lanes, how.edge);
  for (size_t i = 0; i < lanes; ++i) scale[i] = i % 3 ? 0x1p-9F : 0x1p-11F;
  const auto plain_other = bytes(random, c.batch * filters * pixels);
  GuardedBuffer<uint8_t> other(laid_out(plain_other, c.batch, filters, pixels, blocked), how.edge);
  c.output.kind = how.kind;
  if (to_bytes) {
    c.output.scale = scale.data(), c.output.scale_row = 1;
    c.output.zero = how.kind == Int8Output::Kind::i8 ? -3 : 100;
    c.output.relu = !how.adds && c.stride[0] == 2;
  }
  if (how.adds)
    c.sum = {.other = other.data(),
             .other_signed = c.x_signed,
             .is_signed = !c.x_signed,
             .relu = c.stride[0] == 2,
             .other_zero = 7,
             .zero = 11,
             .product_scale = 0.5F,
             .other_scale = 0.25F,
             .scale = 0.5F};
  GuardedBuffer<int32_t> words(to_bytes ? 0 : static_cast<size_t>(c.batch * pixels) * lanes, how.edge);
  GuardedBuffer<uint8_t> y(to_bytes ? static_cast<size_t>(c.batch * pixels) * lanes : 0, how.edge);
  c.y = to_bytes ? static_cast<void*>(y.data()) : words.data();
  GuardedBuffer<uint8_t> packed(int8_filter_bytes(table, c), Edge::kFront);
  int8_pack_filters(team, table, c, w.data(), packed.data());
  c.packed_w = packed.data();
  Scratch scratch(int8_conv_scratch(table, c, team.threads()));
  c.scratch = scratch.data();
  int8_conv(team, table, conv, c);
  size_t at = 0;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t f = 0; f < filters; ++f)
      for (int64_t oy = 0; oy < c.extent[0]; ++oy)
        for (int64_t ox = 0; ox < c.extent[1]; ++ox, ++at) {
          int32_t sum = bias[static_cast<size_t>(f)];
          for (int64_t ch = 0; ch < c.channels; ++ch)
            for (int64_t t = 0; t < taps; ++t) {
              const int64_t iy = oy * c.stride[0] + t / c.kernel[1] * c.dilation[0] - c.pad[0];
              const int64_t ix = ox * c.stride[1] + t % c.kernel[1] * c.dilation[1] - c.pad[1];
              if (iy < 0 || iy >= c.in[0] || ix < 0 || ix >= c.in[1]) continue;
              const int64_t plane = n * channels + f / c.out * c.channels + ch;
              sum += (value(plain_x[static_cast<size_t>((plane * c.in[0] + iy) * c.in[1] + ix)], c.x_signed) -
                      value(c.x_zero, c.x_signed)) *
                     (value(w[static_cast<size_t>((f * c.channels + ch) * taps + t)], c.w_signed) - zero_of(f));
            }
          const bool is_signed = how.adds ? c.sum.is_signed : how.kind == Int8Output::Kind::i8;
          const size_t to = place(at, filters, pixels, blocked);
          const int32_t got = to_bytes ? value(y[to], is_signed) : words[to];
          const int32_t want = to_bytes ? finished(sum, c.output, scale[static_cast<size_t>(f)], c.sum,
                                                   how.adds ? &plain_other[at] : nullptr)
                                        : sum;
          ASSERT_EQ(got, want) << "filter " << f << " of " << filters << " pixel " << oy << ", " << ox << " stride "
                               << c.stride[0] << ", " << c.stride[1] << " groups " << c.groups << " algorithm "
                               << static_cast<int>(c.algorithm);
        }
}

Int8ConvArgs window(int64_t kernel, int64_t stride, int64_t dilation) {
  Int8ConvArgs c;
  c.in[0] = 9, c.in[1] = 13;
  for (int d = 0; d < 2; ++d) {
    c.kernel[d] = kernel, c.stride[d] = stride, c.dilation[d] = dilation, c.pad[d] = kernel / 2 + d;
    c.extent[d] = (c.in[d] + 2 * c.pad[d] - (kernel - 1) * dilation - 1) / stride + 1;
  }
  c.x_zero = 131;
  return c;
}

constexpr Int8Output::Kind kKinds[] = {Int8Output::Kind::i32, Int8Output::Kind::u8, Int8Output::Kind::i8};

TEST_P(Int8, Conv) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (const bool x_signed : {false, true})
      for (const int64_t kernel : {1, 3})
        for (const int64_t stride : {1, 2, 3})
          for (const int64_t dilation : {1, 2}) {
            Int8ConvArgs c = window(kernel, stride, dilation);
            c.batch = 2, c.groups = 2, c.channels = kernel == 1 ? 8 : 5, c.out = 11, c.x_signed = x_signed;
            for (const int64_t w_zeros : {int64_t{0}, int64_t{1}, c.groups * c.out})
              for (const auto kind : kKinds)
                check_conv(kernels(), conv(), team, {c, !x_signed, w_zeros, kind, kind == kKinds[1], edge});
          }
}

// More than a chunk of the inner axis, within a tap and over several.
TEST_P(Int8, ConvOfManyChannels) {
  Team team(2);
  for (const int64_t channels : {100, 1300}) {
    Int8ConvArgs c;
    c.channels = channels, c.out = 7;
    for (int d = 0; d < 2; ++d) c.in[d] = c.extent[d] = 4, c.kernel[d] = 3, c.pad[d] = 1;
    c.x_zero = 3;
    for (const int64_t w_zeros : {0, 7}) check_conv(kernels(), conv(), team, {.shape = c, .w_zeros = w_zeros});
    c.algorithm = Int8ConvAlgorithm::direct;
    for (const bool blocked : {false, true}) c.x_blocked = blocked, check_conv(kernels(), conv(), team, {.shape = c});
  }
}

TEST_P(Int8, DirectConv) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (int bits = 0; bits < 8; ++bits)
      for (const auto& [channels, out] : std::vector<std::array<int64_t, 2>>{{3, 70}, {24, 40}, {33, 1}, {4, 17}})
        for (const auto& [kernel, stride, dilation] :
             std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {3, 1, 1}, {3, 2, 1}, {2, 3, 2}})
          for (const auto kind : kKinds) {
            Int8ConvArgs c = window(kernel, stride, dilation);
            c.algorithm = Int8ConvAlgorithm::direct;
            c.batch = 2, c.channels = channels, c.out = out;
            c.x_blocked = bits & 1, c.x_signed = bits & 2;
            // Without padding images are read where they lie.
            if (bits & 4)
              for (int d = 0; d < 2; ++d)
                c.extent[d] = (c.in[d] - (kernel - 1) * dilation - 1) / stride + 1, c.pad[d] = 0;
            check_conv(kernels(), conv(), team,
                       {.shape = c,
                        .w_signed = !(bits & 2),
                        .kind = kind,
                        .adds = kind == kKinds[2],
                        .edge = edge,
                        .range = kind == kKinds[1]   ? Range::half
                                 : kind == kKinds[2] ? Range::mostly_half
                                                     : Range::whole});
          }
}

// So few channels that a quad has those of several taps; rows of more pixels than are brought side by side at once.
TEST_P(Int8, DirectConvOfFewChannels) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (const bool x_signed : {false, true})
      for (const int64_t channels : {1, 2, 3})
        for (const auto& [kernel, stride, width] :
             std::vector<std::array<int64_t, 3>>{{2, 1, 13}, {3, 1, 64}, {3, 2, 65}, {5, 3, 20}, {7, 2, 150}}) {
          Int8ConvArgs c;
          c.algorithm = Int8ConvAlgorithm::direct;
          c.batch = 2, c.channels = channels, c.out = 21, c.x_signed = x_signed, c.x_zero = 131;
          c.in[0] = 9, c.in[1] = width, c.dilation[0] = kernel == 3 ? 2 : 1;
          for (int d = 0; d < 2; ++d) {
            c.kernel[d] = kernel, c.stride[d] = stride, c.pad[d] = kernel / 2;
            c.extent[d] = (c.in[d] + 2 * c.pad[d] - (kernel - 1) * c.dilation[d] - 1) / stride + 1;
          }
          for (const auto kind : kKinds)
            check_conv(kernels(), conv(), team, {.shape = c, .w_signed = !x_signed, .kind = kind, .edge = edge});
        }
}

TEST_P(Int8, DirectConvOfGroups) {
  Team team(2);
  for (const bool blocked : {false, true})
    for (const auto& [channels, out] : std::vector<std::array<int64_t, 2>>{{4, 16}, {24, 80}, {16, 32}})
      for (const auto kind : kKinds) {
        Int8ConvArgs c = window(3, 1, 1);
        c.algorithm = Int8ConvAlgorithm::direct;
        c.batch = 2, c.groups = 3, c.channels = channels, c.out = out, c.x_blocked = blocked;
        check_conv(kernels(), conv(), team, {.shape = c, .kind = kind, .adds = kind == kKinds[2]});
      }
}

TEST_P(Int8, DepthwiseConv) {
  Team team(2);
  for (const Edge edge : kEdges)
    for (const bool x_signed : {false, true})
      for (const int64_t groups : {16, 37})
        for (const auto& [kernel, stride, dilation] :
             std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {3, 1, 1}, {3, 2, 1}, {5, 1, 2}, {3, 3, 1}})
          for (const auto kind : kKinds) {
            Int8ConvArgs c = window(kernel, stride, dilation);
            c.algorithm = Int8ConvAlgorithm::depthwise;
            c.batch = 2, c.groups = groups, c.channels = c.out = 1, c.x_blocked = true, c.x_signed = x_signed;
            check_conv(kernels(), conv(), team,
                       {.shape = c, .w_signed = !x_signed, .kind = kind, .adds = kind == kKinds[2], .edge = edge});
          }
}

// Images of which a piece of work takes some rows.
TEST_P(Int8, DepthwiseConvOfLargeImages) {
  Team team(2);
  for (const int64_t stride : {1, 2}) {
    Int8ConvArgs c;
    c.algorithm = Int8ConvAlgorithm::depthwise;
    c.groups = 3, c.channels = c.out = 1, c.x_blocked = true, c.x_zero = 9;
    for (int d = 0; d < 2; ++d) {
      c.in[d] = 70 + 50 * d, c.kernel[d] = 3, c.pad[d] = 1, c.stride[d] = stride;
      c.extent[d] = (c.in[d] - 1) / stride + 1;
    }
    check_conv(kernels(), conv(), team, {.shape = c, .kind = Int8Output::Kind::u8});
  }
}

TEST_P(Int8, Layouts) {
  Team team(2);
  Random random(9);
  for (const Edge edge : kEdges)
    for (const int64_t channels : {1, 16, 35})
      for (const int64_t pixels : {1, 15, 16, 33}) {
        const auto plain = bytes(random, 2 * channels * pixels);
        GuardedBuffer<uint8_t> from(plain, edge), back(plain.size(), edge),
            to(static_cast<size_t>((channels + 15) / 16 * 32 * pixels), edge);
        to_blocked(team, kernels(), from.data(), 2, channels, pixels, to.data());
        for (size_t i = 0; i < plain.size(); ++i)
          ASSERT_EQ(to[place(i, channels, pixels, true)], plain[i]) << channels << 'x' << pixels;
        to_plain(team, kernels(), to.data(), 2, channels, pixels, back.data());
        for (size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(back[i], plain[i]) << channels << 'x' << pixels;
      }
}

// There and back, as integers of type T.
template <class T>
void check_floats(const Int8Table& table, std::span<const float> x, float scale, int32_t zero, Elem type, Edge edge) {
  const auto n = static_cast<int64_t>(x.size());
  GuardedBuffer<T> q(x.size(), edge);
  GuardedBuffer<float> back(x.size(), edge);
  table.quantise.fn(x.data(), n, scale, zero, type, q.data());
  table.dequantise.fn(q.data(), type, n, 0.1F, zero, back.data());
  for (size_t i = 0; i < x.size(); ++i) {
    const float lo = std::numeric_limits<T>::min(), hi = std::numeric_limits<T>::max(), quotient = x[i] / scale;
    const float want =
        std::isnan(quotient) ? 0 : std::clamp(std::nearbyint(quotient) + static_cast<float>(zero), lo, hi);
    ASSERT_EQ(static_cast<float>(q[i]), want) << x[i] << " / " << scale << ' ' << elem_name(type);
    ASSERT_EQ(back[i], static_cast<float>(q[i] - zero) * 0.1F) << elem_name(type);
  }
}

TEST_P(Int8, Floats) {
  Random random(3);
  for (const Edge edge : kEdges)
    for (const int64_t n : {0, 1, 17, 100, 131, 5000}) {
      GuardedBuffer<float> x(random.floats(static_cast<size_t>(n), -20, 20), edge);
      if (n > 1) x[1] = NAN;
      if (n > 17) x[17] = 0;
      if (n > 20) x[19] = -INFINITY, x[20] = INFINITY, x[21] = 3e38F;
      // Halfway between two bytes, and just beside.
      for (size_t i = 200; i < static_cast<size_t>(n); ++i)
        x[i] = std::nextafter((static_cast<float>(i % 300) - 149.5F) * 0.1F, i % 5 < 2 ? -1e9F : 1e9F);
      for (const float scale : {0.1F, -0.1F, 1e-39F, 0.0F, 3e38F, INFINITY}) {
        check_floats<uint8_t>(kernels(), x.span(), scale, 120, Elem::u8, edge);
        check_floats<int8_t>(kernels(), x.span(), scale, 5, Elem::i8, edge);
        check_floats<uint16_t>(kernels(), x.span(), scale, 40000, Elem::u16, edge);
        check_floats<int16_t>(kernels(), x.span(), scale, -700, Elem::i16, edge);
        check_floats<int16_t>(kernels(), x.span(), scale / 1000, 9, Elem::i16, edge);
      }
      float low = 1, high = -1, want_low = 0, want_high = 0;
      kernels().range.fn(x.data(), n, &low, &high);
      for (const float v : x.span())
        if (!std::isnan(v)) want_low = std::min(want_low, v), want_high = std::max(want_high, v);
      EXPECT_EQ(low, want_low);
      EXPECT_EQ(high, want_high);
    }
}

// Blocks of n elements as each of them by itself.
template <class T>
void check_blocks(const Int8Table& table, int64_t blocks, int64_t n, bool zeros, Elem type, Edge edge) {
  Random random(5);
  const auto count = static_cast<size_t>(blocks * n);
  GuardedBuffer<float> x(random.floats(count, -20, 20), edge), back(count, edge);
  for (size_t i = 0; i < count; i += 23) x[i] = i % 2 == 0 ? NAN : -INFINITY;
  GuardedBuffer<float> scale(random.floats(static_cast<size_t>(blocks), 0.05, 0.3), edge);
  if (blocks > 20) scale[3] = 0, scale[20] = -0.1F;
  GuardedBuffer<T> zero(static_cast<size_t>(blocks), edge), q(count, edge), want(static_cast<size_t>(n));
  for (T& z : zero) z = static_cast<T>(random.integer(-100, 100));
  std::vector<float> want_back(static_cast<size_t>(n));
  const T* const given = zeros ? zero.data() : nullptr;
  table.quantise_blocks.fn(x.data(), blocks, n, scale.data(), given, type, q.data());
  table.dequantise_blocks.fn(q.data(), type, blocks, n, scale.data(), given, back.data());
  for (int64_t b = 0; b < blocks; ++b) {
    const auto k = static_cast<size_t>(b);
    const int32_t z = zeros ? zero[k] : 0;
    table.quantise.fn(x.data() + b * n, n, scale[k], z, type, want.data());
    table.dequantise.fn(q.data() + b * n, type, n, scale[k], z, want_back.data());
    for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
      const size_t at = k * static_cast<size_t>(n) + i;
      ASSERT_EQ(q[at], want[i]) << x[at] << " / " << scale[k] << ' ' << elem_name(type);
      ASSERT_EQ(back[at], want_back[i]) << elem_name(type);
    }
  }
}

TEST_P(Int8, Blocks) {
  for (const Edge edge : kEdges)
    for (const int64_t n : {1, 4, 8, 16, 32, 48, 64, 100, 128})
      for (const int64_t blocks : {1, 16, 37})
        for (const bool zeros : {false, true}) {
          check_blocks<uint8_t>(kernels(), blocks, n, zeros, Elem::u8, edge);
          check_blocks<int8_t>(kernels(), blocks, n, zeros, Elem::i8, edge);
          check_blocks<uint16_t>(kernels(), blocks, n, zeros, Elem::u16, edge);
          check_blocks<int16_t>(kernels(), blocks, n, zeros, Elem::i16, edge);
        }
}

TEST_P(Int8, LookUp) {
  Random random(11);
  const auto of = bytes(random, 256);
  for (const Edge edge : kEdges)
    for (const int64_t n : {0, 1, 63, 64, 65, 1000}) {
      GuardedBuffer<uint8_t> x(static_cast<size_t>(n), edge), y(static_cast<size_t>(n), edge);
      for (size_t i = 0; i < static_cast<size_t>(n); ++i) x[i] = static_cast<uint8_t>(i * 37);
      kernels().look_up.fn(of.data(), x.data(), n, y.data());
      for (size_t i = 0; i < static_cast<size_t>(n); ++i) ASSERT_EQ(y[i], of[x[i]]) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Tiers, Int8, ::testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace tc::kernels
