// A pass: a named transformation of a module behind one signature, whether it is a set of rules or a plain function.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tc/passes/driver.h"

namespace tc {

// Phases run in this order; passes of the first are the target's. The backend's `bind`, which also chooses physical
// layouts, follows.
enum class Phase : uint8_t { legalize, import, normalize, stabilize, fuse };
inline constexpr std::array<std::string_view, 5> kPhaseNames{"legalize", "import", "normalize", "stabilize", "fuse"};

struct PassContext {
  Module& module;
  Editor& editor;
  int level = 2;  // the optimisation level of the pipeline
};

struct Pass {
  std::string_view name;
  Phase phase;
  int level;  // the least -O level that runs it
  void (*run)(PassContext&);
  std::span<const Rule> rules;  // what run applies, for listings
  // The normal form that holds afterwards: the first violation, or nothing. Not asked when a rule was disabled or
  // capped.
  std::optional<std::string> (*promises)(const Module&) = nullptr;
  std::string_view doc;
};

// What a program is compiled for: passes that leave only what the target has kernels for. They are part of the
// pipeline, so that what is executed can be printed, checked, limited and bisected like every other rewrite.
struct Target {
  std::string_view name;
  std::span<const Pass> passes;             // of phase legalize, at level 0
  std::span<const std::string_view> needs;  // passes or phases that run at every level
};

// Those that serve every target, in order of execution.
std::span<const Pass> all_passes();
// The whole pipeline for a target; null: for none.
std::vector<const Pass*> passes_for(const Target* target);

// Runs a table of rules: `run = run_rules<cleanup_rules>`.
template <auto& Rules>
void run_rules(PassContext& ctx) {
  apply_rules(ctx.module, Rules(), ctx.editor);
}

// The first node for which `bad` holds, described; for promises.
std::optional<std::string> find_violation(const Module& m, const char* what, bool (*bad)(const Node&));

}  // namespace tc
