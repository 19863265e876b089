#include "tc/kernels/attention/attention.h"

#include "tc/kernels/parallel.h"
#include "tc/kernels/simd/subnormals.h"

namespace tc::kernels {

std::size_t attention_scratch_bytes(const AttentionPlan& plan, int threads) {
  return static_cast<std::size_t>(threads * plan.worker_floats) * sizeof(float);
}

void attention(Team& team, const AttentionTable& kernels, const AttentionArgs& args, const AttentionPlan& plan) {
  parallel_for(team, plan.tiles(), [&](std::int64_t tile, int worker) {
    const NoSubnormals flushed;
    kernels.run.fn(args, plan, tile, worker);
  });
}

}  // namespace tc::kernels
