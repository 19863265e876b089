// Operators of ONNX Runtime's domain com.microsoft: a model for each variant of an operator, whose outputs ONNX Runtime
// and every way of running here must agree on.
#include <gtest/gtest.h>

#include "microsoft_ops_cases.h"
#include "peer.h"
#include "tc/frontend/onnx/model_writer.h"
#include "tc/ir/eval/interp.h"
#include "tc/tc.h"

namespace tc::peers {
namespace {

using namespace tc::model_writer;

std::string input_name(size_t i) {
  return cat("in", i);
}

std::string declared(const std::string& name, const Tensor& t) {
  std::vector<tc::model_writer::Extent> extents(t.extents().begin(), t.extents().end());
  return value_info(name, static_cast<uint64_t>(info(t.dtype()).onnx), extents);
}

std::string declared(const std::string& name, DType t) {
  const std::string tensor = scalar(1, static_cast<uint64_t>(info(t).onnx));
  return tc::wire_writer::field(1, name) + tc::wire_writer::field(2, tc::wire_writer::field(1, tensor));
}

std::string model_of(const Variant& v) {
  Messages inputs, outputs;
  Names in, out;
  for (size_t i = 0; i < v.inputs.size(); ++i) {
    const Tensor& t = v.inputs[i];
    in.push_back(t.defined() ? input_name(i) : "");
    if (t.defined()) inputs.push_back(declared(in.back(), t));
  }
  for (size_t j = 0; j < v.outputs.size(); ++j) {
    out.push_back(v.outputs[j] ? cat("out", j) : "");
    if (const auto t = v.outputs[j]) outputs.push_back(declared(out.back(), *t));
  }
  const std::string only = node(v.op, in, out, v.attributes, {.domain = v.domain, .name = v.name});
  return model(graph({only}, inputs, outputs), {.opsets = {{"", v.opset}, {"com.microsoft", 1}}});
}

class MicrosoftOps : public testing::TestWithParam<OpCase> {};

TEST_P(MicrosoftOps, AgreeWithOnnxRuntime) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  const std::vector<Variant> variants = GetParam().variants();
  std::vector<Job> jobs;
  for (const Variant& v : variants) {
    Job job{.model = {}, .inputs = {}, .bytes = model_of(v)};
    for (size_t i = 0; i < v.inputs.size(); ++i)
      if (v.inputs[i].defined()) job.inputs.emplace_back(input_name(i), v.inputs[i]);
    jobs.push_back(std::move(job));
  }
  const std::vector<Outcome> outcomes = onnx_runtime(jobs);
  for (size_t k = 0; k < variants.size(); ++k) {
    SCOPED_TRACE(cat(variants[k].op, ", ", variants[k].name));
    EXPECT_EQ(outcomes[k].error, "");
    if (!outcomes[k].error.empty()) continue;
    const auto bytes = std::make_shared<const std::string>(jobs[k].bytes);
    const Function f = load_onnx(bytes->data(), bytes->size(), bytes);
    std::vector<Tensor> inputs;
    for (const ValueInfo& in : f.inputs()) inputs.push_back(find(jobs[k].inputs, in.name));
    const auto check = [&](const std::vector<Tensor>& outputs, const char* how) {
      const std::vector<ValueInfo> declared_outputs = f.outputs();
      ASSERT_EQ(outputs.size(), declared_outputs.size());
      for (size_t j = 0; j < outputs.size(); ++j) {
        const std::string& name = declared_outputs[j].name;
        EXPECT_EQ(difference(outputs[j], find(outcomes[k].outputs, name), {2e-5, 2e-6, 0}), "") << how << ": " << name;
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
}

INSTANTIATE_TEST_SUITE_P(All, MicrosoftOps, testing::ValuesIn(op_cases()), [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace tc::peers
