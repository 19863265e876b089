// Steps of AVX2's register tiles of four to six rows of two registers, several between two branches: multiply-adds of
// f32, f64 and of words. In assembler: the compiler has the sums of several steps, or of two loops, go to and fro
// between registers and the stack. Only *_tier files include it.
#pragma once
#if defined(__AVX2__) && !defined(__AVX512F__)
#include "tc/kernels/simd/x86/tile_steps.h"
#else
#include "tc/kernels/simd/dot4.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// Whether tiles of R rows of NV registers have their steps here, which the functions below run.
template <int R, int NV>
inline constexpr bool kRunsSteps = false;
template <int kDistance, class T, int R, int NV>
void run_steps(Vec<T> (&)[R][NV], const T*&, int64_t, const T*&, int64_t);
template <int R, int NV>
void run_spread_steps(VecF (&)[R][NV], const float*&, int64_t, const float*&, int64_t, int64_t);
template <int R, int NV>
void run_table_steps(VecF (&)[R][NV], const float*, int64_t, const float*, const int64_t*, int64_t);
template <int R, int NV>
void run_tap_steps(VecF (&)[R][NV], const float*, int64_t, const float*, const int64_t*, int64_t);
template <int kWidth, int kRow, int kDistance, int R, int NV>
void run_words(Bytes (&)[R][NV], const int16_t*, const int16_t*, int64_t);

}  // namespace
}  // namespace tc::kernels
#endif
