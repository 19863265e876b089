// Reference semantics: one body per op, `template <> void eval<Op>(EvalContext&)`, defined in eval/<family>.cc. A
// missing body does not link. Bodies compute on widened values (wide.h) or move bytes, so each serves every element
// type.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tc/ir/eval/random.h"
#include "tc/ir/eval/wide.h"
#include "tc/ir/graph.h"
#include "tc/ir/ops.h"

namespace tc {

// What a running program shares: budgets, the widened mode, and how to run regions and functions.
struct EvalEnv {
  // Keep f64 between ops instead of rounding to f32, f16 or bf16: the higher-precision truth for accuracy tests.
  bool widened = false;
  uint64_t max_steps = UINT64_MAX;  // loop iterations, summed over the run; Error limit_steps beyond
  uint64_t max_bytes = UINT64_MAX;  // of one result; Error limit_memory beyond
  uint64_t steps = 0;
  RandomRun* random = nullptr;  // null: random nodes without a seed draw other numbers each time
  // Runs a region's or function's graph on values for its inputs. `node` is the node whose region it is.
  std::function<std::vector<Datum>(const Node& node, const Graph& graph, std::vector<Datum> args)> run_graph;
};

class EvalContext {
 public:
  EvalContext(const Node& node, std::span<const Datum> operands, EvalEnv& env)
      : node_(node), operands_(operands), env_(env), results_(static_cast<size_t>(node.num_results())) {}

  const Node& node() const { return node_; }
  EvalEnv& env() const { return env_; }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }

  int num_operands() const { return static_cast<int>(operands_.size()); }
  bool has(int i) const { return i < num_operands() && node_.operand(i) && !operands_[static_cast<size_t>(i)].empty(); }
  const Datum& datum(int i) const { return operands_[static_cast<size_t>(i)]; }
  const Tensor& in(int i) const { return datum(i).tensor(); }
  template <class W>
  std::vector<W> read(int i) const {
    return widen<W>(in(i));
  }
  std::vector<int64_t> ints(int i) const { return to_i64(in(i)); }
  // Axis counted from 0; Error bad_attribute when out of range.
  int axis(int64_t a, int rank) const;

  int num_results() const { return node_.num_results(); }
  bool wanted(int j) const { return j < num_results() && (!node_.result(j)->unused() || j == 0); }
  // The element type to produce: the inferred one, or f64 in its place in widened mode.
  DType result_dtype(int j) const;
  // Fresh memory for result j.
  Tensor& out(int j, Extents extents) { return out(j, result_dtype(j), std::move(extents)); }
  Tensor& out(int j, DType t, Extents extents);
  template <class W>
  void write(int j, Extents extents, const std::vector<W>& values) {
    if (j < num_results()) narrow(values, out(j, std::move(extents)));
  }
  void set(int j, Datum d);

  std::vector<Datum> run_region(int region, std::vector<Datum> args) {
    return env_.run_graph(node_, node_.region(region), std::move(args));
  }
  void count_step();  // one loop iteration against the budget

  std::vector<Datum> take_results() { return std::move(result_datums()); }

  template <class... Parts>
  [[noreturn]] void fail(ErrorCode code, const Parts&... parts) const {
    fail_text(code, cat(parts...));
  }

 private:
  [[noreturn]] void fail_text(ErrorCode code, std::string text) const;
  std::vector<Datum>& result_datums();
  struct Result {
    Tensor tensor;
    Datum datum;
    bool is_datum = false;
  };
  const Node& node_;
  std::span<const Datum> operands_;
  EvalEnv& env_;
  std::vector<Result> results_;
  std::vector<Datum> taken_;
};

template <class Op>
void eval(EvalContext& ctx);
#define TC_OP(family, Name) \
  template <>               \
  void eval<Name>(EvalContext&);
#include "tc/ir/ops.def"
#undef TC_OP

using EvalFn = void (*)(EvalContext&);
EvalFn eval_fn(OpId op);

// Runs one node; errors are located at it. Results that were not set are empty.
std::vector<Datum> eval_node(const Node& node, std::span<const Datum> operands, EvalEnv& env);

}  // namespace tc
