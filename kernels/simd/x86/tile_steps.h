// tile_steps.h on AVX2.
#pragma once
#include <type_traits>

#include "tc/kernels/simd/dot4.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Whether tiles of R rows of NV registers have their steps here, which the functions below run.
template <int R, int NV>
inline constexpr bool kRunsSteps = NV == 2 && R >= 4 && R <= 6;

// A step s has two registers of the right operand in ymm13 and ymm14, and each row of the left one meets them: rows lie
// rs bytes apart from the register `a` on, row 4 is at rax.
#define TC_ROWS_4(row, a) \
  row("(" a ")", 0, 1) row("(" a ",%[rs])", 2, 3) row("(" a ",%[rs],2)", 4, 5) row("(" a ",%[rs3])", 6, 7)
#define TC_ROWS_5(row, a) TC_ROWS_4(row, a) row("(%%rax)", 8, 9)
#define TC_ROWS_6(row, a) TC_ROWS_5(row, a) row("(%%rax,%[rs])", 10, 11)
#define TC_SUMS_4(in)                                                                                         \
  "+x"(v[0][0] in), "+x"(v[0][1] in), "+x"(v[1][0] in), "+x"(v[1][1] in), "+x"(v[2][0] in), "+x"(v[2][1] in), \
      "+x"(v[3][0] in), "+x"(v[3][1] in)
#define TC_SUMS_5(in) TC_SUMS_4(in), "+x"(v[4][0] in), "+x"(v[4][1] in)
#define TC_SUMS_6(in) TC_SUMS_5(in), "+x"(v[5][0] in), "+x"(v[5][1] in)
#define TC_STEPS_OF(R, left, steps, right, row, in, scratch, ...)                               \
  asm("leaq (%[a],%[rs],4), %%rax\n\t.irp s," steps "\n\t" right TC_ROWS_##R(row, left) ".endr" \
      : TC_SUMS_##R(in)                                                                         \
      : [a] "r"(a), [rs] "r"(rs), [rs3] "r"(3 * rs), [b] "r"(b), __VA_ARGS__                    \
      : "rax", scratch, "xmm13", "xmm14", "xmm15", "memory")
// in: what the register is of an element of v; then inputs beside a, rs and b.
#define TC_STEPS(left, steps, right, row, in, scratch, ...)            \
  if constexpr (R == 4)                                                \
    TC_STEPS_OF(4, left, steps, right, row, in, scratch, __VA_ARGS__); \
  else if constexpr (R == 5)                                           \
    TC_STEPS_OF(5, left, steps, right, row, in, scratch, __VA_ARGS__); \
  else                                                                 \
    TC_STEPS_OF(6, left, steps, right, row, in, scratch, __VA_ARGS__)

// Floats: the right operand's row lies in a packed panel, b_rs bytes after the one before, or where a table says; the
// left one's steps lie `step` bytes apart, or where a table of pairs says. type: s of f32, d of f64.
#define TC_PANEL "vmovups 64*\\s(%[b]), %%ymm13\n\tvmovups 64*\\s+32(%[b]), %%ymm14\n\t"
#define TC_SPREAD                                              \
  ".if \\s == 0\n\tmovq %[b], %%rcx\n\t.endif\n\t"             \
  "vmovups (%%rcx), %%ymm13\n\tvmovups 32(%%rcx), %%ymm14\n\t" \
  "addq %[b_rs], %%rcx\n\t"
#define TC_TABLE                    \
  "movq 8*\\s(%[table]), %%rcx\n\t" \
  "vmovups (%[b],%%rcx,4), %%ymm13\n\tvmovups 32(%[b],%%rcx,4), %%ymm14\n\t"
#define TC_TAPS                     \
  "movq 16*\\s(%[taps]), %%rcx\n\t" \
  "leaq (%[a],%%rcx,4), %%rcx\n\t"  \
  "leaq (%%rcx,%[rs],4), %%rax\n\t" TC_PANEL
#define TC_ROW(type, left, first, second)         \
  "vbroadcasts" type " %c[step]*\\s" left         \
  ", %%ymm15\n\t"                                 \
  "vfmadd231p" type " %%ymm13, %%ymm15, %" #first \
  "\n\t"                                          \
  "vfmadd231p" type " %%ymm14, %%ymm15, %" #second "\n\t"
#define TC_ROW_F32(...) TC_ROW("s", __VA_ARGS__)
#define TC_ROW_F64(...) TC_ROW("d", __VA_ARGS__)
#define TC_FLOATS_OF(left, row, steps, right, ...) \
  TC_STEPS(left, steps, right, row, .data, "rcx", [step] "i"(kStep)__VA_OPT__(, ) __VA_ARGS__)
#define TC_FLOATS(...) TC_FLOATS_OF("%[a]", TC_ROW_F32, __VA_ARGS__)
#define TC_DOUBLES(...) TC_FLOATS_OF("%[a]", TC_ROW_F64, __VA_ARGS__)

// Words: half s of the quads, of which the left operand has a pair in each row.
#define TC_VECTORS "vmovdqu %c[half]*\\s(%[b]), %%ymm13\n\tvmovdqu %c[half]*\\s+32(%[b]), %%ymm14\n\t"
#define TC_PAIRS(left, first, second)             \
  "vpbroadcastd %c[quad]*(\\s>>1)+4*(\\s&1)" left \
  ", %%ymm15\n\t"                                 \
  "vpmaddwd %%ymm13, %%ymm15, %%ymm12\n\t"        \
  "vpmaddwd %%ymm14, %%ymm15, %%ymm15\n\t"        \
  "vpaddd %%ymm12, %" #first ", %" #first         \
  "\n\t"                                          \
  "vpaddd %%ymm15, %" #second ", %" #second "\n\t"
#define TC_WORDS(split_bf16) \
  TC_STEPS("%[a]", split_bf16, TC_VECTORS, TC_PAIRS, , "xmm12", [half] "i"(kHalf), [quad] "i"(kQuad))

// `steps` of them by the rows of a packed panel. Leaves a and b at the next one. Rows of a are a_rs elements apart,
// steps kDistance.
template <int kDistance, class T, int R>
TC_INLINE void run_steps(Vec<T> (&v)[R][2], const T*& a, int64_t a_rs, const T*& b, int64_t steps) {
  constexpr int kStep = kDistance * static_cast<int>(sizeof(T));
  constexpr int64_t kPanelRow = 2 * kLanes<T>;
  const int64_t rs = a_rs * static_cast<int64_t>(sizeof(T));
  // That there are few steps is kept from the compiler: loops laid out one behind the other have more loads than the
  // machine's prefetchers tell apart, 256 x 256 x 256 on Zen 3 0.56 ms, so 0.38. So is how far a place is from where it
  // was: it would be worked out again after the loop, for every 16 steps of a convolution by twelve instructions.
  for (int64_t fours = forget(steps >> 2); fours > 0; --fours) {
    if constexpr (std::is_same_v<T, float>)
      TC_FLOATS("0,1,2,3", TC_PANEL);
    else
      TC_DOUBLES("0,1,2,3", TC_PANEL);
    a = forget(a + 4 * kDistance), b = forget(b + 4 * kPanelRow);
  }
  if ((steps & 3) == 0) return;
  int64_t rest = forget(steps & 3);
  do {
    if constexpr (std::is_same_v<T, float>)
      TC_FLOATS("0", TC_PANEL);
    else
      TC_DOUBLES("0", TC_PANEL);
    a = forget(a + kDistance), b = forget(b + kPanelRow);
  } while (--rest > 0);
}

// The same by rows distance floats apart, of a left operand whose steps follow each other.
template <int R>
TC_INLINE void run_spread_steps(VecF (&v)[R][2], const float*& a, int64_t a_rs, const float*& b, int64_t distance,
                                int64_t steps) {
  constexpr int kStep = sizeof(float);
  const int64_t rs = a_rs * kStep, b_rs = distance * kStep;
  steps = forget(steps);
  for (; steps >= 4; steps -= 4, a += 4, b += 4 * distance) TC_FLOATS("0,1,2,3", TC_SPREAD, [b_rs] "r"(b_rs));
  for (; steps > 0; --steps, ++a, b += distance) TC_FLOATS("0", TC_SPREAD, [b_rs] "r"(b_rs));
}

// The same by rows at b + table[0], b + table[1] and so on.
template <int R>
TC_INLINE void run_table_steps(VecF (&v)[R][2], const float* a, int64_t a_rs, const float* b, const int64_t* table,
                               int64_t steps) {
  constexpr int kStep = sizeof(float);
  const int64_t rs = a_rs * kStep;
  for (; steps >= 4; steps -= 4, a += 4, table += 4) TC_FLOATS("0,1,2,3", TC_TABLE, [table] "r"(table));
  for (; steps > 0; --steps, ++a, ++table) TC_FLOATS("0", TC_TABLE, [table] "r"(table));
}

// The same by the rows of a packed panel, of a left operand at a + taps[0], a + taps[2] and so on.
template <int R>
TC_INLINE void run_tap_steps(VecF (&v)[R][2], const float* a, int64_t a_rs, const float* b, const int64_t* taps,
                             int64_t steps) {
  constexpr int kStep = 0;
  const int64_t rs = a_rs * static_cast<int64_t>(sizeof(float));
  for (; steps >= 4; steps -= 4, b += 64, taps += 8)
    TC_FLOATS_OF("%%rcx", TC_ROW_F32, "0,1,2,3", TC_TAPS, [taps] "r"(taps));
  for (; steps > 0; --steps, b += 16, taps += 2) TC_FLOATS_OF("%%rcx", TC_ROW_F32, "0", TC_TAPS, [taps] "r"(taps));
}

// Adds up quads of words, each [half][2]. In words: a row of the vectors b is kWidth, rows of a lie kRow apart, quads
// kDistance.
template <int kWidth, int kRow, int kDistance, int R>
TC_INLINE void run_words(Bytes (&v)[R][2], const int16_t* b, const int16_t* a, int64_t quads) {
  constexpr int kQuad = kDistance * 2, kHalf = kWidth * 2;
  const int64_t rs = kRow * 2;
  for (; quads >= 2; quads -= 2, b += 4 * kWidth, a += 2 * kDistance) TC_WORDS("0,1,2,3");
  for (; quads > 0; --quads) TC_WORDS("0,1");
}

#undef TC_ROWS_4
#undef TC_ROWS_5
#undef TC_ROWS_6
#undef TC_SUMS_4
#undef TC_SUMS_5
#undef TC_SUMS_6
#undef TC_STEPS_OF
#undef TC_STEPS
#undef TC_PANEL
#undef TC_SPREAD
#undef TC_TABLE
#undef TC_TAPS
#undef TC_ROW
#undef TC_ROW_F32
#undef TC_ROW_F64
#undef TC_FLOATS_OF
#undef TC_FLOATS
#undef TC_DOUBLES
#undef TC_VECTORS
#undef TC_PAIRS
#undef TC_WORDS

}  // namespace
}  // namespace tc::kernels
