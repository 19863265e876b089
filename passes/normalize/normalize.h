// Rules and passes of the phase `normalize`: what can be computed is computed, what says nothing is gone, and equal
// things are one.
#pragma once

#include "tc/passes/pass.h"

namespace tc {

std::span<const Rule> integer_rules();  // a pass of its own: operands of integer arithmetic
std::span<const Rule> fold_rules();
std::span<const Rule> cleanup_rules();    // ops that do nothing
std::span<const Rule> canonical_rules();  // one spelling for each thing
std::span<const Rule> sink_rules();       // transposes towards the outputs
std::span<const Rule> index_rules();      // element by element, to slice by slice
std::span<const Rule> common_rules();     // what eliminate_common does
std::span<const Rule> normalize_rules();  // all of them

// Scans that are elementwise, running sums or reductions say so; short ones of other bodies are written out.
void simplify_scans(PassContext& ctx);
std::span<const Rule> scan_rules();
// Values computed alike become one (regions see those of the enclosing graphs).
void eliminate_common(PassContext& ctx);
// A branch whose condition is constant stands for its If.
void inline_branches(PassContext& ctx);
std::span<const Rule> branch_rules();
void normalize(PassContext& ctx);
std::optional<std::string> is_normalized(const Module& m);

}  // namespace tc
