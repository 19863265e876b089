#include "tc/passes/stabilize/stabilize.h"

namespace tc {

std::span<const Rule> stabilize_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> all;
    for (auto table : {softmax_rules(), activation_rules(), norm_rules()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kRules;
}

std::optional<std::string> is_stable(const Module& m) {
  return find_violation(m, "the logarithm of a softmax", [](const Node& n) {
    const Node* operand = n.is<Log>() && n.operand(0) ? n.operand(0)->def() : nullptr;
    return operand && operand->is<Softmax>() && operand->graph() == n.graph();
  });
}

}  // namespace tc
