#include <iostream>

#include "tc/ir/tensor.h"

int main() {
  const tc::Tensor t = tc::Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  std::cout << t.type() << "\n";
  return t.type().str() == "f32[2,3]" ? 0 : 1;
}
