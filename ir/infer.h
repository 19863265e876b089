// What an op's `infer` sees: operand types, constants and symbolic contents; it sets the result types. Counts and
// element types have been checked against the signature before `infer` runs, and result element types follow from it.
#pragma once

#include <optional>
#include <vector>

#include "tc/ir/graph.h"
#include "tc/ir/module.h"

namespace tc {

class InferContext {
 public:
  InferContext(Node& node, Module& module) : node_(node), module_(module), first_fresh_(module.next_symbol()) {}

  Node& node() const { return node_; }
  Module& module() const { return module_; }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }

  int num_operands() const { return node_.num_operands(); }
  bool has(int i) const { return node_.operand(i) != nullptr; }
  const Type& type(int i) const;
  DType dtype(int i) const { return type(i).dtype(); }
  const Shape& shape(int i) const;      // Error bad_type unless a tensor
  const Tensor* constant(int i) const;  // null unless a constant tensor
  const Dims* contents(int i) const;    // symbolic elements of an integer operand of rank <= 1; null if unknown
  std::optional<std::vector<int64_t>> ints(int i) const;  // contents that are all numbers
  // The axis counted from 0; Error bad_attribute when out of [-rank, rank).
  int axis(int64_t a, int rank) const;
  // Error bad_shape unless operand i has the rank (unknown ranks pass).
  void expect_rank(int i, int rank) const;

  int num_results() const { return node_.num_results(); }
  void set(int j, Type t);
  void set(int j, Shape s);  // element type from the signature
  void set(int j, DType t, Shape s) { set(j, Type::tensor(t, std::move(s))); }
  void set_contents(int j, Dims c) { node_.result(j)->set_contents(std::move(c)); }
  Dim fresh() { return module_.fresh_symbol(); }
  Shape fresh_shape(int rank);

  template <class... Parts>
  [[noreturn]] void fail(ErrorCode code, const Parts&... parts) const {
    fail_text(code, cat(parts...));
  }

 private:
  [[noreturn]] void fail_text(ErrorCode code, std::string text) const;
  Node& node_;
  Module& module_;
  uint64_t first_fresh_;
};

// The number in the name of a symbol made by Module::fresh_symbol; nothing for other names.
std::optional<uint64_t> fresh_number(std::string_view name);

// NumPy broadcasting of all shapes; Error bad_shape when two fixed extents differ and neither is 1.
Shape broadcast_shapes(InferContext& ctx, const std::vector<const Shape*>& shapes);
// The most specific shape that both fit; differing extents become fresh symbols, differing ranks an unknown rank. A
// value that may be absent in one place is optional in the join.
Shape join_shapes(Module& module, const Shape& a, const Shape& b);
Type join_types(Module& module, const Type& a, const Type& b);

// Mixins for the common inference rules.
struct SameTypeAsFirst {  // result 0 has the shape of operand 0
  static void infer(InferContext& ctx);
};
struct Broadcasting {  // result 0 has the broadcast of all operands' shapes
  static constexpr bool elementwise = true;
  static void infer(InferContext& ctx);
};

}  // namespace tc
