#include "tc/passes/import/import.h"

#include <unordered_set>

#include "tc/ir/renaming.h"

namespace tc {

void inline_body(Editor& editor, std::string_view rule, Node& node, const Graph& body) {
  Graph& graph = *node.graph();
  Node* before = node.prev();
  const auto outputs = clone_in_place_of(node, body);
  // What is known of the arguments is known in the copy.
  for (Node* n = before ? before->next() : graph.first(); n != &node; n = n->next()) {
    refine_results(*n);
    if (n->location().empty()) n->set_location(node.location());
  }
  Edit edit{rule, exact, {}, &node, {}, {}, true, &node};
  for (int j = 0; j < node.num_results(); ++j)
    if (Value* out = outputs[static_cast<size_t>(j)]) edit.replaced.emplace_back(node.result(j), out);
  editor.commit(std::move(edit));
}

namespace {

bool is_custom(const Node& call) {
  return !call.graph()->module().find_function(call.attrs<Call>().callee);
}

constexpr std::string_view kInlineRule = "inline-call";
// Functions that call functions can grow exponentially.
constexpr int64_t kMaxInlinedNodes = int64_t{1} << 18;

}  // namespace

void inline_functions(PassContext& ctx) {
  int64_t nodes = count_nodes(ctx.module);
  std::unordered_set<const Node*> gone;
  ctx.editor.on_erase = [&](Node& n) { gone.insert(&n); };
  // Callees before callers, so that each body is copied flat.
  std::vector<Graph*> order = call_order(ctx.module);
  order.push_back(&ctx.module.main());
  for (Graph* caller : order) {
    gone.clear();
    std::vector<Node*> calls;
    walk(*caller, [&](Node& n) {
      if (n.is<Call>() && !is_custom(n)) calls.push_back(&n);
    });
    for (Node* call : calls) {
      if (gone.count(call) || !ctx.editor.allows(kInlineRule, exact)) continue;
      const std::string& name = call->attrs<Call>().callee;
      const Graph* callee = ctx.module.find_function(name);
      TC_CHECK(callee, "call_order has found @", name);
      walk(*callee, [&](const Node&) { ++nodes; });
      if (nodes > kMaxInlinedNodes)
        throw Error(
            {ErrorCode::limit_size,
             cat("with the body of @", name, " here, the program would have more than ", kMaxInlinedNodes, " nodes"),
             call->location(),
             {},
             {}});
      inline_body(ctx.editor, kInlineRule, *call, *callee);
    }
  }
  ctx.editor.on_erase = nullptr;
  if (has_no_calls(ctx.module)) return;
  std::vector<std::string> names;
  for (const auto& f : ctx.module.functions()) names.push_back(f->name());
  for (const auto& name : names) ctx.module.erase_function(name);
}

std::span<const Rule> inline_function_rules() {
  static const Rule kRules[] = {{kInlineRule, exact, any_node(), nullptr}};
  return kRules;
}

std::optional<std::string> has_no_calls(const Module& m) {
  return find_violation(m, "a call", [](const Node& n) { return n.is<Call>() && !is_custom(n); });
}

}  // namespace tc
