// When results are written past the caches.
#pragma once
#include <cstdint>

namespace tc::kernels {

// Results of this size have been evicted before anything reads them, after evicting something else; and storing them
// past the caches saves reading what they overwrite.
inline constexpr std::int64_t kStreamedBytes = std::int64_t{16} << 20;

}  // namespace tc::kernels
