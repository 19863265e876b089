// Epilogues of products and convolutions: register-level where the kernels have it, a strip program on the tile
// otherwise.
#pragma once

#include <memory>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/ops/fused.h"
#include "tc/kernels/gemm/epilogue.h"

namespace tc::cpu {

// The value of an activation of strip value x.
int activation_op(StripBuilder& strip, const Epilogue& e, int x);

class ActivationEpilogue {
 public:
  ActivationEpilogue() = default;  // none
  ActivationEpilogue(const Epilogue& e, const kernels::StripTable& table);
  // Sets activation parts of a kernel's epilogue; this object must outlive its use.
  void fill(kernels::Epilogue& e) const;

 private:
  float lo_ = -std::numeric_limits<float>::infinity(), hi_ = std::numeric_limits<float>::infinity(), slope_ = 1;
  struct Program {
    std::shared_ptr<const CompiledStrip> strip;
    const kernels::StripTable* table;
  };
  std::shared_ptr<const Program> program_;
};

}  // namespace tc::cpu
