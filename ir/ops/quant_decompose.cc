#include "tc/ir/grad.h"

namespace tc {

// Scales and zero points of an axis or of blocks along it are spread to the shape of x.
std::vector<Value*> DequantizeLinear::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<DequantizeLinear>();
  const Expr x(b, node.operand(0)), scale(b, node.operand(1));
  const DType to = node.result(0)->dtype(), wide = to == DType::f64 ? to : DType::f32;
  const Shape &xs = x->shape(), &ss = scale->shape();
  if (!xs.ranked() || !ss.ranked())
    throw Error(
        {ErrorCode::unsupported, "dequantize_linear of unknown rank has no simpler form", node.location(), {}, {}});
  const int rank = xs.rank(), axis = static_cast<int>(a.axis < 0 ? a.axis + rank : a.axis);
  auto spread = [&](Value* v) -> Value* {
    if (a.block_size > 0) {
      // Each block's value repeated, and the last block cut to the axis.
      std::vector<Value*> repeated;
      for (int k = 0; k < rank; ++k) {
        repeated.push_back(extent_of(b, v, k));
        if (k == axis) repeated.push_back(b.ints({a.block_size}));
      }
      std::vector<Value*> merged;
      for (int k = 0; k < rank; ++k)
        merged.push_back(k == axis ? Expr(b, extent_of(b, v, k)) * Expr(b, b.ints({a.block_size}))
                                   : Expr(b, extent_of(b, v, k)));
      Value* blocks = b.make<Expand>({unsqueeze(b, v, {axis + 1}), join_ints(b, repeated)});
      Value* flat = reshape(b, blocks, join_ints(b, merged));
      return b.make<Slice>({flat, b.ints({0}), extent_of(b, x, axis), b.ints({axis})});
    }
    if (ss.rank() == 0 || (ss.rank() == 1 && ss[0].is(1))) return v;
    std::vector<int64_t> after;
    for (int k = axis + 1; k < rank; ++k) after.push_back(k - axis);
    return unsqueeze(b, v, after);
  };
  Expr value = x.cast(wide);
  if (node.operand(2)) value = value - Expr(b, spread(node.operand(2))).cast(wide);
  const Expr scaled = value * Expr(b, spread(scale)).cast(wide);
  // A scale of one element must not add an axis to a scalar.
  Value* shaped = rank == 0 && ss.rank() == 1 ? b.make<Squeeze>({scaled, b.ints({0})}) : scaled;
  return {Expr(b, shaped).cast(to)};
}

}  // namespace tc
