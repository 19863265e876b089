// One step of Strassen's method: seven products of half the rows, columns and steps instead of eight ("Gaussian
// Elimination is not Optimal", 1969), in the form of Winograd's that takes the fewest sums. Those of A's quarters are
// made while it is packed, those of B's beside the first products, and a product adds itself to the quarters of C that
// it belongs to while it is in registers (after Huang, Smith, Henry and van de Geijn, "Strassen's Algorithm Reloaded",
// 2016).
#pragma once
#include "tc/kernels/gemm/micro_tier.h"
#include "tc/kernels/gemm/strassen.h"

namespace tc::kernels {

// Packs the rows at g.a, all steps, and says whether the method's error is small beside the results of every row: no
// row's largest magnitude is below another's by more than kStrassenRatio.
bool TC_TIER_NAME(strassen_pack)(const StrassenBlock& g, float* packed_a);

// False, with C as it was, where a sum is infinite or no number: it may be so where no result is, and takes what is
// infinite to rows and columns that have nothing to do with it.
bool TC_TIER_NAME(strassen_block)(const StrassenBlock& g);

}  // namespace tc::kernels
