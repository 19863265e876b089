#include <unordered_map>

#include "tc/ir/library.h"
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace {

size_t mix(size_t seed, size_t v) {
  return seed ^ (v + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}

size_t hash_node(const Node& n) {
  size_t h = static_cast<size_t>(n.op());
  const AttrsInfo& attrs = n.info().attrs;
  for (size_t i = 0; i < attrs.fields.size(); ++i) h = mix(h, hash_value(attrs.get(n.raw_attrs().get(), i)));
  for (const Value* v : n.operands()) h = mix(h, std::hash<const void*>()(v));
  h = mix(h, std::hash<std::string_view>()(library_function(n)));
  return mix(h, static_cast<size_t>(n.num_results()));
}

bool same_computation(const Node& a, const Node& b) {
  if (a.op() != b.op() || a.num_results() != b.num_results() || a.num_operands() != b.num_operands()) return false;
  for (int i = 0; i < a.num_operands(); ++i)
    if (a.operand(i) != b.operand(i)) return false;
  if (library_function(a) != library_function(b)) return false;
  if (a.raw_attrs() == b.raw_attrs()) return true;
  const AttrsInfo& attrs = a.info().attrs;
  for (size_t i = 0; i < attrs.fields.size(); ++i)
    if (!equal(attrs.get(a.raw_attrs().get(), i), attrs.get(b.raw_attrs().get(), i))) return false;
  return true;
}

bool eligible(const Node& n) {
  const OpTraits& t = n.info().traits;
  const bool closed = n.num_regions() == 0 || !library_function(n).empty();
  return !t.effects && !t.nondeterministic && closed && n.num_results() > 0 && n.op() != OpId::Parameter &&
         n.op() != OpId::Call;
}

// Constants have a rule of their own, which export leaves out: some readers of files change a weight in place of a
// user.
constexpr std::string_view kMergeNodes = "merge-equal-nodes", kMergeConstants = "merge-equal-constants";

// Scopes nest like graphs: a region sees what the enclosing graphs computed before it. That of a cluster is closed: it
// is a program of its own, which reads its operands alone.
class Scope {
 public:
  Scope(Editor& editor, const Scope* outer) : editor_(editor), outer_(outer) {}

  void run(Graph& g) {
    std::vector<Node*> order;
    for (const auto& n : g.nodes()) order.push_back(n.get());
    for (Node* n : order) {
      for (int i = 0; i < n->num_regions(); ++i) Scope(editor_, n->is<Cluster>() ? nullptr : this).run(n->region(i));
      if (!eligible(*n)) continue;
      const size_t h = hash_node(*n);
      const std::string_view rule = n->is<Constant>() ? kMergeConstants : kMergeNodes;
      Node* const earlier = find(h, *n);
      // One of equal nodes is enough to find, whether they are merged or not: a bucket of them all would be walked for
      // each.
      if (!earlier) seen_.emplace(h, n);
      if (!earlier || !editor_.allows(rule, exact)) continue;
      Edit edit{rule, exact, {}, n, {}, {}, true};
      for (int j = 0; j < n->num_results(); ++j) edit.replaced.emplace_back(n->result(j), earlier->result(j));
      if (const char* why = editor_.commit(std::move(edit))) editor_.note_miss(rule, why, *n);
    }
  }

 private:
  Node* find(size_t h, const Node& n) const {
    for (const Scope* s = this; s; s = s->outer_) {
      const auto [begin, end] = s->seen_.equal_range(h);
      for (auto it = begin; it != end; ++it)
        if (same_computation(*it->second, n)) return it->second;
    }
    return nullptr;
  }

  Editor& editor_;
  const Scope* outer_;
  std::unordered_multimap<size_t, Node*> seen_;
};

}  // namespace

std::span<const Rule> common_rules() {
  static const Rule kRules[] = {{kMergeNodes, exact, any_node(), nullptr},
                                {kMergeConstants, exact, any_node(), nullptr}};
  return kRules;
}

void eliminate_common(PassContext& ctx) {
  for_each_graph(ctx.module, [&](Graph& g) { Scope(ctx.editor, nullptr).run(g); });
}

}  // namespace tc
