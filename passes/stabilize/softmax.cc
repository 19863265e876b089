#include "tc/passes/stabilize/stabilize.h"

namespace tc {
namespace softmax_patterns {
namespace {

constexpr Any x, axes, axes2;
constexpr As<Exp> e;
constexpr As<ReduceSum> total;
constexpr As<ReduceMax> peak;
constexpr As<ReduceLogSumExp> lse;
constexpr As<Softmax> softmax;

// The one axis along which a reduction that keeps its axis runs, counted from 0.
template <class Reduce>
std::optional<int64_t> kept_axis(Rewrite& r, const As<Reduce>& capture, const char*& why) {
  if (!r.attrs(capture).keepdims) return why = "the reduction drops its axis", std::nullopt;
  const Node& reduce = *r.node(capture);
  const auto known = r.ints(reduce.operand(1));
  if (!known || known->size() != 1) return why = "not one known axis", std::nullopt;
  const Shape& s = reduce.operand(0)->shape();
  if (!s.ranked()) return why = "unknown rank", std::nullopt;
  return known->front() < 0 ? known->front() + s.rank() : known->front();
}

Patch exp_over_sum_is_softmax(Rewrite& r) {
  const char* why = nullptr;
  const auto axis = kept_axis(r, total, why);
  if (!axis) return r.miss(why);
  return r.make<Softmax>({r[x]}, {.axis = *axis});
}

// softmax(x - max(x)) = softmax(x): the op subtracts the maximum by itself.
Patch softmax_of_shifted(Rewrite& r) {
  const char* why = nullptr;
  const auto axis = kept_axis(r, peak, why);
  if (!axis) return r.miss(why);
  const int64_t own = r.root_attrs<Softmax>().axis;
  if ((own < 0 ? own + r[x]->shape().rank() : own) != *axis) return r.miss("the maximum runs along another axis");
  return r.make<Softmax>({r[x]}, r.root_attrs<Softmax>());
}

Patch log_of_softmax(Rewrite& r) {
  return r.make<LogSoftmax>({r[x]}, {.axis = r.attrs(softmax).axis});
}

Patch log_of_sum_of_exp(Rewrite& r) {
  if (!r.ints(r[axes])) return r.miss("unknown axes");
  return r.make<ReduceLogSumExp>({r[x], r[axes]}, {.keepdims = r.attrs(total).keepdims});
}

// max(x) + log sum exp(x - max(x)) = log sum exp(x): the op subtracts the maximum by itself.
Patch shifted_log_sum_exp(Rewrite& r) {
  const auto sum_axes = r.ints(r[axes]), max_axes = r.ints(r[axes2]);
  if (!sum_axes || !max_axes || *sum_axes != *max_axes) return r.miss("the reductions run along other axes");
  if (!r.attrs(lse).keepdims || !r.attrs(peak).keepdims) return r.miss("a reduction drops its axes");
  return r.make<ReduceLogSumExp>({r[x], r[axes]}, r.attrs(lse));
}

Patch less_log_sum_exp(Rewrite& r) {
  const char* why = nullptr;
  const auto axis = kept_axis(r, lse, why);
  if (!axis) return r.miss(why);
  return r.make<LogSoftmax>({r[x]}, {.axis = *axis});
}

}  // namespace
}  // namespace softmax_patterns

std::span<const Rule> softmax_rules() {
  using namespace softmax_patterns;
  // Relative to the largest element: the exponential of a difference rounds otherwise than a quotient of exponentials.
  constexpr Exactness close = approximate(1e-5);
  static const Rule kRules[] = {
      {"exp-over-sum-is-softmax", close, pat<Div>(e(x), total(e, axes)), exp_over_sum_is_softmax},
      {"softmax-shifts-by-itself", close, pat<Softmax>(pat<Sub>(x, peak(x, axes))), softmax_of_shifted},
      {"log-of-softmax", close, pat<Log>(softmax(x)), log_of_softmax},
      {"log-of-sum-of-exp", close, pat<Log>(total(pat<Exp>(x), axes)), log_of_sum_of_exp},
      {"log-sum-exp-shifts-by-itself", close, pat<Add>(lse(pat<Sub>(x, peak(x, axes2)), axes), peak),
       shifted_log_sum_exp},
      {"less-log-sum-exp-is-log-softmax", close, pat<Sub>(x, lse(x, axes)), less_log_sum_exp},
  };
  return kRules;
}

}  // namespace tc
