#include "tc/passes/normalize/normalize.h"

namespace tc {

std::span<const Pass> all_passes() {
  static const Pass kPasses[] = {
      {"normalize", Phase::normalize, 1, normalize, normalize_rules(), is_normalized, "computes what is known, drops what does nothing, merges what is equal"},
  };
  return kPasses;
}

}  // namespace tc
