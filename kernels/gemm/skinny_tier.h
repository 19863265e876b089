// A few rows by packed panels from memory: more than are multiplied while a panel is read once, so few that reading is
// still most of the work. Only *_tier.cc files include it.
#pragma once
#include <utility>

#include "tc/kernels/gemm/int22_tier.h"

namespace tc::kernels {
namespace {

// Panels of floats, as FixedRows are those as 22-bit integers.
struct FloatRows {
  static constexpr int64_t bytes(int64_t width) { return width * int64_t{sizeof(float)}; }
  static constexpr int64_t offset(int64_t k, int64_t j) { return j * k; }
  template <int M, int NV>
  TC_INLINE static void step(Tile<M, NV>& tile, const float* a, int64_t rs, const std::byte* b) {
    tile.step(a, rs, reinterpret_cast<const float*>(b), 16);
  }
  template <int M, int NV>
  TC_INLINE static void finish(Tile<M, NV>&, const std::byte*) {}
};

// Panels of numbers of 16 bits.
template <VecF (*kLoad)(const uint16_t*), void (*kStore)(uint16_t*, VecF)>
struct ShortRows {
  static constexpr int64_t bytes(int64_t width) { return width * int64_t{sizeof(uint16_t)}; }
  static constexpr int64_t offset(int64_t k, int64_t j) { return j * k / 2; }
  static void put(std::byte* to, VecF x) { kStore(reinterpret_cast<uint16_t*>(to), x); }
  template <int M, int NV>
  TC_INLINE static void step(Tile<M, NV>& tile, const float* a, int64_t rs, const std::byte* b) {
    tile.step_by(a, rs, [&](int v) { return kLoad(reinterpret_cast<const uint16_t*>(b) + v * kVecFloats); });
  }
  template <int M, int NV>
  TC_INLINE static void finish(Tile<M, NV>&, const std::byte*) {}
};
using F16Rows = ShortRows<load_f16, store_f16>;
using Bf16Rows = ShortRows<load_bf16, store_bf16>;

// Registers of a panel that are summed at a time, each widened once for all rows, and the most rows.
inline constexpr int kFewVecs = kVecFloats == 16 ? 2 : kPanelVecs;
inline constexpr int kFewRows = kMaxRows[kFewVecs];

// Adds `steps` steps to sums, M rows of kPanel. b: NV registers of each step, `stride` bytes from one to the next.
// ahead: what is asked for meanwhile, as many bytes as are read.
template <class Rows, int M, int NV>
void few_steps(const float* a, int64_t rs, const std::byte* b, int64_t stride, int64_t steps, const std::byte* ahead,
               float* sums) {
  constexpr int64_t kBytes = Rows::bytes(NV * kVecFloats);
  Tile<M, NV> t;
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) t.v[i][v] = load(sums + i * kPanel + v * kVecFloats);
  }
  for (int64_t p = 0; p < steps; ++p, ++a, b += stride, ahead += kBytes) {
#pragma GCC unroll 4
    for (int64_t line = 0; line < kBytes; line += 64) __builtin_prefetch(ahead + line, 0, 2);
    Rows::step(t, a, rs, b);
  }
#pragma GCC unroll 16
  for (int i = 0; i < M; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) store(sums + i * kPanel + v * kVecFloats, t.v[i][v]);
  }
}

using FewFn = void (*)(const float*, int64_t, const std::byte*, int64_t, int64_t, const std::byte*, float*);
template <class Rows, int NV, int... kRow>
FewFn few_of(int rows, std::integer_sequence<int, kRow...>) {
  static constexpr FewFn kByRows[] = {few_steps<Rows, kRow + 1, NV>...};
  return kByRows[rows - 1];
}
template <class Rows, int... kVec>
FewFn few_of(int rows, int vecs, std::integer_sequence<int, kVec...>) {
  constexpr std::make_integer_sequence<int, kFewRows> kRows;
  FewFn found = nullptr;
  ((vecs == kVec + 1 ? void(found = few_of<Rows, kVec + 1>(rows, kRows)) : void()), ...);
  return found;
}

}  // namespace
}  // namespace tc::kernels
