#include "tc/kernels/simd/vec.h"

#include "tc/kernels/simd/transpose.h"
#include "vec_face.h"

namespace tc::kernels {
namespace {

constexpr int kV = kLanes<float>;

// A whole register goes through the untailed forms, fewer lanes through the tailed ones.
template <class T>
void copy(const T* x, int n, T* y) {
  if (n == kLanes<T>) return store(y, load(x));
  store(y, load(x, Tail<T>(n)), Tail<T>(n));
}
void from_f16(const uint16_t* x, int n, float* y) {
  store(y, n == kV ? load_f16(x) : load_f16(x, Tail<float>(n)), Tail<float>(n));
}
void to_f16(const float* x, int n, uint16_t* y) {
  if (n == kV) return store_f16(y, load(x));
  store_f16(y, load(x, Tail<float>(n)), Tail<float>(n));
}
void from_bf16(const uint16_t* x, int n, float* y) {
  store(y, n == kV ? load_bf16(x) : load_bf16(x, Tail<float>(n)), Tail<float>(n));
}
void to_bf16(const float* x, int n, uint16_t* y) {
  if (n == kV) return store_bf16(y, load(x));
  store_bf16(y, load(x, Tail<float>(n)), Tail<float>(n));
}
void from_u8(const uint8_t* x, int n, int32_t* y) {
  store(y, n == kV ? load_u8(x) : load_u8(x, Tail<int32_t>(n)), Tail<int32_t>(n));
}
void from_i8(const int8_t* x, int n, int32_t* y) {
  store(y, n == kV ? load_i8(x) : load_i8(x, Tail<int32_t>(n)), Tail<int32_t>(n));
}
void mask(int n, float* y) {
  store(y, select(Tail<float>(n).mask(), VecF(1.0f), VecF(0.0f)));
}
void transpose_square(const float* x, float* y) {
  VecF m[kV];
  for (int i = 0; i < kV; ++i) m[i] = load(x + i * kV);
  transpose(m);
  for (int i = 0; i < kV; ++i) store(y + i * kV, m[i]);
}
void through_f64(const float* x, float* y) {
  store(y, narrow(low_f64(load(x)), high_f64(load(x))));
}
void i64_through_f64(const int64_t* x, int64_t* y) {
  store(y, to_i64(to_double(load(x))));
}
void round(const float* x, float* y) {
  store(y, vround(load(x)));
}
void to_int(const float* x, int32_t* truncated, int32_t* rounded) {
  store(truncated, to_i32(load(x)));
  store(rounded, round_to_i32(load(x)));
}
void gather_all(const float* base, const int32_t* index, float* y) {
  store(y, gather(base, load(index)));
}
void reduce(const float* x, float* total, float* least, float* most) {
  *total = sum(load(x));
  *least = hmin(load(x));
  *most = hmax(load(x));
}
void reduce_f64(const double* x, double* total, double* least, double* most) {
  *total = sum(load(x));
  *least = hmin(load(x));
  *most = hmax(load(x));
}
void reduce_int(const int32_t* x, const int64_t* y, int32_t* sum_x, int64_t* sum_y) {
  *sum_x = sum(load(x));
  *sum_y = sum(load(y));
}
void min_max(const float* a, const float* b, float* least, float* most) {
  store(least, vmin(load(a), load(b)));
  store(most, vmax(load(a), load(b)));
}
void shifts(const int32_t* x, int32_t* left, int32_t* right, int32_t* arithmetic) {
  store(left, shift_left<3>(load(x)));
  store(right, shift_right<3>(load(x)));
  store(arithmetic, shift_right_arith<3>(load(x)));
}
void shifts_i64(const int64_t* x, int64_t* left, int64_t* right) {
  store(left, shift_left<3>(load(x)));
  store(right, shift_right<3>(load(x)));
}
void signs(const float* a, const float* b, float* y) {
  store(y, copysign(load(a), load(b)));
}
void block(const float* x, int n, float* y) {
  if (n == 16) return Block16::load(x).store(y);
  Block16::load(x, n).store(y, n);
}

}  // namespace

namespace testing {

extern constinit const VecFace TC_TIER_NAME(vec_face);
constinit const VecFace TC_TIER_NAME(vec_face) = {
    kV,      copy<float>, copy<int32_t>, copy<double>, copy<int64_t>,    from_f16,    to_f16,          from_bf16,
    to_bf16, from_u8,     from_i8,       mask,         transpose_square, through_f64, i64_through_f64, round,
    to_int,  gather_all,  reduce,        reduce_f64,   reduce_int,       min_max,     shifts,          shifts_i64,
    signs,   block,
};

}  // namespace testing
}  // namespace tc::kernels
