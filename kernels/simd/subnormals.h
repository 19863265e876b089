// Products and convolutions take numbers below 1.2e-38 for 0. A multiplication by one takes 150 times as long as by
// another number, and channels that training gave up on are full of them; beside sums of numbers that matter they are
// nothing.
#pragma once
#include <immintrin.h>

namespace tc::kernels {

// While it lives, the calling thread's floating-point operations read subnormal numbers as 0 and give 0 for them.
class NoSubnormals {
 public:
  NoSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushToZero | kDenormalsAreZero); }
  ~NoSubnormals() { _mm_setcsr(before_); }
  NoSubnormals(const NoSubnormals&) = delete;
  NoSubnormals& operator=(const NoSubnormals&) = delete;

 private:
  static constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned before_;
};

}  // namespace tc::kernels
