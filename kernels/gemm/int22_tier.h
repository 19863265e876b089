// The right operand as 22-bit integers (GemmForm::int22), where reading it is most of a product's work. Only *_tier.cc
// files include it.
#pragma once
#include <limits>

#include "tc/kernels/gemm/gemm.h"
#include "tc/kernels/gemm/pack_tier.h"
#include "tc/kernels/simd/int22.h"

namespace tc::kernels {
namespace {

// Floats before column j, a multiple of the panel's, of a packed matrix.
TC_INLINE constexpr int64_t fixed_offset(int64_t k, int64_t j) {
  return int22_bytes(j) * k / 4 + j;
}
static_assert(int22_bytes(kPanel) % 4 == 0);
static_assert(kWhole22Beyond <= kVecFloats * int64_t{sizeof(float)}, "scales lie behind a panel's last row");

// What load_int22 reads is below 1 in magnitude when multiplied by this; the left operand is, so that sums overflow
// where those of floats do.
inline constexpr float kInt22Left = 0x1p-31f;

// Calls row(v, x) with every register of a k x cols piece of B, row by row.
template <class Row>
void each_register(const float* src, int64_t rs, int64_t cs, int64_t k, int cols, int width, Row row) {
  constexpr int64_t kSteps = 32;
  alignas(64) float steps[kSteps * kPanel];
  for (int64_t p = 0; p < k; p += kSteps) {
    const int64_t count = least(kSteps, k - p);
    pack_panel(src + p * rs, rs, cs, count, cols, steps, width);
    for (int64_t s = 0; s < count; ++s)
      for (int v = 0; v * kVecFloats < width; ++v) row(v, load(steps + s * width + v * kVecFloats));
  }
}

// Packs one panel; a column that 22-bit integers does not hold has a scale that is no number.
inline void pack_fixed_panel(const float* src, int64_t rs, int64_t cs, int64_t k, int cols, float* dst, int width) {
  VecF most[kPanelVecs], squares[kPanelVecs], inverse[kPanelVecs];
  for (int v = 0; v < kPanelVecs; ++v) most[v] = squares[v] = VecF(0.0f);
  each_register(src, rs, cs, k, cols, width, [&](int v, VecF x) {
    most[v] = vmax(most[v], vabs(x));
    squares[v] = fma(x, x, squares[v]);
  });
  VecF scale[kPanelVecs];
  for (int v = 0; v * kVecFloats < width; ++v) {
    const VecF floor(kFixedLeast), ceiling(kFixedMost), peak = most[v] * VecF(1 / kFixedPeak);
    const VecI power = bits(vmin(vmax(most[v], floor), ceiling)) & VecI(0x7f800000);
    inverse[v] = from_bits(VecI((127 + 127 + 20) << 23) - power);  // the largest has 21 bits and a sign
    const Mask<float> zero = (most[v] == VecF(0.0f)) & (squares[v] == VecF(0.0f));
    const Mask<float> within =
        (most[v] >= floor) & (most[v] <= ceiling) & (peak * peak * VecF(static_cast<float>(k)) <= squares[v]);
    scale[v] =
        select<float>(zero | within, from_bits(power + VecI(1 << 23)), VecF(std::numeric_limits<float>::quiet_NaN()));
  }
  auto* to = reinterpret_cast<std::byte*>(dst);
  each_register(src, rs, cs, k, cols, width, [&](int v, VecF x) {
    store_int22(to, round_to_i32(vmin(x * inverse[v], VecF(0x1fffffp0f))));
    to += int22_bytes(kVecFloats);
  });
  float* scales = dst + (k * int22_bytes(width) + 3) / 4;
  for (int v = 0; v * kVecFloats < width; ++v) store(scales + v * kVecFloats, scale[v]);
}

// A panel's scales, from the end of its last row on.
TC_INLINE const float* fixed_scales(const std::byte* end) {
  return reinterpret_cast<const float*>((reinterpret_cast<uintptr_t>(end) + 3) / 4 * 4);
}

// Panels as 22-bit integers, as gemv_panel and few_steps read them. bytes: of a row; offset: floats before column j.
struct FixedRows {
  static constexpr int64_t bytes(int64_t width) { return int22_bytes(width); }
  static constexpr int64_t offset(int64_t k, int64_t j) { return fixed_offset(k, j); }
  template <int M, int NV>
  TC_INLINE static void step(Tile<M, NV>& tile, const float* a, int64_t rs, const std::byte* b) {
    tile.step_by(a, rs, [&](int v) { return to_float(load_int22(b + v * int22_bytes(kVecFloats))); });
  }
  template <int M, int NV>
  TC_INLINE static void finish(Tile<M, NV>& tile, const std::byte* end) {
    const float* scales = fixed_scales(end);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      const VecF scale = load(scales + v * kVecFloats);
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) tile.v[i][v] = tile.v[i][v] * scale;
    }
  }
};

// The left operand as the right one's rows take it, its own `rs` floats apart.
inline void copy_left(const GemmArgs& g, const float* a, float* to, int64_t rs) {
  const float factor = g.form == GemmForm::int22 ? kInt22Left : 1.0f;
  for (int64_t i = 0; i < g.m; ++i, a += g.a_rs, to += rs) {
    int64_t p = 0;
    if (g.a_cs == 1)
      for (; p + kVecFloats <= g.k; p += kVecFloats) store(to + p, load(a + p) * VecF(factor));
    for (; p < g.k; ++p) to[p] = a[p * g.a_cs] * factor;
  }
}

}  // namespace
}  // namespace tc::kernels
