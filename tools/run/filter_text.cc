#include "tc/ir/diag.h"
#include "tc/tools/run/filter.h"

namespace tc {

NameFilter name_filter(const std::string& pattern) {
  if (pattern.find_first_of("^$\\.*+?()[]{}|") != std::string::npos)
    fail(ErrorCode::bad_argument, "--filter '", pattern,
         "': this build of tc has no regular expressions, only text that the names contain");
  return [pattern](const std::string& name) { return name.find(pattern) != std::string::npos; };
}

}  // namespace tc
