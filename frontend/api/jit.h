// Functions that compile themselves: called with tensors, they are traced once per signature of their arguments, and
// what comes of it is kept.
//
//   auto g = tc::jit([](tc::Var a, tc::Var b, int64_t power) { return tc::tanh(a) + tc::pow(b, power); });
//   tc::Tensor y = g(x0, x1, 2).tensor();      // traces, compiles and runs; the next call of these types only runs
//   g.versions();                              // {"f32[2,3], f32[3]; 2"}
//   g.graph(g.versions()[0]).str();            // the program; g.onnx(key): the bytes of an ONNX file
//
// Tensors, Params and Vars are the inputs, also vectors of Tensors or Vars; all other arguments (numbers, booleans,
// strings, enumerators, vectors of these) are parameters: they reach the function as they are, and each value makes a
// version of its own. A number where the function takes a Var is as one written there: x + 2.0. Results come in the
// structure that the function returns (tree.h); their Vars are arrays, which have elements (Var::tensor()) and can be
// arguments of further calls. Called inside of a trace the function becomes part of that program.
//
// A version begins with the values that Params had when it was traced; it is compiled anew when they were assigned to.
// Calls from several threads run concurrently; tracing happens one at a time. Errors: what tracing, compiling and
// running throw; bad_argument for unknown keys. A trace that throws leaves nothing behind.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tc/frontend/api/compile.h"
#include "tc/frontend/api/export.h"
#include "tc/frontend/dsl/dsl.h"

namespace tc {

enum class JitShapes : uint8_t {
  exact,  // a version per combination of extents: fastest programs
  ranks,  // extents are symbols, but for those of 1, which broadcast
};
struct JitOptions {
  std::string name = "jit";
  JitShapes shapes = JitShapes::exact;
  size_t max_versions = 64;  // beyond, the one that was used longest ago goes
  CompilerOptions compiler = {};
};

namespace dsl {

// A call: its inputs, and its parameters as text.
struct JitCall {
  std::vector<Arg> inputs;
  std::string parameters;
};

class JitState {
 public:
  JitState(JitOptions options, const Location& at);
  ~JitState();
  JitState(const JitState&) = delete;
  JitState& operator=(const JitState&) = delete;
  std::vector<Var> call(const JitCall& call, const FlatFunction& f);
  std::string key(const JitCall& call) const;
  std::vector<std::string> versions() const;
  Function graph(const std::string& key) const;

 private:
  struct Version;
  struct Versions;
  std::shared_ptr<Version> version_of(const std::string& key, const std::vector<Tensor>& inputs, const FlatFunction& f);
  Function traced(const std::vector<Tensor>& inputs, const FlatFunction& f, Version& version) const;
  JitOptions options_;
  Location at_;
  std::unique_ptr<Versions> versions_;
};

template <class T>
inline constexpr bool is_jit_input = std::same_as<T, Var> || std::same_as<T, Tensor> || std::same_as<T, Param>;
template <class T>
inline constexpr bool is_jit_list = std::same_as<T, std::vector<Var>> || std::same_as<T, std::vector<Tensor>>;

// What the function gets in the place of an argument.
template <class T>
using JitArgument = std::conditional_t<is_jit_input<T>, Var,
                                       std::conditional_t<is_jit_list<T>, std::vector<Var>, std::decay_t<const T>>>;

Var jit_number(const Arg& number);                  // a Var that is as weak as the number
Arg jit_input(const Param& p);                      // the parameter in a trace, its tensor elsewhere
std::string spelled(double parameter);              // all of its digits
std::string spelled(const std::string& parameter);  // quoted

template <class T>
std::string spelled_parameter(const T& value) {
  if constexpr (std::same_as<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<long long>(value));
  else if constexpr (std::integral<T>)
    return std::to_string(value);
  else if constexpr (std::floating_point<T>)
    return spelled(static_cast<double>(value));
  else if constexpr (std::convertible_to<T, std::string>)
    return spelled(std::string(value));
  else if constexpr (requires { value.has_value(); })
    return value ? spelled_parameter(*value) : "none";
  else if constexpr (!requires { value.begin(); }) {
    static_assert(sizeof(T) == 0, "parameters are numbers, booleans, strings, enumerators, optional or lists of them");
  } else {
    std::string text;
    for (const auto& v : value)
      text += (text.empty() ? "" : ", ") + spelled_parameter(std::remove_cvref_t<decltype(v)>(v));
    return "[" + text + "]";
  }
}

template <class T>
void add_to(JitCall& call, const T& value) {
  if constexpr (is_jit_input<T>) {
    if constexpr (std::same_as<T, Param>)
      call.inputs.push_back(jit_input(value));
    else
      call.inputs.emplace_back(value);
  } else if constexpr (is_jit_list<T>) {
    for (const auto& v : value) call.inputs.emplace_back(v);
    call.parameters += (call.parameters.empty() ? "" : ", ") + std::to_string(value.size()) + " of a list";
  } else {
    call.parameters += (call.parameters.empty() ? "" : ", ") + spelled_parameter(value);
  }
}

template <class T>
JitArgument<T> take_for(const T& value, const std::vector<Var>& inputs, size_t& at) {
  if constexpr (is_jit_input<T>) {
    return inputs.at(at++);
  } else if constexpr (is_jit_list<T>) {
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(at);
    at += value.size();
    return {first, first + static_cast<std::ptrdiff_t>(value.size())};
  } else {
    return value;
  }
}

// What F gets in the place of A, a number becoming a Var where F takes no number.
template <bool AsVars, class A>
using JitPassed = std::conditional_t<AsVars && std::is_arithmetic_v<A>, Var, JitArgument<A>>;
template <bool AsVars, class T>
JitPassed<AsVars, T> passed_for(const T& value, const std::vector<Var>& inputs, size_t& at) {
  if constexpr (AsVars && std::is_arithmetic_v<T>)
    return jit_number(Arg(value));
  else
    return take_for(value, inputs, at);
}

}  // namespace dsl

// A cheap handle; copies share their versions.
template <class F>
class Jit {
 public:
  Jit(F f, JitOptions options, Location at)
      : f_(std::make_shared<F>(std::move(f))), state_(std::make_shared<dsl::JitState>(std::move(options), at)) {}

  template <class... A>
  auto operator()(const A&... args) const {
    constexpr bool kAsVars = !std::is_invocable_v<F&, dsl::JitArgument<A>...>;
    static_assert(std::is_invocable_v<F&, dsl::JitPassed<kAsVars, A>...>, "the function does not take these arguments");
    using Result = std::remove_cvref_t<std::invoke_result_t<F&, dsl::JitPassed<kAsVars, A>...>>;
    const dsl::FlatFunction flat = [&](const std::vector<Var>& inputs) {
      [[maybe_unused]] size_t at = 0;
      std::tuple<dsl::JitPassed<kAsVars, A>...> values{
          dsl::passed_for<kAsVars>(args, inputs, at)...};  // braces: from left to right
      Outputs out;
      dsl::flatten(std::apply(*f_, std::move(values)), out);
      return out;
    };
    return dsl::unflatten<Result>(state_->call(call_of(args...), flat));
  }

  // Of a call, whether it has happened or not.
  template <class... A>
  std::string key(const A&... args) const {
    return state_->key(call_of(args...));
  }
  std::vector<std::string> versions() const { return state_->versions(); }  // keys, in the order of their first call
  Function graph(const std::string& key) const { return state_->graph(key); }
  std::string onnx(const std::string& key, const ExportOptions& options = {}) const {
    return export_onnx_bytes(graph(key), options);
  }

 private:
  template <class... A>
  static dsl::JitCall call_of(const A&... args) {
    dsl::JitCall call;
    (dsl::add_to(call, args), ...);
    return call;
  }
  std::shared_ptr<F> f_;
  std::shared_ptr<dsl::JitState> state_;
};

template <class F>
Jit<std::remove_cvref_t<F>> jit(F&& f, JitOptions options = {}, Location at = Location::current()) {
  return {std::forward<F>(f), std::move(options), at};
}

}  // namespace tc
