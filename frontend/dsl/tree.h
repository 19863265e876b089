// Vars in structures: functions that users write take and return Vars one by one, in vectors, arrays, pairs, tuples and
// plain structs of them; the library sees a flat list.
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

// Plain structs of up to 8 members, each a structure of Vars.
template <class T>
concept PlainStruct = std::is_class_v<T> && std::is_aggregate_v<T> && !std::same_as<T, Output>;
struct AnyMember {
  template <class T>
  operator T() const;
};
template <class T, size_t... I>
consteval bool has_members(std::index_sequence<I...>) {
  return requires {
    T{(static_cast<void>(I), AnyMember())...};
  };
}
template <class T, size_t N = 9>
consteval size_t members() {
  if constexpr (N == 0 || has_members<T>(std::make_index_sequence<N>()))
    return N;
  else
    return members<T, N - 1>();
}
// f(members of s...)
template <class S, class F>
auto with_members(S& s, F f) {
  constexpr size_t kCount = members<std::remove_const_t<S>>();
  static_assert(kCount > 0 && kCount < 9, "a struct of Vars has 1 to 8 members, each a Var or a structure of them");
  if constexpr (kCount == 1) {
    auto& [a] = s;
    return f(a);
  } else if constexpr (kCount == 2) {
    auto& [a, b] = s;
    return f(a, b);
  } else if constexpr (kCount == 3) {
    auto& [a, b, c] = s;
    return f(a, b, c);
  } else if constexpr (kCount == 4) {
    auto& [a, b, c, d] = s;
    return f(a, b, c, d);
  } else if constexpr (kCount == 5) {
    auto& [a, b, c, d, e] = s;
    return f(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    auto& [a, b, c, d, e, g] = s;
    return f(a, b, c, d, e, g);
  } else if constexpr (kCount == 7) {
    auto& [a, b, c, d, e, g, h] = s;
    return f(a, b, c, d, e, g, h);
  } else {
    auto& [a, b, c, d, e, g, h, i] = s;
    return f(a, b, c, d, e, g, h, i);
  }
}

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
template <PlainStruct T>
void flatten(const T& s, Outputs& out);
template <class A, class B>
void flatten(const std::pair<A, B>& both, Outputs& out) {
  flatten(both.first, out);
  flatten(both.second, out);
}
template <class... T>
void flatten(const std::tuple<T...>& list, Outputs& out) {
  std::apply([&](const T&... v) { (flatten(v, out), ...); }, list);
}

template <PlainStruct T>
void flatten(const T& s, Outputs& out) {
  with_members(s, [&](const auto&... v) { (flatten(v, out), ...); });
}

// The inverse: a T of the next values of `list` from `at` on; a vector takes all that is left.
template <class T>
struct Unflatten {
  static_assert(PlainStruct<T>, "no tc::Var and no vector, array, pair, tuple or struct of them");
  static T take(const std::vector<Var>& list, size_t& at) {
    T s;
    with_members(s, [&](auto&... v) { ((v = Unflatten<std::remove_cvref_t<decltype(v)>>::take(list, at)), ...); });
    return s;
  }
};
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
template <>
struct Unflatten<Results<Var>> {
  static Results<Var> take(const std::vector<Var>& list, size_t& at) {
    return Results<Var>(Unflatten<std::vector<Var>>::take(list, at));
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
inline constexpr int kAllLeft = -1, kNoStructure = -2;

// Of parts one after the other, of which only the last may take all that are left.
consteval int total_of(std::initializer_list<int> counts) {
  int total = 0;
  for (const int n : counts) total = total < 0 || n == kNoStructure ? kNoStructure : n < 0 ? n : total + n;
  return total;
}
// How many Vars make up a T, or one of the above.
template <class T>
consteval int vars_in();
template <class T>
struct VarsIn {
  static consteval int count() {
    if constexpr (std::is_convertible_v<Var, T>)
      return 1;
    else if constexpr (PlainStruct<T>)
      return decltype(with_members(std::declval<T&>(), [](auto&... v) {
        return std::integral_constant<int, total_of({vars_in<std::remove_cvref_t<decltype(v)>>()...})>();
      }))::value;
    else
      return kNoStructure;
  }
};
template <>
struct VarsIn<std::vector<Var>> {
  static consteval int count() { return kAllLeft; }
};
template <class T, size_t N>
struct VarsIn<std::array<T, N>> {
  static consteval int count() { return vars_in<T>() < 0 ? kNoStructure : static_cast<int>(N) * vars_in<T>(); }
};
template <class... T>
struct VarsIn<std::tuple<T...>> {
  static consteval int count() { return total_of({vars_in<T>()...}); }
};
template <class A, class B>
struct VarsIn<std::pair<A, B>> : VarsIn<std::tuple<A, B>> {};
template <class T>
consteval int vars_in() {
  return VarsIn<T>::count();
}

// The parameters of functions that have one signature; generic ones have none that could be asked for.
template <class F>
struct Signature {
  static constexpr bool kKnown = false;
};
template <class... A>
struct Parameters {
  static constexpr bool kKnown = true;
  static constexpr bool kVars = (std::is_convertible_v<Var, std::remove_cvref_t<A>> && ...);  // each a single one
  static constexpr int kCount = total_of({vars_in<std::remove_cvref_t<A>>()...});

  template <class F>
  static auto call(F& f, const std::vector<Var>& list) {
    [[maybe_unused]] size_t at = 0;
    std::tuple<std::remove_cvref_t<A>...> values{taken<std::remove_cvref_t<A>>(list, at)...};  // from left to right
    return std::apply([&](auto&... v) { return f(static_cast<A&&>(v)...); }, values);
  }

 private:
  template <class T>
  static T taken(const std::vector<Var>& list, size_t& at) {
    if constexpr (std::is_convertible_v<Var, T>)
      return list.at(at++);
    else
      return Unflatten<T>::take(list, at);
  }
};
template <class R, class... A>
struct Signature<R(A...)> : Parameters<A...> {};
template <class R, class... A>
struct Signature<R (*)(A...)> : Parameters<A...> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...)> : Parameters<A...> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const> : Parameters<A...> {};
template <class F>
requires requires {
  &F::operator();
}
struct Signature<F> : Signature<decltype(&F::operator())> {};

template <class F, size_t... I>
consteval bool takes(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, decltype(static_cast<void>(I), std::declval<Var&>())...>;
}
// How many Vars F takes one by one.
template <class F, int N = 0>
consteval int arity() {
  if constexpr (takes<F>(std::make_index_sequence<N>()))
    return N;
  else if constexpr (N < kMaxArity)
    return arity<F, N + 1>();
  else
    return kNoStructure;
}
// Whether its parameters are structures of Vars.
template <class F>
consteval bool takes_structures() {
  if constexpr (Signature<F>::kKnown)
    return !Signature<F>::kVars;
  else
    return false;
}
template <class F>
consteval int arity_of() {
  if constexpr (takes_structures<F>())
    return Signature<F>::kCount;
  else
    return arity<F>();
}

using FlatFunction = std::function<Outputs(const std::vector<Var>&)>;

// `f` as a function of a list of kArity Vars, or of any number when that is kAllLeft; callers check.
template <class F>
struct Flat {
  static constexpr int kArity = arity_of<F>();
  static_assert(kArity != kNoStructure || !Signature<F>::kKnown,
                "the function must take at most 16 arguments, each a tc::Var or a vector, array, pair, tuple or struct "
                "of them");

 private:
  static auto called([[maybe_unused]] F& f, [[maybe_unused]] const std::vector<Var>& args) {
    if constexpr (kArity == kNoStructure && Signature<F>::kKnown) {
      return Var();  // one error is enough
    } else if constexpr (kArity == kNoStructure) {
      return f(args.at(0));  // the compiler says what is wrong, unless it has done so
    } else if constexpr (takes_structures<F>()) {
      return Signature<F>::call(f, args);
    } else {
      std::vector<Var> own = args;  // for parameters that are references
      return [&]<size_t... I>(std::index_sequence<I...>) {
        return f(own[I]...);
      }
      (std::make_index_sequence<static_cast<size_t>(kArity)>());
    }
  }
  using Returned = std::remove_cvref_t<decltype(called(std::declval<F&>(), {}))>;
  static constexpr bool kReturnsVars = requires(const Returned& r, Outputs& out) { flatten(r, out); };
  static_assert(kReturnsVars || kArity == kNoStructure,
                "the function must return a tc::Var or a vector, array, pair, tuple or struct of them");

 public:
  // What f returns; a handle that stands for a Var is one.
  using Result = std::conditional_t<
      (std::is_convertible_v<Returned, Var> && !std::same_as<Returned, Results<Var>>) || !kReturnsVars, Var, Returned>;

  F& f;
  Outputs operator()(const std::vector<Var>& args) const {
    Outputs out;
    if constexpr (kReturnsVars) flatten(called(f, args), out);
    return out;
  }
};

}  // namespace dsl
}  // namespace tc
