// How often each op occurs.
#pragma once

#include <map>
#include <string>

#include "tc/ir/module.h"

namespace tc {

// Nodes by op over all functions and regions, by name; without `return`.
inline std::map<std::string, int64_t> count_ops(const Module& m) {
  std::map<std::string, int64_t> counts;
  const auto count = [&](const Graph& g) {
    walk(g, [&](Node& n) {
      if (n.op() != OpId::Return) ++counts[std::string(n.info().name())];
    });
  };
  for (const auto& f : m.functions()) count(*f);
  count(m.main());
  return counts;
}

}  // namespace tc
