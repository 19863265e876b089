#include <iostream>

#include "tc/frontend/dsl/op.h"
#include "tc/frontend/dsl/promote.h"
#include "tc/tc.h"

int main() {
  try {
    const tc::Function f = tc::parse(R"(
graph @main(%x: f32[N,2]) {
  %0 = relu %x : f32[N,2]
  return %0
}
)");
    const tc::Tensor y = tc::compile(f)({tc::Tensor::of<float>({1, 2}, {-3, 4})}).at(0);
    std::cout << f.str() << y.type() << "\n";
    const tc::Function g = tc::trace("g", {{"x", tc::f32, {2}}}, [](tc::Var x) { return tc::op("relu", {x}); });
    const bool promotes = tc::promote(tc::f16, tc::f32) == tc::f32;
    return promotes && g.outputs().size() == 1 && y.identical(tc::Tensor::of<float>({1, 2}, {0, 4})) ? 0 : 1;
  } catch (const tc::Error& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
