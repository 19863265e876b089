// Variants of the operators in com.microsoft, for the comparison with ONNX Runtime.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc::peers {

struct Variant {
  std::string name;
  std::string op;
  std::vector<Tensor> inputs;                 // undefined: absent
  std::vector<std::optional<DType>> outputs;  // those that are asked for
  std::vector<std::string> attributes;        // wire bytes
  std::string domain = "com.microsoft";
  int64_t opset = 17;  // of ONNX's domain
};

// One model: variants of one operator, or of a few that are alike.
struct OpCase {
  std::string name;
  std::vector<Variant> (*variants)();
};

std::vector<OpCase> op_cases();
std::vector<Variant> attention_variants();
std::vector<Variant> multi_head_attention_variants();
std::vector<Variant> group_query_attention_variants();
std::vector<Variant> quantized_attention_variants();
std::vector<Variant> rotary_embedding_variants();
std::vector<Variant> norm_variants();
std::vector<Variant> activation_variants();
std::vector<Variant> fused_variants();
std::vector<Variant> plain_variants();
std::vector<Variant> window_variants();
std::vector<Variant> early_variants();

}  // namespace tc::peers
