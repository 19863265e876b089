// What planning products and packing their factors have in common; private to them.
#pragma once
#include <cstdint>

#include "tc/kernels/gemm/gemm.h"

namespace tc::kernels {
namespace {

// Packed B of one phase: well inside L3; the most, where A is packed again in each or sums are long.
inline constexpr int64_t kPhaseFloats = int64_t{1} << 20, kLargePhaseFloats = 4 * kPhaseFloats;
// In split bf16: steps of a line, and columns of a strip.
inline constexpr int64_t kSplitStep = 32, kSplitStrip = 32;
// Below, the tiles of sums are mostly padding.
inline constexpr int64_t kLeastSplitColumns = 32, kLeastSplitSteps = 32;

// Shorter sums of few columns leave most of a register empty. 100000 rows by 3 columns, 3 steps: 3.5 ms, by tiles 0.16.
inline constexpr int64_t kLeastDot = 16;

// Few columns of an unpacked B: the larger operand is A, so A takes B's place.
inline bool may_swap(const GemmArgs& g) {
  return g.n <= 4 && g.a_cs == 1;
}
inline bool may_dot(const GemmArgs& g) {
  return g.m <= 4 && g.a_cs == 1 && g.b_rs == 1;
}
inline bool swaps(const GemmArgs& g) {
  return may_swap(g) && ((g.m > g.n && (g.k >= kLeastDot || g.m <= 4)) || !may_dot(g));
}
inline bool may_pack_left(const GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  return p.batches == 1 && g.m > 2 * t.rows && g.m * g.k <= kPhaseFloats;
}
// A's steps do not follow each other, which the tiles want that are in assembler (simd/tile_steps.h): 256x256x256 of a
// transposed A on Zen 3, one thread and two, 0.465 and 0.244 to 0.398 and 0.224 ms.
inline bool gathers_left(const GemmPlan& p, const GemmArgs& g, const GemmTraits& t) {
  return may_pack_left(p, g, t) && t.unit_steps && g.a_cs != 1 && g.n > 2 * t.width && g.k > 2 * kGemmShortSum;
}
inline bool gathers_left(const GemmArgs& g, const GemmTraits& t) {
  GemmPlan p;
  p.batches = g.batch[0] * g.batch[1];
  return gathers_left(p, g, t);
}

}  // namespace

void gemm_plan_small(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_dot(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_gemv(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_few(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_split(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_strassen(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_in_place(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_packing(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);
void gemm_plan_panels(GemmPlan& plan, const GemmArgs& args, const GemmTraits& traits);

}  // namespace tc::kernels
