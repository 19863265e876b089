// What the reference bodies of softmax and of losses share.
#pragma once

#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

// x - log(sum(e^x)) along an axis of a row-major tensor, in place and without overflow.
void log_softmax(std::vector<double>& x, const Extents& extents, int axis);

}  // namespace tc
