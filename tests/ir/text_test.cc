#include <gtest/gtest.h>

#include "tc/ir/builder.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"

namespace tc {
namespace {

std::string reprint(const std::string& text) {
  return print(*parse_module(text, "test.tc"));
}

// Text that is already as the printer would have it.
void expect_fixed(const std::string& text) {
  EXPECT_EQ(reprint(text), text);
}

TEST(Text, CanonicalTextIsAFixedPoint) {
  expect_fixed(R"(metadata "producer" = "somebody \"else\"\n"
func @twice(%x: f32[N], %y: i64[]) {
  %0 = identity %x : f32[N]  loc("a\\b")
  return %0, %y
}
graph @main(%x: f32[N,784], %"odd name": optional<seq<f32[*]>>, %x#1: map<i64,str[]>, %0: f32[N]) donate(0 -> 1, 3 -> 0) {
  %y = constant dense<3> : i64[]
  %1, %2 = call @twice %0, %y : f32[N], i64[]
  %w = constant @w : f32[20]
  %3 = parameter @p : f32[4,5]
  %4 = parameter @q @p : f32[4,5]
  %5 = constant dense<7> : f64[100]
  %6 = constant i64[2] dense<[1, -2]> : i64[?4]
  %7 = constant dense<[]> : f16[0,3]
  return %1, %x, %1 : "y", "", "y2"
}
resource @w : f32[20] = hex"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f00008040"
resource @p : f32[4,5] = hex"0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f00000040"
)");
}

}  // namespace
}  // namespace tc
