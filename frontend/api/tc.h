// The front door: load a model or write one, compile it, run it, differentiate it, train it, export it.
//
//   tc::Function f = tc::load("model.onnx");
//   tc::Compiled run = tc::compile(f);
//   std::vector<tc::Tensor> y = run({x});
//
// Everything throws tc::Error, which names the place and the cause.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tc/frontend/api/compile.h"
#include "tc/frontend/api/compile_onnx.h"
#include "tc/frontend/api/custom_op.h"
#include "tc/frontend/api/derivatives.h"
#include "tc/frontend/api/eager.h"
#include "tc/frontend/api/export.h"
#include "tc/frontend/api/grad.h"
#include "tc/frontend/api/graph_view.h"
#include "tc/frontend/api/jit.h"
#include "tc/frontend/api/parameters.h"
#include "tc/frontend/api/train.h"
#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/onnx/load_options.h"
#include "tc/ir/diag.h"
#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

// Reads an .onnx model or textual IR (.tc). Weights stay views into the mapped file. Errors: bad_file,
// bad_external_data, bad_text, unsupported, unknown_op and what type inference finds; bad_input for an initialiser that
// does not fit.
Function load(const std::string& path, const LoadOptions& options = {});
// An ONNX model from memory, which must stay unchanged while `owner` lives.
Function load_onnx(const void* data, size_t size, std::shared_ptr<const void> owner, const LoadOptions& options = {});
Function parse(std::string_view text);  // textual IR

}  // namespace tc
