// A program: what a trace, a file or a text becomes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tc/frontend/dsl/var.h"

namespace tc {

class Module;

// An input or output: its name and declared type, whose extents may be symbols.
struct ValueInfo {
  std::string name;
  Type type;
};

// A cheap handle; immutable. Error bad_argument where an undefined one is used.
class Function {
 public:
  Function() = default;  // undefined
  bool defined() const { return module_ != nullptr; }
  explicit Function(std::shared_ptr<const Module> module);
  const std::string& name() const;
  std::vector<ValueInfo> inputs() const;
  std::vector<ValueInfo> outputs() const;
  std::string str() const;  // the textual IR, weights elided
  const Module& module() const;
  friend std::ostream& operator<<(std::ostream& out, const Function& f);  // str()

  // Inside of a trace: its nodes, copied there. Error bad_argument when the number of arguments differs, bad_type when
  // one does not fit its declared type.
  Results<Var> operator()(const Args& args, Location at = Location::current()) const;
  // f(x), f(x, y); more of them in braces.
  template <std::convertible_to<Arg> A>
  Results<Var> operator()(const A& a, Location at = Location::current()) const {
    return (*this)(Args{Arg(a, at)}, at);
  }
  template <std::convertible_to<Arg> A, std::convertible_to<Arg> B>
  Results<Var> operator()(const A& a, const B& b, Location at = Location::current()) const {
    return (*this)(Args{Arg(a, at), Arg(b, at)}, at);
  }
  template <std::convertible_to<Arg> A, std::convertible_to<Arg> B, std::convertible_to<Arg> C>
  Results<Var> operator()(const A& a, const B& b, const C& c, Location at = Location::current()) const {
    return (*this)(Args{Arg(a, at), Arg(b, at), Arg(c, at)}, at);
  }

 private:
  std::shared_ptr<const Module> module_;
};

}  // namespace tc
