// Products of f64 and integers and convolutions of f64, of every tier, against plain loops, on buffers that end at
// guard pages. Integers are drawn from all of their bits: what overflows wraps around.
#include "tc/kernels/product/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

size_t count(int64_t v) {
  return static_cast<size_t>(v);
}

template <class T>
constexpr Elem kElem = std::is_same_v<T, double>    ? Elem::f64
                       : std::is_same_v<T, float>   ? Elem::f32
                       : std::is_same_v<T, int32_t> ? Elem::i32
                                                    : Elem::i64;

template <class T>
std::vector<T> numbers(Random& random, int64_t n) {
  std::vector<T> out(count(n));
  for (T& x : out) {
    if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(random.bits());
    else
      x = static_cast<T>(random.uniform(-1, 1));
  }
  return out;
}

// Sums that wrap around for integers.
template <class T>
T joined(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) + static_cast<uint64_t>(c));
  else
    return a * b + c;
}

struct Case {
  int64_t m, n, k;
  bool a_transposed = false, b_transposed = false;
  int64_t batch0 = 1, batch1 = 1;
  bool b_shared = false, bias = false, residual = false, residual_is_c = false, one_row = false, one_col = false;
  double alpha = 1, beta = 1;
};

template <class T>
std::vector<T> run(Tier tier, const Case& c, Team& team, Edge edge, std::vector<T>* truth = nullptr) {
  Random random(static_cast<uint64_t>(c.m * 31 + c.n * 7 + c.k));
  const int64_t batches = c.batch0 * c.batch1, b_count = c.b_shared ? 1 : batches;
  GuardedBuffer<T> a(numbers<T>(random, batches * c.m * c.k), edge), b(numbers<T>(random, b_count * c.k * c.n), edge);
  GuardedBuffer<T> out(numbers<T>(random, batches * c.m * c.n), edge), bias(numbers<T>(random, c.n), edge);
  GuardedBuffer<T> residual(numbers<T>(random, batches * c.m * c.n), edge);
  const ProductTable& kernels = table(tier).product;
  ProductArgs args;
  args.type = kElem<T>;
  GemmShape& g = args.shape;
  g.m = c.m, g.n = c.n, g.k = c.k;
  g.batch[0] = c.batch0, g.batch[1] = c.batch1;
  g.a_rs = c.a_transposed ? 1 : c.k, g.a_cs = c.a_transposed ? c.m : 1;
  g.a_batch[1] = c.m * c.k, g.a_batch[0] = c.batch1 * c.m * c.k;
  g.b_rs = c.b_transposed ? 1 : c.n, g.b_cs = c.b_transposed ? c.k : 1;
  if (!c.b_shared) g.b_batch[1] = c.k * c.n, g.b_batch[0] = c.batch1 * c.k * c.n;
  g.c_rs = c.n, g.c_batch[1] = c.m * c.n, g.c_batch[0] = c.batch1 * c.m * c.n;
  g.residual_rs = c.one_row ? 0 : c.one_col ? 1 : c.n, g.residual_cs = c.one_col ? 0 : 1;
  g.residual_batch[1] = g.c_batch[1], g.residual_batch[0] = g.c_batch[0];
  args.a = a.data(), args.b = b.data(), args.c = out.data();
  args.alpha = c.alpha, args.beta = c.beta;
  if (c.bias) args.bias = bias.data();
  if (c.residual) args.residual = residual.data();
  if (c.residual_is_c) args.residual = out.data();
  if (truth != nullptr) {
    truth->clear();
    for (int64_t q = 0; q < batches; ++q)
      for (int64_t i = 0; i < c.m; ++i)
        for (int64_t j = 0; j < c.n; ++j) {
          T sum{};
          for (int64_t p = 0; p < c.k; ++p)
            sum = joined(a[count(q * c.m * c.k + i * g.a_rs + p * g.a_cs)],
                         b[count((c.b_shared ? 0 : q) * c.k * c.n + p * g.b_rs + j * g.b_cs)], sum);
          if (c.alpha != 1) sum = static_cast<T>(static_cast<double>(sum) * c.alpha);
          if (c.bias) sum = joined(T{1}, bias[count(j)], sum);
          if (args.residual != nullptr)
            sum = joined(static_cast<T>(c.beta),
                         static_cast<const T*>(args.residual)[q * c.m * c.n + i * g.residual_rs + j * g.residual_cs],
                         sum);
          truth->push_back(sum);
        }
  }
  const ProductPlan plan = product_plan(kernels, args);
  GuardedBuffer<char> scratch(product_scratch_bytes(plan, team.threads()), Edge::kFront);
  args.scratch = scratch.data();
  product(team, kernels, args, plan);
  return {out.begin(), out.end()};
}

template <class T>
void check(const Case& c) {
  Team one(1), two(2);
  for (const Tier tier : machine_tiers()) {
    SCOPED_TRACE(std::string(tier_name(tier)) + " " + elem_name(kElem<T>) + " m=" + std::to_string(c.m) +
                 " n=" + std::to_string(c.n) + " k=" + std::to_string(c.k) + (c.a_transposed ? " At" : "") +
                 (c.b_transposed ? " Bt" : "") + " batch " + std::to_string(c.batch0 * c.batch1));
    std::vector<T> got;
    for (const Edge edge : kEdges) {
      std::vector<T> truth;
      got = run<T>(tier, c, one, edge, &truth);
      ASSERT_EQ(got.size(), truth.size());
      for (size_t i = 0; i < got.size(); ++i) {
        if constexpr (std::is_integral_v<T>) {
          ASSERT_EQ(got[i], truth[i]) << i;
        } else {
          // Roundings of partial sums, whose magnitudes grow with the root of k.
          constexpr double kRounding = std::is_same_v<T, float> ? 1.2e-7 : 2.3e-16;
          ASSERT_NEAR(got[i], truth[i], kRounding * static_cast<double>(4 + c.k)) << i;
        }
      }
    }
    const std::vector<T> pair = run<T>(tier, c, two, kEdges[1]);
    ASSERT_EQ(std::memcmp(pair.data(), got.data(), got.size() * sizeof(T)), 0) << "depends on the number of threads";
  }
}

template <class T>
class Products : public ::testing::Test {};
using Types = ::testing::Types<double, int32_t, int64_t>;
TYPED_TEST_SUITE(Products, Types);

// Of f32 the small ones of a batch alone.
TEST(SmallProducts, OfFloats) {
  for (const bool at : {false, true})
    for (const int64_t m : {1, 2, 3, 4, 7, 8, 16})
      for (const int64_t n : {1, 2, 5, 8, 13, 16}) check<float>({m, n, 3 + m % 4, at, false, 3, 5});
  check<float>({4, 4, 4, false, false, 2, 3, true, true, true});
  check<float>({16, 16, 16, false, false, 2, 3, false, false, true, true, false, false, 0.5, 2});
  check<float>({3, 5, 2, false, false, 1, 300, false, true, true, false, true});
}

TYPED_TEST(Products, EveryEdgeOfTheTile) {
  for (const bool at : {false, true})
    for (const bool bt : {false, true}) {
      for (int64_t m = 1; m <= 16; ++m) check<TypeParam>({m, 37, 19, at, bt});
      for (int64_t n = 1; n <= 70; n += n < 20 ? 1 : 7) check<TypeParam>({9, n, 11, at, bt});
      for (int64_t k = 0; k <= 34; ++k) check<TypeParam>({5, 18, k, at, bt});
    }
}

TYPED_TEST(Products, VectorsAndThinMatrices) {
  for (const bool at : {false, true})
    for (const bool bt : {false, true})
      for (int64_t thin = 1; thin <= 3; ++thin) {
        check<TypeParam>({thin, 131, 77, at, bt});
        check<TypeParam>({131, thin, 77, at, bt});
        check<TypeParam>({thin, 1100, 40, at, bt});
        check<TypeParam>({thin, thin, 1000, at, bt});
      }
}

TYPED_TEST(Products, BlocksOfEveryExtent) {
  check<TypeParam>({115, 70, 300});
  check<TypeParam>({20, 70, 530, false, true});
  check<TypeParam>({3, 700, 90, true, false});
  check<TypeParam>({5, 300, 2100});
}

TYPED_TEST(Products, SmallOnesOfBatches) {
  for (const bool at : {false, true})
    for (const int64_t m : {1, 2, 3, 4, 7, 8, 16})
      for (const int64_t n : {1, 2, 5, 8, 13, 16}) check<TypeParam>({m, n, 3 + m % 4, at, false, 3, 5});
  check<TypeParam>({4, 4, 4, false, false, 2, 3, true, true, true});
  check<TypeParam>({4, 4, 4, false, false, 2, 3, false, false, true, true});
  check<TypeParam>({3, 5, 2, false, false, 1, 300, false, true, true, false, true});
}

TYPED_TEST(Products, Batches) {
  check<TypeParam>({7, 20, 13, false, false, 3, 2});
  check<TypeParam>({7, 20, 13, true, true, 2, 3, true});
  check<TypeParam>({1, 20, 13, false, true, 4, 1});
  check<TypeParam>({20, 170, 200, false, false, 2, 1});
}

TYPED_TEST(Products, LittleMatrices) {
  for (const int64_t m : {1, 2, 3, 4, 5, 9})
    for (const int64_t n : {1, 2, 3, 4, 8, 9, 17})
      for (const int64_t k : {1, 3, 4, 17}) check<TypeParam>({m, n, k, false, false, 3, 2});
  check<TypeParam>({70, 33, 40});
  check<TypeParam>({66, 16, 530, true, false});
  Case c{11, 12, 300, false, false, 3, 1};
  c.bias = c.residual = true;
  check<TypeParam>(c);
}

TYPED_TEST(Products, Addends) {
  for (const int64_t m : {2, 9})
    for (const bool bt : {false, true}) {
      Case c{m, 21, 300, false, bt, 2, 1};
      c.bias = true;
      check<TypeParam>(c);
      c.residual = true;
      check<TypeParam>(c);
      c.one_row = true;
      check<TypeParam>(c);
      c.one_row = false, c.one_col = true;
      check<TypeParam>(c);
      c.one_col = c.bias = false, c.residual_is_c = true;
      check<TypeParam>(c);
    }
}

TEST(ProductsF64, Scales) {
  for (const int64_t m : {2, 9}) {
    Case c{m, 21, 300};
    c.alpha = 0.5, c.beta = -2, c.residual = true;
    check<double>(c);
  }
}

// --- convolutions

int64_t volume(const int64_t (&v)[3]) {
  return v[0] * v[1] * v[2];
}

void check_conv(const ConvShape& s) {
  const int64_t in_channels = s.ic / s.groups, out_channels = s.oc / s.groups, taps = volume(s.kernel);
  for (const Tier tier : machine_tiers())
    for (const Edge edge : kEdges)
      for (const bool adds : {false, true})
        for (const int threads : {1, 2}) {
          SCOPED_TRACE(std::string(tier_name(tier)) + " width " + std::to_string(s.in[2]) + " channels " +
                       std::to_string(s.ic) + " to " + std::to_string(s.oc) + (s.transposed ? " transposed" : ""));
          Team team(threads);
          Random random(5);
          GuardedBuffer<double> x(numbers<double>(random, s.n * s.ic * volume(s.in)), edge);
          GuardedBuffer<double> w(numbers<double>(random, s.ic * out_channels * taps), edge);
          GuardedBuffer<double> bias(numbers<double>(random, s.oc), edge);
          GuardedBuffer<double> residual(numbers<double>(random, s.n * s.oc * volume(s.out)), edge);
          GuardedBuffer<double> y(residual.size(), edge);
          std::vector<double> truth(y.size(), 0.0);
          const auto at = [](const int64_t(&e)[3], int64_t z, int64_t v, int64_t u) {
            return (z * e[1] + v) * e[2] + u;
          };
          const auto split = [](int64_t flat, const int64_t(&e)[3], int64_t(&out)[3]) {
            out[0] = flat / e[2] / e[1], out[1] = flat / e[2] % e[1], out[2] = flat % e[2];
          };
          for (int64_t n = 0; n < s.n; ++n)
            for (int64_t o = 0; o < s.oc; ++o)
              for (int64_t i = 0; i < in_channels; ++i)
                for (int64_t t = 0; t < taps; ++t)
                  // Every pixel of the side that the stride steps over.
                  for (int64_t q = 0; q < (s.transposed ? volume(s.in) : volume(s.out)); ++q) {
                    int64_t k[3], p[3], other[3];
                    split(t, s.kernel, k);
                    split(q, s.transposed ? s.in : s.out, p);
                    bool inside = true;
                    for (int a = 0; a < 3; ++a) {
                      other[a] = p[a] * s.stride[a] + k[a] * s.dilation[a] - s.pad[a];
                      inside = inside && other[a] >= 0 && other[a] < (s.transposed ? s.out[a] : s.in[a]);
                    }
                    if (!inside) continue;
                    const int64_t g = o / out_channels, c = g * in_channels + i;
                    const int64_t(&from)[3] = s.transposed ? p : other;
                    const int64_t(&to)[3] = s.transposed ? other : p;
                    const double weight = s.transposed ? w[count((c * out_channels + o % out_channels) * taps + t)]
                                                       : w[count((o * in_channels + i) * taps + t)];
                    truth[count((n * s.oc + o) * volume(s.out) + at(s.out, to[0], to[1], to[2]))] +=
                        weight * x[count((n * s.ic + c) * volume(s.in) + at(s.in, from[0], from[1], from[2]))];
                  }
          ConvF64Args args;
          args.shape = s;
          args.x = x.data(), args.w = w.data(), args.y = y.data();
          if (adds) args.bias = bias.data(), args.residual = residual.data();
          const ProductTable& kernels = table(tier).product;
          GuardedBuffer<double> scratch(conv_f64_scratch_bytes(kernels, s, threads) / sizeof(double), Edge::kFront);
          args.scratch = scratch.data();
          conv_f64(team, kernels, args);
          for (size_t i = 0; i < truth.size(); ++i) {
            const auto channel = i / count(volume(s.out)) % count(s.oc);
            ASSERT_NEAR(y[i], truth[i] + (adds ? bias[channel] + residual[i] : 0), 1e-13) << i;
          }
        }
}

ConvShape shape_2d(int64_t ic, int64_t oc, int64_t groups, int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad,
                   int64_t dilation, bool transposed = false) {
  ConvShape s;
  s.n = 2, s.ic = ic, s.oc = oc, s.groups = groups, s.transposed = transposed;
  s.in[1] = h, s.in[2] = w;
  for (const int a : {1, 2}) {
    s.kernel[a] = k, s.stride[a] = stride, s.dilation[a] = dilation, s.pad[a] = pad;
    s.out[a] = transposed ? (s.in[a] - 1) * stride + (k - 1) * dilation + 1 - 2 * pad
                          : (s.in[a] + 2 * pad - (k - 1) * dilation - 1) / stride + 1;
  }
  return s;
}

TEST(ConvF64, EveryWidthStrideAndPad) {
  for (int64_t w = 3; w <= 40; w += w < 12 ? 1 : 5)
    for (const bool transposed : {false, true})
      for (const int64_t stride : {1, 2}) check_conv(shape_2d(3, 5, 1, 4, w, 3, stride, 1, 1, transposed));
}

TEST(ConvF64, ChannelsGroupsAndDilation) {
  check_conv(shape_2d(6, 9, 3, 7, 9, 3, 1, 0, 2));
  check_conv(shape_2d(8, 8, 8, 7, 9, 3, 2, 1, 1));
  check_conv(shape_2d(40, 11, 1, 6, 7, 3, 1, 1, 1));
  check_conv(shape_2d(6, 4, 2, 6, 7, 3, 2, 1, 2, true));
  ConvShape s = shape_2d(2, 3, 1, 4, 5, 2, 1, 0, 1);
  s.in[0] = 4, s.kernel[0] = 3, s.pad[0] = 1, s.out[0] = 4;
  check_conv(s);
}

}  // namespace
}  // namespace tc::kernels
