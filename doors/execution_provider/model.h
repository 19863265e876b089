// The host's graphs as ONNX models: what is read by its functions is written as a model's bytes, which import reads. So
// a graph means the same here as in a file, whether it came from one, from memory, or is a part of another.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tc/doors/execution_provider/host.h"

namespace tc::provider {

// A part of a graph: nodes in the order of the graph, and what goes in and comes out.
struct Part {
  const void* graph = nullptr;  // of the opsets and of the initialisers
  std::vector<const void*> nodes;
  std::vector<const void*> inputs, outputs;  // value infos
};

struct Model {
  std::string bytes;
  std::map<std::string, Tensor> initializers;  // views of the host's memory, which end with the graph
  Function load() const;                       // of the views
  Function load_own() const;                   // of copies
};
// Error unsupported for what cannot be written: types and attributes that are not known.
Model write(const Part& part);

std::string name_of(const void* value_info);
// Type of a value; none where it is not known or no tensor.
bool is_plain(const void* value_info);

}  // namespace tc::provider
