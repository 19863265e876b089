#include "bad_models.h"

#include <filesystem>
#include <fstream>

#include "tc/frontend/onnx/model_writer.h"

namespace tc {
namespace {

using namespace tc::model_writer;
using tc::model_writer::field;  // not the attribute's
using enum ErrorCode;

using Says = std::vector<std::string>;
using Cases = std::vector<BadModel>;

const std::string kX = value_info("x", kF32, {"N", 4});
const std::string kY = value_info("y");
const std::string kRelu = node("Relu", {"x"}, {"y"}, {}, {.name = "the_relu"});

// x: f32[N,4] -> y
std::string nodes(const Messages& list, const Messages& initializers = {}, int64_t opset = 18) {
  return model(graph(list, {kX}, {kY}, initializers), {{}, {{"", opset}}, 8});
}
std::string op(const std::string& type, const Names& inputs, const Messages& attributes = {},
               const Messages& initializers = {}, int64_t opset = 18) {
  return nodes({node(type, inputs, {"y"}, attributes, {.name = "the_node"})}, initializers, opset);
}
std::string ints(const std::string& name, const std::vector<int64_t>& values) {
  return tensor<int64_t>(name, {static_cast<int64_t>(values.size())}, values);
}
std::string with_weight(const std::string& weight) {
  return nodes({node("Add", {"x", "w"}, {"y"}, {}, {.name = "the_add"})}, {weight});
}

void files(Cases& cases) {
  const std::string whole = nodes({kRelu});
  cases.push_back({"empty_file", "", bad_file, {"no graph", "0 bytes"}});
  cases.push_back({"text_file", "this is not a model, it is a text\n", bad_file, {"at byte"}});
  cases.push_back({"large_file_pointer",
                   "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
                   bad_file,
                   {"git lfs pull"}});
  cases.push_back({"cut_in_the_graph", whole.substr(0, whole.size() / 2), bad_file, {"byte", "graph"}});
  cases.push_back({"cut_at_the_end", whole.substr(0, whole.size() - 1), bad_file, {"byte", "opset_import"}});
  cases.push_back({"graph_as_number", scalar(7, 5), bad_file, {"graph", "wire type"}});
  cases.push_back(
      {"length_beyond_the_file", field(2, "x") + varint(7 << 3 | 2) + varint(uint64_t{1} << 62), bad_file, {"graph"}});
  cases.push_back({"overlong_number", varint(1 << 3) + std::string(11, '\xff'), bad_file, {"ir_version"}});
  cases.push_back({"no_graph", scalar(1, 8) + opsets(8, {{"", 18}}), bad_file, {"no graph"}});
}

void external_data(Cases& cases) {
  const auto weight = [](const std::string& location,
                         const std::vector<std::pair<std::string, std::string>>& more = {}) {
    std::string entries = field(13, field(1, "location") + field(2, location));
    for (const auto& [key, value] : more) entries += field(13, field(1, key) + field(2, value));
    return with_weight(scalar(1, 4) + scalar(2, kF32) + field(8, "w") + scalar(14, 1) + entries);
  };
  const auto put = [](const std::string& folder) {
    std::ofstream(folder + "/w.bin", std::ios::binary) << std::string(16, '\0');
  };
  const auto external = [&](const std::string& name, const std::string& bytes, const Says& says, auto prepare) {
    Says all = says;
    all.insert(all.end(), {"tensor w"});
    cases.push_back({name, bytes, bad_external_data, all, {}, prepare});
  };
  external("weights_missing", weight("none.bin"), {"none.bin", "No such file"}, put);
  external("weights_above", weight("../w.bin"), {"../w.bin", "leaves the folder"}, put);
  external("weights_above_and_back", weight("sub/../../w.bin"), {"leaves the folder"}, put);
  external("weights_absolute", weight("/etc/hostname"), {"/etc/hostname", "absolute"}, put);
  external("weights_behind_a_link", weight("link.bin"), {"link.bin", "symbolic link"}, [=](const std::string& folder) {
    put(folder);
    std::filesystem::create_symlink("w.bin", folder + "/link.bin");
  });
  external("weights_behind_a_linked_folder", weight("up/w.bin"), {"up/w.bin", "symbolic link"},
           [=](const std::string& folder) {
             put(folder);
             std::filesystem::create_directory_symlink("..", folder + "/up");
           });
  external("weights_in_a_folder", weight("sub"), {"sub", "folder"},
           [](const std::string& folder) { std::filesystem::create_directory(folder + "/sub"); });
  external("weights_cut_off", weight("w.bin", {{"offset", "8"}}), {"w.bin", "16 bytes at offset 8", "of 16 bytes"},
           put);
  external("weights_beyond_the_file", weight("w.bin", {{"offset", "18446744073709551600"}, {"length", "16"}}),
           {"w.bin", "offset 18446744073709551600"}, put);
  external("weights_of_another_length", weight("w.bin", {{"length", "12"}}), {"12 bytes", "expected 16"}, put);
  external("weights_at_a_negative_offset", weight("w.bin", {{"offset", "-4"}}), {"offset", "-4"}, put);
  external("weights_at_no_number", weight("w.bin", {{"length", "many"}}), {"length", "many"}, put);
  external("weights_nowhere", with_weight(scalar(1, 4) + scalar(2, kF32) + field(8, "w") + scalar(14, 1)), {"location"},
           put);
}

void versions(Cases& cases) {
  const auto with = [](const Opsets& opsets, const std::string& n = kRelu) {
    return model(graph({n}, {kX}, {kY}), {{}, opsets, 8});
  };
  cases.push_back({"opset_of_the_future", with({{"", 99}}), unknown_op, {"opset 99", "1 to"}});
  cases.push_back({"opset_zero", with({{"", 0}}), unknown_op, {"opset 0"}});
  cases.push_back({"opset_negative", with({{"", -3}}), unknown_op, {"opset -3"}});
  cases.push_back(
      {"opset_of_another_domain_only", with({{"my", 1}}), bad_graph, {"the_relu", "Relu", "ai.onnx", "no opset"}});
  cases.push_back({"no_opset", with({}), bad_file, {"no opset", "IR version 8"}});
  cases.push_back({"operator_not_yet_there",
                   op("Gelu", {"x"}, {}, {}, 13),
                   unknown_op,
                   {"the_node", "Gelu", "opset 13", "from opset 20 on"}});
  cases.push_back({"unknown_operator", op("Rellu", {"x"}), unknown_op, {"the_node", "Rellu", "did you mean"}});
  cases.push_back(
      {"unknown_domain",
       with({{"", 18}, {"com.acme", 1}}, node("Relu", {"x"}, {"y"}, {}, {.domain = "com.acme", .name = "the_node"})),
       unknown_op,
       {"the_node", "com.acme.Relu"}});
  cases.push_back({"unknown_operators_together",
                   nodes({node("Foo1", {"x"}, {"a"}), node("Relu", {"a"}, {"b"}), node("Foo2", {"b"}, {"c"}),
                          node("If", {"c"}, {"y"},
                               {attr_g("then_branch", graph({node("Foo3", {"b"}, {"d"})}, {}, {value_info("d")})),
                                attr_g("else_branch", graph({node("Foo4", {}, {"d"})}, {}, {value_info("d")}))})}),
                   unknown_op,
                   {"4 findings", "Foo1", "Foo2", "Foo3", "Foo4"}});
}

void graphs(Cases& cases) {
  const auto add = [](const std::string& a, const std::string& b, const std::string& y) {
    return node("Add", {a, b}, {y}, {}, {.name = "make_" + y});
  };
  cases.push_back({"cycle",
                   nodes({add("x", "b", "a"), add("a", "x", "b"), add("a", "b", "y")}),
                   bad_graph,
                   {"make_b", "'make_a'", "cycle"}});
  cases.push_back({"cycle_of_one", nodes({add("x", "y", "y")}), bad_graph, {"make_y", "'make_y'", "cycle"}});
  cases.push_back(
      {"value_declared_of_another_type",
       model(graph({add("x", "x", "a"), add("a", "x", "y")}, {kX}, {kY}) + field(13, value_info("a", kF64, {2}))),
       bad_type,
       {"'a'", "f64", "f32"}});
  cases.push_back(
      {"defined_twice", nodes({add("x", "x", "y"), add("x", "x", "y")}), bad_graph, {"make_y", "'y'", "twice"}});
  cases.push_back({"input_defined_by_a_node",
                   nodes({add("x", "x", "x"), add("x", "x", "y")}),
                   bad_graph,
                   {"make_x", "'x'", "twice"}});
  cases.push_back({"weight_defined_by_a_node",
                   nodes({add("x", "x", "w"), add("w", "x", "y")}, {tensor<float>("w", {1}, {1})}),
                   bad_graph,
                   {"make_w", "'w'", "twice"}});
  cases.push_back({"weight_given_twice",
                   nodes({add("x", "w", "y")}, {tensor<float>("w", {1}, {1}), tensor<float>("w", {1}, {2})}),
                   bad_graph,
                   {"'w'", "twice"}});
  cases.push_back({"input_declared_twice", model(graph({kRelu}, {kX, kX}, {kY})), bad_graph, {"input 'x'", "twice"}});
  cases.push_back(
      {"input_without_a_type", model(graph({kRelu}, {value_info("x")}, {kY})), bad_graph, {"input 'x'", "type"}});
  cases.push_back(
      {"input_of_unknown_type", model(graph({kRelu}, {value_info("x", 77, {4})}, {kY})), bad_type, {"'x'", "77"}});
  cases.push_back(
      {"input_without_a_name", model(graph({kRelu}, {kX, value_info("", kF32, {4})}, {kY})), bad_graph, {"no name"}});
  cases.push_back(
      {"output_not_defined", model(graph({kRelu}, {kX}, {value_info("z")})), bad_graph, {"output 'z'", "not defined"}});
  cases.push_back({"output_of_another_type",
                   model(graph({kRelu}, {kX}, {value_info("y", kI64, {"N", 4})})),
                   bad_type,
                   {"output 'y'", "i64", "f32"}});
  cases.push_back({"input_of_huge_rank",
                   model(graph({kRelu}, {value_info("x", kF32, std::vector<Extent>(33, 1))}, {kY})),
                   limit_rank,
                   {"'x'", "33"}});

  std::string inside = graph({node("Neg", {"x"}, {"e"})}, {}, {value_info("e")});
  for (int i = 0; i < 60; ++i)
    inside = graph({node("If", {"c"}, {"e"},
                         {attr_g("then_branch", inside), attr_g("else_branch", graph({}, {}, {value_info("x")}))})},
                   {}, {value_info("e")});
  cases.push_back(
      {"branches_too_deep",
       model(graph({node("If", {"c"}, {"y"},
                         {attr_g("then_branch", inside), attr_g("else_branch", graph({}, {}, {value_info("x")}))})},
                   {kX, value_info("c", kBool, {})}, {kY})),
       limit_nesting,
       {"deep"}});
  std::string type = scalar(1, kF32);
  for (int i = 0; i < 300; ++i) type = field(1, field(4, type));
  cases.push_back({"types_too_deep",
                   model(graph({kRelu}, {field(1, "x") + field(2, field(4, type))}, {kY})),
                   limit_nesting,
                   {"input", "deep"}});
}

void weights(Cases& cases) {
  const std::string four(16, '\0');
  cases.push_back({"weight_too_short",
                   with_weight(raw_tensor("w", kF32, {5}, four)),
                   bad_file,
                   {"tensor w", "16 bytes", "expected 20"}});
  cases.push_back({"weight_too_long",
                   with_weight(raw_tensor("w", kF32, {3}, four)),
                   bad_file,
                   {"tensor w", "16 bytes", "expected 12"}});
  cases.push_back(
      {"weight_of_negative_extent", with_weight(raw_tensor("w", kF32, {-4}, four)), bad_shape, {"tensor w", "-4"}});
  cases.push_back({"weight_of_overflowing_extents",
                   with_weight(raw_tensor("w", kF32, {int64_t{1} << 40, int64_t{1} << 40}, four)),
                   limit_size,
                   {"tensor w"}});
  cases.push_back({"weight_of_huge_extents",
                   with_weight(raw_tensor("w", kF32, {int64_t{1} << 40}, four)),
                   bad_file,
                   {"tensor w", "16 bytes"}});
  cases.push_back({"weight_of_huge_rank",
                   with_weight(raw_tensor("w", kF32, std::vector<int64_t>(40, 1), four)),
                   limit_rank,
                   {"tensor w", "40"}});
  cases.push_back({"weight_without_a_type",
                   with_weight(scalar(1, 4) + field(8, "w") + field(9, four)),
                   bad_file,
                   {"tensor w", "no element type"}});
  cases.push_back(
      {"weight_of_unknown_type", with_weight(raw_tensor("w", 99, {4}, four)), unsupported, {"tensor w", "99"}});
  cases.push_back({"weight_without_data",
                   with_weight(scalar(1, 4) + scalar(2, kF32) + field(8, "w")),
                   bad_file,
                   {"tensor w", "0 numbers", "expected 4"}});
  cases.push_back({"weight_of_strings_in_bytes",
                   with_weight(raw_tensor("w", kStr, {2}, "ab")),
                   bad_file,
                   {"tensor w", "string_data"}});
  cases.push_back({"weight_of_foreign_numbers",
                   with_weight(scalar(1, 1) + scalar(2, kF32) + field(8, "w") + scalar(7, 5)),
                   bad_file,
                   {"tensor w", "expected 1"}});
  cases.push_back({"weight_located_elsewhere",
                   with_weight(raw_tensor("w", kF32, {4}, four) + scalar(14, 7)),
                   unsupported,
                   {"tensor w", "location 7"}});

  const auto sparse = [&](const std::vector<int64_t>& indices, const std::vector<int64_t>& extents) {
    std::string s = field(1, tensor<float>("w", {2}, {1, 2})) + field(2, ints("", indices));
    for (const int64_t e : extents) s += scalar(3, static_cast<uint64_t>(e));
    return model(graph({node("Add", {"x", "w"}, {"y"})}, {kX}, {kY}) + field(15, s));
  };
  cases.push_back(
      {"sparse_index_out_of_range", sparse({0, 4}, {4}), bad_file, {"tensor w", "index 1", "out of range"}});
  cases.push_back({"sparse_index_negative", sparse({-1, 2}, {4}), bad_file, {"tensor w", "index 0"}});
  cases.push_back({"sparse_indices_not_ascending", sparse({2, 2}, {4}), bad_file, {"tensor w", "index 1"}});
  cases.push_back(
      {"sparse_of_huge_extents", sparse({0, 1}, {int64_t{1} << 20, int64_t{1} << 20}), limit_memory, {"tensor w"}});
}

void attributes(Cases& cases) {
  const auto bad = [&](const std::string& name, const std::string& bytes, const Says& says,
                       ErrorCode code = bad_attribute) {
    Says all = says;
    all.insert(all.begin(), "the_node");
    cases.push_back({name, bytes, code, all});
  };
  const std::string weight = tensor<float>("w", {2, 4, 3}, std::vector<float>(24));
  // x as a batch of signals [N, 4, L]
  const auto conv = [&](const Messages& list) {
    return model(graph({node("Conv", {"x", "w"}, {"y"}, list, {.name = "the_node"})},
                       {value_info("x", kF32, {"N", 4, "L"})}, {kY}, {weight}));
  };
  bad("attribute_of_a_wrong_kind", op("Concat", {"x", "x"}, {attr_f("axis", 0)}), {"axis", "int", "float"});
  bad("attribute_missing", op("Concat", {"x", "x"}), {"axis", "missing"});
  bad("attribute_unknown", op("Relu", {"x"}, {attr_i("slope", 1)}), {"slope"});
  bad("attribute_twice", op("Softmax", {"x"}, {attr_i("axis", 0), attr_i("axis", 1)}), {"axis", "twice"});
  bad("attribute_enumerator", op("Pad", {"x", "p"}, {attr_s("mode", "mirror")}, {ints("p", {0, 1, 0, 1})}),
      {"mode", "mirror", "reflect"});
  bad("attribute_element_type", op("Cast", {"x"}, {attr_i("to", 1234)}), {"to", "1234"});
  bad("attribute_without_a_graph", op("If", {"x"}), {"then_branch"});
  bad("constant_without_a_value", op("Constant", {}), {"value"});
  bad("strides_too_many", conv({attr_ints("strides", {1, 1})}), {"strides", "2", "1"});
  bad("strides_zero", conv({attr_ints("strides", {0})}), {"strides", "0"});
  bad("dilation_negative", conv({attr_ints("dilations", {-1})}), {"dilations", "-1"});
  bad("pads_negative_beyond", conv({attr_ints("pads", {-1000000, 0})}), {"padding -1000000"}, bad_shape);
  bad("pads_too_few", conv({attr_ints("pads", {1})}), {"pads"});
  bad("group_zero", conv({attr_i("group", 0)}), {"group", "0"});
  bad("group_that_does_not_divide", conv({attr_i("group", 3)}), {"group", "3"}, bad_shape);
  bad("kernel_shape_of_another_weight", conv({attr_ints("kernel_shape", {5})}), {"kernel", "5", "3"}, bad_shape);
  bad("auto_pad_unknown", conv({attr_s("auto_pad", "SAME")}), {"auto_pad", "SAME"});
  bad("axis_out_of_range", op("Concat", {"x", "x"}, {attr_i("axis", 2)}), {"axis", "2"});
  bad("axis_very_negative", op("Softmax", {"x"}, {attr_i("axis", INT64_MIN)}), {"axis"});
  bad("permutation_with_repeats", op("Transpose", {"x"}, {attr_ints("perm", {0, 0})}), {"axis 0", "twice"});
  bad("permutation_too_long", op("Transpose", {"x"}, {attr_ints("perm", {0, 1, 2})}), {"perm"});
  bad("depth_to_space_of_zero",
      model(graph({node("DepthToSpace", {"x"}, {"y"}, {attr_i("blocksize", 0)}, {.name = "the_node"})},
                  {value_info("x", kF32, {1, 4, 2, 2})}, {kY})),
      {"blocksize", "0"});
}

void operands(Cases& cases) {
  const auto bad = [&](const std::string& name, const std::string& bytes, ErrorCode code, const Says& says) {
    Says all = says;
    all.insert(all.begin(), "the_node");
    cases.push_back({name, bytes, code, all});
  };
  const auto with_ints = [](const std::string& type, const std::vector<int64_t>& values,
                            const Messages& attributes = {}) {
    return op(type, {"x", "i"}, attributes, {ints("i", values)});
  };
  bad("too_many_operands", op("Relu", {"x", "x"}), bad_graph, {"2", "1"});
  bad("too_few_operands", op("Add", {"x"}), bad_graph, {"add"});
  bad("operand_left_out", op("Add", {"", "x"}), bad_graph, {"add"});
  bad("too_many_results", nodes({node("Relu", {"x"}, {"y", "z"}, {}, {.name = "the_node"})}), bad_graph, {"2", "1"});
  bad("operand_of_a_wrong_type", op("Not", {"x"}), bad_type, {"f32", "bool"});
  bad("operands_of_two_types", op("Add", {"x", "i"}, {}, {ints("i", {1})}), bad_type, {"i64", "f32"});
  bad("shapes_that_do_not_broadcast", op("Add", {"x", "w"}, {}, {tensor<float>("w", {3}, {1, 2, 3})}), bad_shape,
      {"4", "3"});
  bad("matrices_that_do_not_fit", op("MatMul", {"x", "w"}, {}, {tensor<float>("w", {3, 1}, {1, 2, 3})}), bad_shape,
      {"4", "3"});
  bad("reshape_with_two_unknowns", with_ints("Reshape", {-1, -1}), bad_shape, {"-1"});
  bad("reshape_to_negative", with_ints("Reshape", {-5, 4}), bad_shape, {"-5"});
  bad("reshape_to_too_many", with_ints("Reshape", {0, 5}), bad_shape, {"5"});
  bad("reshape_to_huge_extents", with_ints("Reshape", {int64_t{1} << 62, int64_t{1} << 62}), limit_size, {});
  bad("expand_to_negative", with_ints("Expand", {2, -4}), bad_shape, {"-4"});
  bad("tile_negative", with_ints("Tile", {1, -1}), bad_value, {"-1"});
  bad("pad_with_too_few", with_ints("Pad", {1, 1}), bad_shape, {"2", "4"});
  bad("pad_to_huge_extents", with_ints("Pad", {0, INT64_MAX, 0, INT64_MAX}), limit_size, {});
  bad("squeeze_of_four", with_ints("Squeeze", {1}), bad_shape, {"4"});
  bad("unsqueeze_twice", with_ints("Unsqueeze", {0, 0}), bad_attribute, {"0"});
  bad("split_of_the_wrong_sum",
      nodes({node("Split", {"x", "i"}, {"y", "z"}, {attr_i("axis", 1)}, {.name = "the_node"})}, {ints("i", {3, 3})}),
      bad_shape, {"4"});
  bad("slice_by_zero",
      op("Slice", {"x", "s", "e", "a", "t"}, {}, {ints("s", {0}), ints("e", {4}), ints("a", {1}), ints("t", {0})}),
      bad_value, {"0"});
  bad("constant_of_negative_shape", op("ConstantOfShape", {"i"}, {}, {ints("i", {-2})}), bad_shape,
      {"negative extent -2"});
  bad("constant_of_huge_shape", op("ConstantOfShape", {"i"}, {}, {ints("i", {INT64_MAX, 3})}), limit_size, {});
  bad("top_of_too_many", nodes({node("TopK", {"x", "i"}, {"y", "z"}, {}, {.name = "the_node"})}, {ints("i", {5})}),
      bad_value, {"5", "4"});
  bad("one_hot_of_negative_depth",
      op("OneHot", {"i", "d", "v"}, {}, {ints("i", {0}), ints("d", {-1}), tensor<float>("v", {2}, {0, 1})}), bad_value,
      {"-1"});
  bad("resize_by_nothing", op("Resize", {"x", "", "s"}, {}, {tensor<float>("s", {2}, {1, 0})}), bad_value, {"0"});
}

std::string region(const Names& outputs, const Messages& list = {}) {
  Messages infos;
  for (const auto& o : outputs) infos.push_back(value_info(o));
  return graph(list, {}, infos);
}

void regions(Cases& cases) {
  const auto bad = [&](const std::string& name, const std::string& n, ErrorCode code, const Says& says) {
    Says all = says;
    all.insert(all.begin(), "the_node");
    cases.push_back(
        {name, model(graph({n}, {kX, value_info("c", kBool, {}), value_info("n", kI64, {})}, {kY})), code, all});
  };
  const auto branches = [](const std::string& cond, const std::string& a, const std::string& b) {
    return node("If", {cond}, {"y"}, {attr_g("then_branch", a), attr_g("else_branch", b)}, {.name = "the_node"});
  };
  bad("branch_without_outputs", branches("c", region({"x"}), region({})), bad_graph, {"region 1", "0 outputs"});
  bad("branches_of_two_types", branches("c", region({"x"}), region({"n"})), bad_type, {"f32", "i64"});
  bad("condition_of_a_wrong_type", branches("x", region({"x"}), region({"x"})), bad_type, {"f32", "bool"});
  bad("branch_with_inputs", branches("c", graph({}, {kX}, {value_info("x")}), region({"x"})), bad_graph,
      {"then_branch", "1 input"});
  bad("branch_missing", node("If", {"c"}, {"y"}, {attr_g("then_branch", region({"x"}))}, {.name = "the_node"}),
      bad_attribute, {"else_branch"});
  bad("name_of_another_branch", branches("c", region({"a"}, {node("Neg", {"x"}, {"a"})}), region({"a"})), bad_graph,
      {"'a'"});
  const auto loop = [](const std::string& body) {
    return node("Loop", {"n", "c", "x"}, {"y"}, {attr_g("body", body)}, {.name = "the_node"});
  };
  const Messages state = {value_info("i", kI64, {}), value_info("go", kBool, {}), value_info("s", kF32, {"N", 4})};
  bad("loop_body_with_too_few_inputs", loop(graph({}, {state[0], state[1]}, {value_info("go"), value_info("x")})),
      bad_graph, {"body", "2 inputs", "3"});
  bad("loop_body_with_too_few_outputs", loop(graph({}, state, {value_info("go")})), bad_graph,
      {"region 0", "1 output"});
  bad("loop_condition_of_a_wrong_type", loop(graph({}, state, {value_info("s"), value_info("s")})), bad_type, {"bool"});
  bad("loop_state_of_another_type", loop(graph({}, state, {value_info("go"), value_info("i")})), bad_type,
      {"f32", "i64"});
}

void runs(Cases& cases) {
  const auto bad = [&](const std::string& name, const std::string& bytes, ErrorCode code, const Says& says,
                       std::vector<std::pair<std::string, Tensor>> inputs) {
    cases.push_back({name, bytes, code, says, std::move(inputs)});
  };
  const Tensor x(DType::f32, {2, 4});
  const std::string relu = nodes({kRelu});
  bad("input_of_a_wrong_name", relu, bad_input, {"'z'", "x"}, {{"z", x}});
  bad("input_of_a_wrong_element_type", relu, bad_input, {"'x'", "f32", "i64"}, {{"x", Tensor(DType::i64, {2, 4})}});
  bad("input_of_a_wrong_rank", relu, bad_input, {"'x'", "f32[2]"}, {{"x", Tensor(DType::f32, {2})}});
  bad("input_of_wrong_extents", relu, bad_input, {"'x'", "f32[2,5]"}, {{"x", Tensor(DType::f32, {2, 5})}});
  const std::string two = model(graph({node("Add", {"x", "z"}, {"y"})}, {kX, value_info("z", kF32, {"N", 1})}, {kY}));
  bad("inputs_that_disagree", two, bad_input, {"N", "2", "3"}, {{"x", x}, {"z", Tensor(DType::f32, {3, 1})}});
  const auto given = [](const std::string& type, const std::string& info, const Messages& attributes = {}) {
    return model(graph({node(type, {"x", "i"}, {"y"}, attributes, {.name = "the_node"})}, {kX, info}, {kY}));
  };
  const std::string info = value_info("i", kI64, {"K"});
  bad("index_out_of_range", given("Gather", info), bad_value, {"the_node", "index 2 is out of range for an axis of extent 2"},
      {{"x", x}, {"i", Tensor::of<int64_t>({1}, {2})}});
  bad("reshape_that_does_not_fit", given("Reshape", info), bad_shape, {"the_node"},
      {{"x", x}, {"i", Tensor::of<int64_t>({1}, {7})}});
  bad("expand_to_huge_extents", given("Expand", info), limit_size, {"the_node"},
      {{"x", x}, {"i", Tensor::of<int64_t>({4}, {INT64_MAX, INT64_MAX, 1, 1})}});
  bad("expand_beyond_the_memory", given("Expand", info), limit_memory, {"the_node"},
      {{"x", x}, {"i", Tensor::of<int64_t>({3}, {int64_t{1} << 40, 1, 1})}});
  bad("division_by_zero",
      model(graph({node("Div", {"i", "j"}, {"y"}, {}, {.name = "the_node"})}, {info, value_info("j", kI64, {"K"})},
                  {kY})),
      bad_value, {"the_node", "zero"}, {{"i", Tensor::of<int64_t>({1}, {3})}, {"j", Tensor::of<int64_t>({1}, {0})}});
  const std::string forever =
      graph({node("Add", {"s", "s"}, {"t"})},
            {value_info("k", kI64, {}), value_info("go", kBool, {}), value_info("s", kF32, {"N", 4})},
            {value_info("go"), value_info("t")});
  bad("endless_loop",
      model(graph({node("Loop", {"", "c", "x"}, {"y"}, {attr_g("body", forever)}, {.name = "the_node"})},
                  {kX, value_info("c", kBool, {})}, {kY})),
      limit_steps, {"the_node", "1000"}, {{"x", x}, {"c", Tensor::scalar(Bool(true))}});
}

}  // namespace

std::vector<BadModel> bad_models() {
  Cases cases;
  files(cases);
  external_data(cases);
  versions(cases);
  graphs(cases);
  weights(cases);
  attributes(cases);
  operands(cases);
  regions(cases);
  runs(cases);
  return cases;
}

}  // namespace tc
