// Real numbers in attributes: a file holds them in 32 bits.
#pragma once

#include <optional>
#include <string>

#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {

// Rounds the real attributes of a node to 32 bits, unless it has results of f64, to which the difference matters.
void round_reals(Node& node);

// An attribute of a node with results of f64 that 32 bits do not hold: what to tell the user.
std::optional<std::string> unstorable_real(const OnnxNode& node);

}  // namespace tc::onnx
