// Orthogonal factors by Householder's reflections. Matrices are the last two axes [..., m, n], k = min(m, n); the
// others are batches. Everything is f32 or f64 and exports as Loops of standard ops.
//
// Errors: bad_type for other element types, bad_shape for fewer axes than two.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::linalg {

enum class QrMode : uint8_t { reduced, complete };
struct QrOptions {
  QrMode mode = QrMode::reduced;
};
struct [[nodiscard]] QrResult {
  Var q, r;  // x = q r; reduced: [..., m, k] and [..., k, n], complete: [..., m, m] and [..., m, n]
};
// q has orthonormal columns, r is upper triangular; signs are LAPACK's. The gradient of reduced factors is that of
// Walter and Lehmann (2012), for wide matrices of Roberts and Roberts (2020); it needs full rank.
QrResult qr(Arg x, QrOptions options = {});

}  // namespace tc::linalg
