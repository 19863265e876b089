// What the CPU backend has kernels for, and the passes that leave a program with nothing else where that is possible.
#pragma once

#include "tc/ir/builder.h"
#include "tc/passes/pass.h"

namespace tc::cpu {

const Target& target();

// Is there any kernel of the op?
bool has_kernels(OpId op);

// Would the node run on the reference body, although it decomposes into ops that have kernels?
bool decomposes(const Node& n);

// Hands to the editor what was built in place of a node's results, under the rule's name; false when it was refused.
bool commit_built(Editor& editor, const Rule& rule, Built built, Node& n);

}  // namespace tc::cpu
