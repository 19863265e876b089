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
#include "tc/frontend/api/eager.h"
#include "tc/frontend/api/export.h"
#include "tc/frontend/api/grad.h"
#include "tc/frontend/api/jit.h"
#include "tc/frontend/api/parameters.h"
#include "tc/frontend/api/train.h"
#include "tc/frontend/dsl/dsl.h"
#include "tc/ir/diag.h"
#include "tc/ir/tensor.h"
#include "tc/ir/type.h"

namespace tc {

// How an ONNX model is read.
struct LoadOptions {
  std::string external_data_folder = {};  // empty: the model's own; of a model in memory none, external data is refused
  std::map<std::string, Tensor> external_files = {};  // contents (u8) by location, which are not looked for in a folder
  std::map<std::string, Tensor> initializers = {};    // take the place of the main graph's of these names
  std::map<std::string, int64_t> dims = {};           // extents of named dimensions
  std::map<std::string, int64_t> denoted_dims = {};   // the same by denotation, such as DATA_BATCH
  // Where set, inputs that have an initialiser are inputs, not weights, and this gets the initialisers.
  std::map<std::string, Tensor>* overridable = nullptr;
};

// Reads an .onnx model or textual IR (.tc). Weights stay views into the mapped file. Errors: bad_file,
// bad_external_data, bad_text, unsupported, unknown_op and what type inference finds; bad_input for an initialiser that
// does not fit.
Function load(const std::string& path, const LoadOptions& options = {});
// An ONNX model from memory, which must stay unchanged while `owner` lives.
Function load_onnx(const void* data, size_t size, std::shared_ptr<const void> owner, const LoadOptions& options = {});
Function parse(std::string_view text);  // textual IR

}  // namespace tc
