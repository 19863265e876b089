#include "tc/ir/eval/eval.h"

#include <new>
#include <stdexcept>

#include "tc/ir/tensor_budget.h"

namespace tc {

EvalFn eval_fn(OpId op) {
  static constexpr EvalFn kTable[] = {
#define TC_OP(family, Name) &eval<Name>,
#include "tc/ir/ops.def"
#undef TC_OP
  };
  return kTable[static_cast<size_t>(op)];
}

int EvalContext::axis(int64_t a, int rank) const {
  if (a < -rank || a >= rank) fail(ErrorCode::bad_attribute, "axis ", a, " is out of range for rank ", rank);
  return static_cast<int>(a < 0 ? a + rank : a);
}

DType EvalContext::result_dtype(int j) const {
  const DType t = node_.result(j)->dtype();
  if (env_.widened && (t == DType::f32 || t == DType::f16 || t == DType::bf16)) return DType::f64;
  return t;
}

Tensor& EvalContext::out(int j, DType t, Extents extents) {
  TC_CHECK(j < num_results(), "result ", j, " of ", node_.op());
  const auto count = static_cast<uint64_t>(element_count(extents));
  if (count > env_.max_bytes / size_of(t))
    fail(ErrorCode::limit_memory, "a result of ", count, " elements exceeds the memory budget of ", env_.max_bytes,
         " bytes");
  auto& r = results_[static_cast<size_t>(j)];
  r.tensor = Tensor(t, std::move(extents));
  return r.tensor;
}

void EvalContext::set(int j, Datum d) {
  if (j >= num_results()) return;
  auto& r = results_[static_cast<size_t>(j)];
  r.datum = std::move(d);
  r.is_datum = true;
}

void EvalContext::count_step() {
  if (++env_.steps > env_.max_steps)
    fail(ErrorCode::limit_steps, "more than ", env_.max_steps, " loop iterations; raise the limit with --max-steps");
}

std::vector<Datum>& EvalContext::result_datums() {
  taken_.clear();
  for (auto& r : results_) {
    if (r.is_datum)
      taken_.push_back(std::move(r.datum));
    else if (r.tensor.defined())
      taken_.emplace_back(std::move(r.tensor));
    else
      taken_.emplace_back();
  }
  return taken_;
}

void EvalContext::fail_text(ErrorCode code, std::string text) const {
  throw Error(
      {code, std::move(text), node_.location().empty() ? std::string(node_.info().name()) : node_.location(), {}, {}});
}

namespace {

// What the results count for beside the tensors that they are made of.
void count_results(const std::vector<Datum>& results) {
  const Budget* const budget = Budget::current();
  if (!budget) return;
  for (const Datum& d : results) {
    if (d.is_tensor()) count_characters(d.tensor());
    if (d.is_sequence()) {
      budget->expect_room(d.items().size() * kTensorOverhead);
      for (const Datum& item : d.items())
        if (item.is_tensor()) count_characters(item.tensor());
    }
    if (d.is_map()) budget->expect_room(d.map().entries.size() * kTensorOverhead);
  }
}

}  // namespace

std::vector<Datum> eval_node(const Node& node, std::span<const Datum> operands, EvalEnv& env) {
  EvalContext ctx(node, operands, env);
  const Budget::Scratch scratch;
  const auto located = [&](Diagnostic d) {
    if (d.location.empty()) d.location = node.location().empty() ? std::string(node.info().name()) : node.location();
    return Error(std::move(d));
  };
  try {
    Budget::poll();
    eval_fn(node.op())(ctx);
    std::vector<Datum> results = ctx.take_results();
    count_results(results);
    return results;
  } catch (const Error& e) {
    if (!e.diagnostic().location.empty()) throw;
    throw located(e.diagnostic());
  } catch (const std::bad_alloc&) {
    throw located({ErrorCode::limit_memory, "out of memory", {}, {}, {}});
  } catch (const std::length_error&) {
    throw located({ErrorCode::limit_size, "a result does not fit the address space", {}, {}, {}});
  }
}

}  // namespace tc
