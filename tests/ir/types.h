// Types that several tests spell.
#pragma once

#include <utility>

#include "tc/ir/type.h"

namespace tc {

inline Type f32(Shape s) {
  return Type::tensor(DType::f32, std::move(s));
}

}  // namespace tc
