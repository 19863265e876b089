#include "tc/backend/cpu/bind/byte_grid.h"

#include <cmath>
#include <limits>

namespace tc::cpu {

std::optional<float> byte_step(std::span<const float> values) {
  // Of many weights some are the step itself.
  float step = std::numeric_limits<float>::infinity();
  for (const float v : values)
    if (const float size = std::fabs(v); size != 0 && size < step) step = size;
  if (!std::isnormal(step)) return std::nullopt;
  for (const float v : values) {
    const float count = std::nearbyint(v / step);
    if (!(count >= -128 && count <= 127) || count * step != v) return std::nullopt;
  }
  return step;
}

}  // namespace tc::cpu
