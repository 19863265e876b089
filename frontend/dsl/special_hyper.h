// Hypergeometric functions: see special.h, which includes this. They have gradients in all arguments.
#pragma once

#include "tc/frontend/dsl/var.h"

namespace tc::special {

// Kummer's function M(a, b, z): the power series of |z| (DLMF 13.2.2, 13.2.39), from 600 on the asymptotic one (DLMF
// 13.7.1), for which |a| and |b| may be up to 20. Errors are relative to the largest term: where a, or b - a of
// negative z, is negative, terms cancel. inf at b = 0, -1, ...; NaN of infinite arguments.
Var hyp1f1(Arg a, Arg b, Arg z);
// Gauss' function F(a, b; c; z) of z <= 1: the power series up to 1/2, from there Taylor series of its differential
// equation around points that halve the distance to 1; negative z by Pfaff's transformation (DLMF 15.8.1). Errors are
// relative to the largest term. inf at c = 0, -1, ...; NaN of z > 1.
Var hyp2f1(Arg a, Arg b, Arg c, Arg z);

}  // namespace tc::special
