#include "tc/frontend/dsl/promote.h"

#include <algorithm>

namespace tc {
namespace {

std::optional<DType> signed_of_bits(int bits) {
  switch (bits) {
    case 8:
      return DType::i8;
    case 16:
      return DType::i16;
    case 32:
      return DType::i32;
    case 64:
      return DType::i64;
    default:
      return std::nullopt;
  }
}

bool is_float(DType t) {
  return dtypes::floats.has(t);
}

}  // namespace

std::optional<DType> promote(DType a, DType b) {
  if (a == b) return a;
  const int bits_a = info(a).bits, bits_b = info(b).bits;
  const DType wider = bits_a >= bits_b ? a : b, narrower = bits_a >= bits_b ? b : a;
  if (is_float(a) && is_float(b)) return bits_a == bits_b ? DType::f32 : wider;
  if (dtypes::complex.has(wider) && (is_float(narrower) || dtypes::complex.has(narrower)))
    return narrower == DType::f64 ? DType::c128 : wider;
  if (dtypes::complex.has(narrower) && wider == DType::f64) return DType::c128;
  if (!dtypes::ints.has(a) || !dtypes::ints.has(b)) return std::nullopt;
  if (kind(a) == kind(b)) return wider;
  const DType signed_type = kind(a) == DTypeKind::signed_int ? a : b, unsigned_type = signed_type == a ? b : a;
  return signed_of_bits(std::max(info(signed_type).bits, 2 * info(unsigned_type).bits));
}

}  // namespace tc
