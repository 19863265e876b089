// Steps whose kernels are chosen while the program runs: a rank that only a run tells, or a result whose extents hang
// on small integers that only a run has, leaves a binder nothing to hold on to. Once the operands are there, the node
// alone is compiled for their ranks (extents stay symbolic), or for those integers, too; later runs find the plan
// again.
//
// Invariants: a step keeps at most kMostPlans plans; what is beyond them, small, or has no kernels all the same, runs
// on the reference body; so does what a plan fails at, whose error is then the one to tell.
#pragma once

#include <memory>

#include "tc/backend/cpu/options.h"
#include "tc/backend/cpu/plan/plan.h"

namespace tc::cpu {

class ReferenceStep;

// May a node that no kernel has accepted be compiled alone, and is there anything to gain? `computable`: the extents of
// its results are known before it runs.
bool defers(const Node& node, bool computable);

// The step; what it is given must outlive it.
std::unique_ptr<ReferenceStep> deferred_step(const Node& node, const CompileOptions& options,
                                             const kernels::Table& table, PackedWeights& packed);

}  // namespace tc::cpu
