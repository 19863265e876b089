// What the rules of differentiation on ops see. A rule is the static member `grad` of an op: given the gradients of a
// function with respect to the node's results (seeds), it appends ordinary nodes that compute those with respect to
// its operands (the vector-Jacobian product), linear in the seeds. Reverse mode runs rules from outputs to inputs;
// forward mode transposes them again, so an op needs one rule only, and gradients of gradients need nothing at all.
// Gradients have the element types of what they belong to. The mechanism is in passes/autodiff.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "tc/ir/expr.h"
#include "tc/ir/shape_build.h"

namespace tc {

// Can a value of this type have a gradient? Tensors of f16, bf16, f32, f64, and sequences and optionals of such.
bool differentiable(const Type& t);

// What loops keep of each iteration for their gradient.
enum class Residuals : uint8_t {
  save,       // everything that the gradient needs
  recompute,  // the carried values; the rest is computed again
};

class GradContext {
 public:
  using Pullback =
      std::function<std::vector<Value*>(Builder&, const std::vector<Value*>& outputs, const std::vector<Value*>& seeds,
                                        const std::vector<Value*>& leaves, const std::vector<Value*>& constants)>;

  GradContext(Node& node, Builder& builder, std::vector<Value*> seeds, std::function<bool(const Value*)> wanted,
              Pullback pullback_of, Residuals residuals_of_loops = Residuals::save)
      : b(builder),
        residuals(residuals_of_loops),
        pullback_(std::move(pullback_of)),
        node_(node),
        seeds_(std::move(seeds)),
        wanted_(std::move(wanted)) {}

  Builder& b;
  const Residuals residuals;

  // For rules that go by simpler ops, and for ops with regions: appends the gradients of `outputs`, weighted by the
  // seeds (null: zero), with respect to `leaves`, which count as independent of each other. Null where zero. Nothing is
  // looked for behind `constants`.
  std::vector<Value*> pullback(Builder& at, const std::vector<Value*>& outputs, const std::vector<Value*>& seeds,
                               const std::vector<Value*>& leaves, const std::vector<Value*>& constants = {}) const {
    return pullback_(at, outputs, seeds, leaves, constants);
  }

  Node& node() const { return node_; }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }
  bool has(int i) const { return node_.operand(i) != nullptr; }
  Expr in(int i) const { return {b, node_.operand(i)}; }
  // Result j of the node, which is asked for it if nobody was interested so far.
  Expr out(int j = 0);
  bool has_seed(int j) const { return static_cast<size_t>(j) < seeds_.size() && seeds_[static_cast<size_t>(j)]; }
  // The gradient of result j. Single results always have one when a rule runs.
  Expr seed(int j = 0) const { return {b, seeds_[static_cast<size_t>(j)]}; }
  int rank(int i) const;  // of operand i; Error no_gradient when unknown
  // The elements of operand i, a small integer tensor. Error no_gradient unless all are known.
  std::vector<int64_t> ints(int i) const;

  bool wanted(int i) const { return has(i) && wanted_(node_.operand(i)); }
  bool wanted(const Value* captured) const { return wanted_(captured); }
  // Adds to the gradient of operand i. What broadcasting repeated is summed; where operand i asks for none, nothing
  // happens.
  void give(int i, Value* gradient);
  void give(Value* captured, Value* gradient);
  void give_exactly(Value* to, Value* gradient);  // the shapes are one, however they are spelled
  const std::vector<std::pair<Value*, Value*>>& given() const { return given_; }

  // Error no_gradient at the node.
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    fail_text(cat(parts...));
  }

 private:
  [[noreturn]] void fail_text(std::string text) const;
  const Pullback pullback_;
  Node& node_;
  std::vector<Value*> seeds_;
  std::function<bool(const Value*)> wanted_;
  std::vector<std::pair<Value*, Value*>> given_;
};

// What `jvp` of an op with regions sees. The op is rebuilt in another place, where each value has a copy and maybe a
// tangent, so that values and tangents run through its regions together.
class JvpContext {
 public:
  struct Results {
    std::vector<Value*> values, tangents;  // a null tangent is zero
  };
  // Rebuilds the nodes of a region, or of a function, for values and tangents of its inputs.
  using Run = std::function<Results(Builder&, const Graph&, const std::vector<Value*>& values,
                                    const std::vector<Value*>& tangents)>;

  JvpContext(const Node& node, Builder& builder, std::function<Value*(const Value*)> copy_of,
             std::function<Value*(const Value*)> tangent_of, Run run_of)
      : b(builder), copy(std::move(copy_of)), tangent(std::move(tangent_of)), run(std::move(run_of)), node_(node) {}

  Builder& b;
  const std::function<Value*(const Value*)> copy;     // of an operand or captured value
  const std::function<Value*(const Value*)> tangent;  // of the same; null: zero
  const Run run;
  const Node& node() const { return node_; }
  void set(Results r) { results_ = std::move(r); }  // of all results of the node
  Results& results() { return results_; }

 private:
  const Node& node_;
  Results results_;
};

// Shapes of values, fixed where inference knows them and computed when the program runs where it does not.
Value* shape_of(Builder& b, Value* v);  // i64[rank]
Value* count_of(Builder& b, Value* v);  // i64 scalar: the number of elements
// Vectors of i64 one after the other: one constant when all are known.
Value* join_ints(Builder& b, const std::vector<Value*>& parts);
// i64[1]: the extent when it is fixed, else what `compute` makes.
Value* known_or(Builder& b, const Dim& d, const std::function<Value*()>& compute);

Value* full(Builder& b, Value* shape, DType t, double value);
Value* full_like(Builder& b, Value* v, double value);  // of any differentiable type
inline Value* zeros_like(Builder& b, Value* v) {
  return full_like(b, v, 0);
}
Value* add_values(Builder& b, Value* x, Value* y);  // of any differentiable type

// The regions of a node that is about to be made.
std::vector<std::unique_ptr<Graph>> region_list(std::unique_ptr<Graph> a, std::unique_ptr<Graph> b = nullptr);

// `v` repeated along axes of extent 1 to the shape of `like`.
Value* expand_like(Builder& b, Value* v, Value* like);
// The elements of `v` in another shape, of extents (zeros count as such) or that of a value.
Value* reshape(Builder& b, Value* v, Value* shape);
Value* reshape_like(Builder& b, Value* v, Value* like);
// The axes from `axis` on as one.
Value* merge_axes_from(Builder& b, Value* v, int axis);
// `v` summed over what broadcasting to its shape added to the shape of `like`.
Value* sum_to(Builder& b, Value* v, Value* like);
Value* sum_over(Builder& b, Value* v, std::vector<int64_t> axes, bool keepdims);
Value* transpose(Builder& b, Value* v, std::vector<int64_t> perm);
Value* swap_last_axes(Builder& b, Value* v);  // `v` itself below rank 2
Value* unsqueeze(Builder& b, Value* v, std::vector<int64_t> axes);
// The gradient `v` of gather(x, indices, axis) put back: zeros with `extent` (i64[1]) places along `axis`, to which the
// slices of `v` at the axes of the indices are added.
Value* scatter_add_along(Builder& b, Value* v, Value* indices, Value* extent, int axis);
// For indices [..., n] of ops on tuples after `batch` common axes of `data`: the tuples with the place along those
// axes in front.
Value* with_batch_places(Builder& b, Value* indices, Value* data, int batch);

}  // namespace tc
