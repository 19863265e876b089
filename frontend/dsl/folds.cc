#include "tc/frontend/dsl/folds.h"

#include <algorithm>

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/control.h"

namespace tc {
namespace dsl {
namespace {

std::vector<Var> results_of(const Body& body, const std::vector<Var>& args) {
  if (body.arity >= 0 && static_cast<size_t>(body.arity) != args.size())
    refuse(ErrorCode::bad_argument, cat("the body takes ", body.arity, " arguments, it is given ", args.size()));
  std::vector<Var> result;
  const Site::Suspension user;
  for (const Output& o : body.f(args)) result.push_back(o.value);
  return result;
}

// The range of a tensor along an axis.
Var cut(const Var& v, int axis, IndexRange range) {
  std::vector<Index> indices(static_cast<size_t>(v.rank()), slice());
  indices[static_cast<size_t>(axis)] = std::move(range);
  return Indexed(v, std::move(indices)).get();
}

// Halves of the branches, so that the number of conditions is logarithmic.
std::vector<Var> one_of(const Var& index, const std::vector<Body>& branches, size_t first, size_t end,
                        const Location& at) {
  const Site site("switch_case", at);  // bodies are the user's, this is not
  if (end - first == 1) return results_of(branches[first], {});
  const size_t middle = first + (end - first) / 2;
  const auto half = [&](size_t from, size_t to) {
    return Body{0, [&, from, to](const std::vector<Var>&) {
                  Outputs list;
                  for (Var& v : one_of(index, branches, from, to, at)) list.push_back({{}, std::move(v)});
                  return list;
                }};
  };
  const Body low = half(first, middle), high = half(middle, end);
  return cond(Arg(index < static_cast<int64_t>(middle)), low, high, at);
}

}  // namespace

Body constant_body(Var value) {
  return {0, [value = std::move(value)](const std::vector<Var>&) { return Outputs{{{}, value}}; }};
}

std::vector<Var> switch_case(const Arg& index, const std::vector<Body>& branches, const Location& at) {
  const Site site("switch_case", at);
  const Var i = operand(index, Domain::integer);
  if (i.rank()) refuse(ErrorCode::bad_shape, cat("the branch is given as ", i.type(), ", expected one integer"));
  return one_of(i, branches, 0, branches.size(), at);
}

std::vector<Var> fold(std::string_view name, const Body& body, const Args& initial, const Args& inputs,
                      const ScanOptions& options, const Location& at) {
  const Site site(name, at);
  std::vector<Var> results = scan(body, initial, inputs, options, at);
  if (results.size() != initial.size())
    refuse(ErrorCode::bad_argument,
           cat("the body returns ", results.size(), " values, ", initial.size(), " are carried"));
  return results;
}

namespace {

// The number of slices of the inputs along an axis, which must be one number.
Arg slices_of(const std::vector<Var>& inputs, int64_t axis) {
  std::optional<Dim> n;
  for (const Var& v : inputs) {
    const Dim d = v.dim(axis_of(axis, v.rank()));
    if (n && n->is_const() && d.is_const() && *n != d)
      refuse(ErrorCode::bad_shape, cat("the inputs have ", *n, " and ", d, " slices"));
    if (!n || d.is_const()) n = d;
  }
  return n->is_const() ? Arg(n->value()) : Arg(*n);
}

}  // namespace

std::vector<Var> scan_loop(const Body& body, const Body* stop, const Args& initial, const Args& slices,
                           const Arg& length, const ScanOptions& options, const Location& at) {
  const Site site(stop ? "scan_until" : "scan_n", at);
  if (options.checkpoint) refuse(ErrorCode::bad_argument, "such a scan has no checkpoints", {"tc::scan has"});
  std::vector<Var> inputs;
  for (const Arg& a : slices) inputs.push_back(operand(a));
  const Arg count = inputs.empty() ? length : slices_of(inputs, options.axis);
  if (count.absent()) refuse(ErrorCode::bad_argument, "there is nothing to go over");
  const Var trips = astype(operand(count, Domain::integer), i64);
  if (trips.rank())
    refuse(ErrorCode::bad_shape, cat("the iterations are given as ", trips.type(), ", expected a scalar"));
  const size_t states = initial.size();
  const Body step{-1, [&](const std::vector<Var>& values) {
                    const Site inner(stop ? "scan_until" : "scan_n", at);
                    const Var i = options.reverse ? trips - 1 - values[0] : values[0];
                    std::vector<Var> args(values.begin() + 1, values.end());
                    for (const Var& v : inputs) args.push_back(take(v, i, {.axis = axis_of(options.axis, v.rank())}));
                    const std::vector<Var> results = results_of(body, args);
                    if (results.size() < states)
                      refuse(ErrorCode::bad_argument,
                             cat("the body returns ", results.size(), " values, ", states, " are carried"));
                    Outputs list;
                    if (stop) {
                      const auto carried_end = results.begin() + static_cast<std::ptrdiff_t>(states);
                      const std::vector<Var> said = results_of(*stop, {results.begin(), carried_end});
                      if (said.size() != 1 || said[0].dtype() != bool_)
                        refuse(ErrorCode::bad_type, "the stopping condition must return one boolean");
                      list.push_back({{}, ~said[0]});
                    }
                    for (const Var& v : results) list.push_back({{}, v});
                    return list;
                  }};
  std::vector<Var> results = counted_loop(step, trips, stop != nullptr, initial);
  for (size_t j = states; j < results.size(); ++j) {
    if (options.reverse) results[j] = flip(results[j], {.axis = 0});
    if (options.axis) results[j] = moveaxis(results[j], 0, options.axis);
  }
  return results;
}

namespace {

// By doubling: after a step of distance d each element covers 2 d of them.
std::vector<Var> doubled(const Body& combine, std::vector<Var> values, int axis, int64_t n) {
  for (int64_t d = 1; d < n; d *= 2) {
    std::vector<Var> operands;
    for (const Var& v : values) operands.push_back(cut(v, axis, slice({}, n - d)));
    for (const Var& v : values) operands.push_back(cut(v, axis, slice(d, {})));
    std::vector<Var> later = results_of(combine, operands);
    if (later.size() != values.size())
      refuse(ErrorCode::bad_argument, cat("the function returns ", later.size(), " values, expected ", values.size()));
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = concat({cut(values[k], axis, slice({}, d)), later[k]}, {.axis = axis});
  }
  return values;
}

// One after the other: slices keep their axis, so that `combine` sees what it is promised.
std::vector<Var> one_by_one(const Body& combine, const std::vector<Var>& values, int axis, const Location& at) {
  const size_t n = values.size();
  std::vector<Var> first, rest;
  for (const Var& v : values) {
    // Of no slices there is no first one: zeros stand in for it, so that its extent is fixed.
    Dims one = v.shape();
    one[static_cast<size_t>(axis)] = 1;
    const Var some = concat({cut(v, axis, slice({}, 1)), zeros(one, {.dtype = v.dtype()})}, {.axis = axis});
    first.push_back(cut(some, axis, slice(0, 1)));
    rest.push_back(cut(v, axis, slice(1, {})));
  }
  const Body step{-1, [&](const std::vector<Var>& list) {
                    const Site site("associative_scan", at);
                    std::vector<Var> operands(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(n));
                    for (size_t k = n; k < list.size(); ++k) operands.push_back(expand_dims(list[k], axis));
                    Outputs out;
                    const std::vector<Var> next = results_of(combine, operands);
                    for (const Var& v : next) out.push_back({{}, v});
                    for (const Var& v : next) out.push_back({{}, squeeze(v, axis)});
                    return out;
                  }};
  const std::vector<Var> results = scan(step, Args(first, at), Args(rest, at), {.axis = axis}, at);
  std::vector<Var> joined;
  for (size_t k = 0; k < n; ++k) {
    const Var all = concat({first[k], results[n + k]}, {.axis = axis});
    joined.push_back(reshape(cut(all, axis, slice({}, values[k].dim(axis))), values[k].shape()));
  }
  return joined;
}

}  // namespace

std::vector<Var> associative_scan(const Body& combine, const Args& inputs, const AssociativeScanState& options,
                                  const Location& at) {
  const Site site("associative_scan", at);
  if (inputs.empty()) refuse(ErrorCode::bad_argument, "there is nothing to go over");
  std::vector<Var> values;
  for (const Arg& a : inputs) values.push_back(operand(a));
  const int axis = axis_of(options.axis, values[0].rank());
  const Dim n = values[0].dim(axis);
  for (const Var& v : values)
    if (v.rank() <= axis || v.dim(axis) != n)
      refuse(ErrorCode::bad_shape, cat("inputs ", values[0].type(), " and ", v.type(), " differ along axis ", axis));
  if (options.reverse)
    for (Var& v : values) v = flip(v, {.axis = axis});
  if (n.is_const())
    values = doubled(combine, std::move(values), axis, n.value());
  else
    values = one_by_one(combine, values, axis, at);
  if (options.reverse)
    for (Var& v : values) v = flip(v, {.axis = axis});
  return values;
}

}  // namespace dsl

std::vector<Var> taps(Arg x, const std::vector<int64_t>& offsets, int64_t axis) {
  const dsl::Site site("taps", x.at());
  const Var v = dsl::operand(x);
  const int along = dsl::axis_of(axis, v.rank());
  if (offsets.empty()) dsl::refuse(ErrorCode::bad_argument, "no offsets are given");
  const auto [least, greatest] = std::minmax_element(offsets.begin(), offsets.end());
  const Dim n = v.dim(along), count = n - (*greatest - *least);
  if (n.is_const() && count.value() < 0)
    dsl::refuse(ErrorCode::bad_shape, cat("offsets from ", *least, " to ", *greatest, " do not fit ", v.type()));
  std::vector<Var> result;
  for (const int64_t offset : offsets) {
    const int64_t start = offset - *least;
    result.push_back(dsl::cut(v, along, slice(start, count + start)));
  }
  return result;
}

}  // namespace tc
