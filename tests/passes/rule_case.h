// One rule on one small program: it fires and the program keeps its numbers, or it declines for a stated reason.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace tc {

struct RuleCase {
  const char* rule;
  const char* program;   // the body of `graph @main`, inputs first: "(%x: f32[4]) { ... }"
  const char* must;      // the printed result contains it; or, for a rule that declines, the reason
  const char* must_not;  // and does not contain it; null for a rule that declines
};

inline void PrintTo(const RuleCase& c, std::ostream* out) {
  *out << c.rule;
}

std::vector<RuleCase> normalize_cases();
std::vector<RuleCase> stabilize_cases();
std::vector<RuleCase> fuse_cases();

}  // namespace tc
