// Global pooling for whatever asks for a mean or maximum over all spatial axes.
#pragma once

#include "tc/backend/cpu/bind/bind.h"

namespace tc::cpu {

// Operand 0, f32 of rank 2 or more, pooled per channel in the layout it lies in. `out_layout` is that layout, or plain
// for a result without spatial axes of whole channel blocks, which lies the same in both.
bool bind_global_pool(Binder& b, bool max, Layout out_layout);

}  // namespace tc::cpu
