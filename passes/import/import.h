// Passes of the phase `import`: what a front end leaves behind is resolved, so that later phases see one flat graph.
#pragma once

#include "tc/passes/pass.h"

namespace tc {

// Calls become copies of the functions' bodies; functions that nothing calls any more go.
void inline_functions(PassContext& ctx);
std::span<const Rule> inline_function_rules();
std::optional<std::string> has_no_calls(const Module& m);

// Copies the body in front of the node, on the node's operands, and replaces the node's results by the copies of the
// body's outputs.
void inline_body(Editor& editor, std::string_view rule, Node& node, const Graph& body);

}  // namespace tc
