// What vec_tier.cc exposes of each tier's vector face to vec_test.cc.
#pragma once
#include <cstdint>

namespace tc::kernels::testing {

// Functions take the number of lanes to touch, from 0 to lanes.
struct VecFace {
  int lanes;
  void (*copy_f32)(const float* x, int n, float* y);
  void (*copy_i32)(const int32_t* x, int n, int32_t* y);
  void (*copy_f64)(const double* x, int n, double* y);    // up to lanes / 2
  void (*copy_i64)(const int64_t* x, int n, int64_t* y);  // up to lanes / 2
  void (*from_f16)(const uint16_t* x, int n, float* y);
  void (*to_f16)(const float* x, int n, uint16_t* y);
  void (*from_bf16)(const uint16_t* x, int n, float* y);
  void (*to_bf16)(const float* x, int n, uint16_t* y);
  void (*from_u8)(const uint8_t* x, int n, int32_t* y);
  void (*from_i8)(const int8_t* x, int n, int32_t* y);
  void (*mask)(int n, float* y);                          // 1 where the tail has a lane, else 0; a whole register
  void (*transpose)(const float* x, float* y);            // lanes x lanes
  void (*through_f64)(const float* x, float* y);          // narrow(low_f64, high_f64)
  void (*i64_through_f64)(const int64_t* x, int64_t* y);  // to_i64(to_double)
  void (*round)(const float* x, float* y);                // vround
  void (*to_i32)(const float* x, int32_t* truncated, int32_t* rounded);
  void (*gather)(const float* base, const int32_t* index, float* y);
  void (*reduce)(const float* x, float* sum, float* min, float* max);
  void (*reduce_f64)(const double* x, double* sum, double* min, double* max);
  void (*reduce_int)(const int32_t* x, const int64_t* y, int32_t* sum_x, int64_t* sum_y);
  void (*min_max)(const float* a, const float* b, float* min, float* max);
  void (*shifts)(const int32_t* x, int32_t* left, int32_t* right, int32_t* arithmetic);  // by 3
  void (*shifts_i64)(const int64_t* x, int64_t* left, int64_t* right);                   // by 3
  void (*copysign)(const float* a, const float* b, float* y);
  void (*block)(const float* x, int n, float* y);  // Block16, up to 16 floats
};

extern const VecFace vec_face_portable;
extern const VecFace vec_face_neon;
extern const VecFace vec_face_sse42;
extern const VecFace vec_face_avx2;
extern const VecFace vec_face_avx512;

}  // namespace tc::kernels::testing
