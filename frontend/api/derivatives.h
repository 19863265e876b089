// Derivatives beyond gradients: Jacobians, Hessians, products with them, linear approximations; and the check of
// gradients against differences. All but the check are programs, or parts of the one that is traced.
//
//   tc::Var j = tc::jacobian(y, x);                           // inside of a trace: the shape of y, then that of x
//   tc::Function h = tc::hessian(f, {"x"});                   // of a function
//   auto slope = tc::grad([](tc::Var x) { return tc::sum(x * x * x); });
//   tc::Tensor g = slope(tensor).tensor();                    // of arrays: traced and compiled when it is called
//   tc::verify_grad(f, {tensor});                             // throws where a gradient is not what differences say
//
// Columns or rows are found all at once, as a batch (tc/frontend/dsl/vmap.h). Errors: no_gradient, bad_argument,
// bad_shape where a value must be a scalar.
#pragma once

#include "tc/frontend/api/grad.h"
#include "tc/frontend/api/jit.h"

namespace tc {

// Reverse mode takes a pass per element of y, forward mode one per element of x.
enum class DiffMode : uint8_t { reverse, forward };
struct JacobianOptions {
  DiffMode mode = DiffMode::reverse;
};

// Inside of a trace: y was computed from the values of `wrt`, which count as independent of each other.
[[nodiscard]] std::vector<Var> jacobian(Var y, const std::vector<Var>& wrt, JacobianOptions options = {},
                                        Location at = Location::current());
[[nodiscard]] Var jacobian(Var y, const Var& x, JacobianOptions options = {}, Location at = Location::current());
// Of a scalar: the shape of x twice. The mode is that of the outer derivative.
[[nodiscard]] Var hessian(Var y, const Var& x, JacobianOptions options = {}, Location at = Location::current());
// The Hessian of a scalar times vectors of the types of wrt, without the matrix.
[[nodiscard]] std::vector<Var> hvp(Var y, const std::vector<Var>& wrt, const std::vector<Var>& vectors,
                                   Location at = Location::current());
[[nodiscard]] Var hvp(Var y, const Var& x, const Var& vector, Location at = Location::current());
// Tangents of the outputs when those of wrt are given: the Jacobian times them. The transpose of vjp.
[[nodiscard]] std::vector<Var> jvp(const std::vector<Var>& outputs, const std::vector<Var>& wrt,
                                   const std::vector<Var>& tangents, Location at = Location::current());

// The derivative at a point, as a linear map that can be applied more than once.
class Linearized {
 public:
  const std::vector<Var>& outputs() const { return outputs_; }
  std::vector<Var> operator()(const std::vector<Var>& tangents, Location at = Location::current()) const;
  std::vector<Var> transposed(const std::vector<Var>& seeds, Location at = Location::current()) const;

 private:
  friend Linearized linearize(const std::vector<Var>&, const std::vector<Var>&, Location);
  std::vector<Var> outputs_, wrt_, seeds_, gradients_;
};
[[nodiscard]] Linearized linearize(const std::vector<Var>& outputs, const std::vector<Var>& wrt,
                                   Location at = Location::current());

// Of functions, with `wrt` as for tc::grad.
//
// (inputs...) -> (d output k / d wrt[j], for all j of the first differentiable output, then of the next...)
[[nodiscard]] Function jacobian(const Function& f, const std::vector<std::string>& wrt = {},
                                JacobianOptions options = {});
// (inputs...) -> (d2 output 0 / d wrt[i] d wrt[j], for all j of the first i, then of the next...)
[[nodiscard]] Function hessian(const Function& f, const std::vector<std::string>& wrt = {},
                               JacobianOptions options = {});
// (inputs..., vectors of wrt...) -> (products of the Hessian of output 0 with them...)
[[nodiscard]] Function hvp(const Function& f, const std::vector<std::string>& wrt = {});

struct VerifyGradOptions {
  std::vector<std::string> wrt = {};
  double step = 0;       // of the differences, relative to numbers above 1; 0: the cube root of the type's epsilon
  double tolerance = 0;  // relative, and of numbers below 1 absolute; 0: 1e-2 of f32, 1e-6 of f64, else 0.1
  uint64_t seed = 1;     // of the weights with which the elements of the outputs are summed
};
// Where gradient and central difference differ most.
struct GradientError {
  std::string name;  // of the input or parameter
  Extents index;
  double gradient = 0, difference = 0;
  double error = 0;  // as the tolerance counts
};
// Compares the gradients of a weighted sum of the outputs of f at the inputs with central differences, element by
// element. Error check_failed, which names the worst element, beyond the tolerance.
GradientError verify_grad(const Function& f, const std::vector<Tensor>& inputs, const VerifyGradOptions& options = {});

namespace dsl {
template <class F>
concept PlainFunction = !std::convertible_to<F, Arg> && !std::convertible_to<F, Function> && requires {
  Flat<F>::kArity;
};
std::vector<Var> differentiable_ones(const std::vector<Var>& values);
}  // namespace dsl

// Of a C++ function of Vars that returns one element: a function of the same arguments, of Tensors, arrays, or Vars of
// a trace, that returns the gradient; or, of several arguments, those of all that are of floating point.
template <dsl::PlainFunction F>
auto grad(F f) {
  return jit([f = std::move(f)](const std::same_as<Var> auto&... x) mutable {
    const Var y = f(x...);
    const std::vector<Var> gradients = grad(y, dsl::differentiable_ones({x...}));
    if constexpr (sizeof...(x) == 1)
      return gradients.at(0);
    else
      return gradients;
  });
}
// The same behind the value.
template <dsl::PlainFunction F>
auto value_and_grad(F f) {
  return jit([f = std::move(f)](const std::same_as<Var> auto&... x) mutable {
    const Var y = f(x...);
    const std::vector<Var> gradients = grad(y, dsl::differentiable_ones({x...}));
    if constexpr (sizeof...(x) == 1)
      return std::pair<Var, Var>(y, gradients.at(0));
    else
      return std::pair<Var, std::vector<Var>>(y, gradients);
  });
}

}  // namespace tc
