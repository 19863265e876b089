#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "tc/ir/tensor.h"

namespace tc {
namespace {

TEST(Tensor, WritingToSharedDataCopiesIt) {
  Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  Tensor b = a;
  EXPECT_EQ(a.data(), b.data());
  b.mutable_span<float>()[0] = 9;
  EXPECT_NE(a.data(), b.data());
  EXPECT_EQ(a.span<float>()[0], 1);
  EXPECT_EQ(b.span<float>()[0], 9);
  const void* own = b.data();
  b.mutable_span<float>()[1] = 8;
  EXPECT_EQ(b.data(), own);
}

TEST(Tensor, ViewsAreNeverWrittenThrough) {
  auto bytes = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
  const std::weak_ptr<std::vector<float>> watch = bytes;
  const float* raw = bytes->data();
  Tensor v = Tensor::view(DType::f32, {3}, raw, std::move(bytes));
  EXPECT_EQ(v.data(), raw);
  Tensor w = v.reshaped({3, 1});
  EXPECT_EQ(w.data(), raw);
  w.mutable_span<float>()[0] = 7;
  EXPECT_EQ(raw[0], 1);
  v = Tensor();
  EXPECT_TRUE(watch.expired());
  EXPECT_EQ(w.span<float>()[0], 7);
}

TEST(Tensor, BorrowedMemoryIsWrittenInPlaceByItsOnlyHolder) {
  float memory[2] = {1, 2};
  Tensor t = Tensor::borrow(DType::f32, {2}, memory, std::shared_ptr<void>(memory, [](void*) {}));
  t.mutable_span<float>()[0] = 5;
  EXPECT_EQ(memory[0], 5);
  const Tensor other = t;
  t.mutable_span<float>()[1] = 6;
  EXPECT_EQ(memory[1], 2);
}

TEST(Tensor, MisalignedViews) {
  alignas(8) char bytes[4 * 3 + 1];
  const float values[3] = {1, 2, 3};
  std::memcpy(bytes + 1, values, sizeof values);
  const Tensor t = Tensor::view(DType::f32, {3}, bytes + 1, nullptr);
  EXPECT_FALSE(t.aligned());
  EXPECT_THROW(t.span<float>(), Error);
  const Tensor a = t.aligned_copy();
  EXPECT_TRUE(a.aligned());
  EXPECT_EQ(a.span<float>()[2], 3);
  EXPECT_TRUE(t.identical(a));
  EXPECT_EQ(scalar_f64(Tensor::view(DType::f32, {}, bytes + 5, nullptr)), 2);
}

TEST(Tensor, FreshMemoryIsZeroedAndAligned) {
  for (int64_t n : {1, 7, 1000, 300000, 2000000}) {
    const Tensor t(DType::f32, {n});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data()) % 64, 0u);
    for (float v : t.span<float>()) ASSERT_EQ(v, 0);
  }
}

TEST(Tensor, Limits) {
  EXPECT_THROW(Tensor(DType::f32, Extents(kMaxRank + 1, 1)), Error);
  EXPECT_THROW(Tensor(DType::f32, {-1}), Error);
  EXPECT_THROW(Tensor(DType::f32, {INT64_MAX, 2}), Error);
  EXPECT_THROW(Tensor(DType::f64, {int64_t{1} << 62}), Error);
  EXPECT_THROW(Tensor(DType::str, {int64_t{1} << 60}), Error);
  EXPECT_EQ(Tensor(DType::f32, {INT64_MAX, INT64_MAX, 0}).size(), 0);
  EXPECT_THROW(Tensor(DType::f32, {2}).reshaped({3}), Error);
}

TEST(Tensor, StringsAndComparison) {
  Tensor s = Tensor::of<std::string>({2}, {"a", "b"});
  const Tensor t = s;
  s.mutable_span<std::string>()[1] = "c";
  EXPECT_EQ(t.span<std::string>()[1], "b");
  EXPECT_FALSE(s.identical(t));
  EXPECT_TRUE(t.identical(t.clone()));
  EXPECT_FALSE(Tensor::of<int32_t>({1}, {0}).identical(Tensor::of<float>({1}, {0})));
  EXPECT_FALSE(Tensor::scalar(0.0).identical(Tensor::scalar(-0.0)));
  EXPECT_FALSE(Tensor(DType::f32, {1, 2}).identical(Tensor(DType::f32, {2, 1})));
  EXPECT_TRUE(Tensor().identical(Tensor()));
}

TEST(Tensor, IntegersOfEveryType) {
  EXPECT_EQ(to_i64(Tensor::of<uint8_t>({2}, {255, 0})), (std::vector<int64_t>{255, 0}));
  EXPECT_EQ(to_i64(Tensor::of<Int4>({1}, {Int4(-3)})), (std::vector<int64_t>{-3}));
  EXPECT_EQ(to_i64(Tensor::of<Bool>({1}, {Bool(true)})), (std::vector<int64_t>{1}));
  EXPECT_THROW(to_i64(Tensor::of<float>({1}, {1})), Error);
  EXPECT_THROW(to_i64(Tensor::of<std::string>({1}, {"1"})), Error);
  EXPECT_EQ(scalar_f64(Tensor::scalar(Float16(0.5))), 0.5);
  EXPECT_THROW(scalar_f64(Tensor(DType::f32, {2})), Error);
}

TEST(Tensor, NestedBracesAreRows) {
  EXPECT_TRUE((Tensor{1.f, 2.f}).identical(Tensor::of<float>({2}, {1, 2})));
  EXPECT_TRUE((Tensor{{1.f, 2.f}, {3.f, 4.f}}).identical(Tensor::of<float>({2, 2}, {1, 2, 3, 4})));
  EXPECT_TRUE((Tensor{{{1}, {2}}, {{3}, {4}}}).identical(Tensor::of<int32_t>({2, 2, 1}, {1, 2, 3, 4})));
  EXPECT_TRUE((Tensor{{true, false}}).identical(Tensor::of<Bool>({1, 2}, {true, false})));
  EXPECT_EQ((Tensor{1.0}).type().str(), "f64[1]");
  EXPECT_EQ((Tensor{DType::f32, {2, 3}}).type().str(), "f32[2,3]");
  EXPECT_THROW((Tensor{{1, 2}, {3}}), Error);
}

TEST(Tensor, OfTakesNumbersOfCpp) {
  EXPECT_EQ(Tensor::of({2}, {1.f, 2.f}).dtype(), DType::f32);
  EXPECT_TRUE(Tensor::of<long long>({2}, {1, -2}).identical(Tensor::of<int64_t>({2}, {1, -2})));
  EXPECT_TRUE(Tensor::of<unsigned long long>({1}, {7}).identical(Tensor::of<uint64_t>({1}, {7})));
  EXPECT_TRUE(Tensor::of<bool>({2}, {true, false}).identical(Tensor::of<Bool>({2}, {Bool(true), Bool(false)})));
  EXPECT_TRUE(Tensor::of<Float16>({2}, {1.5, -2}).identical(Tensor::of<Float16>({2}, {Float16(1.5), Float16(-2)})));
  EXPECT_EQ(Tensor::of<Bool>({0}, {}).type().str(), "bool[0]");
  const std::vector<float> values = {1, 2, 3};
  EXPECT_TRUE(Tensor::of<float>({3}, values).identical(Tensor::of<float>({3}, {values.begin(), values.end()})));
  EXPECT_THROW(Tensor::of<float>({2}, {1}), Error);
}

TEST(Tensor, ElementsAreRead) {
  const Tensor t{{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}};
  EXPECT_EQ(t(0, 1), 2);
  EXPECT_EQ(t(-1, -3), 4);
  EXPECT_EQ((Tensor::of<Bool>({2}, {false, true}))(1), 1);
  EXPECT_EQ(Tensor::scalar<int64_t>(7)(), 7);
  EXPECT_THROW(t(0), Error);
  EXPECT_THROW(t(0, 3), Error);
  EXPECT_THROW(t(-3, 0), Error);
  EXPECT_EQ(t.to_vector<float>(), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ((Tensor{true, false}).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ((Tensor::of<int64_t>({1}, {5}).to_vector<long long>()), (std::vector<long long>{5}));
  EXPECT_THROW(t.to_vector<double>(), Error);
  alignas(8) char bytes[4 * 2 + 1];
  const float values[2] = {1, 2};
  std::memcpy(bytes + 1, values, sizeof values);
  const Tensor misaligned = Tensor::view(DType::f32, {2}, bytes + 1, nullptr);
  EXPECT_EQ(misaligned(1), 2);
  EXPECT_EQ(misaligned.to_vector<float>(), (std::vector<float>{1, 2}));
}

TEST(Tensor, IsPrinted) {
  const auto printed = [](const Tensor& t) {
    std::ostringstream out;
    out << t;
    return out.str();
  };
  EXPECT_EQ(printed(Tensor{{1.f, 2.5f}, {3.f, 4.f}}), "f32[2,2] {{1, 2.5}, {3, 4}}");
  EXPECT_EQ(printed(Tensor::scalar<int64_t>(-3)), "i64[] -3");
  EXPECT_EQ(printed(Tensor{true, false}), "bool[2] {true, false}");
  EXPECT_EQ(printed(Tensor::of<int8_t>({0, 2}, {})), "i8[0,2] {}");
  EXPECT_EQ(printed(Tensor::of<std::string>({1}, {"a"})), "str[1] {\"a\"}");
  EXPECT_EQ(printed(Tensor{1, 2, 3, 4, 5, 6, 7, 8, 9}), "i32[9] {1, 2, 3, ..., 7, 8, 9}");
  EXPECT_EQ(printed(Tensor()), "undefined");
}

}  // namespace
}  // namespace tc
