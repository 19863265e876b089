// Stands in for regex.cc in a build without RE2.
#include "tc/ir/eval/eval.h"

namespace tc {

template <>
void eval<RegexFullMatch>(EvalContext& ctx) {
  ctx.fail(ErrorCode::unsupported,
           "this build of tc has no regular expressions: it was configured with TC_WITH_RE2=OFF");
}

}  // namespace tc
