#include "tc/ir/eval/broadcast.h"

#include <algorithm>

namespace tc {

Extents broadcast_extents(const std::vector<const Extents*>& operands) {
  size_t rank = 0;
  for (const Extents* e : operands) rank = std::max(rank, e->size());
  Extents result(rank, 1);
  for (const Extents* e : operands)
    for (size_t d = 0; d < e->size(); ++d) {
      int64_t& r = result[rank - e->size() + d];
      const int64_t x = (*e)[d];
      if (x == r || x == 1) continue;
      if (r != 1) {
        std::string text;
        for (const Extents* o : operands) text += cat(text.empty() ? "" : " and ", Shape::of(*o));
        fail(ErrorCode::bad_shape, "shapes ", text, " do not broadcast: ", r, " against ", x);
      }
      r = x;
    }
  return result;
}

Extents broadcast_strides(const Extents& operand, const Extents& result) {
  const Extents own = row_major_strides(operand);
  Extents strides(result.size(), 0);
  const size_t lead = result.size() - operand.size();
  for (size_t d = 0; d < operand.size(); ++d)
    if (operand[d] != 1) strides[lead + d] = own[d];
  return strides;
}

}  // namespace tc
