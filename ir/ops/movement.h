// Ops of the family `movement`.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {}  // namespace tc
