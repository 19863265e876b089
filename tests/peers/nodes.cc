#include "nodes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tc/ir/eval/interp.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

using namespace tc::model_writer;

std::string input_name(const NodeCase& c, size_t i) {
  return cat(c.name, ".in", i);
}
std::string output_name(const NodeCase& c, int j) {
  return cat(c.name, ".out", j);
}

// A value info whose extents are open.
std::string open_input(const std::string& name, const Tensor& t) {
  std::vector<tc::model_writer::Extent> extents;
  for (int i = 0; i < t.rank(); ++i) extents.emplace_back(cat(name, "_", i));
  return value_info(name, static_cast<uint64_t>(info(t.dtype()).onnx), extents);
}

std::string model_of(const NodeGroup& group) {
  Messages nodes, inputs, outputs, initializers;
  for (const NodeCase& c : group.cases) {
    Names in, out;
    for (size_t i = 0; i < c.inputs.size(); ++i) {
      const auto& [value, constant] = c.inputs[i];
      in.push_back(value.defined() ? input_name(c, i) : "");
      if (!value.defined()) continue;
      if (constant)
        initializers.push_back(model_writer::tensor(in.back(), value));
      else
        inputs.push_back(open_input(in.back(), value));
    }
    for (int j = 0; j < c.outputs; ++j) {
      out.push_back(output_name(c, j));
      outputs.push_back(value_info(out.back()));
    }
    nodes.push_back(node(c.op, in, out, c.attributes, {.domain = group.domain, .overload = {}, .name = c.name}));
  }
  return model(graph(nodes, inputs, outputs, initializers), {.functions = {}, .opsets = group.opsets, .ir_version = 8});
}

Tensor as_f64(const Tensor& t) {
  Tensor out(DType::f64, t.extents());
  narrow(widen<double>(t), out);
  return out;
}

std::string difference(const Datum& actual, const Tensor& want, const NodeCase& c) {
  if (c.steps == 0 || !actual.is_tensor() || actual.tensor().dtype() != want.dtype())
    return tc::difference(actual, want, c.tolerance);
  return tc::difference(as_f64(actual.tensor()), as_f64(want), {0, static_cast<double>(c.steps), 0});
}

}  // namespace

void expect_agreement(const NodeGroup& group) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::string bytes = model_of(group);
  NamedTensors inputs;
  for (const NodeCase& c : group.cases)
    for (size_t i = 0; i < c.inputs.size(); ++i)
      if (c.inputs[i].value.defined() && !c.inputs[i].constant)
        inputs.emplace_back(input_name(c, i), c.inputs[i].value);
  const auto path = std::filesystem::temp_directory_path() / cat("tc_nodes_", getpid(), ".onnx");
  std::ofstream(path, std::ios::binary) << bytes;
  std::vector<NamedTensors> expected;
  ASSERT_NO_THROW(expected = onnx_runtime(path, {{.inputs = inputs}}));
  const Function f = load(path);
  std::filesystem::remove(path);

  std::vector<Tensor> tensors;
  std::vector<Datum> datums;
  for (const ValueInfo& v : f.inputs()) {
    tensors.push_back(find(inputs, v.name));
    datums.emplace_back(tensors.back());
  }
  const std::vector<Datum> interpreted = interpret(f.module(), datums);
  const std::vector<Tensor> compiled = compile(f)(tensors);
  size_t at = 0;
  for (const NodeCase& c : group.cases)
    for (int j = 0; j < c.outputs; ++j, ++at) {
      const Tensor& want = find(expected.at(0), output_name(c, j));
      EXPECT_EQ(difference(interpreted.at(at), want, c), "") << c.name << ", output " << j << ", interpreted";
      EXPECT_EQ(difference(compiled.at(at), want, c), "") << c.name << ", output " << j << ", compiled";
    }
}

}  // namespace tc::peers
