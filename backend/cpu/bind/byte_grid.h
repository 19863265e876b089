// Float weights of models that were quantised: few distinct numbers, which bytes can stand for.
#pragma once

#include <optional>
#include <span>

namespace tc::cpu {

// The number of which all values are whole multiples from -128 to 127, exactly as DequantizeLinear multiplies them in
// f32; nothing when there is none.
std::optional<float> byte_step(std::span<const float> values);

}  // namespace tc::cpu
