// What a pipeline did.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tc {

struct RuleStats {
  int64_t fired = 0;
  std::map<std::string, int64_t> missed;  // by reason
};

struct PassStats {
  std::string phase, name;
  double milliseconds = 0;
  int64_t rewrites = 0;
  int64_t nodes_before = 0, nodes_after = 0;
};

struct PipelineReport {
  std::vector<PassStats> passes;  // in the order they ran
  std::map<std::string, RuleStats> rules;
  int64_t rewrites = 0;
  int64_t values_checked = 0;    // rewrites whose numbers were compared
  int64_t values_unchecked = 0;  // rewrites inside regions and functions: only whole passes are compared there

  std::string str() const;  // a table: rule, fired, reasons for declining
};

}  // namespace tc
