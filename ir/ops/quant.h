// Ops of the family `quant`.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {}  // namespace tc
