// Ops that hold a program together: constants, parameters, calls, return.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

struct Constant {
  struct Attrs {
    Tensor value;
    static constexpr auto fields = Fields{field("value", &Attrs::value, required)};
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
        Fields{field("name", &Attrs::name, required), field("value", &Attrs::value, required)};
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

// A callee with a gradient of its own is differentiated by calling the function `gradient` on the arguments, the
// results and the gradients of the differentiable results; it gives the gradients of the differentiable arguments.
struct Call {
  struct Attrs {
    std::string callee;
    std::string gradient = {};
    static constexpr auto fields =
        Fields{field("callee", &Attrs::callee, required), field("gradient", &Attrs::gradient)};
  };
  static constexpr OpFacts facts{
      "call", {}, "args:any* -> results:any*", {}, "the outputs of a function of the module"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

// Error check_failed with the message where an element of the condition is false.
struct Check {
  struct Attrs {
    std::string message;
    static constexpr auto fields = Fields{field("message", &Attrs::message, required)};
  };
  static constexpr OpFacts facts{"check", {}, "condition:bool ->", {}, "stops the run unless the condition holds"};
  static constexpr bool effects = true;
  static void infer(InferContext&) {}
};

struct Identity {
  static constexpr OpFacts facts{"identity", {"Identity", 1}, "x:any -> y:any", {}, "its operand"};
  static void infer(InferContext& ctx);
  static void grad(GradContext& ctx);
};

struct StopGradient {
  static constexpr bool piecewise_constant = true;
  static constexpr OpFacts facts{
      "stop_gradient", {}, "x:any -> y:any", {}, "its operand, taken as constant by differentiation"};
  static void infer(InferContext& ctx) { Identity::infer(ctx); }
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
