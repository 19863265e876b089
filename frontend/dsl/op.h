// Any op of the IR by its name, for what the rest of the vocabulary does not say: docs/ops.md lists names, operands and
// attributes. Operands are taken as they are (no promotion); numbers without an element type are i64, f32 or bool.
//
//   tc::Var y = tc::op("hard_swish", {x});
//   std::vector<tc::Var> parts = tc::op_n("top_k", 2, {x, count}, {{"axis", int64_t{-1}}});
//
// Enumerations are strings. Errors: unknown_op; bad_attribute for attributes that an op does not have, that are of
// another kind, or that are missing; and what inference finds.
#pragma once

#include <string>
#include <string_view>

#include "tc/frontend/dsl/control.h"
#include "tc/ir/attrs.h"
#include "tc/ir/text/parse.h"

namespace tc {

using Attributes = std::vector<std::pair<std::string, AttrValue>>;

// A body, for ops that have some: the types of its inputs, as the textual IR spells them, and what it computes. Symbols
// that begin with '?' are extents about which nothing is known.
struct Region {
  std::vector<std::string> inputs;
  dsl::FlatFunction f;
  int arity = -1;
};
template <class F>
Region region(std::vector<std::string> inputs, F f) {
  const auto kept = std::make_shared<F>(std::move(f));
  return {std::move(inputs), [kept](const std::vector<Var>& v) { return dsl::Flat<F>{*kept}(v); },
          dsl::Flat<F>::kArity};
}

Var op(std::string_view name, const Args& operands, const Attributes& attributes = {},
       Location at = Location::current());
std::vector<Var> op_n(std::string_view name, int results, const Args& operands, const Attributes& attributes = {},
                      const std::vector<Region>& regions = {}, Location at = Location::current());

}  // namespace tc
