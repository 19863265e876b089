// Element types. Everything about one is a row of dtype.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "tc/ir/scalar.h"

namespace tc {

enum class DTypeKind : uint8_t { boolean, signed_int, unsigned_int, floating, complex, string };

enum class DType : uint8_t {
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) id,
#include "tc/ir/dtype.def"
#undef TC_DTYPE
};
inline constexpr int kNumDTypes = 0
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) +1
#include "tc/ir/dtype.def"
#undef TC_DTYPE
    ;

struct DTypeInfo {
  std::string_view name;
  size_t size;  // bytes one element occupies in memory
  int bits;     // logical width; 0 for strings
  DTypeKind kind;
  int onnx;                // TensorProto.DataType
  std::string_view numpy;  // descr string; empty when NumPy has no such type
};
const DTypeInfo& info(DType t);
inline std::string_view name(DType t) {
  return info(t).name;
}
inline size_t size_of(DType t) {
  return info(t).size;
}
inline DTypeKind kind(DType t) {
  return info(t).kind;
}
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_onnx(int64_t code);
std::ostream& operator<<(std::ostream& out, DType t);

// A set of element types, for operand constraints.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(DType t) : bits_(uint64_t{1} << static_cast<int>(t)) {}
  constexpr bool has(DType t) const { return bits_ >> static_cast<int>(t) & 1; }
  constexpr DTypeSet operator|(DTypeSet o) const { return DTypeSet(bits_ | o.bits_, 0); }
  constexpr DTypeSet operator-(DTypeSet o) const { return DTypeSet(bits_ & ~o.bits_, 0); }
  constexpr bool operator==(const DTypeSet&) const = default;
  constexpr bool empty() const { return bits_ == 0; }

 private:
  constexpr DTypeSet(uint64_t bits, int) : bits_(bits) {}
  uint64_t bits_ = 0;
};
std::ostream& operator<<(std::ostream& out, DTypeSet s);

namespace dtypes {
inline constexpr DTypeSet boolean = DType::boolean, strings = DType::str;
inline constexpr DTypeSet floats = DTypeSet(DType::f16) | DType::bf16 | DType::f32 | DType::f64;
inline constexpr DTypeSet signed_ints = DTypeSet(DType::i8) | DType::i16 | DType::i32 | DType::i64;
inline constexpr DTypeSet unsigned_ints = DTypeSet(DType::u8) | DType::u16 | DType::u32 | DType::u64;
inline constexpr DTypeSet ints = signed_ints | unsigned_ints;
inline constexpr DTypeSet numeric = floats | ints;
inline constexpr DTypeSet f8 = DTypeSet(DType::f8e4m3fn) | DType::f8e4m3fnuz | DType::f8e5m2 | DType::f8e5m2fnuz;
inline constexpr DTypeSet few_bits = DTypeSet(DType::u4) | DType::i4 | DType::u2 | DType::i2;
inline constexpr DTypeSet sub_byte = few_bits | DType::f4e2m1;
inline constexpr DTypeSet complex = DTypeSet(DType::c64) | DType::c128;
inline constexpr DTypeSet all = numeric | boolean | strings | f8 | sub_byte | complex | DType::f8e8m0;
inline constexpr DTypeSet index = DTypeSet(DType::i32) | DType::i64;
}  // namespace dtypes

// Calls f.template operator()<Storage>() with the storage type of `t`.
template <class F>
decltype(auto) visit_dtype(DType t, F&& f) {
  switch (t) {
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) \
  case DType::id:                                                \
    return f.template operator()<storage>();
#include "tc/ir/dtype.def"
#undef TC_DTYPE
  }
  __builtin_unreachable();
}

template <class Storage>
inline constexpr DType dtype_of = [] {
  static_assert(sizeof(Storage) == 0, "no element type has this storage");
  return DType::f32;
}();
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) \
  template <>                                                    \
  inline constexpr DType dtype_of<storage> = DType::id;
#include "tc/ir/dtype.def"
#undef TC_DTYPE

namespace dtypes {
template <class T>
constexpr auto stored() {
  if constexpr (std::is_same_v<T, bool>)
    return std::type_identity<Bool>();
  else if constexpr (!std::is_integral_v<T>)
    return std::type_identity<T>();
  else if constexpr (sizeof(T) == 1)
    return std::type_identity<std::conditional_t<std::is_signed_v<T>, int8_t, uint8_t>>();
  else if constexpr (sizeof(T) == 2)
    return std::type_identity<std::conditional_t<std::is_signed_v<T>, int16_t, uint16_t>>();
  else if constexpr (sizeof(T) == 4)
    return std::type_identity<std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>();
  else
    return std::type_identity<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>();
}
template <class T>
constexpr auto literal() {
  if constexpr (std::is_same_v<T, Bool>)
    return std::type_identity<bool>();
  else if constexpr (requires(T x) { T(1.0), x.bits; })
    return std::type_identity<double>();
  else
    return std::type_identity<T>();
}
}  // namespace dtypes

// The storage of a C++ type: Bool of bool, int64_t of long long.
template <class T>
using Stored = typename decltype(dtypes::stored<T>())::type;
// What stands for a T in braces: bool for Bool, double for Float16 and its like, T itself for others.
template <class T>
using Literal = typename decltype(dtypes::literal<T>())::type;

}  // namespace tc
