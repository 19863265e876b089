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

// The inverse: a T of the next values of `list` from `at` on; a vector takes all that is left.
template <class T>
struct Unflatten;
template <>
struct Unflatten<Var> {
  static Var take(const std::vector<Var>& list, size_t& at) { return list.at(at++); }
};
template <>
struct Unflatten<std::vector<Var>> {
  static std::vector<Var> take(const std::vector<Var>& list, size_t& at) {
    std::vector<Var> rest(list.begin() + static_cast<std::ptrdiff_t>(at), list.end());
    at = list.size();
    return rest;
  }
};
template <class T, size_t N>
struct Unflatten<std::array<T, N>> {
  static std::array<T, N> take(const std::vector<Var>& list, size_t& at) {
    std::array<T, N> result;
    for (T& v : result) v = Unflatten<T>::take(list, at);
    return result;
  }
};
template <class A, class B>
struct Unflatten<std::pair<A, B>> {
  static std::pair<A, B> take(const std::vector<Var>& list, size_t& at) {
    A a = Unflatten<A>::take(list, at);
    B b = Unflatten<B>::take(list, at);
    return {std::move(a), std::move(b)};
  }
};
template <class... T>
struct Unflatten<std::tuple<T...>> {
  static std::tuple<T...> take([[maybe_unused]] const std::vector<Var>& list, [[maybe_unused]] size_t& at) {
    return std::tuple<T...>{Unflatten<T>::take(list, at)...};  // braces: from left to right
  }
};
template <class T>
T unflatten(const std::vector<Var>& list) {
  size_t at = 0;
  return Unflatten<T>::take(list, at);
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
  // What f returns for kArity Vars, or for a vector.
  static auto result_type() {
    if constexpr (kArity < 0)
      return std::type_identity<std::remove_cvref_t<std::invoke_result_t<F&, std::vector<Var>>>>();
    else
      return []<size_t... I>(std::index_sequence<I...>) {
        return std::type_identity<
            std::remove_cvref_t<std::invoke_result_t<F&, decltype(static_cast<void>(I), std::declval<Var>())...>>>();
      }
    (std::make_index_sequence<static_cast<size_t>(kArity)>());
  }
  using Result = typename decltype(result_type())::type;

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
