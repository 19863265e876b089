#pragma once

#include <map>
#include <set>
#include <string>

#include "tc/ir/tensor.h"

namespace tc {

// How an ONNX model is read.
struct LoadOptions {
  std::string external_data_folder = {};  // empty: the model's own; of a model in memory none, external data is refused
  std::map<std::string, Tensor> external_files = {};  // contents (u8) by location, which are not looked for in a folder
  std::map<std::string, Tensor> initializers = {};    // take the place of the main graph's of these names
  std::map<std::string, int64_t> dims = {};           // extents of named dimensions
  std::map<std::string, int64_t> denoted_dims = {};   // the same by denotation, such as DATA_BATCH
  // Names of inputs that stay inputs though initialisers give them defaults (from IR version 4 on). Others are weights.
  std::set<std::string, std::less<>> overridden = {};
  // Where set, all inputs that have an initialiser are inputs, and this gets the initialisers.
  std::map<std::string, Tensor>* overridable = nullptr;
  // Whether dimensions of inputs that a model gives one name must agree in a run; some exporters use one name for all.
  bool shared_symbols = true;
};

}  // namespace tc
