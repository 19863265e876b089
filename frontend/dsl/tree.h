// Vars in structures: functions that users write take and return Vars one by one, in vectors, arrays, pairs and tuples
// of them; the library sees a flat list.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tc/frontend/dsl/var.h"

namespace tc {

// A result with a name of its own.
struct Output {
  std::string name;
  Var value;
};
using Outputs = std::vector<Output>;

namespace dsl {

inline void flatten(const Var& v, Outputs& out) {
  out.push_back({{}, v});
}
inline void flatten(const Output& o, Outputs& out) {
  out.push_back(o);
}
template <class T>
void flatten(const std::vector<T>& list, Outputs& out) {
  for (const T& v : list) flatten(v, out);
}
template <class T, size_t N>
void flatten(const std::array<T, N>& list, Outputs& out) {
  for (const T& v : list) flatten(v, out);
}
template <class... T>
void flatten(const std::tuple<T...>& list, Outputs& out);
template <class A, class B>
void flatten(const std::pair<A, B>& both, Outputs& out) {
  flatten(both.first, out);
  flatten(both.second, out);
}
template <class... T>
void flatten(const std::tuple<T...>& list, Outputs& out) {
  std::apply([&](const T&... v) { (flatten(v, out), ...); }, list);
}

inline constexpr int kMaxArity = 16;

template <class F, size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F, decltype(static_cast<void>(I), std::declval<Var>())...>;
}
// How many Vars F takes one by one; -1 when it takes a vector of them or none of this.
template <class F, int N = 0>
consteval int arity() {
  if constexpr (std::is_invocable_v<F, std::vector<Var>>)
    return -1;
  else if constexpr (takes<F>(std::make_index_sequence<N>()))
    return N;
  else if constexpr (N < kMaxArity)
    return arity<F, N + 1>();
  else
    return -1;
}

using FlatFunction = std::function<Outputs(const std::vector<Var>&)>;

// `f` as a function of a list; `expected` is the number of Vars it will be given, checked by the caller against
// `wanted`.
template <class F>
struct Flat {
  static constexpr int kArity = arity<F>();
  static_assert(kArity >= 0 || std::is_invocable_v<F, std::vector<Var>>,
                "the function must take tc::Var arguments, at most 16, or one std::vector<tc::Var>");
  F& f;
  Outputs operator()(const std::vector<Var>& args) const {
    Outputs out;
    if constexpr (kArity < 0)
      flatten(f(args), out);
    else
      spread(args, out, std::make_index_sequence<static_cast<size_t>(kArity)>());
    return out;
  }

 private:
  template <size_t... I>
  void spread([[maybe_unused]] const std::vector<Var>& args, Outputs& out, std::index_sequence<I...>) const {
    flatten(f(args[I]...), out);
  }
};

}  // namespace dsl
}  // namespace tc
