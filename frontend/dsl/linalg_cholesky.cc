#include "tc/frontend/dsl/linalg_cholesky.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

namespace {

// Solves m x = b for the triangle of m; Giles (2008): b's gradient is m^-T g, m's is the triangle of -m^-T g x^T.
Var solved(const Var& m, const Var& b, parts::Triangle which) {
  const auto rule = [which](Var a, Var, Var x, Var g) {
    const Var gb = parts::triangular_t(a, g, which);
    const Var ga = -tc::matmul(gb, parts::t(x));
    const int64_t k = which.unit ? 1 : 0;
    return std::pair{which.lower ? tril(ga, {.k = -k}) : triu(ga, {.k = k}), gb};
  };
  return custom_vjp([which](Var a, Var y) { return parts::triangular(a, y, which); }, rule)(m, b);
}

}  // namespace

Var cholesky(Arg x, CholeskyOptions options) {
  const Site site("linalg.cholesky", x.at());
  const Var a = parts::square_matrix(x);
  // L^-T half_lower(L^T g) L^-1, symmetric.
  const auto rule = [](Var, Var l, Var g) {
    const Var p = parts::half_lower(tc::matmul(parts::t(l), g));
    const Var left = parts::triangular_t(l, p, {});
    return parts::symmetric(parts::t(parts::triangular_t(l, parts::t(left), {})));
  };
  const Var l = custom_vjp([](Var v) { return parts::cholesky(v); }, rule)(options.upper ? parts::t(a) : a);
  return options.upper ? parts::t(l) : l;
}

Var solve_triangular(Arg a, Arg b, TriangularOptions options) {
  const Site site("linalg.solve_triangular", a.at());
  const parts::System s = parts::system_of(a, b);
  parts::expect_square(s.a);
  const Var m = options.trans ? parts::t(s.a) : s.a;
  return s.result(solved(m, s.b, {.lower = options.lower != options.trans, .unit = options.unit_diagonal}));
}

Var cho_solve(Arg c, Arg b, ChoSolveOptions options) {
  const Site site("linalg.cho_solve", c.at());
  const parts::System s = parts::system_of(c, b);
  parts::expect_square(s.a);
  const Var l = options.lower ? s.a : parts::t(s.a);
  return s.result(solved(parts::t(l), solved(l, s.b, {}), {.lower = false}));
}

}  // namespace tc::linalg
