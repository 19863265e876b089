#include "tc/frontend/dsl/complex.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc {

using namespace dsl;

namespace {

Complex embedded_solution(const Complex& a, const Complex& b) {
  const bool vector = b.re.rank() == 1;
  const auto column = [&](const Var& v) { return vector ? expand_dims(v, -1) : v; };
  const Var m = concat({concat({a.re, -a.im}, {.axis = -1}), concat({a.im, a.re}, {.axis = -1})}, {.axis = -2});
  const Var right = concat({column(b.re), column(b.im)}, {.axis = -2});
  const Var x = linalg::solve(m, right);
  const Dim n = a.re.dim(-1);
  const auto part = [&](const IndexRange& r) {
    const Var v = x.at(ellipsis, r, slice()).get();
    return vector ? squeeze(v, -1) : v;
  };
  return {part(slice(n)), part(slice(n, {}))};
}

void expect_matrix_of(const Complex& z) {
  if (z.re.rank() < 2) refuse(ErrorCode::bad_shape, cat("an operand is ", z.re.type(), ", expected at least two axes"));
}

}  // namespace

Complex complex(Arg re, Arg im) {
  const Site site("complex", re.at());
  const auto [x, y] = promoted(re, im, Domain::floating);
  const std::vector<Var> both = broadcast_arrays({x, y});
  return {both[0], both[1]};
}

Complex polar(Arg r, Arg angle) {
  const Site site("polar", r.at());
  const auto [length, phi] = promoted(r, angle, Domain::floating);
  return {length * cos(phi), length * sin(phi)};
}

Complex from_pairs(Arg pairs) {
  const Site site("from_pairs", pairs.at());
  const Var v = operand(pairs, Domain::floating);
  return {fft::real(v), fft::imag(v)};
}

Var as_pairs(const Complex& z, Location at) {
  const Site site("as_pairs", at);
  return fft::complex(z.re, z.im);
}

Var real(const Complex& z) {
  return z.re;
}
Var imag(const Complex& z) {
  return z.im;
}
Complex conj(const Complex& z) {
  return {z.re, -z.im};
}
Var abs(const Complex& z, Location at) {
  const Site site("abs", at);
  return hypot(z.re, z.im);
}
Var angle(const Complex& z, Location at) {
  const Site site("angle", at);
  return atan2(z.im, z.re);
}

Complex operator-(const Complex& z) {
  return {-z.re, -z.im};
}

Complex operator+(const Complex& a, const Complex& b) {
  return {a.re + b.re, a.im + b.im};
}
Complex operator+(const Complex& a, Arg b) {
  const Site site("add", b.at());
  const Var re = a.re + b;
  return {re, a.im + zeros_like(re)};
}
Complex operator+(Arg a, const Complex& b) {
  return b + std::move(a);
}
Complex operator-(const Complex& a, const Complex& b) {
  return {a.re - b.re, a.im - b.im};
}
Complex operator-(const Complex& a, Arg b) {
  const Site site("subtract", b.at());
  const Var re = a.re - b;
  return {re, a.im + zeros_like(re)};
}
Complex operator-(Arg a, const Complex& b) {
  return std::move(a) + -b;
}
Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
Complex operator*(const Complex& a, Arg b) {
  return {a.re * b, a.im * b};
}
Complex operator*(Arg a, const Complex& b) {
  return {a * b.re, a * b.im};
}

// Divided by the greater part of b first, so that squares of it are not needed.
Complex operator/(const Complex& a, const Complex& b) {
  const Var first = abs(b.re) >= abs(b.im), p = where(first, b.re, b.im), q = where(first, b.im, b.re);
  const Var r = q / p, below = p + q * r;
  const Var re = where(first, a.re + a.im * r, a.re * r + a.im), im = where(first, a.im - a.re * r, a.im * r - a.re);
  return {re / below, im / below};
}
Complex operator/(const Complex& a, Arg b) {
  return {a.re / b, a.im / b};
}
Complex operator/(Arg a, const Complex& b) {
  const Site site("divide", a.at());
  const auto [x, re] = promoted(a, b.re, Domain::floating);
  return Complex{x, zeros_like(x)} / Complex{re, astype(b.im, re.dtype())};
}

Var operator==(const Complex& a, const Complex& b) {
  return (a.re == b.re) & (a.im == b.im);
}

Complex exp(const Complex& z, Location at) {
  const Site site("exp", at);
  const Var size = exp(z.re);
  return {size * cos(z.im), size * sin(z.im)};
}

// Near the unit circle the logarithm is that of 1 + (x - 1) (x + 1) + y^2, x being the greater part.
Complex log(const Complex& z, Location at) {
  const Site site("log", at);
  const Var a = abs(z.re), b = abs(z.im), x = maximum(a, b), y = minimum(a, b);
  const Var near = (x > 0.5) & (x < 2.0);
  const Var excess = where(near, (x - 1) * (x + 1) + y * y, 0);
  return {where(near, log1p(excess) / 2, log(where(near, 1, hypot(a, b)))), atan2(z.im, z.re)};
}

Complex sqrt(const Complex& z, Location at) {
  const Site site("sqrt", at);
  const Var size = abs(z.re) / 2 + hypot(z.re, z.im) / 2, zero = size == 0;
  const Var t = sqrt(where(zero, 1, size)), other = z.im / (2 * t);
  const Var right = z.re >= 0, sign = where(z.im < 0, -t, t);
  return {where(zero, 0, where(right, t, abs(other))), where(zero, z.im, where(right, other, sign))};
}

Complex square(const Complex& z, Location at) {
  const Site site("square", at);
  return {(z.re - z.im) * (z.re + z.im), 2 * z.re * z.im};
}

Complex reciprocal(const Complex& z, Location at) {
  const Site site("reciprocal", at);
  return 1 / z;
}

Complex pow(const Complex& z, const Complex& exponent, Location at) {
  const Site site("pow", at);
  const Var zero = (z.re == 0) & (z.im == 0), none = (exponent.re == 0) & (exponent.im == 0);
  const Complex w = exp(log(Complex{where(zero, 1, z.re), z.im}) * exponent);
  return {where(none, 1, where(zero, 0, w.re)), where(zero | none, 0, w.im)};
}

Complex pow(const Complex& z, Arg exponent) {
  const Site site("pow", exponent.at());
  const Var e = operand_like(exponent, z.re.dtype());
  return pow(z, Complex{e, zeros_like(e)});
}

Complex sin(const Complex& z, Location at) {
  const Site site("sin", at);
  return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)};
}
Complex cos(const Complex& z, Location at) {
  const Site site("cos", at);
  return {cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)};
}
Complex sinh(const Complex& z, Location at) {
  const Site site("sinh", at);
  return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
Complex cosh(const Complex& z, Location at) {
  const Site site("cosh", at);
  return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}

Complex sum(const Complex& z, SumOptions options, Location at) {
  const Site site("sum", at);
  return {sum(z.re, options), sum(z.im, options)};
}

Complex matrix_transpose(const Complex& z, Location at) {
  const Site site("matrix_transpose", at);
  return {matrix_transpose(z.re), matrix_transpose(z.im)};
}
Complex conj_transpose(const Complex& z, Location at) {
  const Site site("conj_transpose", at);
  return {matrix_transpose(z.re), -matrix_transpose(z.im)};
}

Complex matmul(const Complex& a, const Complex& b, Location at) {
  const Site site("matmul", at);
  return {matmul(a.re, b.re) - matmul(a.im, b.im), matmul(a.re, b.im) + matmul(a.im, b.re)};
}
Complex matmul(const Complex& a, Arg b) {
  return {matmul(a.re, b), matmul(a.im, b)};
}
Complex matmul(Arg a, const Complex& b) {
  return {matmul(a, b.re), matmul(a, b.im)};
}

namespace linalg {

Complex solve(const Complex& a, const Complex& b, Location at) {
  const Site site("linalg.solve", at);
  expect_matrix_of(a);
  return embedded_solution(a, b);
}

Complex inv(const Complex& a, Location at) {
  const Site site("linalg.inv", at);
  expect_matrix_of(a);
  const Var one = eye(a.re.dim(-1), {.dtype = a.re.dtype()});
  const Var wide = broadcast_to(one, a.re.shape());
  return embedded_solution(a, {wide, zeros_like(wide)});
}

}  // namespace linalg

namespace fft {

Complex fft(const Complex& z, FftOptions options, Location at) {
  const Site site("fft.fft", at);
  return from_pairs(fft(as_pairs(z), options));
}
Complex ifft(const Complex& z, FftOptions options, Location at) {
  const Site site("fft.ifft", at);
  return from_pairs(ifft(as_pairs(z), options));
}
Var irfft(const Complex& z, FftOptions options, Location at) {
  const Site site("fft.irfft", at);
  return irfft(as_pairs(z), options);
}

}  // namespace fft
}  // namespace tc
