#include "tests/backend/onnx/traps.h"

namespace tc {
namespace {

Value* floats(SampleGraph& g, Extents extents, std::vector<float> values) {
  return g.input(Tensor::of<float>(std::move(extents), values));
}
template <class T>
Value* list(SampleGraph& g, std::vector<T> values) {
  return g.input(Tensor::of<T>({static_cast<int64_t>(values.size())}, values));
}
template <class T>
Tensor vector_of(std::vector<T> values) {
  return Tensor::of<T>({static_cast<int64_t>(values.size())}, values);
}

// floor(a / b) of integers that divide towards zero.
Value* floor_divide(Builder& b, Value* x, Value* y) {
  Value* zero = b.scalar_like(x->dtype(), 0);
  Value* rest = b.make<Sub>({x, b.make<Mul>({b.make<Div>({x, y}), y})});
  Value* uneven = b.make<Not>({b.make<Equal>({rest, zero})});
  Value* below = b.make<Xor>({b.make<Less>({rest, zero}), b.make<Less>({y, zero})});
  Value* correction = b.make<Cast>({b.make<And>({uneven, below})}, {.to = x->dtype()});
  return b.make<Sub>({b.make<Div>({x, y}), correction});
}

}  // namespace

const std::vector<Trap>& traps() {
  static const std::vector<Trap> kTraps = {
      {"round_half_to_even",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Round>({floats(g, {6}, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5})})});
       },
       {vector_of<float>({-2, -2, 0, 0, 2, 2})}},
      {"round_half_away_from_zero",
       [](SampleGraph& g) {
         Value* x = floats(g, {5}, {-2.5, -0.5, 0.5, 1.4999999f, 2.5});
         Value* up = g.b.make<Floor>({g.b.make<Add>({g.b.make<Abs>({x}), g.b.scalar(0.5f)})});
         g.outputs({g.b.make<Mul>({g.b.make<Sign>({x}), up})});
       },
       {vector_of<float>({-3, -1, 1, 1, 3})}},
      {"clip_with_computed_bounds",
       [](SampleGraph& g) {
         Value* x = floats(g, {4}, {-3, -1, 1, 3});
         Value* high = g.b.make<ReduceMean>({g.b.make<Abs>({x}), nullptr}, {.keepdims = false});
         g.outputs({g.b.make<Clip>({x, g.input(Tensor::scalar(-0.5f)), high})});
       },
       {vector_of<float>({-0.5, -0.5, 1, 2})}},
      {"constants_of_f64_that_are_neutral_as_f32",
       [](SampleGraph& g) {
         Builder& b = g.b;
         Value* x = b.make<Abs>({g.input(Tensor::of<double>({2}, {0.5, -1e-250}))});
         Value *tiny = b.scalar(1e-200), *one = b.scalar(1 + 0x1p-30);
         g.outputs({b.make<Abs>({b.make<Add>({tiny, x})}), b.make<Abs>({b.make<Sub>({x, tiny})}),
                    b.make<Sub>({b.make<Mul>({x, one}), x}), b.make<Sub>({b.make<Div>({x, one}), x})});
       },
       {vector_of<double>({0.5, 1e-200}), vector_of<double>({0.5, 1e-200}),
        vector_of<double>({0x1p-31, 0x1p-30 * 1e-250}), vector_of<double>({-0x1p-31, -0x1p-30 * 1e-250})}},
      {"clip_one_side",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Clip>({list<int32_t>(g, {-3, 0, 7}), nullptr, g.b.scalar<int32_t>(5)})});
       },
       {vector_of<int32_t>({-3, 0, 5})}},
      {"integer_division_truncates",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Div>({list<int32_t>(g, {-7, 7, -7, 7}), list<int32_t>(g, {2, 2, -2, -2})})});
       },
       {vector_of<int32_t>({-3, 3, 3, -3})}},
      {"integer_floor_division",
       [](SampleGraph& g) {
         g.outputs(
             {floor_divide(g.b, list<int64_t>(g, {-7, 7, -7, 7, -8, 0}), list<int64_t>(g, {2, 2, -2, -2, 2, -3}))});
       },
       {vector_of<int64_t>({-4, 3, 3, -4, -4, 0})}},
      {"modulo_takes_the_divisors_sign",
       [](SampleGraph& g) {
         Value *a = list<int32_t>(g, {-7, 7, -7, 7}), *b = list<int32_t>(g, {3, -3, -3, 3});
         g.outputs({g.b.make<Mod>({a, b}), g.b.make<Mod>({a, b}, {.fmod = true})});
       },
       {vector_of<int32_t>({2, -2, -1, 1}), vector_of<int32_t>({-1, 1, -1, 1})}},
      // Beyond 2^24, where an f32 on the way would show.
      {"scalar_integers_keep_their_type",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Add>({list<int64_t>(g, {1, 2}), g.b.scalar<int64_t>((int64_t{1} << 53) + 1)}),
                    g.b.make<Mul>({list<int32_t>(g, {1, -1}), g.b.scalar<int32_t>((1 << 24) + 1)}),
                    g.b.make<Add>({list<uint8_t>(g, {250, 3}), g.b.scalar<uint8_t>(10)})});
       },
       {vector_of<int64_t>({(int64_t{1} << 53) + 2, (int64_t{1} << 53) + 3}),
        vector_of<int32_t>({(1 << 24) + 1, -(1 << 24) - 1}), vector_of<uint8_t>({4, 13})}},
      {"log1p_and_expm1_without_cancellation",
       [](SampleGraph& g) {
         // log(1 + x) = 2 atanh(x / (2 + x)); e^x - 1 = tanh(x / 2) (e^x + 1).
         Value* x = floats(g, {2}, {-1e-6f, -1e-3f});
         Value* half = g.b.make<Atanh>({g.b.make<Div>({x, g.b.make<Add>({x, g.b.scalar(2.0f)})})});
         Value* sum = g.b.make<Add>({g.b.make<Exp>({x}), g.b.scalar(1.0f)});
         Value* ratio = g.b.make<Tanh>({g.b.make<Mul>({x, g.b.scalar(0.5f)})});
         g.outputs({g.b.make<Mul>({half, g.b.scalar(2.0f)}), g.b.make<Mul>({ratio, sum})});
       },
       {vector_of<float>({-1.0000005e-6f, -1.00050033e-3f}), vector_of<float>({-9.999995e-7f, -9.995002e-4f})}},
      {"transpose_with_a_new_axis",
       [](SampleGraph& g) {
         Value* x = floats(g, {2, 3}, {1, 2, 3, 4, 5, 6});
         g.outputs({g.b.make<Transpose>({g.b.make<Unsqueeze>({x, g.b.ints({1})})}, {{2, 1, 0}})});
       },
       {Tensor::of<float>({3, 1, 2}, {1, 4, 2, 5, 3, 6})}},
      {"transpose_without_a_permutation",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Transpose>({floats(g, {2, 1, 3}, {1, 2, 3, 4, 5, 6})})});
       },
       {Tensor::of<float>({3, 1, 2}, {1, 4, 2, 5, 3, 6})}},
      {"gemm_with_attributes",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Gemm>(
             {floats(g, {2, 1}, {1, 2}), floats(g, {3, 2}, {1, 2, 3, 4, 5, 6}), floats(g, {3}, {1, 1, 1})},
             {.alpha = 0.5, .beta = 2, .trans_a = true, .trans_b = true})});
       },
       {Tensor::of<float>({1, 3}, {4.5, 7.5, 10.5})}},
      {"gemm_with_computed_alpha_and_beta",
       [](SampleGraph& g) {
         Value *alpha = g.input(Tensor::scalar(0.5f)), *beta = g.input(Tensor::scalar(2.0f));
         Value* product = g.b.make<MatMul>({floats(g, {1, 2}, {1, 2}), floats(g, {2, 2}, {1, 3, 2, 4})});
         g.outputs({g.b.make<Add>({g.b.make<Mul>({product, alpha}), g.b.make<Mul>({floats(g, {2}, {1, 1}), beta})})});
       },
       {Tensor::of<float>({1, 2}, {4.5, 7.5})}},
      {"reductions_over_bool",
       [](SampleGraph& g) {
         Value* x = g.input(Tensor::of<Bool>({2, 2}, {Bool(true), Bool(false), Bool(false), Bool(false)}));
         g.outputs({g.b.make<ReduceMax>({x, g.b.ints({1})}, {.keepdims = false}),
                    g.b.make<ReduceMin>({x, g.b.ints({0})}, {.keepdims = false}),
                    g.b.make<ReduceSum>({g.b.make<Cast>({x}, {.to = DType::i64}), nullptr}, {.keepdims = false})});
       },
       {vector_of<Bool>({Bool(true), Bool(false)}), vector_of<Bool>({Bool(false), Bool(false)}),
        Tensor::scalar<int64_t>(1)}},
      {"reduction_over_no_axes",
       [](SampleGraph& g) {
         Value* x = floats(g, {2}, {-3, 4});
         g.outputs({g.b.make<ReduceSumSquare>({x}, {.noop_with_empty_axes = true}),
                    g.b.make<ReduceL1>({x, g.b.constant(Tensor(DType::i64, {0}))}, {.keepdims = false})});
       },
       {vector_of<float>({9, 16}), Tensor::scalar(7.0f)}},
      {"a_kernel_is_not_flipped",
       [](SampleGraph& g) {
         g.outputs({g.b.make<Conv>({floats(g, {1, 1, 4}, {1, 2, 3, 4}), floats(g, {1, 1, 2}, {10, 1})})});
       },
       {Tensor::of<float>({1, 1, 3}, {12, 23, 34})}},
  };
  return kTraps;
}

}  // namespace tc
