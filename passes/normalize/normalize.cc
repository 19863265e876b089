#include "tc/passes/normalize/normalize.h"

namespace tc {

std::span<const Rule> normalize_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> all;
    for (auto table : {cleanup_rules(), canonical_rules(), fold_rules(), sink_rules(), common_rules(), branch_rules(),
                       index_rules()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kRules;
}

void normalize(PassContext& ctx) {
  constexpr int kRounds = 4;  // merging equal nodes may let rules fire again; a second round has been enough so far
  int64_t before = -1;
  for (int round = 0; round < kRounds && before != count_nodes(ctx.module); ++round) {
    apply_rules(ctx.module, normalize_rules(), ctx.editor);
    before = count_nodes(ctx.module);
    inline_branches(ctx);
    eliminate_common(ctx);
  }
}

std::optional<std::string> is_normalized(const Module& m) {
  return find_violation(m, "an op that does nothing",
                        [](const Node& n) { return n.is<Identity>() && n.operand(0)->type().is_tensor(); });
}

}  // namespace tc
