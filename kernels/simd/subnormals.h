// Products and convolutions take numbers below 1.2e-38 for 0: channels that training gave up on are full of them, and
// beside sums of numbers that matter they are nothing. A convolution of a text recogniser: 2.5 to 116 GFLOP/s.
#pragma once
#include <cstdint>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tc::kernels {

// The calling thread's word that says how floating-point operations treat subnormal numbers, and what it holds where
// they read them as 0 and give 0 for them. Machines without such a word compute with them as they are.
#if defined(__x86_64__)
inline uint64_t subnormals_word() {
  return _mm_getcsr();
}
inline void set_subnormals_word(uint64_t word) {
  _mm_setcsr(static_cast<unsigned>(word));
}
inline constexpr uint64_t kNoSubnormals = 0x8000 | 0x0040;  // flush to zero, denormals are zero
#elif defined(__aarch64__)
inline uint64_t subnormals_word() {
  uint64_t word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void set_subnormals_word(uint64_t word) {
  __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
inline constexpr uint64_t kNoSubnormals = 1 << 24;  // FZ
#else
inline uint64_t subnormals_word() {
  return 0;
}
inline void set_subnormals_word(uint64_t) {}
inline constexpr uint64_t kNoSubnormals = 0;
#endif

// While it lives, the calling thread's floating-point operations take subnormal numbers for 0.
class NoSubnormals {
 public:
  NoSubnormals() : before_(subnormals_word()) { set_subnormals_word(before_ | kNoSubnormals); }
  ~NoSubnormals() { set_subnormals_word(before_); }
  NoSubnormals(const NoSubnormals&) = delete;
  NoSubnormals& operator=(const NoSubnormals&) = delete;

 private:
  uint64_t before_;
};

}  // namespace tc::kernels
