// AMX's tile registers in software, for machines that have none: included before the kernels that are compiled for them
// (-include), whose intrinsics these replace. A tile has 16 rows of 64 bytes, as TileShapes has it.
#pragma once
#include <immintrin.h>

#include <cstdint>
#include <cstring>

namespace tc::emulated {

struct Tile {
  uint8_t bytes[16][64];
};
inline thread_local Tile tiles[8];
inline thread_local bool configured = false;

inline Tile& tile(int i) {
  if (!configured) __builtin_trap();  // the instruction would, too
  return tiles[i];
}
inline void zero(int t) {
  tile(t) = {};
}
inline void load(int t, const void* from, int64_t stride) {
  for (int r = 0; r < 16; ++r) std::memcpy(tile(t).bytes[r], static_cast<const uint8_t*>(from) + r * stride, 64);
}
inline void store(int t, void* to, int64_t stride) {
  for (int r = 0; r < 16; ++r) std::memcpy(static_cast<uint8_t*>(to) + r * stride, tile(t).bytes[r], 64);
}

// Sums of the products of N neighbouring elements: A of the left tile, B of the right one.
template <class Sum, class A, class B, int N, class Value>
void add_products(int sum, int a, int b, Value value) {
  for (int m = 0; m < 16; ++m) {
    for (int k = 0; k < 16; ++k) {
      A left[N];
      std::memcpy(left, tile(a).bytes[m] + 4 * k, 4);
      for (int n = 0; n < 16; ++n) {
        B right[N];
        Sum s;
        std::memcpy(right, tile(b).bytes[k] + 4 * n, 4);
        std::memcpy(&s, tile(sum).bytes[m] + 4 * n, 4);
        for (int i = 0; i < N; ++i) s += value(left[i]) * value(right[i]);
        std::memcpy(tile(sum).bytes[m] + 4 * n, &s, 4);
      }
    }
  }
}
template <class A, class B>
void add_bytes(int sum, int a, int b) {
  add_products<int32_t, A, B, 4>(sum, a, b, [](auto byte) { return int32_t{byte}; });
}
inline void add_bf16(int sum, int a, int b) {
  add_products<float, uint16_t, uint16_t, 2>(sum, a, b, [](uint16_t bits) {
    const uint32_t wide = uint32_t{bits} << 16;
    float f;
    std::memcpy(&f, &wide, sizeof f);
    return f;
  });
}

}  // namespace tc::emulated

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#undef _tile_dpbsud
#undef _tile_dpbf16ps
#define _tile_loadconfig(shapes) (tc::emulated::configured = (shapes) != nullptr)
#define _tile_release() (tc::emulated::configured = false)
#define _tile_zero tc::emulated::zero
#define _tile_loadd tc::emulated::load
#define _tile_stored tc::emulated::store
#define _tile_dpbusd tc::emulated::add_bytes<uint8_t, int8_t>
#define _tile_dpbsud tc::emulated::add_bytes<int8_t, uint8_t>
#define _tile_dpbf16ps tc::emulated::add_bf16
