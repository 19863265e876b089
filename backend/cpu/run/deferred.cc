#include "tc/backend/cpu/run/deferred.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/legalize/target.h"
#include "tc/backend/cpu/run/executable.h"
#include "tc/backend/cpu/run/reference_step.h"
#include "tc/ir/tensor_budget.h"

namespace tc::cpu {
namespace {

// Below so many elements in all, the reference body is done before a frame has begun.
constexpr int64_t kFewElements = 256;
// Integers that may be shapes, axes, starts: those of longer tensors are data.
constexpr int64_t kMostIntegers = 16;

bool is_plain_tensor(const Value* v) {
  return v->type().is_tensor() && v->dtype() != DType::str;
}

bool may_steer(const Tensor& t) {
  return (t.dtype() == DType::i64 || t.dtype() == DType::i32) && t.rank() <= 1 && t.size() <= kMostIntegers;
}

// A value whose tensor may be such integers.
bool may_hold_steering(const Value* v) {
  return v && !v->constant() && (v->dtype() == DType::i64 || v->dtype() == DType::i32) &&
         (!v->shape().ranked() || v->shape().rank() <= 1);
}

int64_t elements(const std::vector<Datum>& operands) {
  int64_t n = 0;
  for (const Datum& d : operands)
    if (d.is_tensor()) n += d.tensor().size();
  return n;
}

std::vector<int64_t> key_of(const std::vector<Datum>& operands, bool with_integers) {
  std::vector<int64_t> key{with_integers};
  for (const Datum& d : operands) {
    if (!d.is_tensor()) {
      key.push_back(-1);
      continue;
    }
    const Tensor& t = d.tensor();
    key.push_back(t.rank());
    if (!with_integers || !may_steer(t)) continue;
    key.push_back(t.size());
    const auto values = to_i64(t);
    key.insert(key.end(), values.begin(), values.end());
  }
  return key;
}

bool runs_on_kernels(const Plan& plan) {
  bool kernels = true;
  walk_steps(plan, [&](const Step& s, int) { kernels = kernels && !s.is_ref; });
  return kernels;
}

}  // namespace

bool defers(const Node& node, bool computable) {
  if (node.num_regions() || node.info().traits.nondeterministic || has_effects(node)) return false;
  const auto operands = node.operands();
  if (!std::all_of(operands.begin(), operands.end(), [](const Value* v) { return !v || is_plain_tensor(v); }))
    return false;
  for (int j = 0; j < node.num_results(); ++j)
    if (!is_plain_tensor(node.result(j))) return false;
  const bool waits = !computable || std::any_of(operands.begin(), operands.end(), may_hold_steering);
  return waits && (has_kernels(node.op()) || decomposes(node));
}

namespace {

class DeferredPlans {
 public:
  static constexpr size_t kMostPlans = 32;

  DeferredPlans(const Node& node, const CompileOptions& options, const kernels::Table& table, PackedWeights& packed)
      : node_(node), options_(options), table_(table), packed_(packed) {}

  struct Entry {
    std::unique_ptr<Module> module;
    std::unique_ptr<Plan> plan;
    std::vector<int> fed;  // operands that are inputs of the plan
  };
  // The plan for operands like these; null: the reference body serves. Thread-safe; plans live as long as this.
  const Entry* find(const std::vector<Datum>& operands);

 private:
  using Key = std::vector<int64_t>;
  std::unique_ptr<Entry> make(const std::vector<Datum>& operands, bool fixes_integers) const;
  const Entry* find(const Key& key, const std::vector<Datum>& operands, bool fixes_integers);

  const Node& node_;
  const CompileOptions& options_;
  const kernels::Table& table_;
  PackedWeights& packed_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<Entry>> entries_;  // null: no kernels for these
};

std::unique_ptr<DeferredPlans::Entry> DeferredPlans::make(const std::vector<Datum>& operands,
                                                          bool fixes_integers) const {
  auto entry = std::make_unique<Entry>();
  entry->module = std::make_unique<Module>();
  Graph& main = entry->module->main();
  main.set_name(std::string(node_.info().name()));
  Builder b(main);
  b.set_location(node_.location());
  std::vector<Value*> values;
  for (int i = 0; i < node_.num_operands(); ++i) {
    const Value* v = node_.operand(i);
    const Datum& d = operands[static_cast<size_t>(i)];
    if (!v) {
      values.push_back(nullptr);
    } else if (v->constant()) {
      values.push_back(b.constant(*v->constant()));
    } else if (fixes_integers && may_steer(d.tensor())) {
      values.push_back(b.constant(d.tensor().clone()));
    } else {
      Dims dims;
      for (int axis = 0; axis < d.tensor().rank(); ++axis) dims.push_back(Dim::symbol(cat("d", i, "_", axis)));
      values.push_back(main.add_input(Type::tensor(v->dtype(), Shape(std::move(dims))), cat("operand", i)));
      entry->fed.push_back(i);
    }
  }
  const Node* node = b.node(node_.op(), values, node_.raw_attrs(), node_.num_results());
  std::vector<Value*> outputs;
  for (int j = 0; j < node_.num_results(); ++j)
    if (!node_.result(j)->unused()) outputs.push_back(node->result(j));
  main.set_outputs(outputs);
  optimise(*entry->module, options_);
  PlanBuilder builder(options_, table_, packed_, /*replaces_weights=*/false);
  builder.never_defers();
  entry->plan = builder.build(main);
  return runs_on_kernels(*entry->plan) ? std::move(entry) : nullptr;
}

const DeferredPlans::Entry* DeferredPlans::find(const Key& key, const std::vector<Datum>& operands,
                                                bool fixes_integers) {
  if (const auto it = entries_.find(key); it != entries_.end()) return it->second.get();
  if (entries_.size() >= kMostPlans) return nullptr;
  std::unique_ptr<Entry> entry;
  try {
    entry = make(operands, fixes_integers);
  } catch (const std::exception&) {  // the reference body says what is wrong
    Budget::poll();                  // but that a run ends says nothing about the plan
  }
  return (entries_[key] = std::move(entry)).get();
}

const DeferredPlans::Entry* DeferredPlans::find(const std::vector<Datum>& operands) {
  if (elements(operands) < kFewElements) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const Entry* entry = find(key_of(operands, false), operands, false)) return entry;
  const bool steered = std::any_of(operands.begin(), operands.end(),
                                   [](const Datum& d) { return d.is_tensor() && may_steer(d.tensor()); });
  return steered ? find(key_of(operands, true), operands, true) : nullptr;
}

// Kernels are chosen when the operands are there; else the reference body.
class DeferredStep : public ReferenceStep {
 public:
  explicit DeferredStep(std::unique_ptr<DeferredPlans> plans) : plans_(std::move(plans)) {}

  void run(Frame& f, int index) const override {
    const std::vector<Datum> args = values_of_operands(f);
    const DeferredPlans::Entry* entry = plans_->find(args);
    if (!entry || !run_plan(f, index, *entry, args)) evaluate(f, index, args);
  }

 private:
  struct State : StepState {
    std::map<const Plan*, std::unique_ptr<Frame>> frames;
  };

  // False when the plan fails, but for limits: the reference body then says why.
  bool run_plan(Frame& f, int index, const DeferredPlans::Entry& entry, const std::vector<Datum>& args) const {
    auto& frame = f.state<State>(index).frames[entry.plan.get()];
    if (!frame) frame = std::make_unique<Frame>(*entry.plan, f.runtime());
    std::vector<Datum> fed;
    for (const int i : entry.fed) fed.push_back(args[static_cast<size_t>(i)]);
    std::vector<Datum> outputs;
    const int depth = f.runtime().depth;
    try {
      outputs = frame->run(std::move(fed), &f);
    } catch (const Error& e) {
      if (e.code() == ErrorCode::limit_memory || e.code() == ErrorCode::limit_steps) throw;
      f.runtime().depth = depth;
      return false;
    }
    size_t next = 0;
    for (const Slot s : results)
      if (s != kNoSlot) f.set_object(s, std::move(outputs[next++]));
    return true;
  }

  std::unique_ptr<DeferredPlans> plans_;
};

}  // namespace

std::unique_ptr<ReferenceStep> deferred_step(const Node& node, const CompileOptions& options,
                                             const kernels::Table& table, PackedWeights& packed) {
  return std::make_unique<DeferredStep>(std::make_unique<DeferredPlans>(node, options, table, packed));
}

}  // namespace tc::cpu
