#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "tc/ir/dtype.h"

namespace tc {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

template <class T>
double value_of(unsigned code) {
  T v;
  v.bits = static_cast<decltype(v.bits)>(code);
  return static_cast<double>(v);
}

// Doubles around every value of a format: the values, the midpoints between neighbours and their neighbours, and random
// ones.
std::vector<double> probes(const std::vector<double>& values) {
  std::vector<double> result = {0.0, -0.0, kInf, -kInf, 1e300, -1e300, 5e-324, 1e-300};
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = (values[i] + values[i + 1]) / 2;
    for (double v : {values[i], middle, std::nextafter(middle, kInf), std::nextafter(middle, -kInf)})
      result.push_back(v), result.push_back(-v);
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    const double v = std::bit_cast<double>(random());
    if (!std::isnan(v)) result.push_back(v);
    result.push_back(std::ldexp(std::bit_cast<double>((random() >> 12) | 0x3ff0000000000000u),
                                static_cast<int>(random() % 60) - 30));
  }
  return result;
}

// The nearest value of the format by search, ties to the even code; beyond the largest one by half a step: `overflow`.
template <class T>
void check_encoding(unsigned sign_bit, double overflow, bool negative_zero) {
  std::map<double, unsigned> table;
  for (unsigned code = 0; code < sign_bit; ++code)
    if (const double v = value_of<T>(code); std::isfinite(v)) table[v] = code;
  std::vector<double> values;
  for (const auto& [v, code] : table) values.push_back(v);
  ASSERT_EQ(values[0], 0.0);
  const double largest = values.back(), limit = largest + (largest - values[values.size() - 2]) / 2;
  const bool largest_even = table[largest] % 2 == 0;
  for (double x : probes(values)) {
    const double m = std::abs(x);
    double expected;
    if (m > limit || (m == limit && !largest_even)) {
      expected = overflow;
    } else if (m >= largest) {
      expected = largest;
    } else {
      const auto above = table.upper_bound(m), below = std::prev(above);
      const double up = above->first - m, down = m - below->first;
      expected = up < down || (up == down && above->second % 2 == 0) ? above->first : below->first;
    }
    if (std::signbit(x) && (expected != 0 || negative_zero)) expected = -expected;
    ASSERT_TRUE(same(static_cast<double>(T(x)), expected))
        << x << " became " << static_cast<double>(T(x)) << ", expected " << expected;
  }
}

// sign * 2^(exponent - bias) * 1.mantissa, from the definition.
double by_definition(unsigned code, int exponent_bits, int mantissa_bits, int bias) {
  const unsigned exponent = code >> mantissa_bits & ((1u << exponent_bits) - 1),
                 mantissa = code & ((1u << mantissa_bits) - 1);
  const double fraction = mantissa / std::ldexp(1.0, mantissa_bits);
  const double magnitude =
      exponent ? std::ldexp(1 + fraction, static_cast<int>(exponent) - bias) : std::ldexp(fraction, 1 - bias);
  return code >> (exponent_bits + mantissa_bits) & 1 ? -magnitude : magnitude;
}

#if defined(__FLT16_MAX__)
TEST(DType, Float16IsTheCompilers) {
  for (unsigned code = 0; code < 0x10000; ++code) {
    const auto reference = std::bit_cast<_Float16>(static_cast<uint16_t>(code));
    ASSERT_TRUE(same(value_of<Float16>(code), static_cast<double>(reference))) << code;
  }
  std::vector<double> values;
  for (unsigned code = 0; code < 0x7c00; ++code) values.push_back(value_of<Float16>(code));
  for (double x : probes(values))
    ASSERT_TRUE(same(static_cast<double>(Float16(x)), static_cast<double>(static_cast<_Float16>(x)))) << x;
}
#endif

TEST(DType, BFloat16IsTheUpperHalfOfAFloat) {
  for (unsigned code = 0; code < 0x10000; ++code)
    ASSERT_TRUE(same(value_of<BFloat16>(code), static_cast<double>(std::bit_cast<float>(code << 16)))) << code;
  check_encoding<BFloat16>(0x8000, kInf, true);
}

TEST(DType, Float16Encoding) {
  check_encoding<Float16>(0x8000, kInf, true);
}

// Open Compute Project, "OCP 8-bit Floating Point Specification (OFP8)" 1.0, table 1.
TEST(DType, Float8E4M3FN) {
  for (unsigned code = 0; code < 256; ++code)
    ASSERT_TRUE(same(value_of<Float8E4M3FN>(code), (code & 0x7f) == 0x7f ? kNaN : by_definition(code, 4, 3, 7)))
        << code;
  EXPECT_EQ(value_of<Float8E4M3FN>(0x7e), 448.0);
  EXPECT_EQ(value_of<Float8E4M3FN>(0x08), 0x1p-6);
  EXPECT_EQ(value_of<Float8E4M3FN>(0x07), 0.875 * 0x1p-6);
  EXPECT_EQ(value_of<Float8E4M3FN>(0x01), 0x1p-9);
  EXPECT_EQ(Float8E4M3FN::max(), 448.0);
  check_encoding<Float8E4M3FN>(0x80, kNaN, true);
}

TEST(DType, Float8E5M2) {
  for (unsigned code = 0; code < 256; ++code) {
    const unsigned magnitude = code & 0x7f;
    const double expected = magnitude > 0x7c    ? kNaN
                            : magnitude == 0x7c ? (code & 0x80 ? -kInf : kInf)
                                                : by_definition(code, 5, 2, 15);
    ASSERT_TRUE(same(value_of<Float8E5M2>(code), expected)) << code;
  }
  EXPECT_EQ(value_of<Float8E5M2>(0x7b), 57344.0);
  EXPECT_EQ(value_of<Float8E5M2>(0x04), 0x1p-14);
  EXPECT_EQ(value_of<Float8E5M2>(0x03), 0.75 * 0x1p-14);
  EXPECT_EQ(value_of<Float8E5M2>(0x01), 0x1p-16);
  EXPECT_EQ(Float8E5M2::max(), 57344.0);
  check_encoding<Float8E5M2>(0x80, kInf, true);
}

// Noune et al., "8-bit Numerical Formats for Deep Neural Networks" (2022): one zero, one NaN, exponent bias one higher.
TEST(DType, Float8FNUZ) {
  for (unsigned code = 0; code < 256; ++code) {
    ASSERT_TRUE(same(value_of<Float8E4M3FNUZ>(code), code == 0x80 ? kNaN : by_definition(code, 4, 3, 8))) << code;
    ASSERT_TRUE(same(value_of<Float8E5M2FNUZ>(code), code == 0x80 ? kNaN : by_definition(code, 5, 2, 16))) << code;
  }
  EXPECT_EQ(value_of<Float8E4M3FNUZ>(0x7f), 240.0);
  EXPECT_EQ(value_of<Float8E4M3FNUZ>(0x01), 0x1p-10);
  EXPECT_EQ(value_of<Float8E5M2FNUZ>(0x7f), 57344.0);
  EXPECT_EQ(value_of<Float8E5M2FNUZ>(0x01), 0x1p-17);
  EXPECT_EQ(Float8E4M3FNUZ(-0.0).bits, 0);
  EXPECT_EQ(Float8E5M2FNUZ(-1e-30).bits, 0);
  EXPECT_EQ(Float8E4M3FNUZ(kInf).bits, 0x80);
  check_encoding<Float8E4M3FNUZ>(0x80, kNaN, false);
  check_encoding<Float8E5M2FNUZ>(0x80, kNaN, false);
}

// Open Compute Project, "OCP Microscaling Formats (MX) Specification" 1.0, sections 5.3.3 and 5.4.1.
TEST(DType, Microscaling) {
  const double kE2M1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  for (unsigned code = 0; code < 8; ++code) {
    EXPECT_EQ(value_of<Float4E2M1>(code), kE2M1[code]);
    EXPECT_TRUE(same(value_of<Float4E2M1>(code | 8), -kE2M1[code]));
  }
  check_encoding<Float4E2M1>(8, 6.0, true);
  for (unsigned code = 0; code < 255; ++code) {
    EXPECT_EQ(value_of<Float8E8M0>(code), std::ldexp(1.0, static_cast<int>(code) - 127));
    EXPECT_EQ(Float8E8M0(std::ldexp(1.0, static_cast<int>(code) - 127)).bits, code);
  }
  EXPECT_TRUE(std::isnan(value_of<Float8E8M0>(255)));
  EXPECT_EQ(Float8E8M0(-1.0).bits, 255);
}

template <class T>
void check_narrow(int low, int high) {
  for (int v = -1000; v <= 1000; ++v) {
    const int width = high - low + 1;
    const int wrapped = ((v - low) % width + width) % width + low;
    ASSERT_EQ(static_cast<int>(T(v).value), wrapped) << v;
  }
}

TEST(DType, NarrowIntegersWrap) {
  check_narrow<Int4>(-8, 7);
  check_narrow<UInt4>(0, 15);
  check_narrow<Int2>(-2, 1);
  check_narrow<UInt2>(0, 3);
}

TEST(DType, TableIsConsistent) {
  DTypeSet all;
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto t = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name(t)), t);
    EXPECT_EQ(dtype_from_onnx(info(t).onnx), t);
    EXPECT_TRUE(dtypes::all.has(t)) << t;
    visit_dtype(t, [&]<class T>() { EXPECT_EQ(dtype_of<T>, t); });
    all = all | t;
  }
  EXPECT_EQ(all, dtypes::all);
  EXPECT_FALSE(dtype_from_name("f33"));
  EXPECT_FALSE(dtype_from_onnx(0));
  EXPECT_FALSE(dtype_from_onnx(int64_t{1} << 32 | 1));
}

}  // namespace
}  // namespace tc
