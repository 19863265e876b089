// Differentiation of graphs. Gradients are ordinary nodes, built by the rules on the ops (ir/grad.h): passes, backends
// and exporters treat them as any others, and they can be differentiated again.
//
// Conventions: what is differentiated has element type f16, bf16, f32 or f64; gradients have the type of what they
// belong to; integers and booleans are constants. Piecewise constant ops (floor, sign, comparisons, arg_max, ...) have
// the gradient zero; what does not depend on a value has the gradient zero with respect to it. Where elements tie for a
// maximum or minimum they share the gradient, except in pooling, where the first takes it; relu is flat at 0.
// Error no_gradient where an op has no gradient, at its location.
//
// Reverse mode: A. Griewank, A. Walther, Evaluating Derivatives, 2nd ed., SIAM 2008. Forward mode of an op is the
// transpose of its reverse mode.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tc/ir/builder.h"
#include "tc/ir/grad.h"

namespace tc {

struct GradientOptions {
  Residuals residuals = Residuals::save;  // what loops keep
};

// Appends through the builder the gradients of the sum over k of <outputs[k], seeds[k]> with respect to each value of
// `wrt` (reverse mode), which count as independent of each other. A null seed drops its output; without seeds at all
// every output must have one element, seeded with
// 1. The builder must stand after the outputs' definitions, in their graph or in a region inside. Loops and other ops
// on the way may be asked for more results than before, and calls are replaced by what they call. Error no_gradient
// when something is not differentiable; zero where an output does not depend on a value.
std::vector<Value*> gradients(Builder& b, const std::vector<Value*>& outputs, const std::vector<Value*>& wrt,
                              const std::vector<Value*>& seeds = {}, const GradientOptions& options = {});

// Gradients of the sum of the elements of `y`, a function of xs and zs, with respect to xs, where `point` has other
// values of xs, then of zs. Where these are xs and zs themselves, y is differentiated as it stands; else what depends
// on them is computed again. The zs and what they are computed from count as constants. Error no_gradient as above.
std::vector<Value*> gradients_at(Builder& b, Value* y, const std::vector<Value*>& xs, const std::vector<Value*>& zs,
                                 const std::vector<Value*>& point);

// A copy of `f` applied to the arguments, and its derivative in the direction of the tangents (forward mode).
struct Pushforward {
  std::vector<Value*> outputs;
  std::vector<Value*> tangents;  // null where an output is not differentiable or does not depend on what has a tangent
};
// `tangents` has an entry per input of f, null for zero. Captured values are constants.
Pushforward pushforward(Builder& b, const Graph& f, const std::vector<Value*>& arguments,
                        const std::vector<Value*>& tangents);

// Leaves one parameter node per name, at the start of a main graph; their values, in the order of first use.
std::vector<Value*> merge_parameters(Graph& main);

// Functions of functions. `f` is the main graph of a module; `wrt` names inputs and parameters; when empty it means all
// differentiable inputs. Error bad_argument for names that are not there, no_gradient for what cannot be
// differentiated.
//
// (inputs...) -> (gradients of output 0, of one element, with respect to wrt...); with_value: after all outputs of f.
std::unique_ptr<Module> gradient_of(const Module& f, const std::vector<std::string>& wrt = {}, bool with_value = false,
                                    const GradientOptions& options = {});
// (inputs..., seeds of the differentiable outputs...) -> (outputs..., gradients with respect to wrt...).
std::unique_ptr<Module> vjp_of(const Module& f, const std::vector<std::string>& wrt = {},
                               const GradientOptions& options = {});
// (inputs..., tangents of wrt...) -> (outputs..., tangents of the differentiable outputs...).
std::unique_ptr<Module> jvp_of(const Module& f, const std::vector<std::string>& wrt = {});

}  // namespace tc
