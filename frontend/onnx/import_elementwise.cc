#include <limits>

#include "tc/frontend/onnx/import_rows.h"

namespace tc::onnx {
namespace {

Value* with_trailing_axes(Builder& b, Value* x, int count) {
  std::vector<int64_t> axes;
  for (int i = 0; i < count; ++i) axes.push_back(x->shape().rank() + i);
  return axes.empty() ? x : b.make<Unsqueeze>({x, b.ints(axes)});
}

// Before the inputs `min` and `max` there were attributes.
std::vector<Value*> clip_with_attributes(NodeImport& n) {
  Value* x = n.required(0);
  n.ignore_attr("consumed_inputs");
  // The defaults of opset 6 are the ends of f32, and mean that there is no bound.
  auto bound = [&](std::string_view name, double none) -> Value* {
    const double v = n.float_attr(name, none);
    return v == none ? nullptr : n.b().scalar_like(x->dtype(), v);
  };
  constexpr double kEnd = std::numeric_limits<float>::max();
  Value *min = bound("min", -kEnd), *max = bound("max", kEnd);
  return {n.b().make<Clip>({x, min, max})};
}

std::vector<Value*> cast_like(NodeImport& n) {
  Value* like = n.required(1);
  if (!like->type().is_tensor())
    n.fail(ErrorCode::bad_type, "CastLike needs a tensor as its target type, got ", like->type());
  Cast::Attrs attrs;
  attrs.to = like->dtype();
  attrs.saturate = n.int_attr("saturate", 1) != 0;
  const std::string mode = n.string_attr("round_mode", "up");
  bool found = false;
  for (size_t i = 0; i < std::size(kScaleRoundings); ++i)
    if (mode == kScaleRoundings[i]) attrs.round_mode = static_cast<ScaleRounding>(i), found = true;
  if (!found) n.fail(ErrorCode::bad_attribute, "round_mode must be up, down or nearest, got '", mode, "'");
  return {n.b().make<Cast>({n.required(0)}, attrs)};
}

// Inference only; the mask, which had the data's type before opset 10, is all ones.
std::vector<Value*> dropout_with_ratio(NodeImport& n) {
  n.ignore_attr("ratio");
  n.ignore_attr("is_test");
  n.ignore_attr("consumed_inputs");
  Value* x = n.required(0);
  Node* d = n.b().make_n<Dropout>({x}, {}, n.has_output(1) ? 2 : 1);
  std::vector<Value*> results{d->result(0)};
  if (n.has_output(1)) {
    Value* mask = d->result(1);
    results.push_back(n.opset() >= 10 ? mask : n.b().make<Cast>({mask}, {.to = x->dtype()}));
  }
  return results;
}

// Before opset 7 only operand b broadcast, when asked to, and from axis `axis` of a on: trailing axes of 1 align it as
// NumPy does.
template <class Op>
std::vector<Value*> broadcast_from_axis(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  Value *a = n.required(0), *b = n.required(1);
  const bool broadcast = n.int_attr("broadcast", 0) != 0;
  if (n.has_attr("axis")) {
    int64_t axis = n.int_attr("axis", 0);
    const Shape &sa = a->type().shape(), &sb = b->type().shape();
    if (!a->type().is_tensor() || !b->type().is_tensor() || !sa.ranked() || !sb.ranked())
      n.unsupported("broadcasting along an axis of operands of unknown rank");
    if (axis < 0) axis += sa.rank();
    if (axis < 0 || axis + sb.rank() > sa.rank())
      n.fail(ErrorCode::bad_attribute, "axis ", axis, " does not fit ", a->type(), " and ", b->type());
    if (broadcast) b = with_trailing_axes(n.b(), b, sa.rank() - static_cast<int>(axis) - sb.rank());
  }
  return {n.b().make<Op>({a, b})};
}

// A slope per channel was a vector.
std::vector<Value*> prelu_by_channel(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  Value *x = n.required(0), *slope = n.required(1);
  const Shape &sx = x->type().shape(), &ss = slope->type().shape();
  if (!sx.ranked() || !ss.ranked()) n.unsupported("PRelu of unknown rank before opset 7");
  if (ss.rank() == 1 && !ss[0].is(1)) slope = with_trailing_axes(n.b(), slope, sx.rank() - 2);
  return {n.b().make<PRelu>({x, slope})};
}

// The target type was a name.
std::vector<Value*> cast_by_name(NodeImport& n) {
  static constexpr std::pair<std::string_view, DType> kNames[] = {
      {"FLOAT", DType::f32},   {"UINT8", DType::u8},   {"INT8", DType::i8},    {"UINT16", DType::u16},
      {"INT16", DType::i16},   {"INT32", DType::i32},  {"INT64", DType::i64},  {"BOOL", DType::boolean},
      {"FLOAT16", DType::f16}, {"DOUBLE", DType::f64}, {"UINT32", DType::u32}, {"UINT64", DType::u64}};
  const std::string to = n.string_attr("to", "");
  for (const auto& [name, t] : kNames)
    if (to == name) return {n.b().make<Cast>({n.required(0)}, {.to = t})};
  n.fail(ErrorCode::bad_attribute, "cannot cast to '", to, "'");
}

std::vector<Value*> selu_with_rounded_defaults(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  return {n.b().make<Selu>({n.required(0)},
                           {.alpha = n.float_attr("alpha", 1.6732f), .gamma = n.float_attr("gamma", 1.0507f)})};
}

// Opset 1 let a node consume its inputs' memory; the rest is as today.
template <OpId Op>
std::vector<Value*> consuming(NodeImport& n) {
  n.ignore_attr("consumed_inputs");
  return n.regular(Op);
}

// What ONNX Runtime kept of the experimental operators of early ONNX: names in ONNX's own domain.
Value* affine(NodeImport& n, Value* x, double scale, double shift) {
  Builder& b = n.b();
  if (scale != 1) x = b.make<Mul>({x, b.scalar_like(x->dtype(), scale)});
  return shift == 0 ? x : b.make<Add>({x, b.scalar_like(x->dtype(), shift)});
}

std::vector<Value*> affine_1(NodeImport& n) {
  return {affine(n, n.required(0), n.float_attr("alpha", 1), n.float_attr("beta", 0))};
}

std::vector<Value*> scale_1(NodeImport& n) {
  return {affine(n, n.required(0), n.float_attr("scale", 1), 0)};
}

template <class Op>
std::vector<Value*> scaled_inside_and_out(NodeImport& n) {
  const double alpha = n.float_attr("alpha", 1), beta = n.float_attr("beta", 1);
  return {affine(n, n.b().make<Op>({affine(n, n.required(0), beta, 0)}), alpha, 0)};
}

// A bias for each channel.
std::vector<Value*> image_scaler(NodeImport& n) {
  Builder& b = n.b();
  Value* y = affine(n, n.required(0), n.float_attr("scale", 1), 0);
  const auto bias = n.floats_attr("bias");
  if (!bias) n.fail(ErrorCode::bad_attribute, "attribute 'bias' is missing");
  const std::vector<float> numbers(bias->begin(), bias->end());
  const Tensor t = Tensor::of<float>({static_cast<int64_t>(numbers.size()), 1, 1}, numbers);
  return {b.make<Add>({y, cast(n, b.constant(t), y->dtype())})};
}

}  // namespace

void rows_import_elementwise(ImportRows& rows) {
#define TC_ROW(Name, since) \
  if (since == 6) rows.push_back({#Name, 1, consuming<OpId::Name>});
#define TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx) TC_ROW(Name, since)
#define TC_UNARY_REAL(Name, spelling, since, types, doc, f, dx) TC_ROW(Name, since)
#define TC_UNARY_1(Name, spelling, since, types, doc, f, dx, p, p0) TC_ROW(Name, since)
#define TC_UNARY_2(Name, spelling, since, types, doc, f, dx, p, p0, q, q0) \
  if (id_of<Name> != OpId::Selu) {                                         \
    TC_ROW(Name, since)                                                    \
  }
#define TC_VARIADIC(Name, spelling, since, types, doc, f) TC_ROW(Name, since)
#define TC_AXIS_ROW(Name, since) \
  if (since == 7 && id_of<Name> != OpId::PRelu) rows.push_back({#Name, 1, broadcast_from_axis<Name>});
#define TC_BINARY(Name, spelling, since, types, commuting, doc, f, da, db) TC_AXIS_ROW(Name, since)
#define TC_COMPARE(Name, spelling, since, types, commuting, doc, f) TC_AXIS_ROW(Name, since)
#define TC_BITWISE(Name, spelling, since, types, doc, f) TC_AXIS_ROW(Name, since)
#include "tc/ir/ops/elementwise.def"
  rows.insert(rows.end(), {
                              {"Pow", 1, broadcast_from_axis<Pow>},
                              {"PRelu", 1, prelu_by_channel},
                              {"Selu", 1, selu_with_rounded_defaults},
                              {"Clip", 1, clip_with_attributes},
                              {"Cast", 1, cast_by_name},
                              {"CastLike", 15, cast_like},
                              {"Dropout", 1, dropout_with_ratio},
                              {"Affine", 1, affine_1},
                              {"Scale", 1, scale_1},
                              {"ScaledTanh", 1, scaled_inside_and_out<Tanh>},
                              {"ParametricSoftplus", 1, scaled_inside_and_out<Softplus>},
                              {"ThresholdedRelu", 1, consuming<OpId::ThresholdedRelu>},
                              {"ImageScaler", 1, image_scaler},
                              {"SampleOp", 1, consuming<OpId::Identity>, "com.microsoft"},
                          });
}

}  // namespace tc::onnx
