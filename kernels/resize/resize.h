// Separable resampling of f32 over one to three axes, on plain NCHW, on points of several floats such as NHWC's
// channels, and on NCHW16c: nearest, linear, cubic, antialiased alike, since each axis comes as a table of taps.
//
// A call is a set of independent tiles whose results do not depend on the number of threads.
#pragma once
#include <cstdint>

#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// Result element i is the sum over k of weight[k * out + i] * operand element index[k * out + i].
struct ResizeAxis {
  int64_t in = 1, out = 1;
  int taps = 1;
  const int32_t* index = nullptr;  // within [0, in); of each tap monotonic, but where its weight is 0
  const float* weight = nullptr;   // null: one tap, copied as it is
  bool doubles = false;            // index[i] is i / 2, of one tap
};

struct ResizeArgs {
  int64_t planes = 1;  // plain: n * c; blocked: n * ceil(c / 16)
  bool blocked = false;
  int64_t point = 1;   // floats side by side that an element of axis[2] stands for, if not blocked
  int64_t spread = 0;  // of points of one float: indices of axis[2] are as far from a monotonic order at most
  ResizeAxis axis[3];  // depth, height, width
  const float* x = nullptr;
  float* y = nullptr;
  float* scratch = nullptr;  // resize_scratch_floats(), unless blocked
};

// The most output rows of plain planes that are made at a time, each from a line of the scratch memory; of points one.
inline constexpr int kResizeRows = 8;

struct ResizeTable {
  // Output rows [row0, row1) of a plane, rows counted over depth and height.
  Slot<void(const ResizeArgs&, int64_t plane, int64_t row0, int64_t row1, int worker)> plain, points;
  Slot<void(const ResizeArgs&, int64_t plane, int64_t row0, int64_t row1, int worker)> blocked;
};

int64_t resize_scratch_floats(const ResizeArgs& args, int threads);
void resize(Team& team, const ResizeTable& kernels, const ResizeArgs& args);

}  // namespace tc::kernels
