// Sums of products of words for AVX2's tiles, in assembler as those of floats are (gemm/steps_tier.h): they need all of
// the 16 registers. Only *_tier files include it.
#pragma once
#include "tc/kernels/simd/dot4.h"

namespace tc::kernels {
namespace {

// Whether tiles of R rows of NV registers have their sums here.
#if defined(__AVX2__) && !defined(__AVX512F__)
template <int R, int NV>
inline constexpr bool kRunsWords = NV == 2 && R >= 4 && R <= 6;

// Half s of the quads: two registers of vectors, and a pair of each row. Rows lie rs bytes apart, quads `quad` bytes;
// row 4 is at rax.
#define TC_VECTORS                           \
  "vmovdqu %c[half]*\\s(%[at]), %%ymm12\n\t" \
  "vmovdqu %c[half]*\\s+32(%[at]), %%ymm13\n\t"
#define TC_ROW(row, first, second)               \
  "vpbroadcastd %c[quad]*(\\s>>1)+4*(\\s&1)" row \
  ", %%ymm15\n\t"                                \
  "vpmaddwd %%ymm12, %%ymm15, %%ymm14\n\t"       \
  "vpmaddwd %%ymm13, %%ymm15, %%ymm15\n\t"       \
  "vpaddd %%ymm14, %" #first ", %" #first        \
  "\n\t"                                         \
  "vpaddd %%ymm15, %" #second ", %" #second "\n\t"
#define TC_ROWS_4                  \
  TC_ROW("(%[row])", 0, 1)         \
  TC_ROW("(%[row],%[rs])", 2, 3)   \
  TC_ROW("(%[row],%[rs],2)", 4, 5) \
  TC_ROW("(%[row],%[rs3])", 6, 7)
#define TC_ROWS_5 TC_ROWS_4 TC_ROW("(%%rax)", 8, 9)
#define TC_ROWS_6 TC_ROWS_5 TC_ROW("(%%rax,%[rs])", 10, 11)
#define TC_SUMS(r) "+x"(v[r][0]), "+x"(v[r][1])
#define TC_SUMS_4 TC_SUMS(0), TC_SUMS(1), TC_SUMS(2), TC_SUMS(3)
#define TC_SUMS_5 TC_SUMS_4, TC_SUMS(4)
#define TC_SUMS_6 TC_SUMS_5, TC_SUMS(5)
#define TC_HALVES(halves, R)                                                                                \
  asm("leaq (%[row],%[rs],4), %%rax\n\t.irp s," halves "\n\t" TC_VECTORS TC_ROWS_##R ".endr"                \
      : TC_SUMS_##R                                                                                         \
      : [at] "r"(at), [row] "r"(row), [rs] "r"(rs), [rs3] "r"(3 * rs), [half] "i"(kHalf), [quad] "i"(kQuad) \
      : "rax", "xmm12", "xmm13", "xmm14", "xmm15", "memory")
#define TC_HALVES_BY_ROWS(halves) \
  if constexpr (R == 4)           \
    TC_HALVES(halves, 4);         \
  else if constexpr (R == 5)      \
    TC_HALVES(halves, 5);         \
  else                            \
    TC_HALVES(halves, 6)

// Adds up quads of words, each [half][2]. In words: a row of the vectors is kWidth, rows lie kRow apart, quads
// kDistance.
template <int kWidth, int kRow, int kDistance, int R>
TC_INLINE void run_words(Bytes (&v)[R][2], const int16_t* at, const int16_t* row, int64_t quads) {
  constexpr int kQuad = kDistance * 2, kHalf = kWidth * 2;
  const int64_t rs = kRow * 2;
  for (; quads >= 2; quads -= 2, at += 4 * kWidth, row += 2 * kDistance) {
    TC_HALVES_BY_ROWS("0,1,2,3");
  }
  if (quads > 0) {
    TC_HALVES_BY_ROWS("0,1");
  }
}

#undef TC_VECTORS
#undef TC_ROW
#undef TC_ROWS_4
#undef TC_ROWS_5
#undef TC_ROWS_6
#undef TC_SUMS
#undef TC_SUMS_4
#undef TC_SUMS_5
#undef TC_SUMS_6
#undef TC_HALVES
#undef TC_HALVES_BY_ROWS
#else
template <int R, int NV>
inline constexpr bool kRunsWords = false;
template <int kWidth, int kRow, int kDistance, int R, int NV>
void run_words(Bytes (&)[R][NV], const int16_t*, const int16_t*, int64_t);
#endif

}  // namespace
}  // namespace tc::kernels
