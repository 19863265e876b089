// Operators, domains and versions that do not exist: the error says so, and names the nearest that does.
#include <gtest/gtest.h>

#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/model_writer.h"
#include "tc/ir/module.h"

namespace tc {
namespace {

using namespace tc::model_writer;

// One node with one input and one output.
std::string error_of(const std::string& op, const std::string& domain, const Opsets& opsets) {
  const std::string bytes =
      model(graph({node(op, {"x"}, {"y"}, {}, {.domain = domain})}, {value_info("x", kF32, {2, 3})}, {value_info("y")}),
            {.opsets = opsets});
  try {
    onnx::import_bytes(bytes.data(), bytes.size(), nullptr, "by_hand.onnx");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::unknown_op) << e.what();
    return e.diagnostic().message;
  }
  return "accepted";
}

struct Case {
  std::string op, domain;
  Opsets opsets;
  std::string message;
};

TEST(UnknownOperators, NameTheNearest) {
  const Case cases[] = {
      // A letter that is wrong, missing or in the wrong case.
      {"Sigmoidd", "", {{"", 18}}, "unknown operator Sigmoidd (did you mean Sigmoid?)"},
      {"relu", "", {{"", 18}}, "unknown operator relu (did you mean Relu?)"},
      {"LayerNormalisation", "", {{"", 18}}, "unknown operator LayerNormalisation (did you mean LayerNormalization?)"},
      // The default domain by its name.
      {"MatMull", "ai.onnx", {{"", 18}}, "unknown operator MatMull (did you mean MatMul?)"},
      // Known in another domain.
      {"Relu",
       "ai.onnx.preview",
       {{"", 18}, {"ai.onnx.preview", 1}},
       "unknown operator ai.onnx.preview.Relu (did you mean ai.onnx.Relu?)"},
      {"Softmax",
       "my.own",
       {{"", 18}, {"my.own", 1}},
       "unknown operator my.own.Softmax of the unknown domain 'my.own' (did you mean ai.onnx.Softmax?)"},
      // Nothing is near.
      {"Frobnicate", "", {{"", 18}}, "unknown operator Frobnicate"},
      {"Frobnicate",
       "my.own",
       {{"", 18}, {"my.own", 1}},
       "unknown operator my.own.Frobnicate of the unknown domain 'my.own'"},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.op, c.domain, c.opsets), c.op + " producing 'y': " + c.message);
}

TEST(UnknownOperators, VersionsThatDoNotExist) {
  EXPECT_EQ(
      error_of("Mish", "", {{"", 9}}),
      "Mish producing 'y': there is no operator Mish in opset 9, which the model uses: it is known from opset 18 on");
  EXPECT_EQ(error_of("Relu", "", {{"", 29}}), "the model asks for opset 29 of ai.onnx; known are 1 to 28");
  EXPECT_EQ(error_of("Relu", "", {{"", 0}}), "the model asks for opset 0 of ai.onnx; known are 1 to 28");
  EXPECT_EQ(error_of("Scaler", "ai.onnx.ml", {{"", 18}, {"ai.onnx.ml", 6}}),
            "the model asks for opset 6 of ai.onnx.ml; known are 1 to 5");
}

}  // namespace
}  // namespace tc
