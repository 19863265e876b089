#include "tc/backend/cpu/run/specialise.h"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>

#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"

namespace tc::cpu {
namespace {

constexpr size_t kMostSeen = 16;

// A number that may steer the program: a sampling rate, a flag. Its value is part of what is fixed.
bool steers(const Tensor& t) {
  return t.rank() <= 1 && t.size() == 1 &&
         (t.dtype() == DType::i64 || t.dtype() == DType::i32 || t.dtype() == DType::boolean);
}

std::optional<std::vector<int64_t>> key_of(const std::vector<Datum>& inputs) {
  std::vector<int64_t> key;
  for (const Datum& d : inputs) {
    if (!d.is_tensor()) return std::nullopt;
    const Tensor& t = d.tensor();
    key.push_back(t.rank());
    key.insert(key.end(), t.extents().begin(), t.extents().end());
    if (steers(t)) key.push_back(to_i64(t)[0]);
  }
  return key;
}

Type with_numbers(const Type& t, const std::map<std::string, int64_t>& symbols) {
  if (!t.is_tensor() || !t.shape().ranked()) return t;
  Dims dims;
  for (const Dim& d : t.shape().dims())
    dims.push_back(d.substitute([&](const std::string& s) -> std::optional<Dim> {
      const auto it = symbols.find(s);
      return it == symbols.end() ? std::nullopt : std::optional<Dim>(it->second);
    }));
  return Type::tensor(t.dtype(), Shape(std::move(dims)));
}

// Small integers become constants of the program.
void fix_numbers(Module& module, const std::vector<Datum>& inputs) {
  Graph& main = module.main();
  Builder b(main, main.first());
  for (int i = 0; i < main.num_inputs(); ++i) {
    const Tensor& t = inputs[static_cast<size_t>(i)].tensor();
    if (steers(t) && !main.input(i)->unused()) main.input(i)->replace_all_uses_with(b.constant(t.clone()));
  }
}

void fix_extents(Module& module, const std::vector<Datum>& inputs) {
  Graph& main = module.main();
  const auto symbols = bind_symbols(main, inputs);
  const auto fix = [&](Value* v) { v->set_type(with_numbers(v->type(), symbols)); };
  for (int i = 0; i < main.num_inputs(); ++i) main.input(i)->set_type(inputs[static_cast<size_t>(i)].tensor().type());
  walk(main, [&](Node& n) {
    for (int j = 0; j < n.num_results(); ++j) fix(n.result(j));
    for (int r = 0; r < n.num_regions(); ++r)
      for (Value* v : n.region(r).inputs()) fix(v);
  });
  infer_types(main);
}

}  // namespace

bool Specialisations::useful_for(const Graph& graph) {
  bool random = false, unknown = false;
  walk(graph, [&](Node& n) {
    random |= n.info().traits.nondeterministic;
    for (int j = 0; j < n.num_results(); ++j) {
      const Type& t = n.result(j)->type();
      unknown |= t.is_tensor() && !t.shape().ranked();
    }
  });
  return unknown && !random;
}

const Plan* Specialisations::find(const Module& general, const std::vector<Datum>& inputs, const Optimise& optimise,
                                  const MakePlan& plan) {
  const auto key = key_of(inputs);
  if (!key) return nullptr;
  const std::lock_guard lock(mutex_);
  for (const Entry& e : entries_)
    if (e.key == *key) return e.refused ? nullptr : e.plan.get();
  if (entries_.size() == kMostPlans) return nullptr;
  const auto before = std::find(seen_.begin(), seen_.end(), *key);
  if (before == seen_.end()) {
    if (seen_.size() == kMostSeen) seen_.erase(seen_.begin());
    seen_.push_back(*key);
    return nullptr;
  }
  seen_.erase(before);
  Entry& e = entries_.emplace_back(Entry{*key, clone(general), nullptr});
  try {
    fix_numbers(*e.module, inputs);
    optimise(*e.module);  // conditions fold, and what contradicts the extents in branches not taken is gone
    fix_extents(*e.module, inputs);
    optimise(*e.module);
    e.plan = plan(*e.module);
  } catch (const std::exception&) {  // the general plan serves, or says what is wrong
    e.plan = nullptr;
  }
  return e.plan.get();
}

void Specialisations::give_up(const Plan* plan) {
  const std::lock_guard lock(mutex_);
  for (Entry& e : entries_)
    if (e.plan.get() == plan) e.refused = true;
}

}  // namespace tc::cpu
