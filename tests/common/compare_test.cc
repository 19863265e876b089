#include "tc/tools/common/compare.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace tc {
namespace {

TEST(Difference, OfTensors) {
  const auto f = [](std::vector<float> v) { return Tensor::of<float>({static_cast<int64_t>(v.size())}, v); };
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(difference(f({1, 100}), f({1.0005f, 100}), {1e-3, 0, 0}), "");
  EXPECT_EQ(difference(f({0.009f, 100}), f({0, 100}), {0, 0, 1e-4}), "");
  EXPECT_NE(difference(f({0.011f, 100}), f({0, 100}), {0, 0, 1e-4}), "");
  EXPECT_NE(difference(f({1.1f, 2}), f({1, 2}), {1e-3, 0, 1e-4}).find("[0]"), std::string::npos);
  EXPECT_EQ(difference(f({nan, inf}), f({nan, inf}), {0, 0, 0}), "");
  EXPECT_NE(difference(f({nan, 1}), f({1, 1}), {1, 0, 1}), "");
  EXPECT_NE(difference(f({1, 1}), f({nan, 1}), {1, 0, 1}), "");
  EXPECT_NE(difference(f({inf, 1}), f({1, 1}), {1, 0, 1}), "");
  EXPECT_NE(difference(f({-inf}), f({inf}), {1, 0, 1}), "");
  EXPECT_NE(difference(f({1}), f({inf}), {1e-3, 1e-7, 0}), "");
  EXPECT_NE(difference(f({1}), f({1, 1}), {1, 0, 1}), "");
  EXPECT_NE(difference(Tensor::scalar(int64_t{1}), Tensor::scalar(int64_t{2}), {1, 0, 1}), "");
}

}  // namespace
}  // namespace tc
