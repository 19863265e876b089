// What the outputs of a pool see along an axis. Only *_tier.cc files include it.
#pragma once
#include "tc/kernels/pool/pool.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {
namespace {

// The taps of one axis at one output: [k0, k1) lie inside the input, `padded` of them inside the padded input.
struct Span {
  int64_t k0, k1, padded, at;
};

// n / d, rounded up; divisions would be the larger part of a short row's time.
inline int64_t taps_in(int64_t n, int64_t d) {
  return d == 1 ? n : (n + d - 1) / d;
}

inline Span span_of(const PoolShape& s, int axis, int64_t o) {
  const int64_t d = s.dilation[axis], kernel = s.kernel[axis];
  Span out;
  out.at = o * s.stride[axis] - s.pad[axis];
  out.k0 = out.at >= 0 ? 0 : least(kernel, taps_in(-out.at, d));
  out.k1 = out.at >= s.in[axis] ? out.k0 : most(out.k0, least(kernel, taps_in(s.in[axis] - out.at, d)));
  const int64_t room = s.in[axis] + s.pad_end[axis] - out.at;
  out.padded = room <= 0 ? 0 : least(kernel, taps_in(room, d));
  return out;
}

// Of output row `row`, counted over depth and height.
inline Span depth_span(const PoolShape& s, int64_t row) {
  return span_of(s, 0, s.out[0] == 1 ? 0 : row / s.out[1]);
}
inline Span height_span(const PoolShape& s, int64_t row) {
  return span_of(s, 1, s.out[0] == 1 ? row : row % s.out[1]);
}

// What some outputs of a row see: a line of the input's columns, of which the padding beside the image has some.
struct Piece {
  int64_t x0, line;     // the line's first column, and so many
  int64_t left, right;  // the image has [left, right) of them
  Piece(const PoolShape& s, int64_t first, int64_t outputs)
      : x0(first * s.stride[2] - s.pad[2]),
        line((outputs - 1) * s.stride[2] + (s.kernel[2] - 1) * s.dilation[2] + 1),
        left(least(line, most(0, -x0))),
        right(most(left, least(line, s.in[2] - x0))) {}
};
// So many outputs' columns fit `room` columns; 0: not even one's do.
inline int64_t outputs_in(const PoolShape& s, int64_t room) {
  const int64_t reach = (s.kernel[2] - 1) * s.dilation[2] + 1;
  return reach > room || s.stride[2] > room ? 0 : (room - reach) / s.stride[2] + 1;
}

// Taps to divide an average by.
inline int64_t taps_of(bool count_include_pad, const Span& z, const Span& y, const Span& x) {
  return count_include_pad ? z.padded * y.padded * x.padded : (z.k1 - z.k0) * (y.k1 - y.k0) * (x.k1 - x.k0);
}

}  // namespace
}  // namespace tc::kernels
