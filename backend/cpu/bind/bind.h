// How a node becomes a step. Each family lists rows; for a node the first row of its op that accepts wins, a refusal
// has a printable reason, and the last resort is the op's reference body.
//
//   bool bind_matmul(Binder& b) {
//     if (b.dtype(0) != DType::f32) return b.refuse("element type is not f32");
//     const Slot x = b.in(0), y = b.out(0);
//     b.step<State>("gemm_f32__avx512",
//         [=](Frame& f, State& s) { ... extents are known: fill s, f.need_scratch(n) ... },
//         [=](Frame& f, State& s) { ... run ... });
//     return true;
//   }
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tc/backend/cpu/options.h"
#include "tc/backend/cpu/plan/plan.h"
#include "tc/backend/cpu/run/frame.h"
#include "tc/ir/ops.h"

namespace tc::cpu {

class PlanBuilder;
class Binder;

struct BindRow {
  OpId op;
  const char* name;
  bool (*bind)(Binder&);
  bool finds_extents = false;  // copes with results whose extents are known only afterwards
};
using BindRows = std::vector<BindRow>;

#define TC_FAMILY(name) void rows_bind_##name(BindRows& rows);
#include "tc/ir/families.def"
#undef TC_FAMILY

// Whether values of a type may lie in blocks: those that in_layout reorders.
constexpr bool blocks_of(DType t) {
  return t == DType::f32 || t == DType::i32 || t == DType::u8 || t == DType::i8;
}

class Binder {
 public:
  Binder(PlanBuilder& builder, const Node& node) : builder_(builder), node_(node) {}

  const Node& node() const { return node_; }
  template <class Op>
  const attrs_t<Op>& attrs() const {
    return node_.attrs<Op>();
  }
  const kernels::Table& table() const;

  int num_operands() const { return node_.num_operands(); }
  bool has(int i) const { return node_.operand(i) != nullptr; }
  DType dtype(int i) const { return node_.operand(i)->dtype(); }
  const Shape& shape(int i) const { return node_.operand(i)->shape(); }
  int rank(int i) const { return shape(i).rank(); }
  const Tensor* constant(int i) const { return has(i) ? node_.operand(i)->constant() : nullptr; }
  // The numbers in an integer operand, when known at compile time.
  std::optional<std::vector<int64_t>> ints(int i) const { return ints(node_.operand(i)); }
  static std::optional<std::vector<int64_t>> ints(const Value* v);
  // The layout the operand, or a value defined before, is in already.
  Layout layout(int i) const { return layout(node_.operand(i)); }
  Layout layout(const Value* v) const;
  DType result_dtype(int j) const { return node_.result(j)->dtype(); }
  const Shape& result_shape(int j) const { return node_.result(j)->shape(); }
  bool wants(int j) const { return j < node_.num_results() && !node_.result(j)->unused(); }

  // Say why not; nothing may have been declared yet. Returns false.
  bool refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  // Declarations, once the row accepts. `in` inserts a reorder where the operand lies otherwise.
  Slot in(int i, Layout layout = Layout::plain);
  Slot value(Value* v, Layout layout = Layout::plain);
  Slot out(int j, Layout layout = Layout::plain);
  // Result j, whose extents may depend on data: the step calls Frame::make for its memory.
  Slot found(int j);
  // Result j is operand i's memory under other extents.
  void alias(int j, int i);
  // Result j may overwrite operand i when nobody reads that later. Of several such operands the first that dies is
  // taken.
  void in_place(int j, int i);
  // `whole`, a result or an operand, holds `parts` one after the other along `axis`: see Plan::Joint.
  void joined(Slot whole, const std::vector<Slot>& parts, int axis);
  // The packed form of operand i, a constant; `key` names the format.
  const void* pack(int i, const std::string& key, size_t bytes, const std::function<void(void*)>& fill);
  // The same for runs to call, which may be several at once: the operand keeps its data.
  using PackLater = std::function<const void*(const std::string&, size_t, const std::function<void(void*)>&)>;
  PackLater packs_later(int i) const;
  // Of all constants that a run of the program reads, those of regions included.
  size_t constant_bytes() const;
  // A plan for region r of the node; captured values become reads of the step.
  void regions();
  // Floating point operations of a run, for profiles; set before the step is added.
  std::function<double(const Frame&)> flops;

  // See Step::candidates; set before the step is added.
  std::function<std::vector<Candidate>(const Frame*)> candidates;
  // The algorithm that CompileOptions::force asks for; null: none.
  const std::string* forced(const std::string& kind) const;

  // Adds the step. State is default-made once per frame; `prepare` runs when extents change.
  template <class State, class Prepare, class Run>
  void step(std::string kernel, Prepare prepare, Run run) {
    struct Holder : StepState {
      State s;
    };
    struct Impl : Step {
      Impl(Prepare p, Run r) : prepare_fn(std::move(p)), run_fn(std::move(r)) {}
      void prepare(Frame& f, int i) const override { prepare_fn(f, f.state<Holder>(i).s); }
      void run(Frame& f, int i) const override { run_fn(f, f.state<Holder>(i).s); }
      Prepare prepare_fn;
      Run run_fn;
    };
    add(std::make_unique<Impl>(std::move(prepare), std::move(run)), std::move(kernel));
  }
  void add(std::unique_ptr<Step> step, std::string kernel, bool is_ref = false);

  const std::string& reason() const { return reason_; }
  PlanBuilder& builder() const { return builder_; }

 private:
  friend class PlanBuilder;
  PlanBuilder& builder_;
  const Node& node_;
  std::string reason_;
  std::vector<Slot> reads_, writes_;
  std::vector<int> packed_;  // operands
  bool computable_ = false;  // the extents of all results, before the step runs
  bool done_ = false;
};

// Throws at the node unless the kernel succeeded.
void check(const Frame& f, const Node& node, kernels::Status status);

class PlanBuilder {
 public:
  // `replaces_weights`: nobody reads the graph's constants afterwards; those that are packed lose their data.
  PlanBuilder(const CompileOptions& options, const kernels::Table& table, PackedWeights& packed, bool replaces_weights,
              PlanBuilder* outer = nullptr)
      : options_(options), table_(table), packed_(packed), replaces_weights_(replaces_weights), outer_(outer) {}
  std::unique_ptr<Plan> build(const Graph& graph);
  // The plan is made for a deferred step, and has none itself.
  void never_defers() { defers_ = false; }

 private:
  friend class Binder;
  Slot new_value(const Value* v, Type type, Layout layout, int buffer);
  int new_buffer(Storage storage, int bytes);
  Slot slot_of(Value* v);  // its plain or only slot; captures on demand
  Slot in_layout(Value* v, Layout layout);
  void bind_node(Node& node);
  void release_weight(Value& v);
  void bind_eval(const Node& node, std::vector<std::string> refusals, bool deferred);
  bool ranks_known(const Node& node);
  bool extents_computable(const Node& node);
  // Where the types of results say more than inference does, the claims to check; nothing when that needs the results.
  std::optional<std::vector<Plan::Claim>> claims_of(Node& node);
  int expr_of(const Dim& d);  // with symbols inherited from the enclosing plan; -1 when not computable
  void drop_dead_steps();
  void find_lifetimes();
  void merge_in_place();
  void choose_joints();
  int bytes_expr(const PlanValue& v);
  void add_step(std::unique_ptr<Step> step);
  void finish();

  const CompileOptions& options_;
  const kernels::Table& table_;
  PackedWeights& packed_;
  bool replaces_weights_;
  PlanBuilder* outer_;
  bool defers_ = true;
  size_t constant_bytes_ = 0;
  std::unique_ptr<Plan> plan_;
  std::map<std::pair<const Value*, Layout>, Slot> slots_;
  struct InPlace {
    int step;
    Slot result, operand;
  };
  std::vector<InPlace> in_place_;
  std::vector<std::unique_ptr<Plan>> pending_regions_;
  const Node* binding_ = nullptr;  // the node whose steps are made
};

// Reports errors of windows at the step's node.
struct NodeErrors {
  const Node& node;
  template <class... Parts>
  [[noreturn]] void fail(ErrorCode code, const Parts&... parts) const {
    throw Error(
        {code, cat(parts...), node.location().empty() ? std::string(node.info().name()) : node.location(), {}, {}});
  }
};

inline int elem_size(DType t) {
  return static_cast<int>(size_of(t));
}

inline int64_t product(std::span<const int64_t> e) {
  int64_t n = 1;
  for (int64_t k : e) n *= k;
  return n;
}

}  // namespace tc::cpu
