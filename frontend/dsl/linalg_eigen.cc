#include "tc/frontend/dsl/linalg_eigen.h"

#include "tc/frontend/dsl/linalg_parts.h"

namespace tc::linalg {

using namespace dsl;

EighResult eigh(Arg x) {
  const Site site("linalg.eigh", x.at());
  const auto f = [](Var a) {
    const parts::Eigen e = parts::symmetric_eigen(parts::copy_lower(a));
    return std::pair{e.values, e.vectors};
  };
  // v (gw + F * v^T gv) v^T with F[i, j] = 1 / (w[j] - w[i]).
  const auto rule = [](Var, Var w, Var v, Var gw, Var gv) {
    const Var inner = parts::reciprocal_or_zero(expand_dims(w, -2) - expand_dims(w, -1)) * tc::matmul(parts::t(v), gv);
    const Var middle = inner + parts::eye_like(v) * expand_dims(gw, -1);
    return parts::symmetric(tc::matmul(tc::matmul(v, middle), parts::t(v)));
  };
  const auto [w, v] = custom_vjp(f, rule)(parts::square_matrix(x));
  return {w, v};
}

Var eigvalsh(Arg x) {
  const Site site("linalg.eigvalsh", x.at());
  return eigh(x).eigenvalues;
}

}  // namespace tc::linalg
