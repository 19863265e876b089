// ONNX Runtime's operators on quantised tensors: what they compute is said with quantisation and the plain operator,
// which later passes bring together again.
#include <algorithm>

#include "tc/frontend/onnx/microsoft.h"
#include "tc/frontend/onnx/tensor_proto.h"

namespace tc::onnx {
namespace {

Value* dequantize(NodeImport& n, Value* x, Value* scale, Value* zero) {
  return n.b().make<DequantizeLinear>({x, scale, zero});
}

// `like`: the element type where no zero point says it.
Value* quantize(NodeImport& n, Value* x, Value* scale, Value* zero, DType like) {
  QuantizeLinear::Attrs a;
  if (!zero) a.output_dtype = like;
  return n.b().make<QuantizeLinear>({x, scale, zero}, a);
}

Value* concat(NodeImport& n, const std::vector<Value*>& parts, int64_t axis) {
  return n.b().make<Concat>(parts, {axis});
}

int rank_of(NodeImport& n, int i) {
  const Shape& s = n.required(i)->shape();
  if (!s.ranked()) n.unsupported(cat("it needs input ", i, " with a known rank"));
  return s.rank();
}

// The axes of [N, spatial..., C] in the order [N, C, spatial...], or back.
std::vector<int64_t> channels_first(int rank) {
  std::vector<int64_t> perm{0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i) perm.push_back(i);
  return perm;
}
std::vector<int64_t> channels_last(int rank) {
  std::vector<int64_t> perm{0};
  for (int64_t i = 2; i < rank; ++i) perm.push_back(i);
  perm.push_back(1);
  return perm;
}

// Elements of 2 or 4 bits that lie in bytes, the first one lowest, as bytes of their own along the last axis.
Value* unpacked(NodeImport& n, Value* v, int64_t bits) {
  if (bits == 8) return v;
  const auto parts = static_cast<size_t>(8 / bits);
  const auto mask = static_cast<uint8_t>((1 << bits) - 1);
  if (const Tensor* t = v->constant(); t && t->rank() > 0) {
    Extents extents = t->extents();
    extents.back() *= static_cast<int64_t>(parts);
    Tensor out(DType::u8, extents);
    unpack_bits({static_cast<const uint8_t*>(t->data()), t->bytes()}, static_cast<int>(bits), false,
                out.mutable_span<uint8_t>());
    return n.b().constant(std::move(out));
  }
  std::vector<Value*> columns;
  for (size_t k = 0; k < parts; ++k) {
    Value* shift = n.b().scalar(static_cast<uint8_t>(k * static_cast<size_t>(bits)));
    Value* part = n.b().make<BitShift>({v, shift}, {ShiftDirection::right});
    part = n.b().make<BitwiseAnd>({part, n.b().scalar(mask)});
    columns.push_back(n.b().make<Unsqueeze>({part, n.b().ints({-1})}));
  }
  std::vector<int64_t> shape(static_cast<size_t>(v->shape().rank()), 0);
  shape.back() = -1;
  return n.b().make<Reshape>({concat(n, columns, -1), n.b().ints(shape)});
}

void expect_bits(NodeImport& n, int64_t bits) {
  if (bits != 2 && bits != 4 && bits != 8) n.fail(ErrorCode::bad_attribute, "bits is ", bits, ", expected 2, 4 or 8");
}

// A zero point in the middle of the range, one for each scale.
Value* middle_like(NodeImport& n, Value* scales, int64_t bits) {
  const auto number = static_cast<uint8_t>(1 << (bits - 1));
  if (const Tensor* c = scales->constant())
    return n.b().constant(
        Tensor::of<uint8_t>(c->extents(), std::vector<uint8_t>(static_cast<size_t>(c->size()), number)));
  Tensor middle = Tensor::of<uint8_t>({1}, {number});
  return n.b().make<Expand>({n.b().constant(std::move(middle)), n.b().make<ShapeOf>({scales})});
}

template <class Op>
std::vector<Value*> binary(NodeImport& n) {
  Value* a = dequantize(n, n.required(0), n.required(1), n.in(2));
  Value* b = dequantize(n, n.required(3), n.required(4), n.in(5));
  return {quantize(n, n.b().make<Op>({a, b}), n.required(6), n.in(7), n.in(0)->dtype())};
}

// x, x_scale, x_zero_point, y_scale, y_zero_point, with a plain operator between them.
template <class Plain>
std::vector<Value*> unary(NodeImport& n, Plain&& plain) {
  Value* y = plain(dequantize(n, n.required(0), n.required(1), n.in(2)));
  return {quantize(n, y, n.required(3), n.in(4), n.in(0)->dtype())};
}

std::vector<Value*> sigmoid(NodeImport& n) {
  return unary(n, [&](Value* x) { return n.b().make<Sigmoid>({x}); });
}

std::vector<Value*> leaky_relu(NodeImport& n) {
  const double alpha = n.float_attr("alpha", 0.01);
  return unary(n, [&](Value* x) { return n.b().make<LeakyRelu>({x}, {alpha}); });
}

std::vector<Value*> softmax(NodeImport& n) {
  const int64_t axis = n.int_attr("axis", -1), opset = n.int_attr("opset", 13);
  return unary(n, [&](Value* x) {
    if (opset >= 13) return n.b().make<Softmax>({x}, {axis});
    // All axes from the given one on are normalised together.
    Value* y = n.b().make<Softmax>({n.b().make<Flatten>({x}, {axis})}, {-1});
    return n.b().make<Reshape>({y, n.b().make<ShapeOf>({x})});
  });
}

// A pooling of [N, C, spatial...], or of [N, spatial..., C].
template <class Pool>
std::vector<Value*> pool(NodeImport& n, Pool&& make) {
  const bool last = n.int_attr("channels_last", 0) != 0;
  const int rank = last ? rank_of(n, 0) : 0;
  return unary(n, [&](Value* x) {
    if (last) x = n.b().make<Transpose>({x}, {channels_first(rank)});
    Value* y = make(x);
    return last ? n.b().make<Transpose>({y}, {channels_last(rank)}) : y;
  });
}

std::vector<Value*> average_pool(NodeImport& n) {
  const auto attrs = n.attrs<AveragePool>();
  return pool(n, [&](Value* x) { return n.b().make<AveragePool>({x}, attrs); });
}

std::vector<Value*> global_average_pool(NodeImport& n) {
  return pool(n, [&](Value* x) { return n.b().make<GlobalAveragePool>({x}); });
}

// y_scale, y_zero_point, then x, x_scale, x_zero_point of each part.
std::vector<Value*> concat_parts(NodeImport& n) {
  if (!n.has_attr("axis")) n.fail(ErrorCode::bad_attribute, "attribute 'axis' is missing");
  if (n.num_inputs() < 5 || n.num_inputs() % 3 != 2)
    n.fail(ErrorCode::bad_graph, n.num_inputs(), " inputs are not two and three for each part");
  std::vector<Value*> parts;
  for (int i = 2; i < n.num_inputs(); i += 3)
    parts.push_back(dequantize(n, n.required(i), n.required(i + 1), n.in(i + 2)));
  Value* y = concat(n, parts, n.int_attr("axis", 0));
  return {quantize(n, y, n.required(0), n.in(1), n.in(2)->dtype())};
}

// The product of integers, less their zero points, in f32 and in units of a_scale * b_scale.
Value* scaled_product(NodeImport& n, Value* sums, Value* a_scale, Value* b_scale) {
  return n.b().make<Mul>({cast(n, sums, a_scale->dtype()), n.b().make<Mul>({a_scale, b_scale})});
}

std::vector<Value*> gemm(NodeImport& n) {
  const double alpha = n.float_attr("alpha", 1);
  const auto matrix = [&](int i, const char* transposed) {
    return n.int_attr(transposed, 0) ? n.b().make<Transpose>({n.required(i)}, {{1, 0}}) : n.required(i);
  };
  Value *a = matrix(0, "transA"), *b = matrix(3, "transB");
  Value* sums = n.b().make<MatMulInteger>({a, b, n.in(2), n.in(5)});
  if (n.has(6)) sums = n.b().make<Add>({sums, n.in(6)});
  Value* a_scale = n.required(1);
  if (alpha != 1) a_scale = n.b().make<Mul>({a_scale, n.b().scalar_like(a_scale->dtype(), alpha)});
  Value* y = scaled_product(n, sums, a_scale, n.required(4));
  return {n.has(7) ? quantize(n, y, n.in(7), n.in(8), n.in(0)->dtype()) : y};
}

std::vector<Value*> dynamic_matmul(NodeImport& n) {
  Node* a = n.b().make_n<DynamicQuantizeLinear>({n.required(0)}, {}, 3);
  Value* sums = n.b().make<MatMulInteger>({a->result(0), n.required(1), a->result(2), n.in(3)});
  Value* y = scaled_product(n, sums, a->result(1), n.required(2));
  return {n.has(4) ? n.b().make<Add>({y, n.in(4)}) : y};
}

std::vector<Value*> matmul_to_float(NodeImport& n) {
  Value* sums = n.b().make<MatMulInteger>({n.required(0), n.required(1), n.in(4), n.in(5)});
  Value* y = scaled_product(n, sums, n.required(2), n.required(3));
  return {n.has(6) ? n.b().make<Add>({y, n.in(6)}) : y};
}

// The weights [directions, inputs, gates] become what LSTM takes, [directions, gates, inputs] in f32. The activations
// stay exact where ONNX Runtime quantises them step by step.
std::vector<Value*> dynamic_lstm(NodeImport& n) {
  const auto weights = [&](int i, int scale_at) {
    const auto per_gate = [&](Value* v) {
      const auto axes =
          v->shape().ranked() && v->shape().rank() == 2 ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 2};
      return n.b().make<Unsqueeze>({v, n.b().ints(axes)});
    };
    rank_of(n, scale_at);
    Value* w = cast(n, n.required(i), DType::f32);
    if (n.has(scale_at + 1)) w = n.b().make<Sub>({w, cast(n, per_gate(n.in(scale_at + 1)), DType::f32)});
    w = n.b().make<Mul>({w, per_gate(n.required(scale_at))});
    return n.b().make<Transpose>({w}, {{0, 2, 1}});
  };
  const auto attrs = n.attrs<LSTM>();
  int results = std::max(1, n.num_outputs());
  Node* y = n.b().make_n<LSTM>(
      {n.required(0), weights(1, 8), weights(2, 10), n.in(3), n.in(4), n.in(5), n.in(6), n.in(7)}, attrs, results);
  std::vector<Value*> values;
  for (int j = 0; j < results; ++j) values.push_back(y->result(j));
  return values;
}

// B is [N, blocks, bytes of a block]; a product with its transpose.
std::vector<Value*> matmul_n_bits(NodeImport& n) {
  const int64_t bits = n.int_attr("bits", 4), block = n.int_attr("block_size", 0), k = n.int_attr("K", 0),
                columns = n.int_attr("N", 0);
  for (const char* name : {"accuracy_level", "weight_prepacked"}) n.ignore_attr(name);  // how, not what
  expect_bits(n, bits);
  if (block < 1 || k < 1 || columns < 1)
    n.fail(ErrorCode::bad_attribute, "K is ", k, ", N is ", columns, ", block_size is ", block);
  const int64_t blocks = k / block + (k % block != 0);
  // Constants stay constants, which later passes look for.
  const auto reshaped = [&](Value* v, std::vector<int64_t> shape) {
    const Tensor* c = v->constant();
    if (!c || c->size() == 0 || c->size() % shape[0]) return n.b().make<Reshape>({v, n.b().ints(shape)});
    if (shape[1] < 0) shape[1] = c->size() / shape[0];
    return element_count(shape) == c->size() ? n.b().constant(c->reshaped(shape))
                                             : n.b().make<Reshape>({v, n.b().ints(shape)});
  };
  const auto columns_up_to = [&](Value* v, int64_t end) {
    const Tensor* c = v->constant();
    return c && c->rank() == 2 && c->extent(1) == end
               ? v
               : n.b().make<Slice>({v, n.b().ints({0}), n.b().ints({end}), n.b().ints({1})});
  };
  const DType t = n.required(0)->dtype();
  rank_of(n, 1);
  Value* w = reshaped(unpacked(n, n.required(1), bits), {columns, -1});
  w = columns_up_to(w, k);
  Value* scales = reshaped(n.required(2), {columns, blocks});
  if (scales->dtype() != t) scales = cast(n, scales, t);
  Value* zeros = n.in(3);
  if (zeros && zeros->dtype() == DType::u8) {
    rank_of(n, 3);
    zeros = columns_up_to(unpacked(n, reshaped(zeros, {columns, -1}), bits), blocks);
  } else if (zeros) {
    zeros = reshaped(zeros, {columns, blocks});
  } else {
    zeros = middle_like(n, scales, bits);
  }
  if (zeros->dtype() == DType::u8 && !n.has(4)) {
    w = n.b().make<DequantizeLinear>({w, scales, zeros}, {.axis = 1, .block_size = block});
  } else {
    // The block of each element, in order or as given.
    std::vector<int64_t> in_order;
    for (int64_t i = 0; i < k && !n.has(4); ++i) in_order.push_back(i / block);
    Value* group = n.has(4) ? columns_up_to(reshaped(n.in(4), {1, -1}), k) : n.b().ints(in_order);
    if (n.has(4)) group = reshaped(group, {-1});
    const auto spread = [&](Value* v) { return n.b().make<Gather>({v, group}, {1}); };
    w = n.b().make<Mul>({n.b().make<Sub>({cast(n, w, t), cast(n, spread(zeros), t)}), spread(scales)});
  }
  Value* y = n.b().make<MatMul>({n.required(0), n.b().make<Transpose>({w}, {{1, 0}})});
  return {n.has(5) ? n.b().make<Add>({y, n.in(5)}) : y};
}

// Slices are taken first, and only those dequantised.
std::vector<Value*> gather_block_quantized(NodeImport& n) {
  const int rank = rank_of(n, 0), index_rank = rank_of(n, 1);
  const auto axis_of = [&](const char* name, int64_t fallback) {
    const int64_t axis = n.int_attr(name, fallback);
    if (axis < -rank || axis >= rank) n.fail(ErrorCode::bad_attribute, name, " is ", axis, " for rank ", rank);
    return axis < 0 ? axis + rank : axis;
  };
  const int64_t from = axis_of("gather_axis", 0), along = axis_of("quantize_axis", 1),
                block = n.int_attr("block_size", 128), bits = n.int_attr("bits", 4);
  if (from == along) n.fail(ErrorCode::bad_attribute, "gather_axis and quantize_axis are both ", from);
  if (block < 1) n.fail(ErrorCode::bad_attribute, "block_size is ", block);
  const bool bytes = n.in(0)->dtype() == DType::u8;
  if (bytes) expect_bits(n, bits);
  if (bytes && bits < 8 && along != rank - 1)
    n.fail(ErrorCode::bad_attribute, "quantize_axis is ", along, ", packed bytes need the last one");
  const auto gathered = [&](Value* v) { return n.b().make<Gather>({v, n.required(1)}, {from}); };
  Value *x = gathered(n.in(0)), *scales = gathered(n.required(2)), *zeros = n.has(3) ? gathered(n.in(3)) : nullptr;
  if (bytes) {
    x = unpacked(n, x, bits);
    // A row of zero points may end within a byte.
    if (zeros && bits < 8) {
      Value* count = n.b().make<Gather>({n.b().make<ShapeOf>({scales}), n.b().ints({-1})}, {0});
      zeros = n.b().make<Slice>({unpacked(n, zeros, bits), n.b().ints({0}), count, n.b().ints({-1})});
    }
    if (!zeros) zeros = middle_like(n, scales, bits);
  }
  return {n.b().make<DequantizeLinear>({x, scales, zeros},
                                       {.axis = along > from ? along + index_rank - 1 : along, .block_size = block})};
}

// Distances between the rows of two matrices: |a|^2 - 2 ab + |b|^2.
std::vector<Value*> cdist(NodeImport& n) {
  const std::string metric = n.string_attr("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    n.fail(ErrorCode::bad_attribute, "metric is '", metric, "', expected euclidean or sqeuclidean");
  Value *a = n.required(0), *b = n.required(1), *axis = n.b().ints({-1});
  Value* aa = n.b().make<ReduceSumSquare>({a, axis});
  Value* bb = n.b().make<Transpose>({n.b().make<ReduceSumSquare>({b, axis})}, {{1, 0}});
  Gemm::Attrs product;
  product.alpha = -2, product.trans_b = true;
  Value* squares = n.b().make<Add>({n.b().make<Gemm>({a, b, aa}, product), bb});
  Value* y = n.b().make<Max>({squares, n.b().scalar_like(a->dtype(), 0)});  // rounding may have gone below
  return {metric == "euclidean" ? n.b().make<Sqrt>({y}) : y};
}

// Convolution of [N, spatial..., C] with weights [M, spatial..., C / group].
std::vector<Value*> nhwc_conv(NodeImport& n) {
  const int rank = rank_of(n, 0);
  const auto attrs = n.attrs<Conv>();
  const auto first = [&](int i) { return n.b().make<Transpose>({n.required(i)}, {channels_first(rank)}); };
  return {n.b().make<Transpose>({n.b().make<Conv>({first(0), first(1), n.in(2)}, attrs)}, {channels_last(rank)})};
}

std::vector<Value*> where(NodeImport& n) {
  Value* a = dequantize(n, n.required(1), n.required(2), n.in(3));
  Value* b = dequantize(n, n.required(4), n.required(5), n.in(6));
  Value* y = n.b().make<Where>({n.required(0), a, b});
  return {quantize(n, y, n.required(7), n.in(8), n.required(1)->dtype())};
}

template <OpId kOp>
std::vector<Value*> same(NodeImport& n) {
  return n.regular(kOp);
}

}  // namespace

void rows_microsoft_quant(ImportRows& rows) {
  const auto add = [&](std::string_view name, ImportFn import) { rows.push_back({name, 1, import, kMicrosoft}); };
  add("CDist", cdist);
  add("DequantizeLinear", same<OpId::DequantizeLinear>);
  add("DynamicQuantizeLSTM", dynamic_lstm);
  add("DynamicQuantizeMatMul", dynamic_matmul);
  add("GatherBlockQuantized", gather_block_quantized);
  add("MatMulIntegerToFloat", matmul_to_float);
  add("MatMulNBits", matmul_n_bits);
  add("NhwcConv", nhwc_conv);
  add("QGemm", gemm);
  add("QLinearAdd", binary<Add>);
  add("QLinearAveragePool", average_pool);
  add("QLinearConcat", concat_parts);
  add("QLinearGlobalAveragePool", global_average_pool);
  add("QLinearLeakyRelu", leaky_relu);
  add("QLinearMul", binary<Mul>);
  add("QLinearSigmoid", sigmoid);
  add("QLinearSoftmax", softmax);
  add("QLinearWhere", where);
  add("QuantizeLinear", same<OpId::QuantizeLinear>);
  add("Trilu", same<OpId::Trilu>);
}

}  // namespace tc::onnx
