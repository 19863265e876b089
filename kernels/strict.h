// Tables whose f32 products and convolutions are sums of plain f32 products: no Winograd or Strassen, no split bf16, no
// 22-bit weights. Weights are then held in one form, too, whatever number of rows they are multiplied by.
#pragma once

#include "tc/kernels/table.h"

namespace tc::kernels {

enum class TableForm {
  fast,      // table(tier)
  one_form,  // constant right-hand operands are packed for all numbers of rows at once
  strict,    // plain f32; one form, too
};
const Table& table(Tier tier, TableForm form);

}  // namespace tc::kernels
