// Control flow. Bodies are C++ functions of Vars that are traced into regions; they may use any Var of the program
// around them, and what they compute leaves them as returned values. A body may be traced more than once, so it should
// do nothing else. Results come in the structure that the body returns (tree.h).
//
// Carried values keep element type and rank from one iteration to the next; extents may change. A number as initial
// value takes the element type that the body gives it.
#pragma once

#include "tc/frontend/dsl/shape.h"
#include "tc/frontend/dsl/tree.h"

namespace tc {

struct ScanOptions {
  bool reverse = false;  // from the last slice to the first; outputs stay in the order of the slices
  int64_t axis = 0;      // of the slices, in inputs and outputs
  // What reverse mode keeps of T iterations. 0: all that gradients need, of each; n: the carried values before every
  // n-th, from which n iterations at a time run again: T / n carried values, and all of n iterations (A. Griewank,
  // A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008, ch. 12). The body must not draw random numbers.
  int64_t checkpoint = 0;
};

namespace dsl {

// A body and the number of Vars it takes; -1: any.
struct Body {
  int arity;
  FlatFunction f;
};
std::vector<Var> cond(const Arg& predicate, const Body& then, const Body& otherwise, const Location& at);
Var cond(const Arg& predicate, const Arg& then, const Arg& otherwise, const Location& at);
Var value_of(const Arg& x);
std::vector<Var> while_loop(const Body& condition, const Body& body, const Args& initial, const Location& at);
std::vector<Var> fori_loop(const Arg& first, const Arg& end, const Body& body, const Args& initial, const Location& at);
std::vector<Var> scan(const Body& body, const Args& initial, const Args& slices, const ScanOptions& options,
                      const Location& at);

// results = body(i, carried) for i below `trips`: the carried values, and others, which are stacked. When conditional
// the first of them says whether to go on.
std::vector<Var> counted_loop(const Body& body, const Var& trips, bool conditional, const Args& initial);

template <class F>
Body body_of(F& f) {
  return {Flat<F>::kArity, Flat<F>{f}};
}

}  // namespace dsl

// The results of `then` or of `otherwise`, neither of which takes arguments. Only the chosen one runs. Either may be a
// value that is there already.
template <class Then, class Otherwise>
auto cond(Arg predicate, Then&& then, Otherwise&& otherwise, Location at = Location::current()) {
  constexpr bool kValue = std::is_convertible_v<Then, Arg>, kOther = std::is_convertible_v<Otherwise, Arg>;
  if constexpr (kValue && kOther) {
    return dsl::cond(predicate, Arg(std::forward<Then>(then), at), Arg(std::forward<Otherwise>(otherwise), at), at);
  } else if constexpr (kValue) {
    return cond(
        std::move(predicate), [v = dsl::value_of(Arg(std::forward<Then>(then), at))] { return v; },
        std::forward<Otherwise>(otherwise), at);
  } else if constexpr (kOther) {
    return cond(
        std::move(predicate), std::forward<Then>(then),
        [v = dsl::value_of(Arg(std::forward<Otherwise>(otherwise), at))] { return v; }, at);
  } else {
    using Result = typename dsl::Flat<std::remove_reference_t<Then>>::Result;
    return dsl::unflatten<Result>(dsl::cond(predicate, dsl::body_of(then), dsl::body_of(otherwise), at));
  }
}

// The carried values when `condition` of them no longer holds: carried = body(carried).
template <class Condition, class F>
auto while_loop(Condition&& condition, F&& body, const Args& initial, Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::while_loop(dsl::body_of(condition), dsl::body_of(body), initial, at));
}

// carried = body(i, carried) for i from first to end - 1; both may be Vars.
template <class F>
auto fori_loop(Arg first, Arg end, F&& body, const Args& initial, Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::fori_loop(first, end, dsl::body_of(body), initial, at));
}

// {carried, output} = body(carried, slice) over the slices of the inputs along an axis; returns the last carried values
// and the outputs stacked.
template <class F>
auto scan(F&& body, const Args& initial, const Args& inputs, ScanOptions options = {},
          Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::scan(dsl::body_of(body), initial, inputs, options, at));
}

// body(slice) for every slice, stacked.
template <class F>
auto map(F&& body, const Args& inputs, ScanOptions options = {}, Location at = Location::current()) {
  using Result = typename dsl::Flat<std::remove_reference_t<F>>::Result;
  return dsl::unflatten<Result>(dsl::scan(dsl::body_of(body), Args({}), inputs, options, at));
}

}  // namespace tc
