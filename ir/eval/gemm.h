// The one matrix product of the reference evaluation.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tc/ir/tensor_budget.h"

namespace tc {

// c[m, n] += a[m, k] * b[k, n]; `a` steps by (row, column) strides, `b` and `c` are row-major. Blocked so that a panel
// of b stays in cache; W is double, or uint64_t for integers of any kind (products wrap).
template <class W>
void gemm_accumulate(const W* a, int64_t a_row, int64_t a_column, const W* b, W* c, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kBlock = 256;
  for (int64_t k0 = 0; k0 < k; k0 += kBlock)
    for (int64_t n0 = 0; n0 < n; n0 += kBlock) {
      Budget::poll();
      const int64_t k1 = std::min(k, k0 + kBlock), n1 = std::min(n, n0 + kBlock);
      for (int64_t i = 0; i < m; ++i)
        for (int64_t p = k0; p < k1; ++p) {
          const W x = a[i * a_row + p * a_column];
          const W* row = b + p * n;
          W* out = c + i * n;
          for (int64_t j = n0; j < n1; ++j) out[j] += x * row[j];
        }
    }
}

}  // namespace tc
