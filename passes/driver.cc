#include "tc/passes/driver.h"

#include <algorithm>
#include <array>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "tc/ir/tensor_budget.h"

namespace tc {
namespace {

// Which rules may apply to which op.
class RuleIndex {
 public:
  explicit RuleIndex(std::span<const Rule> rules) {
    for (const Rule& r : rules) {
      if (!r.build) continue;
      TC_CHECK(r.pattern.kind == Pattern::Kind::op, "the root of rule ", r.name, " is not an op");
      if (r.pattern.ops.empty())
        for (auto& list : by_op_) list.push_back(&r);
      else
        for (OpId op : r.pattern.ops) by_op_[static_cast<size_t>(op)].push_back(&r);
    }
  }
  const std::vector<const Rule*>& of(OpId op) const { return by_op_[static_cast<size_t>(op)]; }

 private:
  std::array<std::vector<const Rule*>, kNumOps> by_op_;
};

class Worklist {
 public:
  void push(Node& n) {
    if (place_.emplace(&n, popped_ + queue_.size()).second) queue_.push_back(&n);
  }
  void remove(Node& n) {
    if (const auto it = place_.find(&n); it != place_.end()) {
      queue_[it->second - popped_] = nullptr;
      place_.erase(it);
    }
  }
  Node* pop() {
    while (!queue_.empty()) {
      Node* n = queue_.front();
      queue_.pop_front();
      ++popped_;
      if (!n) continue;
      place_.erase(n);
      return n;
    }
    return nullptr;
  }

 private:
  std::deque<Node*> queue_;
  std::unordered_map<Node*, size_t> place_;  // in the order of all pushes
  size_t popped_ = 0;
};

class Driver {
 public:
  Driver(Module& module, std::span<const Rule> rules, Editor& editor) : index_(rules), editor_(editor) {
    nodes_ = count_nodes(module);
    for_each_graph(module, [&](Graph& g) { walk(g, [&](Node& n) { work_.push(n); }); });
    editor_.on_insert = [this](Node& n) { work_.push(n); };
    editor_.on_touch = [this](Node& n) {
      work_.push(n);
      touched_.insert(&n);
    };
    editor_.on_erase = [this](Node& n) {
      work_.remove(n);
      touched_.erase(&n);
    };
  }
  ~Driver() { editor_.on_insert = editor_.on_touch = editor_.on_erase = nullptr; }

  void run() {
    while (Node* n = work_.pop()) {
      Budget::poll();
      if (n->op() == OpId::Return) {
        learn_of_region(*n);
        continue;
      }
      if (touched_.erase(n) && refine_results(*n)) queue_users(*n);
      if (removable(*n)) {
        editor_.erase_dead({n});
        continue;
      }
      try_rules(*n);
    }
  }

 private:
  static constexpr int64_t kRewritesPerNode = 64;

  void queue_users(Node& n) {
    for (int i = 0; i < n.num_results(); ++i)
      for (Use* u = n.result(i)->first_use(); u; u = u->next()) editor_.on_touch(*u->user());
  }

  // The results of a node follow from the outputs of its regions.
  void learn_of_region(Node& terminator) {
    if (!touched_.erase(&terminator)) return;
    if (Node* owner = terminator.graph()->owner()) editor_.on_touch(*owner);
  }

  void try_rules(Node& n) {
    for (const Rule* rule : index_.of(n.op())) {
      if (!editor_.allows(rule->name, rule->exactness)) continue;
      const Frame frame("rule", rule->name);
      Match m;
      if (!match(rule->pattern, n, m)) continue;
      Rewrite rewrite(n, m, editor_.limits().rules);
      const Patch patch = build(*rule, rewrite, n);
      if (patch.miss) {
        if (*patch.miss) editor_.note_miss(rule->name, patch.miss, n);
        continue;
      }
      Edit edit{rule->name, rule->exactness, rewrite.take(), &n, {}, m.inner(), patch.same_types};
      edit.sources.push_back(&n);
      TC_CHECK(static_cast<int>(patch.values.size()) <= n.num_results(), "too many replacements");
      for (size_t i = 0; i < patch.values.size(); ++i)
        if (patch.values[i] && patch.values[i] != n.result(static_cast<int>(i)))
          edit.replaced.emplace_back(n.result(static_cast<int>(i)), patch.values[i]);
      TC_CHECK(!edit.replaced.empty(), "nothing is replaced");
      if (const char* why = editor_.commit(std::move(edit))) {
        editor_.note_miss(rule->name, why, n);
        continue;
      }
      count(*rule);
      return;  // the node is gone, or queued again by what the rewrite touched
    }
  }

  // Errors, such as extents that overflow, are the node's.
  static Patch build(const Rule& rule, Rewrite& rewrite, const Node& n) {
    try {
      return rule.build(rewrite);
    } catch (const Error& e) {
      Diagnostic d = e.diagnostic();
      if (d.location.empty()) d.location = n.location();
      throw Error(std::move(d));
    }
  }

  void count(const Rule& rule) {
    recent_[static_cast<size_t>(fired_) % recent_.size()] = rule.name;
    if (++fired_ <= kRewritesPerNode * (nodes_ + 16)) return;
    std::map<std::string_view, int> tally;
    for (auto name : recent_) ++tally[name];
    std::vector<std::pair<int, std::string_view>> order;
    for (const auto& [name, k] : tally) order.emplace_back(k, name);
    std::sort(order.rbegin(), order.rend());
    std::string names(order[0].second);
    if (order.size() > 1) names += cat(" and ", order[1].second);
    throw Error(
        {ErrorCode::limit_rewrites,
         cat(fired_, " rewrites of ", nodes_, " nodes: ", names, order.size() > 1 ? " undo each other" : " never ends"),
         {},
         {},
         {"disable one of them by name"}});
  }

  RuleIndex index_;
  Editor& editor_;
  Worklist work_;
  std::unordered_set<Node*> touched_;
  std::array<std::string_view, 32> recent_{};
  int64_t nodes_ = 0, fired_ = 0;
};

}  // namespace

void for_each_graph(Module& module, const std::function<void(Graph&)>& f) {
  for (const auto& g : module.functions()) f(*g);
  f(module.main());
}

std::vector<Node*> find_nodes(Module& module, bool (*wanted)(const Node&)) {
  std::vector<Node*> found;
  for_each_graph(module, [&](Graph& g) {
    walk(g, [&](Node& n) {
      if (wanted(n)) found.push_back(&n);
    });
  });
  return found;
}

int64_t count_nodes(const Module& module) {
  int64_t count = 0;
  auto add = [&](Graph& g) { walk(g, [&](Node& n) { count += n.op() != OpId::Return; }); };
  for (const auto& g : module.functions()) add(*g);
  add(module.main());
  return count;
}

void apply_rules(Module& module, std::span<const Rule> rules, Editor& editor) {
  Driver(module, rules, editor).run();
}

void eliminate_dead(Module& module, Editor& editor) {
  for_each_graph(module, [&](Graph& graph) {
    // From the end, so that a chain goes in one sweep.
    std::vector<Node*> order;
    walk(graph, [&](Node& n) { order.push_back(&n); });
    std::unordered_set<Node*> gone;
    editor.on_erase = [&](Node& n) { gone.insert(&n); };
    for (auto it = order.rbegin(); it != order.rend(); ++it)
      if (!gone.count(*it) && (*it)->op() != OpId::Return) editor.erase_dead({*it});
    editor.on_erase = nullptr;
  });
}

}  // namespace tc
