// Ops that hold a program together: constants, parameters, calls, return.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

struct Constant {
  struct Attrs {
    Tensor value;
    static constexpr auto fields = std::tuple{field("value", &Attrs::value, required)};
  };
  static constexpr OpFacts facts{"constant", {"Constant", 1}, "-> y:V", {{{'V', dtypes::all}}}, "an immutable tensor"};
  static void infer(InferContext& ctx);
};

// Updatable state by name; an initialiser on export.
struct Parameter {
  struct Attrs {
    std::string name;
    Tensor value;
    static constexpr auto fields =
        std::tuple{field("name", &Attrs::name, required), field("value", &Attrs::value, required)};
  };
  static constexpr OpFacts facts{
      "parameter", {}, "-> y:V", {{{'V', dtypes::all}}}, "a named tensor that a caller may replace"};
  static void infer(InferContext& ctx);
};

struct Return {
  static constexpr OpFacts facts{"return", {}, "values:any* ->", {}, "the outputs of a graph"};
  static constexpr bool effects = true;
  static void infer(InferContext&) {}
};

struct Call {
  struct Attrs {
    std::string callee;
    static constexpr auto fields = std::tuple{field("callee", &Attrs::callee, required)};
  };
  static constexpr OpFacts facts{
      "call", {}, "args:any* -> results:any*", {}, "the outputs of a function of the module"};
  static void infer(InferContext& ctx);
};

struct Identity {
  static constexpr OpFacts facts{"identity", {"Identity", 1}, "x:any -> y:any", {}, "its operand"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
