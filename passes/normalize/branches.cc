#include "tc/passes/import/import.h"
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace {

constexpr std::string_view kBranchRule = "inline-constant-branch";

}  // namespace

void inline_branches(PassContext& ctx) {
  auto decided = [](const Node& n) {
    return n.is<If>() && n.operand(0)->constant() && n.operand(0)->constant()->size() == 1;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (Node* node : find_nodes(ctx.module, decided)) {
      if (!ctx.editor.allows(kBranchRule, exact)) return;
      inline_body(ctx.editor, kBranchRule, *node, node->region(scalar_f64(*node->operand(0)->constant()) != 0 ? 0 : 1));
      progress = true;
      break;  // the branch may have held further ones of the list
    }
  }
}

std::span<const Rule> branch_rules() {
  static const Rule kRules[] = {{kBranchRule, exact, any_node(), nullptr}};
  return kRules;
}

}  // namespace tc
