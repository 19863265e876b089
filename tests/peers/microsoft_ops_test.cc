// Operators of ONNX Runtime's domain com.microsoft: models of one operator in many variants, whose outputs ONNX Runtime
// and every way of running here must agree on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "microsoft_ops_cases.h"
#include "peer.h"
#include "tc/ir/eval/interp.h"
#include "tc/tc.h"
#include "tests/frontend/onnx/model_writer.h"

namespace tc::peers {
namespace {

using namespace testing_onnx;

std::string input_name(size_t variant, size_t i) {
  return cat("in", variant, "_", i);
}

std::string declared(const std::string& name, const Tensor& t) {
  std::vector<testing_onnx::Extent> extents(t.extents().begin(), t.extents().end());
  return value_info(name, static_cast<uint64_t>(info(t.dtype()).onnx), extents);
}

std::string declared(const std::string& name, DType t) {
  const std::string tensor = scalar(1, static_cast<uint64_t>(info(t).onnx));
  return testing_wire::field(1, name) + testing_wire::field(2, testing_wire::field(1, tensor));
}

// One node for each variant, each with inputs of its own.
std::string model_of(const std::vector<Variant>& variants) {
  Messages nodes, inputs, outputs;
  for (size_t v = 0; v < variants.size(); ++v) {
    Names in, out;
    for (size_t i = 0; i < variants[v].inputs.size(); ++i) {
      const Tensor& t = variants[v].inputs[i];
      in.push_back(t.defined() ? input_name(v, i) : "");
      if (t.defined()) inputs.push_back(declared(in.back(), t));
    }
    for (size_t j = 0; j < variants[v].outputs.size(); ++j) {
      out.push_back(variants[v].outputs[j] ? cat("out", v, "_", j) : "");
      if (const auto t = variants[v].outputs[j]) outputs.push_back(declared(out.back(), *t));
    }
    nodes.push_back(node(variants[v].op, in, out, variants[v].attributes,
                         {.domain = variants[v].domain, .name = cat(variants[v].name, " ", v)}));
  }
  return model(graph(nodes, inputs, outputs), {.opsets = {{"", 17}, {"com.microsoft", 1}}});
}

// A model file that is removed at the end.
struct ModelFile {
  explicit ModelFile(const std::string& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "tc_ops_XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw std::runtime_error("cannot make a temporary file");
    close(file);
    path = name;
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~ModelFile() { std::remove(path.c_str()); }
  ModelFile(const ModelFile&) = delete;
  std::string path;
};

class MicrosoftOps : public testing::TestWithParam<OpCase> {};

TEST_P(MicrosoftOps, AgreeWithOnnxRuntime) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::vector<Variant> variants = GetParam().variants();
  const auto bytes = std::make_shared<const std::string>(model_of(variants));
  const ModelFile file(*bytes);
  NamedTensors given;
  for (size_t v = 0; v < variants.size(); ++v)
    for (size_t i = 0; i < variants[v].inputs.size(); ++i)
      if (variants[v].inputs[i].defined()) given.emplace_back(input_name(v, i), variants[v].inputs[i]);
  const NamedTensors expected = onnx_runtime(file.path, {{.inputs = given}})[0];

  const Function f = load_onnx(bytes->data(), bytes->size(), bytes);
  std::vector<Tensor> inputs;
  for (const ValueInfo& in : f.inputs()) inputs.push_back(find(given, in.name));
  const auto check = [&](const std::vector<Tensor>& outputs, const char* how) {
    ASSERT_EQ(outputs.size(), f.outputs().size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      const std::string& name = f.outputs()[k].name;
      const size_t v = std::stoul(name.substr(3));
      EXPECT_EQ(difference(outputs[k], find(expected, name), {2e-5, 2e-6, 0}), "")
          << how << ": " << variants[v].op << ", " << variants[v].name << ", " << name;
    }
  };
  InterpOptions options;
  options.check_types = true;
  std::vector<Tensor> interpreted;
  for (const Datum& d : interpret(f.module(), {inputs.begin(), inputs.end()}, options))
    interpreted.push_back(d.tensor());
  check(interpreted, "interpreter");
  for (const int level : {0, 2}) check(compile(f, {.level = level})(inputs), level ? "-O2" : "-O0");
}

INSTANTIATE_TEST_SUITE_P(All, MicrosoftOps, testing::ValuesIn(op_cases()), [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace tc::peers
