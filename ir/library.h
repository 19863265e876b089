// Functions of the library, which a target may have kernels for. They are ordinary functions of the module, told by a
// reserved name; import gives no function such a name. What has become a cluster (its region keeps the name) computes
// what the region says, however it is computed.
#pragma once

#include <string_view>

#include "tc/ir/graph.h"
#include "tc/ir/ops/fused.h"

namespace tc {

inline constexpr std::string_view kLibraryPrefix = "tc.special.";

// "gammaln" of tc.special.gammaln and tc.special.gammaln_3; empty for other names.
constexpr std::string_view library_function(std::string_view name) {
  if (!name.starts_with(kLibraryPrefix)) return {};
  name.remove_prefix(kLibraryPrefix.size());
  const size_t end = name.find_last_not_of("0123456789");
  if (end != name.npos && end + 1 < name.size() && name[end] == '_') name = name.substr(0, end);
  return name;
}

// The function that a cluster stands for: elementwise, of operands of one shape.
inline std::string_view library_function(const Node& n) {
  return n.is<Cluster>() ? library_function(n.region(0).name()) : std::string_view();
}

}  // namespace tc
