// From a C++ function to a program.
//
//   tc::Function f = tc::trace("mlp", {{"x", tc::f32, {"batch", 784}}}, [&](tc::Var x) { return
//   tc::softmax(tc::matmul(x, w)); });
#pragma once

#include "tc/frontend/dsl/function.h"
#include "tc/frontend/dsl/shape.h"
#include "tc/frontend/dsl/tree.h"

namespace tc {

// A declared input; names among the extents are symbols, equal ones are equal extents.
struct Input {
  std::string name;
  DType dtype = DType::f32;
  std::vector<Extent> shape = {};
  std::string type = {};  // in place of both, as the textual IR spells it: "seq<f32[*]>"
};

namespace dsl {
Function trace(std::string name, const std::vector<Input>& inputs, int arity, const FlatFunction& f,
               const Location& at);
}

// Calls `f` once with Vars for the inputs; what it does to them becomes the program, what it returns the outputs: a
// Var, a structure of them (tree.h), or Outputs with names. Error bad_argument when f takes another number of
// arguments.
template <class F>
Function trace(std::string name, const std::vector<Input>& inputs, F&& f, Location at = Location::current()) {
  using Fn = std::remove_reference_t<F>;
  return dsl::trace(std::move(name), inputs, dsl::Flat<Fn>::kArity, dsl::Flat<Fn>{f}, at);
}

}  // namespace tc
