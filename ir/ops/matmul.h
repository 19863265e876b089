// Ops of the family `matmul`.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {}  // namespace tc
