// Complex numbers against those of the standard library.
#include <complex>

#include "linalg_helpers.h"

namespace tc {
namespace {

using List = std::vector<Var>;
using Number = std::complex<long double>;

// Points in all quadrants, on the axes, near the unit circle, and of very different sizes.
std::vector<std::complex<double>> points() {
  std::vector<std::complex<double>> r;
  for (const double x : {0.0, 1.0, -1.0, 0.3, -2.5, 1e-3, 0.6, -0.8})
    for (const double y : {0.0, 1.0, -1.0, 0.7, -3.0, 1e-3, -0.8, 0.6}) r.emplace_back(x, y);
  return r;
}

Tensor part(const std::vector<std::complex<double>>& z, bool imaginary) {
  std::vector<double> v;
  for (const auto& x : z) v.push_back(imaginary ? x.imag() : x.real());
  return Tensor::of<double>({static_cast<int64_t>(v.size())}, v);
}

using Own = Complex (*)(const Complex&, const Complex&);
using Theirs = Number (*)(Number, Number);
struct Case {
  const char* name;
  Own own;
  Theirs theirs;
  bool nonzero = false;  // not of 0
  bool power = false;    // the logarithm's rounding grows with the exponent
};
const Case kCases[] = {
    {"add", [](const Complex& a, const Complex& b) { return a + b; }, [](Number a, Number b) { return a + b; }},
    {"subtract", [](const Complex& a, const Complex& b) { return a - b; }, [](Number a, Number b) { return a - b; }},
    {"multiply", [](const Complex& a, const Complex& b) { return a * b; }, [](Number a, Number b) { return a * b; }},
    {"divide", [](const Complex& a, const Complex& b) { return a / b; }, [](Number a, Number b) { return a / b; },
     true},
    {"real operands", [](const Complex& a, const Complex& b) { return 2 - (1 + a * 3 - b.re) / 2; },
     [](Number a, Number b) { return 2.0L - (1.0L + a * 3.0L - b.real()) / 2.0L; }},
    {"quotients of numbers", [](const Complex&, const Complex& b) { return 3 / b; },
     [](Number, Number b) { return 3.0L / b; }, true},
    {"negative", [](const Complex& a, const Complex&) { return -conj(a); },
     [](Number a, Number) { return -std::conj(a); }},
    {"exp", [](const Complex& a, const Complex&) { return exp(a); }, [](Number a, Number) { return std::exp(a); }},
    {"log", [](const Complex&, const Complex& b) { return log(b); }, [](Number, Number b) { return std::log(b); },
     true},
    {"sqrt", [](const Complex& a, const Complex&) { return sqrt(a); }, [](Number a, Number) { return std::sqrt(a); }},
    {"square", [](const Complex& a, const Complex&) { return square(a); }, [](Number a, Number) { return a * a; }},
    {"reciprocal", [](const Complex&, const Complex& b) { return reciprocal(b); },
     [](Number, Number b) { return 1.0L / b; }, true},
    {"pow", [](const Complex& a, const Complex& b) { return pow(b, a); },
     [](Number a, Number b) { return std::pow(b, a); }, true, true},
    {"pow of a number", [](const Complex&, const Complex& b) { return pow(b, 1.5); },
     [](Number, Number b) { return std::pow(b, 1.5L); }, true},
    {"sin", [](const Complex& a, const Complex&) { return sin(a); }, [](Number a, Number) { return std::sin(a); }},
    {"cos", [](const Complex& a, const Complex&) { return cos(a); }, [](Number a, Number) { return std::cos(a); }},
    {"sinh", [](const Complex& a, const Complex&) { return sinh(a); }, [](Number a, Number) { return std::sinh(a); }},
    {"cosh", [](const Complex& a, const Complex&) { return cosh(a); }, [](Number a, Number) { return std::cosh(a); }},
    {"polar", [](const Complex& a, const Complex&) { return polar(abs(a), angle(a)); },
     [](Number a, Number) { return a; }},
};

TEST(Complex, FunctionsAreThoseOfTheLibrary) {
  std::vector<std::complex<double>> a, b;
  for (const auto& x : points())
    for (const auto& y : points()) a.push_back(x), b.push_back(y);
  for (const Case& c : kCases) {
    const Function f = trace("f", {{"a", f64, {"n"}}, {"b", f64, {"n"}}, {"c", f64, {"n"}}, {"d", f64, {"n"}}},
                             [&](Var p, Var q, Var r, Var s) {
                               const Complex z = c.own({p, q}, {r, s});
                               return List{z.re, z.im};
                             });
    const auto y = compile(f)({part(a, false), part(a, true), part(b, false), part(b, true)});
    const std::vector<double> re = doubles(y[0]), im = doubles(y[1]);
    for (size_t i = 0; i < a.size(); ++i) {
      if (c.nonzero && b[i] == 0.0) continue;
      const Number want = c.theirs(Number(a[i].real(), a[i].imag()), Number(b[i].real(), b[i].imag()));
      const double size =
          std::max(1.0, static_cast<double>(std::abs(want))) * (c.power ? 1 + std::abs(a[i] * std::log(b[i])) : 1);
      EXPECT_NEAR(re[i], static_cast<double>(want.real()), 4e-15 * size) << c.name << a[i] << b[i];
      EXPECT_NEAR(im[i], static_cast<double>(want.imag()), 4e-15 * size) << c.name << a[i] << b[i];
    }
  }
}

TEST(Complex, StaysInRange) {
  const Function f = trace("f", {{"a", f64, {2}}}, [](Var a) {
    const Complex z{a, a}, q = z / z, r = sqrt(z) / polar(sqrt(a), std::acos(-1.0) / 8);
    return List{abs(z) / a, q.re, q.im, r.re, r.im, pow(Complex{0 * a, 0 * a}, 2).re, pow(Complex{0 * a, 0 * a}, 0).re};
  });
  const auto y = compile(f)({Tensor::of<double>({2}, {1e300, 1e-300})});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(doubles(y[0])[i], std::sqrt(2.0), 1e-15);
    EXPECT_EQ(doubles(y[1])[i], 1);
    EXPECT_EQ(doubles(y[2])[i], 0);
    EXPECT_NEAR(doubles(y[3])[i], std::pow(2.0, 0.25), 1e-15);
    EXPECT_NEAR(doubles(y[4])[i], 0, 1e-15);
    EXPECT_EQ(doubles(y[5])[i], 0);
    EXPECT_EQ(doubles(y[6])[i], 1);
  }
}

TEST(Complex, MatricesAndTransforms) {
  const std::vector<Input> inputs = {{"a", f64, {2, 4, 4}}, {"b", f64, {2, 4, 4}}, {"c", f64, {2, 4, 3}}};
  const Function f = trace("f", inputs, [](Var a, Var b, Var c) {
    const Complex m{a, b}, right{c, c + 1}, x = linalg::solve(m, right), left = matmul(m, x) - right;
    const Complex one = matmul(linalg::inv(m), m), back = fft::ifft(fft::fft(m)) - m;
    const Complex m0{a[0], b[0]},
        vector = matmul(m0, linalg::solve(m0, Complex{c[0][{ellipsis, 0}], c[0][{ellipsis, 1}]}));
    const Complex product = matmul(conj_transpose(m), m);
    return List{left.re,
                left.im,
                one.re - eye(4, {.dtype = f64}),
                one.im,
                back.re,
                back.im,
                product.im + matrix_transpose(product.im),
                sum(from_pairs(as_pairs(m)) - m).re,
                fft::irfft(from_pairs(fft::rfft(a)), {.n = 4}) - a,
                matmul(m, a).im - matmul(b, a),
                matmul(a, m).im - matmul(a, b),
                vector.re - c[0][{ellipsis, 0}]};
  });
  const auto y = compile(f)({random_matrices(2, 4, 4, 1).tensor(f64), random_matrices(2, 4, 4, 2).tensor(f64),
                             random_matrices(2, 4, 3, 3).tensor(f64)});
  for (size_t i = 0; i < y.size(); ++i)
    for (const double x : doubles(y[i])) EXPECT_NEAR(x, 0, 1e-13) << i;
}

TEST(Complex, GradientsAreThoseOfDifferences) {
  const Function f = trace("f", {{"a", f64, {3}}, {"b", f64, {3}}}, [](Var a, Var b) {
    const Complex z{a, b}, w = log(z) * sqrt(z) / (z + 2) + exp(sin(z)) * pow(z, 3);
    return sum(abs(w)) + sum(angle(z) * w.re);
  });
  EXPECT_LE(gradient_error(f, {Tensor::of<double>({3}, {1, -0.5, 0.7}), Tensor::of<double>({3}, {0.5, 1.5, -1})}),
            1e-8);
}

// A structure of Vars: functions and loops take it.
TEST(Complex, GoesThroughLoops) {
  const Function f = trace("f", {{"a", f64, {}}, {"b", f64, {}}}, [](Complex c) {
    const auto step = [&](Var, Complex z) { return square(z) + c; };
    return fori_loop(0, 3, step, {asarray(0.0, {.dtype = f64}), asarray(0.0, {.dtype = f64})});
  });
  const auto y = compile(f)({Tensor::of<double>({}, {-0.1}), Tensor::of<double>({}, {0.7})});
  std::complex<double> z, c(-0.1, 0.7);
  for (int i = 0; i < 3; ++i) z = z * z + c;
  EXPECT_NEAR(doubles(y[0])[0], z.real(), 1e-15);
  EXPECT_NEAR(doubles(y[1])[0], z.imag(), 1e-15);
}

}  // namespace
}  // namespace tc
