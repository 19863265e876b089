// Typed construction of nodes: `b.make<Conv>({x, w}, {.strides = {2, 2}})` appends a node and returns its first result.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "tc/ir/module.h"
#include "tc/ir/ops.h"

namespace tc {

// A scalar of the element type, converted from double.
Tensor scalar_tensor(DType t, double value);

class Builder {
 public:
  // Appends to `graph`, or inserts before `before`.
  explicit Builder(Graph& graph, Node* before = nullptr) : graph_(&graph), before_(before) {}
  Graph& graph() const { return *graph_; }
  Node* before() const { return before_; }  // null: at the end
  Module& module() const { return graph_->module(); }
  void set_location(std::string l) { location_ = std::move(l); }
  const std::string& location() const { return location_; }

  Node* node(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs, int num_results,
             std::vector<std::unique_ptr<Graph>> regions = {}) {
    return graph_->insert(
        make_node(module(), op, operands, std::move(attrs), num_results, std::move(regions), location_), before_);
  }
  template <class Op>
  Node* make_n(std::vector<Value*> operands, attrs_t<Op> attrs, int num_results,
               std::vector<std::unique_ptr<Graph>> regions = {}) {
    return node(id_of<Op>, operands, std::make_shared<attrs_t<Op>>(std::move(attrs)), num_results, std::move(regions));
  }
  template <class Op>
  Value* make(std::vector<Value*> operands, attrs_t<Op> attrs = {}) {
    return make_n<Op>(std::move(operands), std::move(attrs), 1)->result(0);
  }
  Value* constant(Tensor t, std::string name = {}) {
    Value* v = make<Constant>({}, {std::move(t)});
    v->set_name(std::move(name));
    return v;
  }
  template <class T>
  Value* scalar(T value) {
    return constant(Tensor::scalar<T>(value));
  }
  Value* ints(const std::vector<int64_t>& values) {
    return constant(Tensor::of<int64_t>({static_cast<int64_t>(values.size())}, values));
  }
  Value* scalar_like(DType t, double value) { return constant(scalar_tensor(t, value)); }

 private:
  Graph* graph_;
  Node* before_;
  std::string location_;
};

}  // namespace tc
