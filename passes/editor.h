// The one place that changes graphs. Passes hand over Edits; the editor checks that types stay, counts against limits,
// compares numbers when asked, inserts, replaces, moves names and locations, removes what died, and records what
// happened.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tc/passes/report.h"
#include "tc/passes/rule.h"

namespace tc {

class Builder;
class ValueCheck;

struct EditLimits {
  int64_t rewrites = -1;                     // stop after so many, over all passes; -1: no limit
  std::set<std::string> disabled;            // names of rules
  std::map<std::string, int64_t> caps;       // at most so many firings of a rule
  Contract loosest = Contract::approximate;  // rules beyond this contract stay off
  RuleLimits rules;
};

struct Edit {
  std::string_view rule;
  Exactness exactness;
  std::vector<std::unique_ptr<Node>> nodes;  // detached, definitions first; go before `before`
  Node* before = nullptr;
  std::vector<std::pair<Value*, Value*>> replaced;  // {old, new}
  std::vector<Node*> sources;                       // whose locations the new nodes carry
  bool same_types = false;     // old and new values are known to have one type, however it is spelled
  Node* taken_over = nullptr;  // goes whatever its effects: the new nodes have them
};

class Editor {
 public:
  Editor(PipelineReport& report, const EditLimits& limits, ValueCheck* check)
      : report_(report), limits_(limits), check_(check) {}

  const EditLimits& limits() const { return limits_; }
  // The rule may fire (again).
  bool allows(std::string_view rule, const Exactness& e) const;
  bool exhausted() const { return limits_.rewrites >= 0 && report_.rewrites >= limits_.rewrites; }
  // Null when done, else why it was refused: the graph is then as it was.
  const char* commit(Edit edit);
  void note_miss(std::string_view rule, const char* reason, const Node& root);
  // Removes those of the nodes that nothing needs, and what only they used.
  void erase_dead(std::vector<Node*> nodes);
  RuleStats& stats(std::string_view rule) { return report_.rules[std::string(rule)]; }

  // For the driver's worklist.
  std::function<void(Node&)> on_insert, on_touch, on_erase;

 private:
  void erase_unused(std::vector<Node*> nodes, const Node* taken_over);
  PipelineReport& report_;
  const EditLimits& limits_;
  ValueCheck* check_;
};

// What `build` inserts with a Builder in front of `at`, taken out of the graph again for an Edit; its errors pass
// through, and leave the graph as it was.
struct Built {
  std::vector<std::unique_ptr<Node>> nodes;  // detached, definitions first
  std::vector<Value*> values;                // what `build` returned
};
Built build_detached(Node& at, const std::function<std::vector<Value*>(Builder&)>& build);

// True when the node may go once its results are unused.
bool removable(const Node& n);
// The more specific of two types that describe one value.
Type refine(const Type& a, const Type& b);
// Infers the node's results again, never forgetting what was known; true when something was learnt.
bool refine_results(Node& n);

}  // namespace tc
