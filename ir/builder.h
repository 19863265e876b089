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
             std::vector<std::unique_ptr<Graph>> regions = {});
  template <class Op>
  Node* make_n(const std::vector<Value*>& operands, attrs_t<Op> attrs, int num_results,
               std::vector<std::unique_ptr<Graph>> regions = {}) {
    return node(id_of<Op>, operands, share_attrs(std::move(attrs)), num_results, std::move(regions));
  }
  template <class Op>
  Value* make(const std::vector<Value*>& operands, attrs_t<Op> attrs = {}) {
    return only(id_of<Op>, operands, share_attrs(std::move(attrs)));
  }
  Value* constant(Tensor t, std::string name = {});
  template <class T>
  Value* scalar(T value) {
    return constant(Tensor::scalar<T>(value));
  }
  Value* ints(const std::vector<int64_t>& values);
  Value* scalar_like(DType t, double value) { return constant(scalar_tensor(t, value)); }

 private:
  Value* only(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs);

  Graph* graph_;
  Node* before_;
  std::string location_;
};

}  // namespace tc
