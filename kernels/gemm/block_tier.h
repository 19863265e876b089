// Blocks of register tiles: the one function through which GEMM and convolution fallbacks use the tiles of their tier.
#pragma once
#include <utility>

#include "tc/kernels/gemm/micro_tier.h"

namespace tc::kernels {
namespace {

// Of the functions of(R, NV), integral constants, that are made for every tile of up to `kVecs` registers, the one of
// `rows` rows by `vecs`.
template <class Fn, int NV, class Of, int... R>
Fn tile_function(int rows, Of, std::integer_sequence<int, R...>) {
  static constexpr Fn kByRows[] = {Of{}(std::integral_constant<int, R + 1>{}, std::integral_constant<int, NV>{})...};
  return kByRows[rows - 1];
}
template <class Fn, class Of, int... V>
Fn tile_function(int vecs, int rows, Of of, std::integer_sequence<int, V...>) {
  Fn found = nullptr;
  ((vecs == V + 1 ? void(found = tile_function<Fn, V + 1>(rows, of, std::make_integer_sequence<int, kMaxRows[V + 1]>{}))
                  : void()),
   ...);
  return found;
}
template <class Fn, int kVecs, class Of>
Fn tile_function(int vecs, int rows, Of of) {
  return tile_function<Fn>(vecs, rows, of, std::make_integer_sequence<int, kVecs>{});
}

}  // namespace

void TC_TIER_NAME(gemm_block)(const GemmBlock& block);

}  // namespace tc::kernels
