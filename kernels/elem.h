// Element types as kernels know them: how the bytes of one element are to be read.
#pragma once

#include <cstdint>

namespace tc::kernels {

// boolean is a byte: zero is false, everything else true; stored as 0 or 1.
enum class Elem : std::uint8_t { f32, f64, i32, i64, boolean, u8, i8, u16, i16, u32, u64, f16, bf16 };
inline constexpr int kElemCount = 13;

constexpr int elem_bytes(Elem type) {
  switch (type) {
    case Elem::boolean:
    case Elem::u8:
    case Elem::i8:
      return 1;
    case Elem::u16:
    case Elem::i16:
    case Elem::f16:
    case Elem::bf16:
      return 2;
    case Elem::f32:
    case Elem::i32:
    case Elem::u32:
      return 4;
    case Elem::f64:
    case Elem::i64:
    case Elem::u64:
      return 8;
  }
  return 0;
}

constexpr const char* elem_name(Elem type) {
  constexpr const char* kNames[kElemCount] = {"f32", "f64", "i32", "i64", "bool", "u8",  "i8",
                                              "u16", "i16", "u32", "u64", "f16",  "bf16"};
  return kNames[static_cast<int>(type)];
}

// f(T{}) with T what kernels that know four types of numbers compute in: f64, i32, i64, and f32 for what is left.
template <class F>
inline void by_number(Elem type, F f) {
  switch (type) {
    case Elem::f64:
      return f(double{});
    case Elem::i32:
      return f(std::int32_t{});
    case Elem::i64:
      return f(std::int64_t{});
    default:
      return f(float{});
  }
}

}  // namespace tc::kernels
