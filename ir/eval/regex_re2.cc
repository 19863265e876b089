// Regular expressions through RE2.
#include <re2/re2.h>

#include "tc/ir/eval/eval.h"

namespace tc {

template <>
void eval<RegexFullMatch>(EvalContext& ctx) {
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 pattern(ctx.attrs<RegexFullMatch>().pattern, options);
  if (!pattern.ok())
    ctx.fail(ErrorCode::bad_attribute, "'", pattern.pattern(), "' is not a regular expression: ", pattern.error());
  std::vector<int64_t> matches;
  for (const std::string& s : ctx.in(0).span<std::string>()) matches.push_back(RE2::FullMatch(s, pattern));
  ctx.write(0, ctx.in(0).extents(), matches);
}

}  // namespace tc
