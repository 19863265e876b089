// Products and convolutions of dequantised operands, as quantisation tools write them, become integer arithmetic. This
// comes before folding, which would turn the weights into floats.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tc/ir/eval/move.h"
#include "tc/ir/eval/wide.h"
#include "tc/passes/normalize/normalize.h"

namespace tc {
namespace integer_patterns {
namespace {

constexpr Any quantised, y_scale, y_zero, left, right, addend;
constexpr As<Reshape, Flatten, Squeeze, Unsqueeze, Transpose, Slice, DepthToSpace, SpaceToDepth> moves;

// x = (bytes - zero) * scale with constant scales and zero points.
struct Dequantised {
  Value* bytes = nullptr;
  std::vector<double> scale;
  int64_t zero = 0;      // of all elements
  Tensor scales, zeros;  // as operands; `zeros` has one element
  int64_t axis = 1;
  bool per_tensor() const { return scale.size() == 1; }
};

std::optional<Dequantised> dequantised(Value* v) {
  const Node* n = v ? v->def() : nullptr;
  if (!n || !n->is<DequantizeLinear>()) return std::nullopt;
  const auto& a = n->attrs<DequantizeLinear>();
  Dequantised d;
  d.bytes = n->operand(0), d.axis = a.axis;
  const Tensor *scale = n->operand(1)->constant(), *zero = n->operand(2) ? n->operand(2)->constant() : nullptr;
  if (a.block_size || !scale || scale->dtype() != DType::f32 || v->dtype() != DType::f32 || scale->size() == 0 ||
      scale->rank() > 1 || (n->operand(2) && !zero))
    return std::nullopt;
  d.scales = *scale;
  d.scale = widen<double>(*scale);
  if (zero) {
    const auto all = to_i64(*zero);
    for (const int64_t z : all)
      if (z != all[0]) return std::nullopt;
    d.zero = all.empty() ? 0 : all[0];
  }
  d.zeros = Tensor(d.bytes->dtype(), {});
  narrow(std::vector<int64_t>{d.zero}, d.zeros);
  return d;
}

Tensor scalar_of(const Tensor& t) {
  return t.reshaped({});
}

// What the root makes of its operand: bytes with one constant scale and zero point.
struct Quantising {
  DType byte = DType::u8;
  Tensor scale, zero;  // scalars
};
constexpr const char* kNoBytes = "the result is no byte with one constant scale";

std::optional<Quantising> quantising(Rewrite& r) {
  const auto& a = r.root_attrs<QuantizeLinear>();
  const DType byte = r.root()->result(0)->dtype();
  const Tensor *scale = r[y_scale]->constant(), *zero = r[y_zero] ? r[y_zero]->constant() : nullptr;
  if (!dtypes::bytes.has(byte) || a.block_size || a.precision || !scale || scale->size() != 1 ||
      scale->dtype() != DType::f32 || (r[y_zero] && (!zero || zero->size() != 1)))
    return std::nullopt;
  return Quantising{byte, scalar_of(*scale), zero ? scalar_of(*zero) : Tensor(byte, {})};
}

// The bias in units of x_scale * w_scale; nothing when it is no constant, or out of range.
std::optional<Tensor> integer_bias(Value* bias, double x_scale, const std::vector<double>& w_scale) {
  std::vector<double> values;
  if (const auto d = dequantised(bias)) {
    if (!d->bytes->constant() || d->zero != 0) return std::nullopt;
    values = widen<double>(*d->bytes->constant());
    for (size_t i = 0; i < values.size(); ++i) values[i] *= d->scale[d->per_tensor() ? 0 : i];
  } else if (bias->constant()) {
    values = widen<double>(*bias->constant());
  } else {
    return std::nullopt;
  }
  std::vector<int32_t> units(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double unit = std::nearbyint(values[i] / (x_scale * w_scale[w_scale.size() == 1 ? 0 : i]));
    if (!(std::abs(unit) < 1 << 30)) return std::nullopt;
    units[i] = static_cast<int32_t>(unit);
  }
  return Tensor::of<int32_t>({static_cast<int64_t>(units.size())}, units);
}

// What is quantised, below a Relu or Clip that quantising makes superfluous: its bounds lie at or beyond the bytes'
// ends.
struct Clamped {
  Value* value = nullptr;
  bool relu = false;  // but for the lower end, the zero point
};
Clamped below_clamp(Rewrite& r, Value* v, const Quantising& y) {
  const Node* n = v->def();
  if (!n || !r.single_use(v) || !(n->is<Relu>() || n->is<Clip>())) return {v};
  const double scale = widen<double>(y.scale)[0];
  const auto zero = static_cast<double>(to_i64(y.zero)[0]);
  const bool is_signed = y.byte == DType::i8;
  const double least = is_signed ? -128 : 0, most = is_signed ? 127 : 255;
  double low = 0, high = std::numeric_limits<double>::infinity();
  if (n->is<Clip>()) {
    low = -high;
    for (int i : {1, 2}) {
      if (!n->operand(i)) continue;
      const Tensor* bound = n->operand(i)->constant();
      if (!bound || bound->size() != 1) return {v};
      (i == 1 ? low : high) = widen<double>(*bound)[0];
    }
  }
  // As f32, like what is quantised.
  const auto byte = [&](double x) { return std::nearbyint(static_cast<float>(x) / static_cast<float>(scale)) + zero; };
  if (!(scale > 0) || !(low <= high) || !(byte(high) >= most)) return {v};
  if (byte(low) <= least) return {n->operand(0)};
  return low == 0 ? Clamped{n->operand(0), true} : Clamped{v};
}

Patch integer_conv(Rewrite& r) {
  const Node& root = *r.root();
  const auto y = quantising(r);
  if (!y) return r.miss(kNoBytes);
  const auto [product, relu] = below_clamp(r, r[quantised], *y);
  const Node* conv = product->def();
  if (!conv || conv->graph() != root.graph() || !conv->is<Conv>()) return r.miss("what is quantised is no convolution");
  if (!r.single_use(product)) return r.miss("the convolution has other users");
  const auto x = dequantised(conv->operand(0)), w = dequantised(conv->operand(1));
  if (!x || !w || !dtypes::bytes.has(x->bytes->dtype()) || !dtypes::bytes.has(w->bytes->dtype()) || !x->per_tensor())
    return r.miss("an operand is not dequantised bytes");
  const Tensor* weights = w->bytes->constant();
  if (!weights || w->zero != (w->bytes->dtype() == DType::i8 ? 0 : 128))
    return r.miss("the filters are not constant, or not centred");
  if (!w->per_tensor() && w->axis != 0 && w->axis != -weights->rank()) return r.miss("scales of another axis");
  const Shape& shape = x->bytes->shape();
  if (!shape.ranked() || (shape.rank() != 3 && shape.rank() != 4) || !shape[1].is_const())
    return r.miss("not one or two spatial axes, or channels that are not fixed");
  Value* bias = nullptr;
  if (conv->operand(2)) {
    const auto units = integer_bias(conv->operand(2), x->scale[0], w->scale);
    if (!units) return r.miss("the bias is not constant, or too large");
    bias = r.constant(*units);
  }
  Tensor w_scales = w->scales;
  if (w->per_tensor()) w_scales = scalar_of(w_scales);
  const std::vector<Value*> operands{x->bytes,
                                     r.constant(scalar_of(x->scales)),
                                     r.constant(x->zeros),
                                     w->bytes,
                                     r.constant(w_scales),
                                     r.constant(w->zeros),
                                     r.constant(y->scale),
                                     r.constant(y->zero),
                                     bias};
  if (!relu) return r.make<QLinearConv>(operands, conv->attrs<Conv>());
  FusedQLinearConv::Attrs attrs{conv->attrs<Conv>()};
  attrs.relu = true;
  return r.make<FusedQLinearConv>(operands, attrs);
}

// What is left of a bottleneck's end: a quantised convolution and its shortcut, added.
Patch add_to_conv(Rewrite& r) {
  const Node& root = *r.root();
  const auto y = quantising(r);
  if (!y) return r.miss(kNoBytes);
  const Value* sum = r[quantised];
  const Node* relu = sum->def() && sum->def()->is<Relu>() ? sum->def() : nullptr;
  if (relu) sum = relu->operand(0);
  const Node* add = sum->def();
  if (!add || !add->is<Add>() || add->graph() != root.graph()) return r.miss("what is quantised is no sum");
  if (!r.single_use(sum) || !r.single_use(r[quantised])) return r.miss("the sum has other users");
  for (int side : {0, 1}) {
    Value *product = add->operand(side), *residual = add->operand(1 - side);
    const auto p = dequantised(product), other = dequantised(residual);
    if (!p || !other || !p->per_tensor() || !other->per_tensor() || !dtypes::bytes.has(other->bytes->dtype())) continue;
    const Node* conv = p->bytes->def();
    if (!conv || !conv->is<QLinearConv>() || conv->graph() != root.graph()) continue;
    if (!r.single_use(product) || !r.single_use(p->bytes)) continue;
    if (!same_type(product, residual)) continue;
    std::vector<Value*> operands = conv->operands();
    operands.resize(9, nullptr);
    for (Value* v : {other->bytes, r.constant(scalar_of(other->scales)), r.constant(other->zeros), r.constant(y->scale),
                     r.constant(y->zero)})
      operands.push_back(v);
    FusedQLinearConv::Attrs attrs{conv->attrs<QLinearConv>()};
    attrs.relu = relu != nullptr;
    return r.make<FusedQLinearConv>(operands, attrs);
  }
  return r.miss("no addend is a quantised convolution of its own and the other one dequantised bytes of its shape");
}

// The product of dequantised matrices. The sums are scaled once: a scale per tensor on the left, per tensor or column
// on the right.
Value* scaled_sums(Rewrite& r, const Dequantised& a, const Dequantised& b, Value* b_bytes) {
  Tensor scales(DType::f32, b.scales.extents());
  {
    auto to = scales.mutable_span<float>();
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(a.scale[0]) * static_cast<float>(b.scale[i]);
  }
  if (b.per_tensor()) scales = scalar_of(scales);
  Value* sums = r.make<MatMulInteger>({a.bytes, b_bytes, r.constant(a.zeros), r.constant(b.zeros)});
  return r.make<Mul>({r.make<Cast>({sums}, {.to = DType::f32}), r.constant(scales)});
}

const char* no_product_of_bytes(const std::optional<Dequantised>& a, const std::optional<Dequantised>& b,
                                int64_t columns) {
  if (!a || !b || !dtypes::bytes.has(a->bytes->dtype()) || !dtypes::bytes.has(b->bytes->dtype()) || !a->per_tensor())
    return "an operand is not dequantised bytes";
  const Tensor* weights = b->bytes->constant();
  if (!weights || weights->rank() != 2) return "the right operand is no constant matrix";
  if (!b->per_tensor() && b->axis != columns && b->axis != columns - 2) return "scales of another axis";
  const Shape& shape = a->bytes->shape();
  return !shape.ranked() || shape.rank() < 2 ? "the left operand is no matrix" : nullptr;
}

Patch integer_matmul(Rewrite& r) {
  const auto a = dequantised(r[left]), b = dequantised(r[right]);
  if (const char* why = no_product_of_bytes(a, b, 1)) return r.miss(why);
  return scaled_sums(r, *a, *b, b->bytes);
}

Tensor transposed(const Tensor& bytes) {
  const int64_t rows = bytes.extents()[0], columns = bytes.extents()[1];
  Tensor t(bytes.dtype(), {columns, rows});
  const auto* from = static_cast<const uint8_t*>(bytes.data());
  auto* to = static_cast<uint8_t*>(t.mutable_data());
  for (int64_t i = 0; i < columns; ++i)
    for (int64_t j = 0; j < rows; ++j) *to++ = from[j * columns + i];
  return t;
}

Patch integer_gemm(Rewrite& r) {
  const auto& g = r.root_attrs<Gemm>();
  const auto a = dequantised(r[left]), b = dequantised(r[right]);
  if (const char* why = no_product_of_bytes(a, b, g.trans_b ? 0 : 1)) return r.miss(why);
  if (g.trans_a || g.alpha != 1 || (r[addend] && g.beta != 1))
    return r.miss("a factor, or the left operand transposed");
  Value* y = scaled_sums(r, *a, *b, g.trans_b ? r.constant(transposed(*b->bytes->constant())) : b->bytes);
  return r[addend] ? r.make<Add>({y, r[addend]}) : y;
}

// Weights up to this size fit L2 as floats, which products with few rows read as fast.
constexpr int64_t kFewWeights = 1 << 16;

// What an exchange of the two axes is made of; null when the value is none.
Value* transposed_matrix(Value* v) {
  const Node* t = v->def_as<Transpose>();
  if (!t || !t->operand(0)->shape().ranked() || t->operand(0)->shape().rank() != 2) return nullptr;
  return t->attrs<Transpose>().perm == std::vector<int64_t>{0, 1} ? nullptr : t->operand(0);
}

// Of weights in 8 or fewer bits only: what they are multiplied with stays in floats.
Patch product_with_dequantised(Rewrite& r, Value* x, Value* w, bool trans_b) {
  const DType type = x->dtype();
  // Dequantised in halves, and widened for a kernel of f32: that rounding is saved.
  const auto widened = [&](Value* v) {
    const Node* c = v->def_as<Cast>();
    return c && type == DType::f32 && dtypes::scales.has(c->operand(0)->dtype()) ? c->operand(0) : nullptr;
  };
  for (Value* inner = w; inner; inner = widened(w)) {
    w = inner;
    if (Value* m = transposed_matrix(w)) w = m, trans_b = !trans_b;
  }
  const Node* n = w->def_as<DequantizeLinear>();
  if (!n) return r.miss("the right operand is not dequantised");
  auto a = n->attrs<DequantizeLinear>();
  if (a.axis < 0) a.axis += 2;
  Value* bytes = n->operand(0);
  if (Value* m = transposed_matrix(bytes); m && !a.block_size) bytes = m, trans_b = !trans_b, a.axis = 1 - a.axis;
  const Tensor* weights = bytes->constant();
  if (!weights || weights->rank() != 2 ||
      !(dtypes::bytes.has(weights->dtype()) || dtypes::few_bits.has(weights->dtype())))
    return r.miss("the right operand is no constant matrix of bytes or less");
  const Tensor *scale = n->operand(1)->constant(), *zero = n->operand(2) ? n->operand(2)->constant() : nullptr;
  if (!scale || (n->operand(2) && !zero) || !dtypes::scales.has(scale->dtype()) || !dtypes::scales.has(type))
    return r.miss("the scale is not constant, or no float");
  if (weights->size() < kFewWeights) return r.miss("the weights are few");
  if (!x->shape().ranked() || x->shape().rank() < 2) return r.miss("the left operand is no matrix");
  const bool along_rows = a.axis == (trans_b ? 1 : 0);
  if (scale->size() > 1 && along_rows != (a.block_size > 0)) return r.miss("scales of another axis");
  if (a.block_size % 16) return r.miss("blocks that are not multiples of 16");
  if (type != DType::f32) x = r.make<Cast>({x}, {.to = DType::f32});
  Value* scales = scale->dtype() == DType::f32 ? n->operand(1) : r.constant(converted(*scale, DType::f32));
  Value* y = r.make<FusedDequantizeMatMul>({x, bytes, scales, n->operand(2)}, {trans_b, a.axis, a.block_size});
  return type == DType::f32 ? y : r.make<Cast>({y}, {.to = type});
}

Patch matmul_with_dequantised(Rewrite& r) {
  return product_with_dequantised(r, r[left], r[right], false);
}

Patch gemm_with_dequantised(Rewrite& r) {
  const auto& g = r.root_attrs<Gemm>();
  if (g.trans_a || g.alpha != 1 || (r[addend] && g.beta != 1))
    return r.miss("a factor, or the left operand transposed");
  Patch product = product_with_dequantised(r, r[left], r[right], g.trans_b);
  if (product.miss || !r[addend]) return product;
  return r.make<Add>({product.values[0], r[addend]});
}

// The largest number belongs to the largest byte. Every window holds an element, so what padding is does not matter.
Patch pool_of_bytes(Rewrite& r) {
  const auto& a = r.root_attrs<MaxPool>();
  if (r.root()->num_results() > 1 && r.root()->result(1)->first_use()) return r.miss("the places are wanted");
  const auto x = dequantised(r[left]);
  if (!x || !dtypes::bytes.has(x->bytes->dtype()) || !x->per_tensor() || !(x->scale[0] > 0))
    return r.miss("what is pooled is not dequantised bytes with one scale");
  for (size_t i = 0, axes = a.kernel_shape.size(); i < a.pads.size() || i < axes; ++i) {
    const int64_t kernel = a.kernel_shape[i % axes], pad = i < a.pads.size() ? a.pads[i] : 0;
    const int64_t stride = a.strides.empty() ? 1 : a.strides[i % axes];
    const bool gaps = !a.dilations.empty() && a.dilations[i % axes] != 1;
    // A window of ceil_mode begins up to stride - 1 further on than the last one that fits.
    if (gaps || pad >= kernel || (a.ceil_mode && pad + stride > kernel)) return r.miss("a window may lie in padding");
  }
  Value* pooled = r.make<MaxPool>({x->bytes}, a);
  Value* y = r.make<DequantizeLinear>({pooled, r.constant(scalar_of(x->scales)), r.constant(x->zeros)});
  return r.root()->num_results() > 1 ? Patch(std::vector<Value*>{y, nullptr}) : Patch(y);
}

// Where elements go does not depend on what they are worth.
Patch move_of_bytes(Rewrite& r) {
  const Node& n = *r.root();
  const auto x = dequantised(n.operand(0));
  if (!x || !dtypes::bytes.has(x->bytes->dtype()) || !x->per_tensor())
    return r.miss("what is moved is not dequantised bytes with one scale");
  std::vector<Value*> operands = n.operands();
  operands[0] = x->bytes;
  Value* moved = r.node(n.op(), operands, n.raw_attrs(), 1)->result(0);
  return r.make<DequantizeLinear>({moved, r.constant(scalar_of(x->scales)), r.constant(x->zeros)});
}

// Quantising each part: what is moved and kept are bytes, and a part quantised in the same way is left alone.
Patch quantised_concat(Rewrite& r) {
  const auto y = quantising(r);
  if (!y) return r.miss(kNoBytes);
  const Node* n = r[quantised]->def_as<Concat>();
  if (!n || n->graph() != r.root()->graph()) return r.miss("what is quantised is no concatenation");
  if (!r.single_use(r[quantised])) return r.miss("the concatenation has other users");
  std::vector<Value*> parts;
  for (Value* v : n->operands()) {
    const auto x = dequantised(v);
    if (!x || !dtypes::bytes.has(x->bytes->dtype()) || !x->per_tensor())
      return r.miss("a part is not dequantised bytes with one scale");
    parts.push_back(r.make<QuantizeLinear>({v, r[y_scale], r[y_zero]}, r.root_attrs<QuantizeLinear>()));
  }
  return r.make<Concat>(parts, n->attrs<Concat>());
}

// (k s) / s is nearer to k than to any other byte, when neither k s nor s is close to the ends of what floats hold.
Patch quantised_again(Rewrite& r) {
  const auto x = dequantised(r[quantised]);
  const auto y = quantising(r);
  if (!y) return r.miss(kNoBytes);
  if (!x || !x->per_tensor()) return r.miss("what is quantised is not dequantised bytes with one scale");
  const double s = x->scale[0];
  if (widen<double>(y->scale)[0] != s || !(std::abs(s) > 1e-30 && std::abs(s) < 1e30) ||
      to_i64(y->zero)[0] != x->zero || y->byte != x->bytes->dtype())
    return r.miss("quantised in another way");
  return x->bytes;
}

}  // namespace
}  // namespace integer_patterns

std::span<const Rule> integer_rules() {
  using namespace integer_patterns;
  // A sum that lies between two bytes may round to the other one.
  static const Rule kRules[] = {
      {"quantised-conv-is-integer", approximate(8e-3), pat<QuantizeLinear>(quantised, y_scale, maybe(y_zero)),
       integer_conv},
      {"sum-with-quantised-conv-is-integer", approximate(8e-3), pat<QuantizeLinear>(quantised, y_scale, maybe(y_zero)),
       add_to_conv},
      {"product-of-dequantised-is-integer", reassociates, pat<MatMul>(left, right), integer_matmul},
      {"gemm-of-dequantised-is-integer", reassociates, pat<Gemm>(left, right, maybe(addend)), integer_gemm},
      {"product-with-dequantised-weights", same_rounding, pat<MatMul>(left, right), matmul_with_dequantised},
      {"gemm-with-dequantised-weights", same_rounding, pat<Gemm>(left, right, maybe(addend)), gemm_with_dequantised},
      {"pool-of-dequantised-is-of-bytes", exact, pat<MaxPool>(left), pool_of_bytes},
      {"move-of-dequantised-is-of-bytes", exact, moves, move_of_bytes},
      {"quantised-concat-is-of-bytes", exact, pat<QuantizeLinear>(quantised, y_scale, maybe(y_zero)), quantised_concat},
      {"quantised-again-is-bytes", exact, pat<QuantizeLinear>(quantised, y_scale, maybe(y_zero)), quantised_again},
  };
  return kRules;
}

}  // namespace tc
