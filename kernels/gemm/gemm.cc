#include "tc/kernels/gemm/gemm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tc/kernels/gemm/gemm_shapes.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/rounding.h"
#include "tc/kernels/simd/subnormals.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

// Two threads meet in the middle of a phase. Where both would go over all columns, one for each of two row tiles, half
// of B comes from the core that packed it, and is taken back to be packed anew: 512x512x512 on cores that share no
// cache spends 80 of 820 us on packing. In split bf16 of the columns each core packs what it reads, in 23 of 775 us,
// though both pack all of A; of more row tiles that takes as long as it saves.
bool in_split_bf16(const GemmPlan& p, const Team& team) {
  return team.threads() == 2 && p.strassen && p.source == GemmPlan::Source::phase && p.row_tiles == 2 &&
         p.col_tiles % 2 == 0;
}
// The tile whose turn it is then: the kernel counts them along the rows of tiles.
int64_t tile_of_half(const GemmPlan& p, int64_t turn) {
  const int64_t half = p.col_tiles / 2, of_half = p.row_tiles * half;
  const int64_t side = turn / of_half % 2, slot = turn / of_half / 2, rest = turn % of_half;
  return (slot * p.row_tiles + rest / half) * p.col_tiles + side * half + rest % half;
}

}  // namespace

int GemmPlan::phases() const {
  const int first = packs_a ? 1 : 0;
  if (source != Source::phase) return first + 1;
  return first + static_cast<int>(2 * ceil_div(units(), units_per_phase));
}

int64_t GemmPlan::tiles(int phase) const {
  if (packs_a && phase-- == 0) return (split ? batches : row_tiles) * row_strips;
  if (source != Source::phase) return units() * row_tiles * col_tiles;
  const int64_t here = std::min(units_per_phase, units() - (phase / 2) * units_per_phase);
  return here * col_tiles * (phase % 2 == 0 ? 1 : row_tiles);
}

int64_t gemm_packed_floats(const GemmTraits& traits, int64_t k, int64_t n, GemmForm form) {
  if (form == GemmForm::split_bf16) return round_up(n, kSplitStrip) * round_up(k, kSplitStep);
  const int64_t columns = round_up(n, traits.lanes);
  // Eleven bytes for four of them.
  if (form == GemmForm::int22) return ceil_div(11 * columns * k, 16) + columns;
  return form == GemmForm::panels ? columns * k : columns * k / 2;
}

bool gemm_fixed_holds(const GemmTraits& traits, const float* packed, int64_t k, int64_t n) {
  for (int64_t j = 0, end; j < n; j = end) {
    end = std::min<int64_t>(n, j + traits.width);
    const float* behind = packed + gemm_packed_floats(traits, k, end, GemmForm::int22);
    const float* scales = behind - round_up(end - j, traits.lanes);
    if (std::any_of(scales, behind, [](float scale) { return std::isnan(scale); })) return false;
  }
  return true;
}

GemmForm gemm_form(const GemmTraits& traits, int64_t k, int64_t n) {
  const bool split_bf16 = traits.splits && k >= kLeastSplitSteps && n >= kLeastSplitColumns &&
                          4 * gemm_packed_floats(traits, k, n, GemmForm::split_bf16) <= 5 * k * n;
  return split_bf16 ? GemmForm::split_bf16 : GemmForm::panels;
}

float* gemm_worker_scratch(const GemmArgs& args, const GemmPlan& plan, int worker) {
  return args.scratch + round_up(plan.shared_floats, 16) + worker * worker_stride<float>(plan.worker_floats);
}

size_t gemm_scratch_bytes(const GemmPlan& plan, int threads) {
  return static_cast<size_t>(round_up(plan.shared_floats, 16) + threads * worker_stride<float>(plan.worker_floats)) *
         sizeof(float);
}

void gemm_pack(Team& team, const GemmTable& kernels, const float* b, int64_t b_rs, int64_t b_cs, int64_t k, int64_t n,
               float* dst, GemmForm form) {
  const GemmTraits traits = kernels.traits.fn();
  const auto pack = kernels.pack(form).fn;
  const int64_t width = form == GemmForm::split_bf16 ? kSplitStrip * kSplitTogether : traits.width;
  const Tiling panels = tile_by_cost(ceil_div(n, width), width * k, kPhaseFloats / 16);
  parallel_for(team, panels.count(), [&](int64_t tile, int) {
    const int64_t col = panels.begin(tile) * width;
    pack(b, b_rs, b_cs, k, col, std::min(n, panels.end(tile) * width), dst + gemm_packed_floats(traits, k, col, form));
  });
}

void gemm_repack(Team& team, const GemmTable& kernels, GemmForm from, const float* packed, int64_t k, int64_t n,
                 float* dst, GemmForm form) {
  const GemmTraits traits = kernels.traits.fn();
  parallel_for(team, ceil_div(n, traits.width), [&](int64_t panel, int) {
    const int64_t col = panel * traits.width, cols = std::min<int64_t>(traits.width, n - col);
    const int64_t width = round_up(cols, traits.lanes);
    std::vector<float> floats(static_cast<size_t>(k * width));
    kernels.widen.fn(from, packed + gemm_packed_floats(traits, k, col, from), k * width, floats.data());
    kernels.pack(form).fn(floats.data(), width, 1, k, 0, cols, dst + gemm_packed_floats(traits, k, col, form));
  });
}

void gemm(Team& team, const GemmTable& kernels, const GemmArgs& args, const GemmPlan& plan) {
  if (plan.own_a)
    for (auto [worker, last] = team.workers(); worker < last; ++worker)
      own_left(gemm_worker_scratch(args, plan, worker)).row_tile = -1;
  const bool split_bf16 = in_split_bf16(plan, team);
  for (int phase = 0; phase < plan.phases(); ++phase) {
    parallel_for(team, plan.tiles(phase), [&](int64_t tile, int worker) {
      const NoSubnormals flushed;
      kernels.run.fn(args, plan, phase, split_bf16 && phase % 2 == 1 ? tile_of_half(plan, tile) : tile, worker);
    });
  }
}

}  // namespace tc::kernels
