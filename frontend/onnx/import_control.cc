#include <algorithm>

#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

std::vector<std::unique_ptr<Graph>> one(std::unique_ptr<Graph> g) {
  std::vector<std::unique_ptr<Graph>> list;
  list.push_back(std::move(g));
  return list;
}

std::vector<Type> types_of(NodeImport& n, int from) {
  std::vector<Type> types;
  for (int i = from; i < n.num_inputs(); ++i) types.push_back(n.required(i)->type());
  return types;
}

// Where shapes decide the condition, one branch remains. The other one is not even looked at: exporters leave branches
// there that could not run on these shapes, such as a squeeze of an extent other than 1.
std::vector<Value*> if_1(NodeImport& n) {
  const Value* cond = n.required(0);
  if (const Dims* known = cond->contents(); known && known->size() == 1 && (*known)[0].is_const()) {
    const bool truth = (*known)[0].value() != 0;
    n.ignore_attr(truth ? "else_branch" : "then_branch");
    const auto branch = n.region(truth ? "then_branch" : "else_branch", {});
    return clone_into(*branch, n.b().graph(), nullptr, {});
  }
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(n.region("then_branch", {}));
  regions.push_back(n.region("else_branch", {}));
  return results_of(n.b().make_n<If>({n.required(0)}, {}, n.num_outputs(), std::move(regions)));
}

std::vector<Value*> loop_1(NodeImport& n) {
  // The body may declare the iteration's number and the condition as vectors of one element.
  const auto declared = n.region_input_types("body");
  std::vector<Type> types;
  for (size_t i = 0; i < 2; ++i) {
    const bool axis = i < declared.size() && declared[i].is_tensor() && declared[i].shape().ranked() &&
                      declared[i].shape().rank() == 1;
    types.push_back(Type::tensor(i ? DType::boolean : DType::i64, axis ? Shape{Dim(1)} : Shape(Dims())));
  }
  for (Type& t : types_of(n, 2)) types.push_back(std::move(t));
  auto body = n.region("body", types);
  return results_of(n.b().make_n<Loop>(n.inputs(), {}, n.num_outputs(), one(std::move(body))));
}

std::vector<Value*> scan_9(NodeImport& n) {
  auto attrs = n.attrs<Scan>();
  auto body = n.region("body", scan_region_inputs(attrs, types_of(n, 0)));
  return results_of(n.b().make_n<Scan>(n.inputs(), std::move(attrs), n.num_outputs(), one(std::move(body))));
}

// The first `length` elements along the first axis, and back to `total` of them.
Value* shortened(Builder& b, Value* x, Value* length) {
  return b.make<Slice>({x, b.ints({0}), length, b.ints({0})});
}
Value* lengthened(Builder& b, Value* x, Value* length, Value* total) {
  Value* pads = b.make<Concat>({b.ints({0}), b.make<Sub>({total, length})}, {.axis = 0});
  return b.make<Pad>({x, pads, nullptr, b.ints({0})});
}

// Opset 8 scans axis 1 of a batch: a scan over the batch of the scans of its members. Where lengths of the sequences
// are given, a member's scan stops there, and its scanned outputs end in zeros.
std::vector<Value*> scan_8(NodeImport& n) {
  Scan::Attrs inner, outer;
  inner.num_scan_inputs = n.int_attr("num_scan_inputs", 0);
  inner.scan_input_directions = n.ints_attr("directions").value_or(std::vector<int64_t>());
  std::vector<Value*> operands(n.inputs().begin() + 1, n.inputs().end());
  const auto states = static_cast<size_t>(static_cast<int64_t>(operands.size()) - inner.num_scan_inputs);
  if (states > operands.size())
    n.fail(ErrorCode::bad_attribute, "num_scan_inputs is ", inner.num_scan_inputs, " of ", operands.size(),
           " operands");
  if (n.has(0)) operands.push_back(n.in(0));
  outer.num_scan_inputs = static_cast<int64_t>(operands.size());
  std::vector<Type> types;
  for (Value* v : operands) types.push_back(v->type());
  auto members = scan_region_inputs(outer, types);
  auto batch = std::make_unique<Graph>(n.module(), "batch");
  std::vector<Value*> inputs;
  for (const Type& t : members) inputs.push_back(batch->add_input(t));
  Builder b(*batch);
  b.set_location(n.b().location());
  Value *length = nullptr, *total = nullptr;
  if (n.has(0)) {
    length = b.make<Reshape>({inputs.back(), b.ints({1})});
    inputs.pop_back();
    members.pop_back();
    total = b.make<ShapeOf>({inputs[states]}, {.start = 0, .end = 1});
    for (size_t k = states; k < inputs.size(); ++k) inputs[k] = shortened(b, inputs[k], length);
  }
  auto body = n.region("body", scan_region_inputs(inner, members));
  auto results = results_of(b.make_n<Scan>(inputs, std::move(inner), n.num_outputs(), one(std::move(body))));
  for (size_t j = states; length && j < results.size(); ++j) results[j] = lengthened(b, results[j], length, total);
  batch->set_outputs(results);
  return results_of(n.b().make_n<Scan>(operands, std::move(outer), n.num_outputs(), one(std::move(batch))));
}

std::vector<Value*> sequence_map_17(NodeImport& n) {
  auto types = types_of(n, 0);
  for (Type& t : types)
    if (t.kind() == Type::Kind::sequence) t = Type(t.element());
  auto body = n.region("body", types);
  return results_of(n.b().make_n<SequenceMap>(n.inputs(), {}, n.num_outputs(), one(std::move(body))));
}

}  // namespace

void rows_import_control(ImportRows& rows) {
  rows.insert(rows.end(), {{"If", 1, if_1},
                           {"Loop", 1, loop_1},
                           {"Scan", 8, scan_8},
                           {"Scan", 9, scan_9},
                           {"SequenceMap", 17, sequence_map_17}});
}

}  // namespace tc::onnx
