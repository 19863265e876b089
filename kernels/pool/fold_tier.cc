#include <cstring>

#include "tc/kernels/pool/span.h"
#include "tc/kernels/simd/vec.h"

namespace tc::kernels {

void TC_TIER_NAME(pool_fold)(const FoldArgs& args, int64_t plane);

namespace {

template <class T>
void fold(const FoldArgs& args, int64_t plane) {
  const PoolShape& s = args.shape;
  const int64_t windows = s.out[0] * s.out[1] * s.out[2], taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t pixels = s.in[0] * s.in[1] * s.in[2];
  const T* from = static_cast<const T*>(args.x) + plane * taps * windows;
  T* image = static_cast<T*>(args.y) + plane * pixels;
  std::memset(image, 0, static_cast<size_t>(pixels) * sizeof(T));
  // Output coordinates along an axis whose tap k lies inside the image: [first, last).
  const auto inside = [&](int axis, int64_t k) {
    const int64_t at = k * s.dilation[axis] - s.pad[axis], stride = s.stride[axis];
    struct {
      int64_t first, last, at;
    } range = {at >= 0 ? 0 : taps_in(-at, stride), 0, at};
    range.last = least(s.out[axis], at >= s.in[axis] ? 0 : taps_in(s.in[axis] - at, stride));
    return range;
  };
  for (int64_t tap = 0; tap < taps; ++tap, from += windows) {
    const auto z = inside(0, tap / s.kernel[2] / s.kernel[1]), y = inside(1, tap / s.kernel[2] % s.kernel[1]),
               x = inside(2, tap % s.kernel[2]);
    const int64_t step = s.stride[2];
    for (int64_t oz = z.first; oz < z.last; ++oz)
      for (int64_t oy = y.first; oy < y.last; ++oy) {
        const T* row = from + (oz * s.out[1] + oy) * s.out[2];
        T* to = image + ((oz * s.stride[0] + z.at) * s.in[1] + oy * s.stride[1] + y.at) * s.in[2] + x.at;
        int64_t ox = x.first;
        if (step == 1) {
          constexpr int kV = kLanes<T>;
          for (; ox + kV <= x.last; ox += kV) store(to + ox, load(to + ox) + load(row + ox));
          if (ox < x.last) {
            const Tail<T> tail(static_cast<int>(x.last - ox));
            store(to + ox, load(to + ox, tail) + load(row + ox, tail), tail);
          }
          continue;
        }
        for (; ox < x.last; ++ox) to[ox * step] += row[ox];
      }
  }
}

}  // namespace

void TC_TIER_NAME(pool_fold)(const FoldArgs& args, int64_t plane) {
  args.type == Elem::f64 ? fold<double>(args, plane) : fold<float>(args, plane);
}

}  // namespace tc::kernels
