#include <cmath>

#include "tc/ir/grad.h"

namespace tc {

namespace {

// Scales or zero points, of an axis or of blocks along it, such that they broadcast to x.
Value* spread(Builder& b, const Expr& x, Value* v, int64_t axis, int64_t block_size) {
  const Shape& shape = v->shape();
  const int rank = x->shape().rank(), along = static_cast<int>(axis < 0 ? axis + rank : axis);
  if (block_size > 0) {
    // Each block's value repeated, and the last block cut to the axis.
    std::vector<Value*> repeated, merged;
    for (int k = 0; k < rank; ++k) {
      Value* extent = extent_of(b, v, k);
      repeated.push_back(extent);
      if (k == along) repeated.push_back(b.ints({block_size}));
      merged.push_back(k == along ? Expr(b, extent) * Expr(b, b.ints({block_size})) : Expr(b, extent));
    }
    Value* blocks = b.make<Expand>({unsqueeze(b, v, {along + 1}), join_ints(b, repeated)});
    Value* flat = reshape(b, blocks, join_ints(b, merged));
    return b.make<Slice>({flat, b.ints({0}), extent_of(b, x, along), b.ints({along})});
  }
  if (shape.rank() == 0 || (shape.rank() == 1 && shape[0].is(1))) return v;
  std::vector<int64_t> after;
  for (int k = along + 1; k < rank; ++k) after.push_back(k - along);
  return unsqueeze(b, v, after);
}

[[noreturn]] void refuse(const Node& node, const std::string& of) {
  throw Error({ErrorCode::unsupported, cat(node.info().name(), of, " has no simpler form"), node.location(), {}, {}});
}

void want_ranks(const Node& node) {
  if (!node.operand(0)->shape().ranked() || !node.operand(1)->shape().ranked()) refuse(node, " of unknown rank");
}

// A scale of one element must not add an axis to a scalar.
Value* like(Builder& b, const Value* x, const Value* scale, Value* v) {
  return x->shape().rank() == 0 && scale->shape().rank() == 1 ? b.make<Squeeze>({v, b.ints({0})}) : v;
}

}  // namespace

std::vector<Value*> QuantizeLinear::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<QuantizeLinear>();
  const Expr x(b, node.operand(0));
  Value *scale = node.operand(1), *zero = node.operand(2);
  want_ranks(node);
  const DType to = node.result(0)->dtype(), precision = a.precision.value_or(scale->dtype());
  if (!dtypes::scales.has(precision)) refuse(node, cat(" with scales of ", precision));
  const bool whole = kind(to) != DTypeKind::floating;
  Expr q = x.cast(DType::f32) / Expr(b, spread(b, x, scale, a.axis, a.block_size)).cast(DType::f32);
  if (precision != DType::f32) q = q.cast(precision).cast(DType::f32);
  if (whole) q = q.make<Round>();
  if (zero) q = q + Expr(b, spread(b, x, zero, a.axis, a.block_size)).cast(DType::f32);
  if (!whole) return {like(b, x, scale, b.make<Cast>({q}, {.to = to, .saturate = a.saturate}))};
  const int bits = info(to).bits;
  const bool has_sign = kind(to) == DTypeKind::signed_int;
  const double low = has_sign ? -std::ldexp(1.0, bits - 1) : 0, high = std::ldexp(1.0, has_sign ? bits - 1 : bits) - 1;
  const Expr clipped(b, b.make<Clip>({q, q.number(low), q.number(high)}));
  return {like(b, x, scale, clipped.cast(to))};
}

std::vector<Value*> DequantizeLinear::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<DequantizeLinear>();
  const Expr x(b, node.operand(0));
  Value *scale = node.operand(1), *zero = node.operand(2);
  want_ranks(node);
  const DType to = node.result(0)->dtype(), wide = to == DType::f64 ? to : DType::f32;
  Expr value = x.cast(wide);
  if (zero) value = value - Expr(b, spread(b, x, zero, a.axis, a.block_size)).cast(wide);
  value = value * Expr(b, spread(b, x, scale, a.axis, a.block_size)).cast(wide);
  return {like(b, x, scale, value.cast(to))};
}

}  // namespace tc
