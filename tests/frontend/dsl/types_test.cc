// Element types of results: what docs/types.md says of tensors beside tensors, of numbers, and of functions.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "helpers.h"
#include "tc/frontend/dsl/promote.h"
#include "tc/tc.h"

namespace tc {
namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
    list.push_back(first == cell.npos ? std::string() : cell.substr(first, last - first + 1));
  }
  if (!list.empty()) list.erase(list.begin());
  return list;
}

TEST(Types, PromotionIsThatOfTheDocument) {
  std::ifstream page(TC_SOURCE_DIR "/docs/types.md");
  std::vector<std::string> head;
  int compared = 0;
  for (std::string line; std::getline(page, line) && line.rfind("## Numbers", 0) != 0;) {
    if (line.empty() || line[0] != '|') continue;
    const std::vector<std::string> row = cells(line);
    if (row[0].empty()) head = row;
    const auto a = dtype_from_name(row[0]);
    if (!a) continue;
    ASSERT_EQ(row.size(), head.size()) << line;
    for (size_t i = 1; i < row.size(); ++i) {
      const auto common = promote(*a, dtype_from_name(head[i]).value());
      EXPECT_EQ(common ? std::string(info(*common).name) : "none", row[i]) << row[0] << " and " << head[i];
      ++compared;
    }
  }
  EXPECT_EQ(compared, 64 + 16);
}

// The type of what f makes of an x.
template <class F>
std::string type_of(DType x, F f) {
  try {
    return std::string(info(trace("f", {{"x", x, {3}}}, f).outputs().at(0).type.dtype()).name);
  } catch (const Error&) {
    return "refused";
  }
}

TEST(Types, NumbersBesideTensors) {
  const auto with = [](auto number) { return [number](Var x) { return Var(x + number); }; };
  for (const DType t : {f16, bf16, f32, f64}) {
    EXPECT_EQ(type_of(t, with(1)), info(t).name);
    EXPECT_EQ(type_of(t, with(0.5)), info(t).name);
    EXPECT_EQ(type_of(t, with(true)), "refused");
  }
  for (const DType t : {i8, u8, i32, i64, u64}) {
    EXPECT_EQ(type_of(t, with(1)), info(t).name);
    EXPECT_EQ(type_of(t, with(0.5)), "f32");
    EXPECT_EQ(type_of(t, with(true)), "refused");
  }
  EXPECT_EQ(type_of(u8, with(256)), "refused");
  EXPECT_EQ(type_of(bool_, with(1)), "refused");
  EXPECT_EQ(type_of(bool_, [](Var x) { return x & true; }), "bool");
  EXPECT_EQ(type_of(i32, [](Var x) { return x & 0.5; }), "refused");
}

TEST(Types, WeakValues) {
  for (const DType t : {f16, f32, f64, i8, i64}) {
    EXPECT_EQ(type_of(t, [](Var x) { return where(x == 0, 1, 0) * x; }), info(t).name);
    EXPECT_EQ(type_of(t, [](Var x) { return (where(x == 0, 1, 0) + 2) * x; }), info(t).name);
  }
  EXPECT_EQ(type_of(i32, [](Var x) { return where(x == 0, 0.5, 0) * x; }), "f32");
  EXPECT_EQ(type_of(f16, [](Var x) { return where(x == 0, 1, 0); }), "i64");
  EXPECT_EQ(type_of(i32, [](Var x) { return maximum(x, 0.5); }), "f32");
}

TEST(Types, OfFunctions) {
  EXPECT_EQ(type_of(i32, [](Var x) { return x / 2; }), "f32");
  EXPECT_EQ(type_of(i32, [](Var) { return arange(5) / 2; }), "f32");
  EXPECT_EQ(type_of(i32, [](Var) { return arange(5) * 0.5; }), "f32");
  EXPECT_EQ(type_of(i8, [](Var x) { return mean(x); }), "f32");
  EXPECT_EQ(type_of(bool_, [](Var x) { return mean(x); }), "f32");
  EXPECT_EQ(type_of(i8, [](Var x) { return std(x); }), "f32");
  EXPECT_EQ(type_of(i8, [](Var x) { return sum(x); }), "i64");
  EXPECT_EQ(type_of(u8, [](Var x) { return sum(x); }), "u64");
  EXPECT_EQ(type_of(i8, [](Var x) { return sum(x, {.dtype = i16}); }), "i16");
  EXPECT_EQ(type_of(i32, [](Var x) { return exp(x); }), "refused");
  EXPECT_EQ(type_of(f32, [](Var x) { return x.at(0).set(1); }), "f32");
  EXPECT_EQ(type_of(i32, [](Var x) { return x.at(0).set(0.5); }), "refused");
}

TEST(Types, ValuesOfIntegersBesideFractions) {
  const Function f = trace("f", {{"x", i32, {3}}}, [](Var x) { return x * 0.5 - 1; });
  const Tensor y = compile(f)(Tensor::of<int32_t>({3}, {1, -3, 4}));
  EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{-0.5f, -2.5f, 1}));
}

}  // namespace
}  // namespace tc
