// More control flow: one of several branches, folds, scans of other kinds. Bodies are as in control.h.
#pragma once

#include "tc/frontend/dsl/control.h"

namespace tc {

namespace dsl {

std::vector<Var> switch_case(const Arg& index, const std::vector<Body>& branches, const Location& at);
Body constant_body(Var value);
std::vector<Var> fold(std::string_view name, const Body& body, const Args& initial, const Args& inputs,
                      const ScanOptions& options, const Location& at);
// Of the inputs, or of `length` iterations; `stop` may be null.
std::vector<Var> scan_loop(const Body& body, const Body* stop, const Args& initial, const Args& inputs,
                           const Arg& length, const ScanOptions& options, const Location& at);
struct AssociativeScanState {
  int64_t axis;
  bool reverse;
};
std::vector<Var> associative_scan(const Body& combine, const Args& inputs, const AssociativeScanState& options,
                                  const Location& at);

template <class F>
Body branch_of(F& branch, const Location& at) {
  if constexpr (std::is_convertible_v<F&, Arg>)
    return constant_body(value_of(Arg(branch, at)));
  else
    return body_of(branch);
}
template <class F>
struct BranchResult {
  using Type = typename Flat<std::remove_reference_t<F>>::Result;
};
template <class F>
requires std::is_convertible_v<F, Arg>
struct BranchResult<F> {
  using Type = Var;
};

}  // namespace dsl

// The results of the branch of that number; the first for negative numbers, the last for too large ones. Branches are
// functions without arguments, or values that are there already. Only the chosen one runs.
template <class First, class... More>
auto switch_case(Arg index, First&& first, More&&... more) {
  using Result = typename dsl::BranchResult<First>::Type;
  const Location at = index.at();
  return dsl::unflatten<Result>(dsl::switch_case(index, {dsl::branch_of(first, at), dsl::branch_of(more, at)...}, at));
}

// carried = body(carried, slice) over the slices of the inputs from the first to the last, and from the last to the
// first; returns the last carried values.
template <class F>
auto foldl(F&& body, const Args& initial, const Args& inputs, ScanOptions options = {},
           Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::fold("foldl", dsl::body_of(body), initial, inputs, options, at));
}
template <class F>
auto foldr(F&& body, const Args& initial, const Args& inputs, ScanOptions options = {},
           Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  options.reverse = !options.reverse;
  return dsl::unflatten<Result>(dsl::fold("foldr", dsl::body_of(body), initial, inputs, options, at));
}

// A scan of so many iterations over nothing: {carried, output} = body(carried).
template <class F>
auto scan_n(F&& body, Arg iterations, const Args& initial, ScanOptions options = {}) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  const Location at = iterations.at();
  return dsl::unflatten<Result>(
      dsl::scan_loop(dsl::body_of(body), nullptr, initial, Args({}), iterations, options, at));
}

// A scan that ends when stop(carried) holds after an iteration, whose outputs are the last. Over the slices of inputs;
// or over nothing, at most `limit` iterations.
template <class F, class Stop>
auto scan_until(F&& body, Stop&& stop, const Args& initial, const Args& inputs, ScanOptions options = {},
                Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  const dsl::Body condition = dsl::body_of(stop);
  return dsl::unflatten<Result>(dsl::scan_loop(dsl::body_of(body), &condition, initial, inputs, Arg(), options, at));
}
template <class F, class Stop>
auto scan_n_until(F&& body, Stop&& stop, Arg limit, const Args& initial, ScanOptions options = {}) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  const Location at = limit.at();
  const dsl::Body condition = dsl::body_of(stop);
  return dsl::unflatten<Result>(dsl::scan_loop(dsl::body_of(body), &condition, initial, Args({}), limit, options, at));
}

struct AssociativeScanOptions {
  int64_t axis = 0;
  bool reverse = false;
};
// x[0], f(x[0], x[1]), f(f(x[0], x[1]), x[2]), ... along an axis, for an associative f of slices, which must work on
// many of them at once: f gets tensors of any extent along the axis. Of several inputs, f takes the elements of its
// first argument, then those of its second. A logarithmic number of steps where the extent is fixed (D. Hillis,
// G. Steele, Data parallel algorithms, CACM 29, 1986), else a scan.
template <class F>
auto associative_scan(F&& f, const Args& inputs, AssociativeScanOptions options = {},
                      Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::associative_scan(dsl::body_of(f), inputs, {options.axis, options.reverse}, at));
}

// For scans that see several slices at once: for each offset, the slices of x that far away, aligned. Of [a, b, c, d]
// and offsets {-1, 0}: [a, b, c] and [b, c, d].
[[nodiscard]] std::vector<Var> taps(Arg x, const std::vector<int64_t>& offsets, int64_t axis = 0);

}  // namespace tc
