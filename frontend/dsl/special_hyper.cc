// Hypergeometric functions. Their gradients are those of the loops that sum them.
#include <tuple>

#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/special.h"
#include "tc/frontend/dsl/special_incomplete_parts.h"

namespace tc::special {

using namespace dsl;
using namespace parts;

namespace {

Var no_pole(const Var& c) {
  return (c > 0) | (floor(c) != c);
}

Var most_of(const Var& count, double limit) {
  return astype(minimum(stop_gradient(max(ceil(count))), limit), i64);
}

// M(a, b, x) of x >= 0 by the power series (DLMF 13.2.2).
Var kummer_series(const Var& a, const Var& b, const Var& x) {
  const Var one = x * 0 + 1;
  const auto sums = fori_loop(0, most_of(x + sqrt(x) * 9 + abs(a) + 40, 3000),
                              [&](Var i, Var term, Var sum) {
                                const Var k = astype(i, f64), next = term * ((a + k) / (b + k) * (x / (k + 1)));
                                return std::tuple{next, sum + next};
                              },
                              {one, one});
  return std::get<1>(sums);
}

// exp(-x) M(a, b, x) of large x (DLMF 13.7.1).
Var kummer_far(const Var& a, const Var& b, const Var& x) {
  const Var r = 1 / x;
  Var term = r * 0 + 1, sum = term;
  for (int k = 0; k < 30; ++k) {
    const double n = k;
    term = term * ((b - a + n) * (n + 1 - a) * r / (n + 1));
    sum = sum + term;
  }
  return gamma_of(b) / gamma_of(a) * pow(x, a - b) * sum;
}

Var hyp1f1_of(const Var& a, const Var& b, const Var& z) {
  const Var left = z < 0, x = abs(z);
  const Var inside = no_pole(b) & (x < kInfinity) & (abs(a) < kInfinity) & (abs(b) < kInfinity);
  const Var c = where(inside, b, 1), p = where(inside, where(left, c - a, a), 1), y = where(inside, x, 0);
  const Var far = (y > 600) & ((p > 0) | (floor(p) != p));
  const Var near = kummer_series(p, c, where(far, 1, y)) * exp(where(left & !far, -y, 0));
  const Var large = kummer_far(where(far, p, 1), where(far, c, 1), where(far, y, 600)) * exp(where(left | !far, 0, y));
  const Var pole = (x == x) & (a == a) & (!no_pole(b));
  return where(inside, where(far, large, near), where(pole, kInfinity, astype(kNan, f64)));
}

// F(a, b; c; w) of 0 <= w < 1, d = 1 - w: the power series up to 1/2, and from there the Taylor series of the
// differential equation (DLMF 15.10.1) around points that halve the distance to 1.
Var gauss_inside(const Var& a, const Var& b, const Var& c, const Var& w, const Var& d) {
  const Var half = d < 0.5, start = where(half, 0.5, w), one = w * 0 + 1;
  const auto series = fori_loop(0, most_of(abs(a) + abs(b) + 60, 600),
                                [&](Var i, Var term, Var sum, Var slope) {
                                  const Var k = astype(i, f64),
                                            next = term * ((a + k) / (c + k) * ((b + k) / (k + 1)) * start);
                                  return std::tuple{next, sum + next, slope + next * (k + 1)};
                                },
                                {one, one, one * 0});
  // The value at 1 - distance, and distance times its derivative.
  const auto result = fori_loop(
      0, most_of(-log(d) * 1.4427 - 1 + 1e-9, 60),
      [&](Var, Var value, Var slope, Var distance) {
        const Var goal = minimum(maximum(d, distance * 0.5), distance), s = 1 - goal / distance, center = 1 - distance;
        const Var constant = c - (a + b + 1) * center, spread = 1 - center * 2;
        const auto sums =
            fori_loop(0, most_of(abs(a) + abs(b) + 60, 600),
                      [&](Var i, Var f, Var g, Var power, Var sum, Var rise) {
                        // f and g are the coefficients of k and k + 1, power that of s to k.
                        const Var k = astype(i, f64), m = k + 1;
                        const Var next = ((k + a) * (k + b) * distance * f - m * (k * spread + constant) * g) /
                                         (m * (m + 1) * center);
                        return std::tuple{g, next, power * s, sum + g * (power * s), rise + g * m * power};
                      },
                      {value, slope, one, value, one * 0});
        return std::tuple{std::get<3>(sums), std::get<4>(sums) * (goal / distance), goal};
      },
      {std::get<1>(series), std::get<2>(series), where(half, 0.5, d)});
  return std::get<0>(result);
}

// At 1 (DLMF 15.4.20).
Var gauss_at_one(const Var& a, const Var& b, const Var& c) {
  const Var rest = c - a - b, finite = rest > 0, s = where(finite, rest, 1);
  return where(finite, gamma_of(c) * gamma_of(s) / (gamma_of(c - a) * gamma_of(c - b)), kInfinity);
}

Var hyp2f1_of(const Var& a, const Var& b, const Var& c, const Var& z) {
  const Var inside = no_pole(c) & (z < 1) & (z > -kInfinity) & (a == a) & (b == b);
  const Var e = where(inside, c, 1), y = where(inside, z, 0), left = y < 0, rest = 1 - y;
  // Pfaff's transformation (DLMF 15.8.1) for negative arguments.
  const Var w = where(left, -y / rest, y), d = where(left, 1 / rest, rest), q = where(left, e - b, b);
  const Var value = gauss_inside(a, q, e, w, d) * pow(where(left, rest, 1), -a);
  const Var at_one = gauss_at_one(a, b, where(no_pole(c), c, 1)), pole = (!no_pole(c)) & (z == z) & (a == a) & (b == b);
  return where(inside, value,
               where(no_pole(c) & (z == 1), at_one, where(pole & (z <= 1), kInfinity, astype(kNan, f64))));
}

}  // namespace

Var hyp1f1(Arg a, Arg b, Arg z) {
  const Site site("special.hyp1f1", a.at());
  const std::vector<Var> list = promoted({a, b, z}, Domain::floating);
  const std::vector<Var> v = broadcast_arrays({astype(list[0], f64), astype(list[1], f64), astype(list[2], f64)});
  return astype(hyp1f1_of(v[0], v[1], v[2]), list[0].dtype());
}

Var hyp2f1(Arg a, Arg b, Arg c, Arg z) {
  const Site site("special.hyp2f1", a.at());
  const std::vector<Var> list = promoted({a, b, c, z}, Domain::floating);
  const std::vector<Var> v =
      broadcast_arrays({astype(list[0], f64), astype(list[1], f64), astype(list[2], f64), astype(list[3], f64)});
  return astype(hyp2f1_of(v[0], v[1], v[2], v[3]), list[0].dtype());
}

}  // namespace tc::special
