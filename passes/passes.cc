#include "tc/passes/fuse/fuse.h"
#include "tc/passes/import/import.h"
#include "tc/passes/normalize/normalize.h"
#include "tc/passes/stabilize/stabilize.h"

namespace tc {

std::span<const Pass> all_passes() {
  static const Pass kPasses[] = {
      {"inline-functions", Phase::import, 1, inline_functions, inline_function_rules(), has_no_calls,
       "calls become copies of the functions' bodies"},
      {"integer-arithmetic", Phase::normalize, 2, run_rules<integer_rules>, integer_rules(), nullptr,
       "what is computed between dequantised operands is computed on bytes"},
      {"simplify-scans", Phase::normalize, 2, simplify_scans, scan_rules(), nullptr,
       "scans of elementwise bodies and running sums become ops on all slices; short scans are written out"},
      {"normalize", Phase::normalize, 1, normalize, normalize_rules(), is_normalized,
       "computes what is known, drops what does nothing, merges what is equal"},
      {"stabilize", Phase::stabilize, 1, run_rules<stabilize_rules>, stabilize_rules(), is_stable,
       "recognises well-known functions in chains of primitive ops"},
      {"fuse-linear", Phase::fuse, 2, run_rules<fuse_rules>, fuse_rules(), is_fused,
       "constants into weights, epilogues into products and convolutions"},
      {"form-clusters", Phase::fuse, 2, form_clusters, cluster_rules(), nullptr,
       "elementwise ops that feed each other run in one sweep"},
  };
  return kPasses;
}

std::vector<const Pass*> passes_for(const Target* target) {
  std::vector<const Pass*> passes;
  if (target)
    for (const Pass& p : target->passes) passes.push_back(&p);
  for (const Pass& p : all_passes()) passes.push_back(&p);
  return passes;
}

}  // namespace tc
