// Steps of K of AVX2's register tiles, four between two branches. In assembler: the compiler has the sums of several
// steps, or of two loops, go to and fro between registers and the stack. Only *_tier files include it.
#pragma once
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Whether tiles of R rows of NV registers have their steps here, which the functions below run.
#if defined(__AVX2__) && !defined(__AVX512F__)
template <int R, int NV>
inline constexpr bool kRunsSteps = NV == 2 && R >= 4 && R <= 6;

// Row s of the right operand lies in a packed panel, b_rs bytes after the one before, or where a table says.
#define TC_PANEL                      \
  "vmovups 64*\\s(%[b]), %%ymm13\n\t" \
  "vmovups 64*\\s+32(%[b]), %%ymm14\n\t"
#define TC_SPREAD                  \
  "vmovups (%%rcx), %%ymm13\n\t"   \
  "vmovups 32(%%rcx), %%ymm14\n\t" \
  "addq %[b_rs], %%rcx\n\t"
#define TC_TABLE                        \
  "movq 8*\\s(%[table]), %%rcx\n\t"     \
  "vmovups (%[b],%%rcx,4), %%ymm13\n\t" \
  "vmovups 32(%[b],%%rcx,4), %%ymm14\n\t"
// The left operand's rows lie rs bytes apart, its steps `step` bytes; row 4 is at rax.
#define TC_ROW(left, first, second)        \
  "vbroadcastss %c[step]*\\s" left         \
  ", %%ymm15\n\t"                          \
  "vfmadd231ps %%ymm13, %%ymm15, %" #first \
  "\n\t"                                   \
  "vfmadd231ps %%ymm14, %%ymm15, %" #second "\n\t"
#define TC_ROWS_4                \
  TC_ROW("(%[a])", 0, 1)         \
  TC_ROW("(%[a],%[rs])", 2, 3)   \
  TC_ROW("(%[a],%[rs],2)", 4, 5) \
  TC_ROW("(%[a],%[rs3])", 6, 7)
#define TC_ROWS_5 TC_ROWS_4 TC_ROW("(%%rax)", 8, 9)
#define TC_ROWS_6 TC_ROWS_5 TC_ROW("(%%rax,%[rs])", 10, 11)
#define TC_SUMS(i) "+x"(v[i][0].data), "+x"(v[i][1].data)
#define TC_SUMS_4 TC_SUMS(0), TC_SUMS(1), TC_SUMS(2), TC_SUMS(3)
#define TC_SUMS_5 TC_SUMS_4, TC_SUMS(4)
#define TC_SUMS_6 TC_SUMS_5, TC_SUMS(5)
#define TC_STEPS(steps, right, R, ...)                                                                       \
  asm("leaq (%[a],%[rs],4), %%rax\n\tmovq %[b], %%rcx\n\t.irp s," steps "\n\t" right TC_ROWS_##R ".endr"     \
      : TC_SUMS_##R                                                                                          \
      : [a] "r"(a), [rs] "r"(rs), [rs3] "r"(3 * rs), [b] "r"(b), [step] "i"(kStep)__VA_OPT__(, ) __VA_ARGS__ \
      : "rax", "rcx", "xmm13", "xmm14", "xmm15", "memory")
#define TC_STEPS_BY_ROWS(steps, right, ...)               \
  if constexpr (R == 4)                                   \
    TC_STEPS(steps, right, 4 __VA_OPT__(, ) __VA_ARGS__); \
  else if constexpr (R == 5)                              \
    TC_STEPS(steps, right, 5 __VA_OPT__(, ) __VA_ARGS__); \
  else                                                    \
    TC_STEPS(steps, right, 6 __VA_OPT__(, ) __VA_ARGS__)

// A number of steps of which the compiler does not know that it is small: loops laid out one behind the other have more
// loads than the machine's prefetchers tell apart. 256 x 256 x 256 on Zen 3: 0.56 ms, so 0.38.
TC_INLINE int64_t unknown(int64_t steps) {
  asm("" : "+r"(steps));
  return steps;
}

constexpr int64_t kStepFloats = 16;  // of a packed panel

// `steps` of them by the rows of a packed panel. Leaves a and b at the next one. Rows of a are a_rs floats apart, steps
// kDistance.
template <int kDistance, int R>
TC_INLINE void run_steps(VecF (&v)[R][2], const float*& a, int64_t a_rs, const float*& b, int64_t steps) {
  constexpr int kStep = kDistance * static_cast<int>(sizeof(float));
  const int64_t rs = a_rs * static_cast<int64_t>(sizeof(float));
  steps = unknown(steps);
  for (; steps >= 4; steps -= 4, a += 4 * kDistance, b += 4 * kStepFloats) TC_STEPS_BY_ROWS("0,1,2,3", TC_PANEL);
  for (; steps > 0; --steps, a += kDistance, b += kStepFloats) TC_STEPS_BY_ROWS("0", TC_PANEL);
}

// The same by rows distance floats apart, of a left operand whose steps follow each other.
template <int R>
TC_INLINE void run_spread_steps(VecF (&v)[R][2], const float*& a, int64_t a_rs, const float*& b, int64_t distance,
                                int64_t steps) {
  constexpr int kStep = sizeof(float);
  const int64_t rs = a_rs * kStep, b_rs = distance * kStep;
  steps = unknown(steps);
  for (; steps >= 4; steps -= 4, a += 4, b += 4 * distance) TC_STEPS_BY_ROWS("0,1,2,3", TC_SPREAD, [b_rs] "r"(b_rs));
  for (; steps > 0; --steps, ++a, b += distance) TC_STEPS_BY_ROWS("0", TC_SPREAD, [b_rs] "r"(b_rs));
}

// The same by rows at b + table[0], b + table[1] and so on.
template <int R>
TC_INLINE void run_table_steps(VecF (&v)[R][2], const float* a, int64_t a_rs, const float* b, const int64_t* table,
                               int64_t steps) {
  constexpr int kStep = sizeof(float);
  const int64_t rs = a_rs * kStep;
  for (; steps >= 4; steps -= 4, a += 4, table += 4) TC_STEPS_BY_ROWS("0,1,2,3", TC_TABLE, [table] "r"(table));
  for (; steps > 0; --steps, ++a, ++table) TC_STEPS_BY_ROWS("0", TC_TABLE, [table] "r"(table));
}

#undef TC_PANEL
#undef TC_SPREAD
#undef TC_TABLE
#undef TC_ROW
#undef TC_ROWS_4
#undef TC_ROWS_5
#undef TC_ROWS_6
#undef TC_SUMS
#undef TC_SUMS_4
#undef TC_SUMS_5
#undef TC_SUMS_6
#undef TC_STEPS
#undef TC_STEPS_BY_ROWS
#else
template <int R, int NV>
inline constexpr bool kRunsSteps = false;
template <int kDistance, int R, int NV>
void run_steps(VecF (&)[R][NV], const float*&, int64_t, const float*&, int64_t);
template <int R, int NV>
void run_spread_steps(VecF (&)[R][NV], const float*&, int64_t, const float*&, int64_t, int64_t);
template <int R, int NV>
void run_table_steps(VecF (&)[R][NV], const float*, int64_t, const float*, const int64_t*, int64_t);
#endif

}  // namespace
}  // namespace tc::kernels
