// Interactive use: while an Eager lives, functions of the DSL that are called on its thread outside of traces run at
// once. Their results are arrays: Vars that have elements.
//
//   const tc::Eager eager;
//   tc::Var x = tc::linspace(0, 1, 5);
//   x = x.at(tc::slice(1, {})).set(0);           // in place is a functional update
//   float first = tc::sqrt(x + 1).tensor().span<float>()[0];
//
// Each op runs on the CPU's kernels, compiled once per op, attributes and types of operands. Programs of many small ops
// are faster as a whole: see jit.h. Traces may use arrays, which are constants there. Arrays keep no history:
// gradients are taken of functions (tc::grad(f)) or inside of tc::jit.
#pragma once

#include <memory>

#include "tc/frontend/api/compile.h"

namespace tc {

class Eager {
 public:
  explicit Eager(const CompilerOptions& options = {});
  ~Eager();  // on the thread that made it
  Eager(const Eager&) = delete;
  Eager& operator=(const Eager&) = delete;
  size_t compiled() const;  // ops and functions that are kept for their next use

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tc
