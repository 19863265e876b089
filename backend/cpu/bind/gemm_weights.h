// The constant right operand of f32 products, packed in the forms that their rows want.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/kernels/gemm/gemm.h"

namespace tc::cpu {

// Rows of a product that are known at run time only.
constexpr int64_t kAnyRows = -1;

// Rows up to which products by weights of so many bytes, which are read anew each time, take them as 22-bit integers;
// 0: none do.
int64_t most_fixed_rows(const kernels::GemmTraits& traits, size_t bytes);

// Floats of weights that are kept as panels beside split bf16: a part of L2.
constexpr int64_t kBothForms = 256 * 1024;

class GemmWeights {
 public:
  // As in GemmArgs.
  struct Packed {
    const float *packed_b = nullptr, *split_bf16 = nullptr;
    kernels::GemmForm form = kernels::GemmForm::panels;
  };

  // Operand `i` of the binder's node, k x n; `transposed`: it lies as n x k. `rows`: of its products, or kAnyRows. Then
  // forms are packed when runs first need them, if the operand lies in a mapped file: what is not packed costs no
  // memory there. Numbers that are exact in 16 bits are packed for few rows at once, and from there for many when runs
  // need that. Otherwise there are those for many rows, and small ones for few as well.
  GemmWeights(Binder& b, int i, bool transposed, int64_t rows, int64_t k, int64_t n);

  // For products of so many rows. Thread-safe; valid as long as the executable.
  const Packed& for_rows(int64_t rows);

 private:
  Packed pack(bool few, const Binder::PackLater& memory) const;
  Packed pack_widened();

  const kernels::GemmTable& table_;
  Tensor source_;
  bool transposed_;
  int64_t k_, n_;
  bool far_;  // read from memory, or from a slow cache, by each run
  int64_t most_few_;
  Binder::PackLater later_;  // of what is packed by runs
  // Or the form for few rows, f16 or bf16, that runs make the one for many of, and that.
  std::optional<kernels::GemmForm> short_;
  Tensor widened_;
  std::once_flag once_[2];
  Packed packed_[2];  // for many rows, for few
};

}  // namespace tc::cpu
