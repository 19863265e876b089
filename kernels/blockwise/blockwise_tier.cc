// The product of blockwise.h without an instruction for products of bytes: by integers where reading the weights is
// most of the work, else by floats, some groups of a panel's weights at a time in L1.
#include <limits>

#include "tc/kernels/blockwise/blockwise_engine.h"
#include "tc/kernels/gemm/block_tier.h"

namespace tc::kernels {
namespace {

BlockwiseTraits blockwise_traits() {
  return {kPanel};
}

// The 32 / kBits numbers of each column that one register holds, from row 0 of `to` on.
template <int kBits, int... kAt>
TC_INLINE void unpack_register(VecI packed, VecF zero, VecF scale, float* to, std::integer_sequence<int, kAt...>) {
  const VecI mask((1 << kBits) - 1);
  const auto number = [&]<int kShift>() {
    if constexpr (kShift == 0)
      return packed & mask;
    else
      return shift_right<kShift>(packed) & mask;
  };
  (store(to + kAt * kPanel, (to_float(number.template operator()<kAt / 4 * kBits + kAt % 4 * 8>()) - zero) * scale),
   ...);
}

// A group as floats, [number][column]. Returns where the next one begins.
template <int kBits>
const uint8_t* unpack(const BlockwiseShape& s, const uint8_t* at, float* to) {
  constexpr int kNumbers = 32 / kBits;
  const int64_t line = kPanel * 4, lines = s.group / kNumbers;
  const uint8_t *scales = at + lines * line, *zeros = scales + line;
  for (int64_t col = 0; col < kPanel; col += kVecFloats) {
    const VecF scale = load(reinterpret_cast<const float*>(scales) + col);
    const VecF zero = s.own_zeros ? to_float(load_u8(zeros + col)) : VecF(static_cast<float>(s.zero));
    for (int64_t i = 0; i < lines; ++i)
      unpack_register<kBits>(load(reinterpret_cast<const int32_t*>(at + i * line) + col), zero, scale,
                             to + i * kNumbers * kPanel + col, std::make_integer_sequence<int, kNumbers>{});
  }
  return zeros + (s.own_zeros ? kPanel : 0);
}

// Rows of weights between two visits of the results: groups of 32, as many have, would go there after each.
constexpr int64_t kFloatRows = 384;

void by_floats(const BlockwiseTile& t) {
  const BlockwiseShape& s = t.shape;
  const auto of_bits = s.bits == 2 ? unpack<2> : s.bits == 4 ? unpack<4> : unpack<8>;
  const Epilogue nothing;
  alignas(64) float weights[kFloatRows * kPanel];
  GemmBlock block;
  block.rows = t.rows;
  block.a_rs = s.k;
  block.b = weights;
  block.b_rs = kPanel;
  block.epilogue = &nothing;
  block.out.c = t.y;
  block.out.row = t.y_row;
  block.out.cols = static_cast<int>(t.cols);
  const auto* at = reinterpret_cast<const uint8_t*>(t.panel);
  const int64_t most = kFloatRows / s.group * s.group;
  for (int64_t first = 0; first < s.k; first += most) {
    block.k = least(s.k - first, most);
    for (int64_t row = 0; row < block.k; row += s.group) at = of_bits(s, at, weights + row * kPanel);
    block.a = t.x + first;
    block.out.first = first == 0;
    block.out.last = first + most >= s.k;
    TC_TIER_NAME(gemm_block)(block);
  }
}

// From so many rows on, floats. Bytes, GFLOP/s of 128 rows by 4096 x 4096 weights, AVX2 and SSE4.2: by integers 28 and
// 14, by floats 50 and 19. Of 4 bits in groups of 32 on Zen 3, zoo's llama_q4 by integers and by floats, AVX2: 8 rows
// 10.6 and 11.8 ms, 16 14.4 and 13.3, 32 28.2 and 23.6, all 58 and 44; SSE4.2: 16 29 and 34, 128 243 and 245.
constexpr int64_t kTall = 8, kTallOfBits = kVecFloats >= 8 ? 12 : std::numeric_limits<int64_t>::max();
void by_either(const BlockwiseTile& t) {
  t.rows >= (t.shape.bits == 8 ? kTall : kTallOfBits) ? by_floats(t) : by_integers(t);
}

}  // namespace

extern constinit const BlockwiseTable TC_TIER_NAME(blockwise_table);
constinit const BlockwiseTable TC_TIER_NAME(blockwise_table) = {
    .traits = TC_KERNEL(blockwise_traits, "blockwise_traits"),
    .digits = TC_KERNEL(digits, "digits_f32"),
    .tile = TC_KERNEL(by_either, "blockwise_f32"),
};

}  // namespace tc::kernels
