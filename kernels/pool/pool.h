// Max and average pooling over one to three spatial axes: of f32 on plain NCHW and on NCHW16c, of f64 and (maxima only)
// u8 and i8 on plain NCHW, of these also on NCHW16c; global pooling of f32; and sums of windows into an image.
//
// A call is a set of independent tiles whose results do not depend on the number of threads. NaN wins a maximum.
// Padding lanes of NCHW16c are pooled like others.
#pragma once
#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

enum class PoolKind : uint8_t { max, average };

// Spatial axes are [depth, height, width], of extent 1 where there are fewer.
struct PoolShape {
  int64_t planes = 1;  // plain: n * c; blocked: n * ceil(c / 16)
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0}, pad_end[3] = {0, 0, 0};
  bool blocked = false;
};

struct PoolArgs {
  PoolShape shape;
  PoolKind kind = PoolKind::max;
  // Averages divide by the taps inside the padded input; otherwise by those inside the input. Windows that hold none
  // give -infinity or NaN.
  bool count_include_pad = false;
  const float* x = nullptr;
  float* y = nullptr;
  // Of maxima in plain layout, or null: where in all of x each is, the first of equals; -1 for windows of nothing but
  // padding.
  int64_t* places = nullptr;
};

// The same, blocked for maxima of bytes without places; a window of nothing but padding gives the lowest integer.
struct PoolAnyArgs {
  PoolShape shape;
  PoolKind kind = PoolKind::max;
  bool count_include_pad = false;
  Elem type = Elem::f64;  // f64, u8 or i8
  const void* x = nullptr;
  void* y = nullptr;
  int64_t* places = nullptr;
};

// The reverse of cutting windows out of planes: y [planes, in] has at each place the sum, by taps, of what the windows
// that see it hold for it in x [planes, kernel, out].
struct FoldArgs {
  PoolShape shape;        // plain
  Elem type = Elem::f32;  // or f64
  const void* x = nullptr;
  void* y = nullptr;
};

struct PoolTable {
  // Output rows [row0, row1) of planes [plane0, plane1), rows counted over depth and height.
  Slot<void(const PoolArgs&, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1)> plain;
  Slot<void(const PoolArgs&, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1)> blocked;
  // All of each plane's pixels: one value, or 16.
  Slot<void(PoolKind, const float* x, int64_t planes, int64_t pixels, float* y)> global_plain;
  Slot<void(PoolKind, const float* x, int64_t planes, int64_t pixels, float* y)> global_blocked;
  Slot<void(const PoolAnyArgs&, int64_t plane0, int64_t plane1, int64_t row0, int64_t row1)> any;
  Slot<void(const FoldArgs&, int64_t plane)> fold;
};

void pool(Team& team, const PoolTable& kernels, const PoolArgs& args);
void pool(Team& team, const PoolTable& kernels, const PoolAnyArgs& args);
void fold_windows(Team& team, const PoolTable& kernels, const FoldArgs& args);
void global_pool(Team& team, const PoolTable& kernels, PoolKind kind, bool blocked, const float* x, int64_t planes,
                 int64_t pixels, float* y);

}  // namespace tc::kernels
