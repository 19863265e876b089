// Elementwise functions: results have the broadcast shape of the operands and, unless they are comparisons, the
// operands' promoted element type. Names and special cases are the Array API's, those of activations ONNX's.
//
// Error bad_type where an element type is not in a function's domain or operands have no common type, bad_shape where
// shapes do not broadcast.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc {

#define TC_DSL_UNARY(name, Op, domain) Var name(Arg x);
#define TC_DSL_BINARY(name, Op, domain) Var name(Arg a, Arg b);
#define TC_DSL_ACTIVATION(name, Op, parameter, preset) Var name(Arg x, double parameter = preset);
#include "tc/frontend/dsl/elementwise.def"

Var atan2(Arg y, Arg x);
Var bitwise_and(Arg a, Arg b);  // integers or booleans
Var bitwise_invert(Arg x);
Var bitwise_left_shift(Arg x, Arg bits);
Var bitwise_or(Arg a, Arg b);
Var bitwise_right_shift(Arg x, Arg bits);  // of signed integers: keeps the sign
Var bitwise_xor(Arg a, Arg b);
Var ceil(Arg x);  // of integers: x
Var clip(Arg x, Arg min, Arg max = {});
Var conj(Arg x);                // of real numbers: x
Var copysign(Arg x, Arg sign);  // the sign of a NaN counts as plus
Var divide(Arg a, Arg b);       // of integers: in f32
Var expm1(Arg x);               // without cancellation near 0
Var floor(Arg x);
Var floor_divide(Arg a, Arg b);  // rounds towards minus infinity; a zero integer divisor is an error of the run
Var hypot(Arg a, Arg b);
Var imag(Arg x);  // of real numbers: zeros
Var isfinite(Arg x);
Var isinf(Arg x);
Var isnan(Arg x);
Var log1p(Arg x);  // without cancellation near 0
Var log2(Arg x);
Var log10(Arg x);
Var logaddexp(Arg a, Arg b);
Var negative(Arg x);
Var nextafter(Arg x, Arg towards);  // f32 or f64
Var not_equal(Arg a, Arg b);
Var positive(Arg x);
Var pow(Arg x, Arg exponent);
Var real(Arg x);
Var remainder(Arg a, Arg b);  // with the sign of b
Var round(Arg x);             // halves to even
Var signbit(Arg x);           // of a NaN: false
Var square(Arg x);
Var trunc(Arg x);
Var where(Arg condition, Arg x, Arg y);

Var astype(Arg x, DType type);  // floats to integers truncate, integers wrap

enum class GeluForm : uint8_t { exact, tanh };
Var gelu(Arg x, GeluForm form = GeluForm::exact);
Var hard_sigmoid(Arg x, double alpha = 0.2, double beta = 0.5);
Var relu(Arg x);  // max(x, 0)
Var selu(Arg x);
Var silu(Arg x);  // x * sigmoid(x)
Var relu6(Arg x);
Var shrink(Arg x, double lambda = 0.5, double bias = 0);
Var swiglu(Arg a, Arg b, double alpha = 1);  // silu(alpha * a) / alpha * b

Var operator+(Arg a, Arg b);
Var operator-(Arg a, Arg b);
Var operator*(Arg a, Arg b);
Var operator/(Arg a, Arg b);
Var operator%(Arg a, Arg b);  // remainder
Var operator&(Arg a, Arg b);
Var operator|(Arg a, Arg b);
Var operator^(Arg a, Arg b);
Var operator<<(Arg a, Arg b);
Var operator>>(Arg a, Arg b);
Var operator&&(Arg a, Arg b);  // logical_and; both are computed
Var operator||(Arg a, Arg b);
Var operator<(Arg a, Arg b);
Var operator<=(Arg a, Arg b);
Var operator>(Arg a, Arg b);
Var operator>=(Arg a, Arg b);
Var operator==(Arg a, Arg b);
Var operator!=(Arg a, Arg b);
Var operator-(Arg x);
Var operator~(Arg x);
Var operator!(Arg x);

// x op= y makes x a handle on the new value: other handles keep the old one.
Var& operator+=(Var& x, Arg y);
Var& operator-=(Var& x, Arg y);
Var& operator*=(Var& x, Arg y);
Var& operator/=(Var& x, Arg y);

}  // namespace tc
