// What recurrent kernels take.
#pragma once
#include "tc/ir/graph.h"

namespace tc::cpu {

// Why the kernels do not compute an rnn, gru or lstm of f32, or null.
const char* rnn_refusal(const Node& n);

}  // namespace tc::cpu
