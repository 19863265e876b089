// The vector face of every tier against scalar arithmetic; tails on buffers that end at guard pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "guard.h"
#include "tc/kernels/tier.h"
#include "vec_face.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;
using testing::VecFace;

struct TierFace {
  Tier tier;
  const VecFace* face;
};

std::vector<TierFace> faces() {
  const TierFace all[] = {
#if TC_WITH_PORTABLE
    {Tier::portable, &testing::vec_face_portable},
#endif
#if TC_WITH_NEON
    {Tier::neon, &testing::vec_face_neon},
#endif
#if TC_WITH_SSE42
    {Tier::sse42, &testing::vec_face_sse42},
#endif
#if TC_WITH_AVX2
    {Tier::avx2, &testing::vec_face_avx2},
#endif
#if TC_WITH_AVX512
    {Tier::avx512, &testing::vec_face_avx512},
#endif
  };
  std::vector<TierFace> out;
  for (const TierFace& f : all)
    if (f.tier <= cpu_info().tier) out.push_back(f);
  return out;
}

size_t count(int n) {
  return static_cast<size_t>(n);
}

// IEEE 754 binary16, by the definition.
double half_value(uint16_t h) {
  const int exponent = (h >> 10) & 31;
  const int fraction = h & 1023;
  const double sign = (h & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloat_value(uint16_t b) {
  return double{std::bit_cast<float>(static_cast<uint32_t>(b) << 16)};
}

// The nearest 16-bit value, halves to even: by search over magnitudes.
uint16_t nearest(float x, double (*value)(uint16_t), uint16_t infinity) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double magnitude = std::fabs(double{x});
  if (std::isinf(magnitude)) return static_cast<uint16_t>(sign | infinity);
  uint16_t low = 0, high = infinity;
  const double top = value(static_cast<uint16_t>(infinity - 1));
  const double step = top - value(static_cast<uint16_t>(infinity - 2));
  if (magnitude >= top) {
    const bool up = magnitude - top >= step / 2;  // the last finite value is odd
    return static_cast<uint16_t>(sign | (up ? infinity : infinity - 1));
  }
  while (high - low > 1) {
    const uint16_t middle = static_cast<uint16_t>((low + high) / 2);
    (value(middle) <= magnitude ? low : high) = middle;
  }
  const double below = magnitude - value(low);
  const double above = value(static_cast<uint16_t>(low + 1)) - magnitude;
  const bool up = above < below || (above == below && (low & 1) != 0);
  return static_cast<uint16_t>(sign | (low + (up ? 1 : 0)));
}

template <class T>
void check_copies(void (*copy)(const T*, int, T*), int lanes) {
  for (int n = 0; n <= lanes; ++n) {
    for (const Edge edge : testing::kEdges) {
      std::vector<T> values(count(n));
      for (int i = 0; i < n; ++i) values[count(i)] = static_cast<T>(i * 3 - 7);
      GuardedBuffer<T> x(values, edge);
      GuardedBuffer<T> y(count(n), edge);
      copy(x.data(), n, y.data());
      ASSERT_EQ(std::vector<T>(y.begin(), y.end()), values) << n;
      // Lanes beyond the tail keep what they had.
      std::vector<T> wide(count(lanes), T(99));
      copy(x.data(), n, wide.data());
      for (int i = n; i < lanes; ++i) ASSERT_EQ(wide[count(i)], T(99));
    }
  }
}

TEST(Vec, TailsTouchNothingElse) {
  for (const auto& [tier, face] : faces()) {
    SCOPED_TRACE(tier_name(tier));
    check_copies(face->copy_f32, face->lanes);
    check_copies(face->copy_i32, face->lanes);
    check_copies(face->copy_f64, face->lanes / 2);
    check_copies(face->copy_i64, face->lanes / 2);
    check_copies(face->block, 16);
    for (int n = 0; n <= face->lanes; ++n) {
      for (const Edge edge : testing::kEdges) {
        GuardedBuffer<uint16_t> h(std::vector<uint16_t>(count(n), 0x3c00), edge);
        GuardedBuffer<uint16_t> b(std::vector<uint16_t>(count(n), 0x3f80), edge);
        GuardedBuffer<uint8_t> u(std::vector<uint8_t>(count(n), 200), edge);
        GuardedBuffer<int8_t> s(std::vector<int8_t>(count(n), -100), edge);
        GuardedBuffer<float> f(count(n), edge);
        GuardedBuffer<int32_t> w(count(n), edge);
        GuardedBuffer<uint16_t> back(count(n), edge);
        face->from_f16(h.data(), n, f.data());
        for (const float v : f) ASSERT_EQ(v, 1.0f);
        face->to_f16(f.data(), n, back.data());
        for (const uint16_t v : back) ASSERT_EQ(v, 0x3c00);
        face->from_bf16(b.data(), n, f.data());
        for (const float v : f) ASSERT_EQ(v, 1.0f);
        face->to_bf16(f.data(), n, back.data());
        for (const uint16_t v : back) ASSERT_EQ(v, 0x3f80);
        face->from_u8(u.data(), n, w.data());
        for (const int32_t v : w) ASSERT_EQ(v, 200);
        face->from_i8(s.data(), n, w.data());
        for (const int32_t v : w) ASSERT_EQ(v, -100);
      }
      std::vector<float> mask(count(face->lanes));
      face->mask(n, mask.data());
      for (int i = 0; i < face->lanes; ++i) ASSERT_EQ(mask[count(i)], i < n ? 1.0f : 0.0f);
    }
  }
}

void check_16_bit(void (*widen)(const uint16_t*, int, float*), void (*narrow)(const float*, int, uint16_t*), int lanes,
                  double (*value)(uint16_t), uint16_t infinity) {
  std::vector<uint16_t> in(count(lanes)), out(count(lanes));
  std::vector<float> wide(count(lanes));
  for (int h = 0; h < 65536; h += lanes) {
    for (int i = 0; i < lanes; ++i) in[count(i)] = static_cast<uint16_t>(h + i);
    widen(in.data(), lanes, wide.data());
    narrow(wide.data(), lanes, out.data());
    for (int i = 0; i < lanes; ++i) {
      const double truth = value(in[count(i)]);
      if (std::isnan(truth)) {
        ASSERT_TRUE(std::isnan(wide[count(i)])) << h + i;
        ASSERT_TRUE(std::isnan(value(out[count(i)]))) << h + i;
      } else {
        ASSERT_EQ(double{wide[count(i)]}, truth) << h + i;
        ASSERT_EQ(out[count(i)], in[count(i)]) << h + i;
      }
    }
  }
  // Between neighbours: the midpoint, its neighbours, and numbers of every size.
  std::vector<float> x;
  for (int h = 0; h + 1 < infinity; h += 7) {
    const double a = value(static_cast<uint16_t>(h));
    const double b = value(static_cast<uint16_t>(h + 1));
    const float middle = static_cast<float>((a + b) / 2);
    for (const float v : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, INFINITY)}) {
      x.push_back(v);
      x.push_back(-v);
    }
  }
  Random random(1);
  for (int i = 0; i < 20000; ++i) x.push_back(std::bit_cast<float>(static_cast<uint32_t>(random.bits())));
  for (const float v : {65504.0f, 65519.99f, 65520.0f, 65536.0f, 3.4e38f, INFINITY, 1e-45f, 0.0f}) x.push_back(v);
  while (x.size() % count(lanes) != 0) x.push_back(0.0f);
  for (size_t i = 0; i < x.size(); i += count(lanes)) {
    narrow(x.data() + i, lanes, out.data());
    for (int j = 0; j < lanes; ++j) {
      const float v = x[i + count(j)];
      if (std::isnan(v)) {
        ASSERT_TRUE(std::isnan(value(out[count(j)])));
      } else {
        ASSERT_EQ(out[count(j)], nearest(v, value, infinity)) << v;
      }
    }
  }
}

TEST(Vec, SixteenBitFloats) {
  for (const auto& [tier, face] : faces()) {
    SCOPED_TRACE(tier_name(tier));
    check_16_bit(face->from_f16, face->to_f16, face->lanes, half_value, 0x7c00);
    check_16_bit(face->from_bf16, face->to_bf16, face->lanes, bfloat_value, 0x7f80);
  }
}

TEST(Vec, Arithmetic) {
  for (const auto& [tier, face] : faces()) {
    SCOPED_TRACE(tier_name(tier));
    const int n = face->lanes;
    Random random(2);
    for (int repeat = 0; repeat < 50; ++repeat) {
      const std::vector<float> a = random.floats(count(n), -100, 100);
      const std::vector<float> b = random.floats(count(n), -100, 100);
      std::vector<float> y(count(n)), z(count(n));
      face->through_f64(a.data(), y.data());
      EXPECT_EQ(y, a);
      face->round(a.data(), y.data());
      for (int i = 0; i < n; ++i) EXPECT_EQ(y[count(i)], std::nearbyint(a[count(i)]));
      std::vector<int32_t> truncated(count(n)), rounded(count(n));
      face->to_i32(a.data(), truncated.data(), rounded.data());
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(truncated[count(i)], static_cast<int32_t>(a[count(i)]));
        EXPECT_EQ(rounded[count(i)], static_cast<int32_t>(std::lrint(a[count(i)])));
      }
      face->min_max(a.data(), b.data(), y.data(), z.data());
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(y[count(i)], std::min(a[count(i)], b[count(i)]));
        EXPECT_EQ(z[count(i)], std::max(a[count(i)], b[count(i)]));
      }
      face->copysign(a.data(), b.data(), y.data());
      for (int i = 0; i < n; ++i) EXPECT_EQ(y[count(i)], std::copysign(a[count(i)], b[count(i)]));
      float sum, least, most;
      face->reduce(a.data(), &sum, &least, &most);
      double total = 0;
      for (const float v : a) total += double{v};
      EXPECT_NEAR(sum, total, 1e-3);
      EXPECT_EQ(least, *std::min_element(a.begin(), a.end()));
      EXPECT_EQ(most, *std::max_element(a.begin(), a.end()));

      std::vector<double> d(count(n / 2));
      for (double& v : d) v = random.uniform(-5, 5);
      double sum_d, least_d, most_d;
      face->reduce_f64(d.data(), &sum_d, &least_d, &most_d);
      total = 0;
      for (const double v : d) total += v;
      EXPECT_NEAR(sum_d, total, 1e-12);
      EXPECT_EQ(least_d, *std::min_element(d.begin(), d.end()));
      EXPECT_EQ(most_d, *std::max_element(d.begin(), d.end()));

      std::vector<int32_t> i32(count(n)), left(count(n)), right(count(n)), arithmetic(count(n)), index(count(n));
      std::vector<int64_t> i64(count(n / 2)), left64(count(n / 2)), right64(count(n / 2)), back(count(n / 2));
      int32_t total32 = 0, sum32;
      int64_t total64 = 0, sum64;
      for (int32_t& v : i32) v = static_cast<int32_t>(random.integer(-1000000, 1000000)), total32 += v;
      for (int64_t& v : i64) v = random.integer(-(int64_t{1} << 50), int64_t{1} << 50), total64 += v;
      face->reduce_int(i32.data(), i64.data(), &sum32, &sum64);
      EXPECT_EQ(sum32, total32);
      EXPECT_EQ(sum64, total64);
      face->i64_through_f64(i64.data(), back.data());
      EXPECT_EQ(back, i64);
      face->shifts(i32.data(), left.data(), right.data(), arithmetic.data());
      for (int i = 0; i < n; ++i) {
        const uint32_t bits = static_cast<uint32_t>(i32[count(i)]);
        EXPECT_EQ(static_cast<uint32_t>(left[count(i)]), bits << 3);
        EXPECT_EQ(static_cast<uint32_t>(right[count(i)]), bits >> 3);
        EXPECT_EQ(arithmetic[count(i)], i32[count(i)] >> 3);
      }
      face->shifts_i64(i64.data(), left64.data(), right64.data());
      for (int i = 0; i < n / 2; ++i) {
        const uint64_t bits = static_cast<uint64_t>(i64[count(i)]);
        EXPECT_EQ(static_cast<uint64_t>(left64[count(i)]), bits << 3);
        EXPECT_EQ(static_cast<uint64_t>(right64[count(i)]), bits >> 3);
      }
      for (int32_t& v : index) v = static_cast<int32_t>(random.integer(0, n - 1));
      face->gather(a.data(), index.data(), y.data());
      for (int i = 0; i < n; ++i) EXPECT_EQ(y[count(i)], a[count(index[count(i)])]);
    }
    std::vector<float> square(count(n * n)), turned(count(n * n));
    for (int i = 0; i < n * n; ++i) square[count(i)] = static_cast<float>(i);
    face->transpose(square.data(), turned.data());
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) ASSERT_EQ(turned[count(i * n + j)], square[count(j * n + i)]);
    }
  }
}

}  // namespace
}  // namespace tc::kernels
