// Single operators against ONNX Runtime: a group of nodes becomes one model, which both run.
#pragma once

#include <string>
#include <vector>

#include "peer.h"
#include "tc/frontend/onnx/typed_writer.h"

namespace tc::peers {

struct NodeInput {
  NodeInput() = default;  // absent
  NodeInput(Tensor t, bool is_constant = false) : value(std::move(t)), constant(is_constant) {}
  Tensor value;
  bool constant = false;  // an initialiser; else an input of the model, of the value's type and rank
};
inline NodeInput constant(Tensor t) {
  return {std::move(t), true};
}

struct NodeCase {
  std::string name;  // of the case, unique in its group
  std::string op;
  std::vector<NodeInput> inputs;
  tc::model_writer::Messages attributes = {};
  int outputs = 1;
  Tolerance tolerance = {.rtol = 1e-5, .atol = 1e-6};
  // Integers may be so far off: both round a real number that each computes its own way.
  int64_t steps = 0;
};

struct NodeGroup {
  std::string domain;
  tc::model_writer::Opsets opsets;
  std::vector<NodeCase> cases;
};

// Runs the group's model in ONNX Runtime, interpreted, and compiled; each output that differs is a failure of the
// current test. Skips the test where there is no ONNX Runtime.
void expect_agreement(const NodeGroup& group);

}  // namespace tc::peers
