// Sums of products of words for AVX2's tiles of four to six rows and two registers, in assembler as those of floats are
// (gemm/steps_avx2.h): they need all of the 16 registers. Only int8_engine.h includes it.
#pragma once

namespace tc::kernels {
namespace {

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
#define TC_SUMS(r) "+x"(sum.v[r][0]), "+x"(sum.v[r][1])
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

// Distances of rows and quads in words.
template <int kRowWords, int kQuadWords, int R>
TC_INLINE void run_words(Sums<R, 2>& sum, const int16_t* at, const int16_t* row, int64_t quads) {
  constexpr int kQuad = kQuadWords * 2, kHalf = kInt8Width * 4;
  const int64_t rs = kRowWords * 2;
  for (; quads >= 2; quads -= 2, at += 4 * kInt8Width * 2, row += 2 * kQuadWords) {
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

}  // namespace
}  // namespace tc::kernels
