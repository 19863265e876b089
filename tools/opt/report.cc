#include "tc/tools/opt/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tc/backend/cpu/legalize/target.h"
#include "tc/passes/pass.h"

namespace tc {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string milliseconds(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ms", ms);
  return text;
}

int64_t at_or_zero(const std::map<std::string, int64_t>& m, const std::string& key) {
  const auto it = m.find(key);
  return it == m.end() ? 0 : it->second;
}

}  // namespace

const Target& machine_target() {
  return cpu::target();
}

std::string list_passes() {
  size_t width = 0;
  const auto passes = passes_for(&cpu::target());
  for (const Pass* p : passes) {
    width = std::max(width, p->name.size());
    for (const Rule& r : p->rules) width = std::max(width, r.name.size() + 2);
  }
  std::string out;
  for (size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    out += cat("phase ", kPhaseNames[phase], "\n");
    for (const Pass* pass : passes) {
      const Pass& p = *pass;
      if (static_cast<size_t>(p.phase) != phase) continue;
      out += cat("  ", padded(std::string(p.name), width), "  -O", p.level, "  ", p.doc, "\n");
      std::string_view last;
      for (const Rule& r : p.rules) {
        // Rules of one name are forms of one rule.
        if (r.name == std::exchange(last, r.name)) continue;
        out += cat("    ", padded(std::string(r.name), width - 2), "  ", to_string(r.exactness), "\n");
      }
    }
  }
  return out;
}

nlohmann::json list_passes_json() {
  nlohmann::json out = nlohmann::json::array();
  for (const Pass* pass : passes_for(&cpu::target())) {
    const Pass& p = *pass;
    nlohmann::json rules = nlohmann::json::array();
    std::string_view last;
    for (const Rule& r : p.rules)
      if (r.name != std::exchange(last, r.name))
        rules.push_back({{"name", r.name}, {"contract", to_string(r.exactness)}});
    out.push_back({{"phase", kPhaseNames[static_cast<size_t>(p.phase)]},
                   {"pass", p.name},
                   {"level", p.level},
                   {"doc", p.doc},
                   {"rules", rules}});
  }
  return out;
}

std::string format_stats(const PipelineReport& r, const OpCounts& ops) {
  std::string out = cat(r.rewrites, " rewrites\n\npasses\n");
  for (const PassStats& p : r.passes)
    out += cat("  ", padded(p.phase + "/" + p.name, 32), " ", p.nodes_before, " -> ", p.nodes_after, " nodes, ",
               p.rewrites, " rewrites, ", milliseconds(p.milliseconds), "\n");
  out += "\nrules that fired\n";
  std::vector<std::pair<int64_t, std::string>> fired;
  for (const auto& [name, s] : r.rules)
    if (s.fired) fired.emplace_back(-s.fired, name);
  std::sort(fired.begin(), fired.end());
  for (const auto& [count, name] : fired) out += cat("  ", padded(name, 40), " ", -count, "\n");
  out += "\nrules that declined\n";
  for (const auto& [name, s] : r.rules)
    for (const auto& [reason, count] : s.missed) out += cat("  ", padded(name, 40), " ", count, "  ", reason, "\n");
  out += cat("\n", padded("ops", 36), "before  after\n");
  std::set<std::string> names;
  for (const auto& [name, count] : ops.before) names.insert(name);
  for (const auto& [name, count] : ops.after) names.insert(name);
  for (const auto& name : names) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%8lld %6lld", static_cast<long long>(at_or_zero(ops.before, name)),
                  static_cast<long long>(at_or_zero(ops.after, name)));
    out += cat("  ", padded(name, 32), numbers, "\n");
  }
  return out;
}

nlohmann::json stats_json(const PipelineReport& r, const OpCounts& ops) {
  nlohmann::json out;
  out["rewrites"] = r.rewrites;
  out["values_checked"] = r.values_checked;
  out["values_unchecked"] = r.values_unchecked;
  out["passes"] = nlohmann::json::array();
  for (const PassStats& p : r.passes)
    out["passes"].push_back({{"phase", p.phase},
                             {"pass", p.name},
                             {"ms", p.milliseconds},
                             {"rewrites", p.rewrites},
                             {"nodes_before", p.nodes_before},
                             {"nodes_after", p.nodes_after}});
  out["rules"] = nlohmann::json::object();
  for (const auto& [name, s] : r.rules) out["rules"][name] = {{"fired", s.fired}, {"declined", s.missed}};
  out["ops"] = {{"before", ops.before}, {"after", ops.after}};
  return out;
}

}  // namespace tc
