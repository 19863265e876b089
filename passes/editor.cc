#include "tc/passes/editor.h"

#include <algorithm>

#include "tc/ir/builder.h"
#include "tc/ir/verbose.h"
#include "tc/passes/check_values.h"

namespace tc {
namespace {

constexpr size_t kMaxLocation = 160;

std::string join_locations(const std::vector<Node*>& sources) {
  std::vector<std::string_view> parts;
  std::string joined;
  for (const Node* n : sources) {
    const std::string& l = n->location();
    if (l.empty() || std::find(parts.begin(), parts.end(), l) != parts.end()) continue;
    if (!parts.empty() && joined.size() + l.size() > kMaxLocation) break;
    parts.push_back(l);
    joined += cat(joined.empty() ? "" : "+", l);
  }
  return joined;
}

void trace(std::string_view rule, std::string_view verdict, const Node& root, std::string_view reason) {
  if (verbose(Topic::rewrite))
    report(Topic::rewrite, "rule,verdict,op,location,reason",
           {std::string(rule), std::string(verdict), std::string(root.info().name()), root.location(),
            std::string(reason)});
}

// Whether `b` says of an extent what `a` leaves open: a number, or an expression without made-up symbols.
bool says_more(const Dim& b, const Dim& a) {
  if (a.is_const() || b.is_const()) return !a.is_const() && b.is_const();
  const auto made_up = [](const Dim& d) { return d.str().find('?') != std::string::npos; };
  return made_up(a) && !made_up(b);
}

Dim refine(const Dim& a, const Dim& b) {
  return says_more(b, a) ? b : a;
}

bool says_more(const Dims* b, const std::optional<Dims>& a) {
  if (!b || !a) return b && !a;
  for (size_t i = 0; i < std::min(a->size(), b->size()); ++i)
    if (says_more((*b)[i], (*a)[i])) return true;
  return false;
}

// A check of what is known to hold.
bool is_proven(const Node& n) {
  const Tensor* condition = n.is<Check>() ? n.operand(0)->constant() : nullptr;
  if (!condition) return false;
  const auto elements = condition->span<Bool>();
  return std::all_of(elements.begin(), elements.end(), [](Bool b) { return static_cast<bool>(b); });
}

}  // namespace

Type refine(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor()) return a.is_none() ? b : a;
  if (!a.shape().ranked()) return b;
  if (!b.shape().ranked() || a.shape().rank() != b.shape().rank()) return a;
  Dims dims;
  for (int i = 0; i < a.shape().rank(); ++i) dims.push_back(refine(a.shape()[i], b.shape()[i]));
  return Type::tensor(a.dtype(), Shape(std::move(dims)));
}

bool refine_results(Node& n) {
  struct Known {
    Type type;
    std::optional<Dims> contents;
  };
  std::vector<Known> before;
  for (int i = 0; i < n.num_results(); ++i) {
    const Dims* contents = n.result(i)->contents();
    before.push_back({n.result(i)->type(), contents ? std::optional(*contents) : std::nullopt});
  }
  try {
    infer_types(n);
  } catch (const Error&) {
    // What is now known contradicts the program: the run will say so if it gets here.
    for (int i = 0; i < n.num_results(); ++i) n.result(i)->set_type(before[static_cast<size_t>(i)].type);
    return false;
  }
  bool learnt = false;
  for (int i = 0; i < n.num_results(); ++i) {
    const Known& k = before[static_cast<size_t>(i)];
    Value* v = n.result(i);
    v->set_type(refine(k.type, v->type()));
    learnt |= !(v->type() == k.type) || says_more(v->contents(), k.contents);
  }
  return learnt;
}

namespace {

bool unused(const Node& n) {
  for (int i = 0; i < n.num_results(); ++i)
    if (!n.result(i)->unused()) return false;
  return true;
}

}  // namespace

bool removable(const Node& n) {
  return unused(n) && (is_proven(n) || !has_effects(n));
}

bool Editor::allows(std::string_view rule, const Exactness& e) const {
  if (exhausted() || e.contract > limits_.loosest) return false;
  const std::string name(rule);
  if (limits_.disabled.count(name)) return false;
  const auto cap = limits_.caps.find(name);
  if (cap == limits_.caps.end()) return true;
  const auto done = report_.rules.find(name);
  return (done == report_.rules.end() ? 0 : done->second.fired) < cap->second;
}

void Editor::note_miss(std::string_view rule, const char* reason, const Node& root) {
  ++stats(rule).missed[reason];
  trace(rule, "missed", root, reason);
}

const char* Editor::commit(Edit edit) {
  std::set<const Node*> made;
  for (const auto& n : edit.nodes) made.insert(n.get());
  for (const auto& [from, to] : edit.replaced) {
    TC_CHECK(from && to && from != to, "rule ", edit.rule);
    if (from->type() == to->type()) continue;
    // A fresh value has the type by construction of the rule; that of another value would have to be proven.
    const bool fits = compatible(from->type(), to->type()) && from->dtype() == to->dtype();
    if (made.count(to->def()))
      TC_CHECK(fits, "rule ", edit.rule, " replaces ", from->type(), " by ", to->type());
    else if (!fits || !edit.same_types)
      return "the type cannot be proven to stay";
  }
  if (check_) check_->before_commit(edit);

  const std::string location = join_locations(edit.sources);
  Node* root = edit.replaced.empty() ? nullptr : edit.replaced.front().first->def();
  if (root) trace(edit.rule, "fired", *root, "");
  for (auto& n : edit.nodes) {
    n->set_location(location);
    Node* placed = edit.before->graph()->insert(std::move(n), edit.before);
    if (on_insert) {
      on_insert(*placed);
      for (int i = 0; i < placed->num_regions(); ++i) walk(placed->region(i), on_insert);
    }
  }
  std::vector<Node*> dead;
  for (const auto& [from, to] : edit.replaced) {
    if (made.count(to->def()) || (edit.same_types && to->def())) {
      to->set_type(refine(from->type(), to->type()));
      if (from->contents() && !to->contents()) to->set_contents(*from->contents());
    }
    if (to->name().empty() && to->def()) to->set_name(from->name());
    if (on_touch)
      for (Use* u = from->first_use(); u; u = u->next()) on_touch(*u->user());
    from->replace_all_uses_with(to);
    if (from->def()) dead.push_back(from->def());
  }
  if (edit.taken_over) dead.push_back(edit.taken_over);
  std::sort(dead.begin(), dead.end());
  dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
  erase_unused(std::move(dead), edit.taken_over);
  ++stats(edit.rule).fired;
  ++report_.rewrites;
  return nullptr;
}

Built build_detached(Node& at, const std::function<std::vector<Value*>(Builder&)>& build) {
  Graph& graph = *at.graph();
  const Node* before = at.prev();
  Built built;
  const auto detach = [&] {
    Node* first = before ? before->next() : graph.first();
    while (first != &at) {
      Node* next = first->next();
      built.nodes.push_back(graph.detach(first));
      first = next;
    }
  };
  Builder b(graph, &at);
  b.set_location(at.location());
  try {
    built.values = build(b);
  } catch (...) {
    detach();
    while (!built.nodes.empty()) built.nodes.pop_back();  // users first
    throw;
  }
  detach();
  return built;
}

void Editor::erase_dead(std::vector<Node*> nodes) {
  erase_unused(std::move(nodes), nullptr);
}

void Editor::erase_unused(std::vector<Node*> pending, const Node* taken_over) {
  std::set<Node*> gone;
  while (!pending.empty()) {
    Node* n = pending.back();
    pending.pop_back();
    if (gone.count(n) || !(n == taken_over ? unused(*n) : removable(*n))) continue;
    std::vector<Value*> used = n->operands();
    for (int i = 0; i < n->num_regions(); ++i)
      for (Value* v : captures(n->region(i))) used.push_back(v);
    if (on_erase) {
      on_erase(*n);
      for (int i = 0; i < n->num_regions(); ++i) walk(n->region(i), on_erase);
    }
    if (check_)
      for (int i = 0; i < n->num_results(); ++i) check_->forget(n->result(i));
    gone.insert(n);
    n->graph()->erase(n);
    for (Value* v : used) {
      if (!v) continue;
      if (v->def()) pending.push_back(v->def());
      // Rules that ask for a single use may apply now.
      if (on_touch && v->single_use()) on_touch(*v->first_use()->user());
    }
  }
}

}  // namespace tc
