// What becomes of the numbers that a program draws by tc::random (ExportOptions::random). They are known by the names
// of tc/ir/draws.h, so this comes before other passes.
#pragma once

#include <string>
#include <vector>

#include "tc/backend/onnx/export.h"
#include "tc/ir/module.h"

namespace tc::onnx {

// A draw that became an input, with what makes it elsewhere.
struct LiftedDraw {
  std::string input, sampler;  // `sampler` as in tc/ir/draws.h
  DType dtype;
  std::string key;                   // an expression of JavaScript
  std::vector<std::string> extents;  // likewise
  std::string function, definition;  // of a standard number of one in (0, 1): name, and text; empty: the number itself
};

// Expressions and functions in JavaScript that compute what the program does, bit for bit. Empty where they cannot.
std::string script_of_extent(const Dim& extent, const Graph& main);
std::string script_of_function(const std::string& name, const Value* of, const Value* argument);
std::string script_string(const std::string& text);
// The module that makes the inputs.
std::string draws_script(const std::vector<LiftedDraw>& draws);

}  // namespace tc::onnx
