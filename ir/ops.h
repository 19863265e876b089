// All ops.
#pragma once

#include "tc/ir/ops/core.h"

namespace tc {
#define TC_OP(family, Name) \
  template <>               \
  inline constexpr OpId id_of<Name> = OpId::Name;
#include "tc/ir/ops.def"
#undef TC_OP
}  // namespace tc
