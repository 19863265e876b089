#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace {

constexpr Any x;

}  // namespace

std::span<const Rule> cleanup_rules() {
  static const Rule kRules[] = {
      {"identity-is-its-operand", exact, pat<Identity>(x), [](Rewrite& r) -> Patch { return r[x]; }},
  };
  return kRules;
}

std::span<const Rule> canonical_rules() { return {}; }

}  // namespace tc
