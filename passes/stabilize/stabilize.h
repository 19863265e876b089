// Rules of the phase `stabilize`: chains of primitive ops that stand for one well-known function become that function,
// whose evaluation neither overflows nor cancels, and runs in one pass.
#pragma once

#include "tc/passes/pass.h"

namespace tc {

std::span<const Rule> softmax_rules();
std::span<const Rule> activation_rules();
std::span<const Rule> norm_rules();
std::span<const Rule> stabilize_rules();  // all of them
std::optional<std::string> is_stable(const Module& m);

}  // namespace tc
