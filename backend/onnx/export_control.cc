#include "tc/backend/onnx/export_rows.h"

namespace tc::onnx {
namespace {

void write_if(NodeExport& n) {
  OnnxNode& out = n.operator_named("If");
  out.attributes.push_back({"then_branch", {}, &n.node().region(0)});
  out.attributes.push_back({"else_branch", {}, &n.node().region(1)});
}

// A loop over the positions of the first sequence that carries the sequences made so far.
std::vector<Value*> sequence_map_by_loop(Lowering& l) {
  const Node& node = l.node();
  const Graph& region = node.region(0);
  auto body = std::make_unique<Graph>(l.b.module(), "elements");
  Value* position = body->add_input(Type::tensor(DType::i64, Shape(Dims())), "position");
  Value* go_on = body->add_input(Type::tensor(DType::boolean, Shape(Dims())), "go_on");
  std::vector<Value*> operands{l.b.make<SequenceLength>({l.in(0)}), nullptr}, outputs{go_on};
  for (int j = 0; j < node.num_results(); ++j) {
    const Type& made = node.result(j)->type();
    operands.push_back(l.b.make<SequenceEmpty>({}, {made.element().dtype()}));
    body->add_input(made);
  }
  Builder inner(*body);
  inner.set_location(node.location());
  std::vector<std::pair<Value*, Value*>> map;
  for (int i = 0; i < region.num_inputs(); ++i) {
    const bool sequence = l.in(i)->type().kind() == Type::Kind::sequence;
    map.emplace_back(region.input(i), sequence ? inner.make<SequenceAt>({l.in(i), position}) : l.in(i));
  }
  const auto elements = clone_into(region, *body, nullptr, std::move(map));
  for (int j = 0; j < node.num_results(); ++j)
    outputs.push_back(inner.make<SequenceInsert>({body->input(2 + j), elements[static_cast<size_t>(j)]}));
  body->set_outputs(outputs);
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  Node* loop = l.b.make_n<Loop>(std::move(operands), {}, node.num_results(), std::move(regions));
  std::vector<Value*> results;
  for (int j = 0; j < loop->num_results(); ++j) results.push_back(loop->result(j));
  return results;
}

}  // namespace

void rows_export_control(ExportRows& rows) {
  rows.push_back({OpId::If, 1, write_if});
  rows.push_back({OpId::SequenceMap, 1, nullptr, nullptr, sequence_map_by_loop});
}

}  // namespace tc::onnx
