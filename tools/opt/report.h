// What tc-opt says about passes: the list of them, and what a pipeline did.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tc/passes/report.h"

namespace tc {

struct Target;

// What tc-run compiles for.
const Target& machine_target();

// Phases, their passes and the passes' rules, with levels and numeric contracts.
std::string list_passes();
nlohmann::json list_passes_json();

struct OpCounts {
  std::map<std::string, int64_t> before, after;
};
// Passes with time and size, rules that fired, why others declined, and ops before and after.
std::string format_stats(const PipelineReport& r, const OpCounts& ops);
nlohmann::json stats_json(const PipelineReport& r, const OpCounts& ops);

}  // namespace tc
