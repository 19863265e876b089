// Functions along axes: statistics, searches, sorting, sets. Names and results are the Array API's; `axis = {}` means
// all axes. Sums and products of integers are i64 or u64 unless `dtype` says otherwise. An axis may also be given as it
// is: sum(x, 0), mean(x, {0, 1}), sort(x, 0).
#pragma once

#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/shape.h"

namespace tc {

struct ReduceOptions {
  Axes axis = {};
  bool keepdims = false;
};
struct SumOptions {
  Axes axis = {};
  std::optional<DType> dtype = {};
  bool keepdims = false;
};
struct VarianceOptions {
  Axes axis = {};
  double correction = 0;  // of the divisor: 1 gives the sample's variance
  bool keepdims = false;
};
Var all(Arg x, ReduceOptions options = {});  // of booleans; other elements count as true unless they are 0
Var any(Arg x, ReduceOptions options = {});
Var max(Arg x, ReduceOptions options = {});
Var mean(Arg x, ReduceOptions options = {});  // of integers and booleans: in f32, as var and std
Var min(Arg x, ReduceOptions options = {});
Var prod(Arg x, SumOptions options = {});
Var std(Arg x, VarianceOptions options = {});
Var sum(Arg x, SumOptions options = {});
Var var(Arg x, VarianceOptions options = {});
Var count_nonzero(Arg x, ReduceOptions options = {});
Var logsumexp(Arg x, ReduceOptions options = {});

#define TC_DSL_BY_AXES(name)                                                             \
  template <AxisNumber T>                                                                \
  Var name(Arg x, T axis) {                                                              \
    return name(std::move(x), {.axis = axis});                                           \
  }                                                                                      \
  template <AxisNumber T>                                                                \
  Var name(Arg x, std::initializer_list<T> axes) {                                       \
    return name(std::move(x), {.axis = std::vector<int64_t>(axes.begin(), axes.end())}); \
  }
TC_DSL_BY_AXES(all)
TC_DSL_BY_AXES(any)
TC_DSL_BY_AXES(mean)
TC_DSL_BY_AXES(prod)
TC_DSL_BY_AXES(std)
TC_DSL_BY_AXES(sum)
TC_DSL_BY_AXES(var)
TC_DSL_BY_AXES(count_nonzero)
TC_DSL_BY_AXES(logsumexp)
#undef TC_DSL_BY_AXES

// max(a, b) of two tensors, or of one and a fraction, is maximum(a, b). An integer might be meant as an axis.
template <TensorHandle A, class B>
requires TensorHandle<B> || std::floating_point<B> || AxisNumber<B> Var max(const A& a, const B& b,
                                                                            Location at = Location::current()) {
  static_assert(!AxisNumber<B>, "an axis is max(x, {.axis = 0}); the larger of two numbers is maximum(x, 0)");
  return maximum(Arg(a, at), Arg(b, at));
}
template <TensorHandle A, class B>
requires TensorHandle<B> || std::floating_point<B> || AxisNumber<B> Var min(const A& a, const B& b,
                                                                            Location at = Location::current()) {
  static_assert(!AxisNumber<B>, "an axis is min(x, {.axis = 0}); the smaller of two numbers is minimum(x, 0)");
  return minimum(Arg(a, at), Arg(b, at));
}

struct CumulativeOptions {
  std::optional<int64_t> axis = {};  // may be left out for rank 1
  std::optional<DType> dtype = {};
  bool include_initial = false;  // one more element in front: 0 or 1
};
Var cumulative_prod(Arg x, CumulativeOptions options = {});
Var cumulative_sum(Arg x, CumulativeOptions options = {});

struct DiffOptions {
  int64_t axis = -1;
  int n = 1;  // times
  Arg prepend = {}, append = {};
};
Var diff(Arg x, DiffOptions options = {});

struct ArgOptions {
  Axes axis = {};  // of several, the place counts through all of them, the last one fastest
  bool keepdims = false;
};
Var argmax(Arg x, ArgOptions options = {});  // the first of equals; a NaN wins
Var argmin(Arg x, ArgOptions options = {});

[[nodiscard]] std::vector<Var> nonzero(Arg x);  // i64 indices, one Var per axis
struct TakeOptions {
  std::optional<int64_t> axis = {};  // may be left out for rank 1
};
Var take(Arg x, Arg indices, TakeOptions options = {});
struct TakeAlongOptions {
  int64_t axis = -1;
};
Var take_along_axis(Arg x, Arg indices, TakeAlongOptions options = {});

enum class Side : uint8_t { left, right };
struct SearchOptions {
  Side side = Side::left;
  Arg sorter = {};  // indices that sort x1
};
// Where elements of x2 go in the sorted, rank-1 x1: before (left) or after (right) equal ones.
Var searchsorted(Arg x1, Arg x2, SearchOptions options = {});

struct SortOptions {
  int64_t axis = -1;
  bool descending = false;
};
Var argsort(Arg x, SortOptions options = {});  // stable
Var sort(Arg x, SortOptions options = {});
struct TopKOptions {
  int64_t axis = -1;
  bool largest = true, sorted = true;
};
struct [[nodiscard]] TopKResult {
  Var values, indices;
};
TopKResult top_k(Arg x, Extent k, TopKOptions options = {});

#define TC_DSL_BY_AXIS(name)                                         \
  template <AxisNumber T>                                            \
  Var name(Arg x, T axis) {                                          \
    return name(std::move(x), {.axis = static_cast<int64_t>(axis)}); \
  }
TC_DSL_BY_AXIS(cumulative_prod)
TC_DSL_BY_AXIS(cumulative_sum)
TC_DSL_BY_AXIS(argmax)
TC_DSL_BY_AXIS(argmin)
TC_DSL_BY_AXIS(argsort)
TC_DSL_BY_AXIS(sort)
#undef TC_DSL_BY_AXIS
template <AxisNumber T>
Var take(Arg x, Arg indices, T axis) {
  return take(std::move(x), std::move(indices), {.axis = static_cast<int64_t>(axis)});
}
template <AxisNumber T>
Var take_along_axis(Arg x, Arg indices, T axis) {
  return take_along_axis(std::move(x), std::move(indices), {.axis = static_cast<int64_t>(axis)});
}

struct UniqueOptions {
  std::optional<int64_t> axis = {};  // of the distinct slices along an axis
};
// Of the distinct elements, ascending; x counts as flattened. `indices` are first occurrences, `inverse_indices` have
// the shape of x, or one element per slice.
struct [[nodiscard]] UniqueAll {
  Var values, indices, inverse_indices, counts;
};
struct [[nodiscard]] UniqueCounts {
  Var values, counts;
};
struct [[nodiscard]] UniqueInverse {
  Var values, inverse_indices;
};
// NaNs are one value, as in NumPy and ONNX; the Array API tells them apart.
UniqueAll unique_all(Arg x, UniqueOptions options = {});
UniqueCounts unique_counts(Arg x, UniqueOptions options = {});
UniqueInverse unique_inverse(Arg x, UniqueOptions options = {});
Var unique_values(Arg x, UniqueOptions options = {});

}  // namespace tc
