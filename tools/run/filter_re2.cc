#include <re2/re2.h>

#include <memory>

#include "tc/ir/diag.h"
#include "tc/tools/run/filter.h"

namespace tc {

NameFilter name_filter(const std::string& pattern) {
  auto re = std::make_shared<const RE2>(pattern, RE2::Quiet);
  if (!re->ok()) fail(ErrorCode::bad_argument, "--filter '", pattern, "' is not a regular expression: ", re->error());
  return [re](const std::string& name) { return RE2::PartialMatch(name, *re); };
}

}  // namespace tc
