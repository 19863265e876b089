// Reads the textual form that print.h describes. Hand-written text may also
//   leave out result types, which are then inferred;
//   write literals as `zeros`, `random(SEED)` or `random(SEED, DEVIATION)` (normal deviates) instead of bytes;
//   use functions before they are defined, and write comments (// to the end of the line).
// Operands, attributes and regions of a node begin on the line where the node's name or the part before them ends.
#pragma once

#include <memory>
#include <string_view>

#include "tc/ir/module.h"

namespace tc {

struct ParseOptions {
  size_t max_generated = size_t{1} << 30;  // bytes that a text may make from nothing (zeros, random, dense<0>)
};

// The module is verified. Error bad_text at FILE:LINE:COLUMN for what does not parse; errors of inference keep their
// code and get that place. `filename` is only for messages.
std::unique_ptr<Module> parse_module(std::string_view text, std::string_view filename,
                                     const ParseOptions& options = {});

// A type alone: "f32[N,784]". Error bad_text.
Type parse_type(std::string_view text);

}  // namespace tc
