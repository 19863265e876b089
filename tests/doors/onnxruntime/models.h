// Models of a few nodes, as bytes.
#pragma once

#include "tc/frontend/onnx/model_writer.h"

namespace tc::models {

using namespace model_writer;

inline std::string weight() {
  return tensor<float>("w", {3}, {10, 20, 30});
}
inline std::string type_of_tensor(uint64_t element, const std::vector<Extent>& extents) {
  return field(1, scalar(1, element) + field(2, shape(extents)));
}

// y = x + w, twice = x + x.
inline std::string sum() {
  return model(graph({node("Add", {"x", "w"}, {"y"}), node("Add", {"x", "x"}, {"twice"})},
                     {value_info("x", kF32, {"n", 3})},
                     {value_info("y", kF32, {"n", 3}), value_info("twice", kF32, {"n", 3})}, {weight()}));
}
inline std::string same_strings() {
  return model(graph({node("Identity", {"x"}, {"y"})}, {value_info("x", kStr, {"n"})}, {value_info("y", kStr, {"n"})}));
}
inline std::string sequence() {
  const auto list = [](const std::string& name) {
    return field(1, name) + field(2, field(4, field(1, type_of_tensor(kF32, {"k"}))));
  };
  return model(graph({node("ConcatFromSequence", {"x"}, {"all"}, {attr_i("axis", 0)}),
                      node("SequenceLength", {"x"}, {"n"}), node("Identity", {"x"}, {"same"})},
                     {list("x")}, {value_info("all", kF32, {"m"}), value_info("n", kI64, {}), list("same")}));
}
inline std::string four_bits() {
  constexpr uint64_t kU4 = 21;
  return model(
      graph({node("Cast", {"x"}, {"y"}, {attr_i("to", 1)}), node("Cast", {"y"}, {"same"}, {attr_i("to", kU4)})},
            {value_info("x", kU4, {"n"})}, {value_info("y", kF32, {"n"}), value_info("same", kU4, {"n"})}),
      {.opsets = {{"", 21}}, .ir_version = 10});
}
// y = x * 2 ** n.
inline std::string long_loop() {
  const std::string body = graph({node("Identity", {"go"}, {"going"}), node("Add", {"v", "v"}, {"w"})},
                                 {value_info("i", kI64, {}), value_info("go", kBool, {}), value_info("v", kF32, {1})},
                                 {value_info("going", kBool, {}), value_info("w", kF32, {1})}, {}, "body");
  return model(graph({node("Loop", {"n", "", "x"}, {"y"}, {attr_g("body", body)})},
                     {value_info("x", kF32, {1}), value_info("n", kI64, {})}, {value_info("y", kF32, {1})}));
}
// y = x + w, where w is an input that has an initialiser.
inline std::string overridable() {
  return model(graph({node("Add", {"x", "w"}, {"y"})}, {value_info("x", kF32, {3}), value_info("w", kF32, {3})},
                     {value_info("y", kF32, {3})}, {weight()}));
}
// y = x + w, where w lies in a file.
inline std::string external() {
  const std::string w = scalar(1, 3) + scalar(2, kF32) + field(8, "w") +
                        field(13, field(1, "location") + field(2, "weights.bin")) + scalar(14, 1);
  return model(
      graph({node("Add", {"x", "w"}, {"y"})}, {value_info("x", kF32, {3})}, {value_info("y", kF32, {3})}, {w}));
}
inline std::string with_metadata() {
  const std::string g =
      graph({node("Identity", {"x"}, {"y"})}, {value_info("x", kF32, {1})}, {value_info("y", kF32, {1})}) +
      field(10, "of the graph");
  return model(g) + field(4, "a.domain") + scalar(5, 17) + field(6, "of the model") +
         field(14, field(1, "key") + field(2, "value"));
}
inline std::string custom_op() {
  return model(graph({node("Frobnicate", {"x"}, {"y"}, {}, {.domain = "my.domain"})}, {value_info("x", kF32, {3})},
                     {value_info("y", kF32, {3})}),
               {.opsets = {{"", 18}, {"my.domain", 1}}});
}
inline std::string hands_on() {
  return model(graph({node("Identity", {"x"}, {"input"}), node("Identity", {"w"}, {"weight"})},
                     {value_info("x", kF32, {3})}, {value_info("input", kF32, {3}), value_info("weight", kF32, {3})},
                     {weight()}));
}

// y = (x + w) * 2 by four nodes.
inline std::string four_nodes() {
  return model(graph({node("Add", {"x", "w"}, {"a"}), node("Add", {"a", "a"}, {"b"}), node("Neg", {"b"}, {"c"}),
                      node("Neg", {"c"}, {"y"})},
                     {value_info("x", kF32, {"n", 3})}, {value_info("y", kF32, {"n", 3})}, {weight()}));
}
// y = (all items of x + w) * 4.
inline std::string sequence_first() {
  const std::string x = field(1, "x") + field(2, field(4, field(1, type_of_tensor(kF32, {"k", 3}))));
  return model(graph({node("ConcatFromSequence", {"x"}, {"j"}, {attr_i("axis", 0)}), node("Add", {"j", "w"}, {"a"}),
                      node("Add", {"a", "a"}, {"b"}), node("Add", {"b", "b"}, {"y"})},
                     {x}, {value_info("y", kF32, {"n", 3})}, {weight()}));
}
inline std::string strings_equal() {
  return model(graph({node("Equal", {"a", "b"}, {"e"}), node("Not", {"e"}, {"f"}), node("Not", {"f"}, {"y"})},
                     {value_info("a", kStr, {"n"}), value_info("b", kStr, {"n"})}, {value_info("y", kBool, {"n"})}),
               {.opsets = {{"", 19}}, .ir_version = 9});
}

}  // namespace tc::models
