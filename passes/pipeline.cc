#include "tc/passes/pipeline.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "tc/ir/verbose.h"
#include "tc/ir/verify.h"
#include "tc/passes/check_values.h"

namespace tc {
namespace {

void check_names(const PipelineOptions& o) {
  std::vector<std::string_view> stages(kPhaseNames.begin(), kPhaseNames.end()), rules;
  for (const Pass* p : passes_for(o.target)) {
    stages.push_back(p->name);
    for (const Rule& r : p->rules) rules.push_back(r.name);
  }
  auto known = [](const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  auto refuse = [](std::string_view what, std::string_view name, const std::vector<std::string_view>& names) {
    Diagnostic d{ErrorCode::bad_argument, cat("no ", what, " is named '", name, "'"), {}, {}, {}};
    if (const std::string near = nearest(name, names); !near.empty())
      d.notes.push_back(cat("did you mean '", near, "'?"));
    throw Error(std::move(d));
  };
  if (!o.until.empty() && !known(stages, o.until)) refuse("pass or phase", o.until, stages);
  for (const auto& name : o.enable)
    if (!known(stages, name)) refuse("pass or phase", name, stages);
  for (const auto& [name, cap] : o.limits.caps)
    if (!known(rules, name)) refuse("rule", name, rules);
  std::vector<std::string_view> all = stages;
  all.insert(all.end(), rules.begin(), rules.end());
  auto all_known = [&](const std::set<std::string>& names) {
    for (const auto& name : names)
      if (!known(all, name)) refuse("rule, pass or phase", name, all);
  };
  all_known(o.disable);
  all_known(o.limits.disabled);
}

bool selected(const Pass& p, const PipelineOptions& o) {
  const std::string name(p.name), phase(kPhaseNames[static_cast<size_t>(p.phase)]);
  if (o.disable.count(name) || o.disable.count(phase)) return false;
  const auto needed = [&](std::string_view stage) {
    return o.target && std::count(o.target->needs.begin(), o.target->needs.end(), stage) > 0;
  };
  return p.level <= o.level || o.enable.count(name) || o.enable.count(phase) || needed(name) || needed(phase);
}

// A pass whose rules were all free to fire must have reached its normal form.
bool unrestricted(const Pass& p, const Editor& editor) {
  for (const Rule& r : p.rules)
    if (!editor.allows(r.name, r.exactness)) return false;
  return !editor.exhausted();
}

}  // namespace

std::optional<std::string> find_violation(const Module& m, const char* what, bool (*bad)(const Node&)) {
  std::optional<std::string> found;
  auto look = [&](const Graph& g) {
    walk(g, [&](Node& n) {
      if (!found && bad(n)) found = cat(what, ": ", n.op(), n.location().empty() ? "" : " at ", n.location());
    });
  };
  for (const auto& f : m.functions()) look(*f);
  look(m.main());
  return found;
}

PipelineReport optimize(Module& module, const PipelineOptions& options) {
  check_names(options);
  PipelineReport result;
  EditLimits limits = options.limits;
  limits.disabled.insert(options.disable.begin(), options.disable.end());
  std::unique_ptr<ValueCheck> check;
  if (options.check_values) {
    auto inputs = options.check_inputs;
    if (inputs.empty()) inputs = sample_inputs(module.main(), options.dims, options.seed);
    check = std::make_unique<ValueCheck>(module, std::move(inputs), result);
  }
  Editor editor(result, limits, check.get());
  const std::vector<const Pass*> passes = passes_for(options.target);
  for (size_t i = 0; i < passes.size(); ++i) {
    const Pass& pass = *passes[i];
    const std::string phase(kPhaseNames[static_cast<size_t>(pass.phase)]);
    if (selected(pass, options)) {
      const Frame frame("pass", pass.name);
      PassStats stats{phase, std::string(pass.name), 0, result.rewrites, count_nodes(module), 0};
      const auto start = std::chrono::steady_clock::now();
      PassContext ctx{module, editor, options.level};
      pass.run(ctx);
      stats.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
      stats.rewrites = result.rewrites - stats.rewrites;
      stats.nodes_after = count_nodes(module);
      if (options.verify && stats.rewrites) verify(module);
      if (options.verify && pass.promises && unrestricted(pass, editor))
        if (const auto broken = pass.promises(module))
          fail(ErrorCode::internal, "the normal form is not reached: ", *broken);
      if (check && stats.rewrites) check->after_pass(pass.name);
      report(Topic::pass, "phase,name,ms,rewrites,nodes_before,nodes_after",
             {stats.phase, stats.name, cat(stats.milliseconds), cat(stats.rewrites), cat(stats.nodes_before),
              cat(stats.nodes_after)});
      if (options.after_pass) options.after_pass(pass, module);
      result.passes.push_back(std::move(stats));
    }
    if (options.until == pass.name) break;
    const bool phase_ends = i + 1 == passes.size() || passes[i + 1]->phase != pass.phase;
    if (phase_ends && options.until == phase) break;
  }
  return result;
}

std::string PipelineReport::str() const {
  std::string text;
  for (const auto& p : passes)
    text += cat("pass ", p.phase, "/", p.name, ": ", p.rewrites, " rewrites, ", p.nodes_before, " -> ", p.nodes_after,
                " nodes\n");
  for (const auto& [name, r] : rules) {
    text += cat("rule ", name, ": fired ", r.fired, "\n");
    for (const auto& [reason, count] : r.missed) text += cat("  declined ", count, " times: ", reason, "\n");
  }
  return text;
}

}  // namespace tc
