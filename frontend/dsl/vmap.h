// Functions of single elements, for whole batches of them.
//
//   auto norms = tc::vmap([](tc::Var row) { return tc::sqrt(tc::sum(row * row)); });
//   tc::Var y = norms(x);                                        // of each row of x: [n, m] to [n]
//   auto affine = tc::vmap(f, {.in_axes = {0, std::nullopt}});   // the second argument is the same for all
//
// The function is traced once, for one element. Its ops then work on the batch as a further axis, where they can:
// elementwise ones, products of matrices, reductions, moves of elements. What has another meaning with one more axis
// runs in a scan, element after element. Random numbers that do not depend on an element are the same for all.
#pragma once

#include "tc/frontend/dsl/custom.h"

namespace tc {

struct VmapOptions {
  std::vector<std::optional<int64_t>> in_axes =
      {};                // of each argument: the axis of its elements, or none; {}: 0 of all
  int64_t out_axis = 0;  // of the results
};

namespace dsl {

std::vector<Var> vmap(const Body& f, const Args& args, const VmapOptions& options, const Location& at);

template <class F, class Positions>
class Vmapped;
template <class F, size_t... I>
class Vmapped<F, std::index_sequence<I...>> {
 public:
  Vmapped(F f, VmapOptions options) : f_(std::move(f)), options_(std::move(options)) {}
  auto operator()(ArgAt<I>... args) const {
    const Args list{args...};
    const Location at = list[0].at();
    return unflatten<typename Flat<const F>::Result>(vmap(body_of(f_), list, options_, at));
  }

 private:
  F f_;
  VmapOptions options_;
};

}  // namespace dsl

// Errors, when it is called: bad_argument where axes do not fit the arguments or none is mapped, bad_shape where mapped
// axes differ.
template <class F>
auto vmap(F f, VmapOptions options = {}) {
  constexpr int kArity = dsl::Flat<const F>::kArity;
  static_assert(kArity > 0, "the function takes its arguments one by one");
  return dsl::Vmapped<F, std::make_index_sequence<static_cast<size_t>(kArity)>>(std::move(f), std::move(options));
}

}  // namespace tc
