// Quantised operators of com.microsoft against ONNX Runtime.
#include <gtest/gtest.h>

#include <random>

#include "nodes.h"

namespace tc::peers {
namespace {

using namespace tc::model_writer;

class PeerQuant : public testing::Test {
 protected:
  // Any byte may come up, the ends of the range more often.
  template <class T>
  Tensor bytes(const Extents& extents) {
    Tensor t(dtype_of<T>, extents);
    for (T& v : t.mutable_span<T>()) {
      const auto r = random_();
      v = r % 8 == 0   ? std::numeric_limits<T>::min()
          : r % 8 == 1 ? std::numeric_limits<T>::max()
                       : static_cast<T>(r >> 8);
    }
    return t;
  }
  Tensor floats(const Extents& extents) { return random_f32(extents, static_cast<unsigned>(random_())); }
  void add(std::string name, std::string op, std::vector<NodeInput> inputs, Messages attributes = {}, int64_t steps = 0,
           Tolerance tolerance = {.rtol = 1e-5, .atol = 1e-6}) {
    cases_.push_back({std::move(name), std::move(op), std::move(inputs), std::move(attributes), 1, tolerance, steps});
  }
  void check() { expect_agreement({"com.microsoft", {{"", 18}, {"com.microsoft", 1}}, std::move(cases_)}); }

  std::mt19937 random_{11};
  std::vector<NodeCase> cases_;
};

template <class T>
NodeInput scalar_of(T v) {
  return constant(Tensor::scalar(v));
}
template <class T>
NodeInput vec(const std::vector<T>& v) {
  return constant(Tensor::of<T>({static_cast<int64_t>(v.size())}, v));
}
template <class T>
T middle() {
  return std::is_signed_v<T> ? T(-3) : T(125);
}

// Scales that are powers of two make ties, and every step exact; with others the two may round a tie their own way.
// Zero points of results are even: ONNX Runtime adds them before it rounds to even, the standard afterwards.
TEST_F(PeerQuant, Elementwise) {
  const auto all = [&]<class T>(const std::string& t, T zero) {
    for (const float unit : {0.25f, 0.0371f}) {
      const bool exact = unit == 0.25f;
      const std::string name = cat(t, exact ? "_exact" : "_odd");
      const int64_t steps = exact ? 0 : 1;
      const NodeInput z = scalar_of(zero);
      add("add_" + name, "QLinearAdd",
          {bytes<T>({4, 33}), scalar_of(unit), z, bytes<T>({33}), scalar_of(unit / 2), scalar_of(T()), scalar_of(unit),
           z},
          {}, steps);
      add("mul_" + name, "QLinearMul",
          {bytes<T>({4, 33}), scalar_of(unit), z, bytes<T>({4, 1}), scalar_of(unit / 2), z, scalar_of(4 * unit),
           scalar_of(T(2))},
          {}, steps);
      add("scalar_" + name, "QLinearAdd",
          {bytes<T>({70}), scalar_of(unit), z, bytes<T>({1}), scalar_of(unit), z, scalar_of(unit * 2), z}, {}, steps);
      add("sigmoid_" + name, "QLinearSigmoid",
          {bytes<T>({256}), scalar_of(unit / 8), z, scalar_of(1 / 256.0f),
           scalar_of(std::is_signed_v<T> ? T(-128) : T(0))},
          {}, 1);
      add("leaky_" + name, "QLinearLeakyRelu",
          {bytes<T>({256}), scalar_of(unit), z, scalar_of(unit / 2), scalar_of(T(6))}, {attr_f("alpha", 0.125f)},
          steps);
    }
  };
  all.operator()<uint8_t>("u8", 124);
  all.operator()<int8_t>("i8", -4);
  check();
}

TEST_F(PeerQuant, SoftmaxAndConcat) {
  for (const int64_t opset : {12, 13})
    for (const int64_t axis : {1, -1}) {
      const Messages a = {attr_i("axis", axis), attr_i("opset", opset)};
      add(cat("softmax_u8_", opset, axis), "QLinearSoftmax",
          {bytes<uint8_t>({2, 5, 7}), scalar_of(0.0625f), scalar_of(uint8_t{100}), scalar_of(1 / 256.0f),
           scalar_of(uint8_t{0})},
          a, 1);
      add(cat("softmax_i8_", opset, axis), "QLinearSoftmax",
          {bytes<int8_t>({2, 5, 7}), scalar_of(0.0625f), scalar_of(int8_t{10}), scalar_of(1 / 256.0f),
           scalar_of(int8_t{-128})},
          a, 1);
    }
  add("concat_u8", "QLinearConcat",
      {scalar_of(0.5f), scalar_of(uint8_t{3}), bytes<uint8_t>({2, 3}), scalar_of(0.25f), scalar_of(uint8_t{128}),
       bytes<uint8_t>({2, 1}), scalar_of(0.5f), scalar_of(uint8_t{3}), bytes<uint8_t>({2, 4}), scalar_of(3.0f),
       scalar_of(uint8_t{0})},
      {attr_i("axis", -1)});
  add("concat_i8", "QLinearConcat",
      {scalar_of(0.5f), scalar_of(int8_t{3}), bytes<int8_t>({2, 3}), scalar_of(0.25f), scalar_of(int8_t{-128}),
       bytes<int8_t>({5, 3}), scalar_of(0.125f), scalar_of(int8_t{3})},
      {attr_i("axis", 0)});
  check();
}

TEST_F(PeerQuant, Pooling) {
  const auto all = [&]<class T>(const std::string& t, T zero) {
    const std::vector<NodeInput> quant = {scalar_of(0.25f), scalar_of(zero), scalar_of(0.125f), scalar_of(T(2))};
    const auto inputs = [&](const Extents& x) {
      std::vector<NodeInput> in = quant;
      in.insert(in.begin(), bytes<T>(x));
      return in;
    };
    const Messages window = {attr_ints("kernel_shape", {3, 2}), attr_ints("strides", {2, 1}),
                             attr_ints("pads", {1, 0, 1, 1})};
    Messages padded = window, ceiling = window, last = window;
    padded.push_back(attr_i("count_include_pad", 1));
    ceiling.push_back(attr_i("ceil_mode", 1));
    last.push_back(attr_i("channels_last", 1));
    add("pool_" + t, "QLinearAveragePool", inputs({1, 3, 7, 6}), window, 1);
    add("pool_padded_" + t, "QLinearAveragePool", inputs({1, 3, 7, 6}), padded, 1);
    add("pool_ceiling_" + t, "QLinearAveragePool", inputs({1, 3, 8, 6}), ceiling, 1);
    add("pool_last_" + t, "QLinearAveragePool", inputs({1, 7, 6, 3}), last, 1);
    add("global_" + t, "QLinearGlobalAveragePool", inputs({2, 3, 4, 4}), {attr_i("channels_last", 0)}, 1);
    add("global_last_" + t, "QLinearGlobalAveragePool", inputs({2, 4, 4, 3}), {attr_i("channels_last", 1)}, 1);
  };
  all.operator()<uint8_t>("u8", 125);
  all.operator()<int8_t>("i8", -3);
  check();
}

TEST_F(PeerQuant, Products) {
  const Tensor bias = Tensor::of<int32_t>({3}, {100, -2000, 0});
  for (const bool transposed : {false, true}) {
    const Messages a = {attr_i("transA", transposed), attr_i("transB", transposed), attr_f("alpha", 0.5f)};
    const Extents left = transposed ? Extents{5, 4} : Extents{4, 5}, right = transposed ? Extents{3, 5} : Extents{5, 3};
    add(cat("gemm_u8", transposed), "QGemm",
        {bytes<uint8_t>(left), scalar_of(0.25f), scalar_of(uint8_t{100}), constant(bytes<int8_t>(right)),
         vec<float>({0.5f, 0.25f, 1}), vec<int8_t>({0, 0, 0}), constant(bias), scalar_of(16.0f),
         scalar_of(uint8_t{20})},
        a, 1);
    add(cat("gemm_f32", transposed), "QGemm",
        {bytes<uint8_t>(left), scalar_of(0.25f), scalar_of(uint8_t{100}), bytes<uint8_t>(right), scalar_of(0.5f),
         scalar_of(uint8_t{7}), NodeInput()},
        a);
    add(cat("gemm_i8", transposed), "QGemm",
        {bytes<int8_t>(left), scalar_of(0.25f), scalar_of(int8_t{-1}), bytes<int8_t>(right), scalar_of(0.5f),
         scalar_of(int8_t{0}), NodeInput(), scalar_of(32.0f), scalar_of(int8_t{0})},
        a, 1);
  }
  const Tensor zero_row(DType::f32, {2, 5});
  add("dynamic", "DynamicQuantizeMatMul",
      {floats({4, 5}), bytes<int8_t>({5, 3}), vec<float>({0.5f}), vec<int8_t>({3}), floats({3})});
  add("dynamic_u8", "DynamicQuantizeMatMul",
      {floats({2, 4, 5}), constant(bytes<uint8_t>({5, 3})), vec<float>({0.5f, 1, 2}), vec<uint8_t>({3, 0, 128})});
  add("dynamic_plain", "DynamicQuantizeMatMul", {floats({4, 5}), bytes<uint8_t>({5, 3}), vec<float>({0.5f})});
  add("dynamic_zeros", "DynamicQuantizeMatMul", {zero_row, bytes<uint8_t>({5, 3}), vec<float>({0.5f})});
  add("to_float", "MatMulIntegerToFloat",
      {bytes<uint8_t>({2, 4, 5}), constant(bytes<int8_t>({5, 3})), scalar_of(0.25f), vec<float>({0.5f, 1, 2}),
       scalar_of(uint8_t{7}), vec<int8_t>({1, -2, 3}), vec<float>({1, 2, 3})});
  add("to_float_plain", "MatMulIntegerToFloat",
      {bytes<int8_t>({4, 5}), bytes<int8_t>({5, 3}), scalar_of(0.25f), scalar_of(0.5f)});
  check();
}

TEST_F(PeerQuant, PackedWeights) {
  const auto attrs = [](int64_t k, int64_t n, int64_t bits, int64_t block) {
    return Messages{attr_i("K", k), attr_i("N", n), attr_i("bits", bits), attr_i("block_size", block)};
  };
  const Tolerance sums{.rtol = 1e-4, .atol = 1e-3};
  for (const int64_t k : {32, 80}) {
    const int64_t blocks = (k + 31) / 32, n = 6;
    const Tensor b = bytes<uint8_t>({n, blocks, 16}), scales = floats({n, blocks});
    const Tensor zeros = bytes<uint8_t>({n, (blocks + 1) / 2});
    add(cat("nbits_", k), "MatMulNBits", {floats({3, k}), constant(b), constant(scales)}, attrs(k, n, 4, 32), 0, sums);
    add(cat("nbits_flat_", k), "MatMulNBits",
        {floats({2, 3, k}), constant(b), constant(scales.reshaped({n * blocks})),
         constant(zeros.reshaped({zeros.size()}))},
        attrs(k, n, 4, 32), 0, sums);
    add(cat("nbits_float_zeros_", k), "MatMulNBits",
        {floats({3, k}), constant(b), constant(scales), constant(floats({n, blocks}))}, attrs(k, n, 4, 32), 0, sums);
    add(cat("nbits_bias_", k), "MatMulNBits",
        {floats({3, k}), constant(b), constant(scales), constant(zeros), NodeInput(), constant(floats({n}))},
        attrs(k, n, 4, 32), 0, sums);
    const Tensor wide = bytes<uint8_t>({n, blocks, 32});
    add(cat("nbits_8_", k), "MatMulNBits",
        {floats({3, k}), constant(wide), constant(scales), constant(bytes<uint8_t>({n, blocks}))}, attrs(k, n, 8, 32),
        0, sums);
  }
  // Enough weights to stay as they are.
  for (const int64_t bits : {4, 8})
    add(cat("nbits_large_", bits), "MatMulNBits",
        {floats({2, 256}), constant(bytes<uint8_t>({288, 8, 4 * bits})), constant(floats({288, 8})),
         constant(bytes<uint8_t>({288, bits}))},
        attrs(256, 288, bits, 32), 0, {.rtol = 1e-3, .atol = 1e-2});
  const NodeInput rows = Tensor::of<int64_t>({2, 2}, {3, 0, 1, 3});
  for (const int64_t bits : {4, 8}) {
    const Messages a = {attr_i("gather_axis", 0), attr_i("quantize_axis", 1), attr_i("block_size", 16),
                        attr_i("bits", bits)};
    const int64_t width = 48 * bits / 8, zeros = (3 * bits + 7) / 8;
    add(cat("gather_", bits), "GatherBlockQuantized",
        {constant(bytes<uint8_t>({4, width})), rows, constant(floats({4, 3}))}, a);
    add(cat("gather_zeros_", bits), "GatherBlockQuantized",
        {constant(bytes<uint8_t>({4, width})), rows, constant(floats({4, 3})), constant(bytes<uint8_t>({4, zeros}))},
        a);
  }
  Tensor nibbles(DType::i4, {4, 32, 3});
  for (Int4& v : nibbles.mutable_span<Int4>()) v = Int4(static_cast<double>(random_() % 16) - 8);
  add("gather_i4", "GatherBlockQuantized", {constant(nibbles), rows, constant(floats({4, 2, 3}))},
      {attr_i("gather_axis", 0), attr_i("quantize_axis", 1), attr_i("block_size", 16)});
  add("gather_inner", "GatherBlockQuantized",
      {constant(nibbles), NodeInput(Tensor::of<int32_t>({2}, {2, 0})), constant(floats({4, 2, 3}))},
      {attr_i("gather_axis", 2), attr_i("quantize_axis", 1), attr_i("block_size", 16)});
  check();
}

// ONNX Runtime quantises inputs and states to 8 bits at each step; the difference stays within that noise.
TEST_F(PeerQuant, RecurrentNetworks) {
  for (const bool per_channel : {false, true}) {
    const int64_t hidden = 4, inputs = 3;
    const auto scale = [&](float v) {
      Tensor t(DType::f32, per_channel ? Extents{2, 4 * hidden} : Extents{2});
      for (float& s : t.mutable_span<float>()) s = v;
      return constant(t);
    };
    const auto zero = [&] { return constant(Tensor(DType::i8, per_channel ? Extents{2, 4 * hidden} : Extents{2})); };
    cases_.push_back(
        {cat("lstm_", per_channel),
         "DynamicQuantizeLSTM",
         {floats({5, 2, inputs}), constant(bytes<int8_t>({2, inputs, 4 * hidden})),
          constant(bytes<int8_t>({2, hidden, 4 * hidden})), constant(floats({2, 8 * hidden})), NodeInput(),
          floats({2, 2, hidden}), floats({2, 2, hidden}), NodeInput(), scale(0.004f), zero(), scale(0.003f), zero()},
         {attr_s("direction", "bidirectional"), attr_i("hidden_size", hidden)},
         3,
         {.rtol = 0, .atol = 0.02}});
  }
  check();
}

TEST_F(PeerQuant, Others) {
  const Tensor a = floats({5, 3}), b = floats({4, 3});
  for (const char* metric : {"sqeuclidean", "euclidean"})
    add(cat("cdist_", metric), "CDist", {a, b}, {attr_s("metric", metric)}, 0, {.rtol = 1e-4, .atol = 1e-5});
  add("trilu", "Trilu", {floats({2, 4, 5}), scalar_of(int64_t{-1})}, {attr_i("upper", 0)});
  add("trilu_upper", "Trilu", {floats({3, 3})});
  const Tensor x =
      Tensor::of<float>({2, 6}, {0.5f, 1.5f, 2.5f, -0.5f, 1000, -1000, 0.125f, -3, 63.5f, 64, INFINITY, -INFINITY});
  add("quantize_u8", "QuantizeLinear", {x, scalar_of(0.5f), scalar_of(uint8_t{3})});
  add("quantize_i8", "QuantizeLinear", {x, scalar_of(1.0f), scalar_of(int8_t{-3})});
  add("quantize_u16", "QuantizeLinear", {x, scalar_of(0.01f), scalar_of(uint16_t{300})});
  add("quantize_i16", "QuantizeLinear", {x, scalar_of(0.03125f), scalar_of(int16_t{0})});
  add("quantize_axis", "QuantizeLinear", {x, vec<float>({1, 0.25f}), vec<uint8_t>({0, 9})}, {attr_i("axis", 0)});
  add("dequantize_u8", "DequantizeLinear", {bytes<uint8_t>({2, 6}), scalar_of(0.5f), scalar_of(uint8_t{3})});
  add("dequantize_i16", "DequantizeLinear", {bytes<int16_t>({2, 6}), scalar_of(0.5f), scalar_of(int16_t{3})});
  add("dequantize_i32", "DequantizeLinear", {Tensor::of<int32_t>({2}, {1 << 30, -7}), scalar_of(0.5f)});
  add("dequantize_axis", "DequantizeLinear",
      {bytes<int8_t>({2, 3}), vec<float>({1, 0.25f, 3}), vec<int8_t>({0, 9, -9})}, {attr_i("axis", 1)});
  check();
}

}  // namespace
}  // namespace tc::peers
