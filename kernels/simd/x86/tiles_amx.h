// The tile registers of AMX. Only *_amx.cc files include it.
#pragma once
#include <immintrin.h>

#include <cstdint>

namespace tc::kernels {
namespace {

struct alignas(64) TileShapes {
  uint8_t palette = 1, start_row = 0, reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

// Registers of tiles come and go in 0.2 us.
inline void begin_tiles() {
  static constexpr TileShapes kShapes;
  _tile_loadconfig(&kShapes);
}
inline void end_tiles() {
  _tile_release();
}

// Registers of tiles for the lifetime of an object.
class TileScope {
 public:
  TileScope() { begin_tiles(); }
  ~TileScope() { end_tiles(); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;
};

}  // namespace
}  // namespace tc::kernels
