// In place of regex_re2.cc in builds without RE2.
#include "tc/ir/eval/eval.h"

namespace tc {

template <>
void eval<RegexFullMatch>(EvalContext& ctx) {
  ctx.fail(ErrorCode::unsupported, "regular expressions are not in this build (CMake option TC_WITH_RE2)");
}

}  // namespace tc
