#include <cmath>
#include <map>

#include "tests/samples/sample.h"

namespace tc {
namespace {

// Where the default interval [-2, 2] is not an op's domain, or misses its interesting part. Of operand 1 for divisors.
struct Interval {
  double low, high;
};
Interval domain(std::string_view op, int operand, DType t) {
  static const std::map<std::string_view, Interval> first = {
      {"sqrt", {0, 9}},          {"log", {0.1, 9}},         {"asin", {-1, 1}},          {"acos", {-1, 1}},
      {"acosh", {1, 9}},         {"atanh", {-0.9, 0.9}},    {"floor", {-9, 9}},         {"ceil", {-9, 9}},
      {"round", {-9, 9}},        {"relu", {-9, 9}},         {"tan", {-1, 1}},           {"reciprocal", {0.5, 4}},
      {"hard_swish", {-6, 6}},   {"hard_sigmoid", {-6, 6}}, {"bitwise_and", {-99, 99}}, {"bitwise_or", {-99, 99}},
      {"bitwise_xor", {-99, 99}}};
  if ((op == "div" || op == "mod") && operand == 1) return {1, 3};
  if ((op == "div" || op == "mod") && kind(t) != DTypeKind::floating) return {-99, 99};
  const auto it = first.find(op);
  return it == first.end() ? Interval{-2, 2} : it->second;
}

template <class Op>
Value* argument(SampleGraph& g, DType t, Extents extents, int operand) {
  const auto [low, high] = domain(Op::facts.name, operand, t);
  return g.input(t, std::move(extents), low, high);
}

template <class Op, DType T>
void unary(SampleGraph& g) {
  g.outputs({g.b.make<Op>({argument<Op>(g, T, {3, 35}, 0)})});
}
template <class Op, DType T>
void binary(SampleGraph& g) {
  g.outputs({g.b.make<Op>({argument<Op>(g, T, {3, 35}, 0), argument<Op>(g, T, {3, 35}, 1)})});
}
template <class Op>
void broadcast_inner(SampleGraph& g) {
  constexpr DType t = Op::facts.set_of('T').has(DType::f32)   ? DType::f32
                      : Op::facts.set_of('T').has(DType::i32) ? DType::i32
                                                              : DType::boolean;
  g.outputs({g.b.make<Op>({argument<Op>(g, t, {2, 3, 17}, 0), argument<Op>(g, t, {3, 1}, 1)}),
             g.b.make<Op>({argument<Op>(g, t, {2, 3, 17}, 0), argument<Op>(g, t, {}, 1)})});
}
template <class Op>
void broadcast_both(SampleGraph& g) {
  constexpr DType t = Op::facts.set_of('T').has(DType::f32)   ? DType::f32
                      : Op::facts.set_of('T').has(DType::i32) ? DType::i32
                                                              : DType::boolean;
  g.outputs({g.b.make<Op>({argument<Op>(g, t, {2, 1, 17}, 0), argument<Op>(g, t, {3, 1}, 1)}),
             g.b.make<Op>({argument<Op>(g, t, {0, 4}, 0), argument<Op>(g, t, {4}, 1)})});
}

// A sample per element type that the op takes, of those that kernels are likely to have.
template <class Op, template <class, DType> class Make>
void each_type(std::vector<Sample>& samples) {
  auto one = [&]<DType T>() {
    if constexpr (Op::facts.set_of('T').has(T))
      samples.push_back({cat(Op::facts.name, "/", name(T)), Make<Op, T>::build});
  };
  one.template operator()<DType::f32>();
  one.template operator()<DType::f64>();
  one.template operator()<DType::f16>();
  one.template operator()<DType::bf16>();
  one.template operator()<DType::i32>();
  one.template operator()<DType::i64>();
  one.template operator()<DType::u8>();
  one.template operator()<DType::boolean>();
  one.template operator()<DType::str>();
}
template <class Op, DType T>
struct Unary {
  static void build(SampleGraph& g) { unary<Op, T>(g); }
};
template <class Op, DType T>
struct Binary {
  static void build(SampleGraph& g) { binary<Op, T>(g); }
};

template <class Op>
void unary_samples(std::vector<Sample>& samples) {
  each_type<Op, Unary>(samples);
}
template <class Op>
void binary_samples(std::vector<Sample>& samples) {
  each_type<Op, Binary>(samples);
  samples.push_back({cat(Op::facts.name, "/broadcast"), broadcast_inner<Op>});
  if (Op::facts.name != "prelu") samples.push_back({cat(Op::facts.name, "/broadcast_both"), broadcast_both<Op>});
}

template <DType kType>
void unsigned_words(SampleGraph& g) {
  const double most = kType == DType::u32 ? 4.2e9 : 1.8e19;
  Value *a = g.input(kType, {3, 37}, 0, most), *b = g.input(kType, {3, 37}, 1, most);
  Value *row = g.input(kType, {37}, 1, most), *one = g.input(kType, {}, 1, 2), *by = g.input(kType, {37}, 0, 70);
  Value* c = g.input(DType::boolean, {3, 37});
  g.outputs({g.b.make<Add>({a, row}), g.b.make<Mul>({a, b}), g.b.make<Sub>({a, row}), g.b.make<Div>({a, b}),
             g.b.make<Div>({a, one}), g.b.make<Mod>({a, row}), g.b.make<Min>({a, b, row}), g.b.make<Max>({a, one}),
             g.b.make<Less>({a, b}), g.b.make<GreaterOrEqual>({row, a}), g.b.make<Equal>({a, a}),
             g.b.make<Clip>({a, one, nullptr}), g.b.make<Clip>({a, one, one}), g.b.make<BitwiseXor>({a, row}),
             g.b.make<BitShift>({a, by}, {ShiftDirection::left}), g.b.make<BitShift>({a, by}, {ShiftDirection::right}),
             g.b.make<Abs>({a}), g.b.make<Sign>({a}), g.b.make<Where>({c, by, one})});
}

template <DType To>
void cast_from_f32(SampleGraph& g) {
  g.outputs({g.b.make<Cast>({g.input(DType::f32, {37}, -9, 9)}, {.to = To})});
}

void irregular(std::vector<Sample>& samples) {
  samples.push_back({"mod/f32", [](SampleGraph& g) {
                       g.outputs({g.b.make<Mod>({g.input(DType::f32, {37}, -9, 9), g.input(DType::f32, {37}, 1, 3)},
                                                {.fmod = true})});
                     }});
  samples.push_back({"mod/i32", [](SampleGraph& g) {
                       Value *a = g.input(DType::i32, {4, 9}, -99, 99), *b = g.input(DType::i32, {9}, 1, 7);
                       g.outputs({g.b.make<Mod>({a, b}), g.b.make<Mod>({a, g.b.make<Neg>({b})}),
                                  g.b.make<Mod>({a, b}, {.fmod = true})});
                     }});
  samples.push_back({"pow/f32", [](SampleGraph& g) {
                       g.outputs({g.b.make<Pow>({g.input(DType::f32, {3, 13}, 0.1, 3), g.input(DType::f32, {13})})});
                     }});
  samples.push_back({"pow/f32_i64", [](SampleGraph& g) {
                       g.outputs({g.b.make<Pow>({g.input(DType::f32, {3, 13}), g.input(DType::i64, {}, 2, 2)})});
                     }});
  samples.push_back({"pow/i32_f32", [](SampleGraph& g) {
                       g.outputs({g.b.make<Pow>({g.input(DType::i32, {17}, -5, 5), g.input(DType::f32, {17}, 2, 2)})});
                     }});
  samples.push_back({"bit_shift/left", [](SampleGraph& g) {
                       g.outputs({g.b.make<BitShift>({g.input(DType::u8, {37}, 0, 255), g.input(DType::u8, {37}, 0, 9)},
                                                     {ShiftDirection::left})});
                     }});
  samples.push_back({"bit_shift/right", [](SampleGraph& g) {
                       g.outputs(
                           {g.b.make<BitShift>({g.input(DType::u32, {3, 7}, 0, 1e6), g.input(DType::u32, {7}, 0, 40)},
                                               {ShiftDirection::right})});
                     }});
  samples.push_back({"unsigned/u32", unsigned_words<DType::u32>});
  samples.push_back({"unsigned/u64", unsigned_words<DType::u64>});
  samples.push_back({"is_nan", [](SampleGraph& g) {
                       g.outputs({g.b.make<IsNaN>({g.input(Tensor::of<float>({4}, {NAN, INFINITY, -INFINITY, 1}))})});
                     }});
  samples.push_back({"is_inf", [](SampleGraph& g) {
                       Value* x = g.input(Tensor::of<float>({4}, {NAN, INFINITY, -INFINITY, 1}));
                       g.outputs({g.b.make<IsInf>({x}), g.b.make<IsInf>({x}, {.detect_negative = false}),
                                  g.b.make<IsInf>({x}, {.detect_positive = false})});
                     }});
  samples.push_back({"where/f32", [](SampleGraph& g) {
                       Value* c = g.input(DType::boolean, {3, 17});
                       g.outputs({g.b.make<Where>({c, g.input(DType::f32, {3, 17}), g.input(DType::f32, {})}),
                                  g.b.make<Where>({c, g.input(DType::f32, {2, 1, 17}), g.input(DType::f32, {3, 1})})});
                     }});
  samples.push_back({"where/i64", [](SampleGraph& g) {
                       g.outputs({g.b.make<Where>({g.input(DType::boolean, {3, 1}), g.input(DType::i64, {3, 17}),
                                                   g.input(DType::i64, {17})})});
                     }});
  samples.push_back({"where/str", [](SampleGraph& g) {
                       g.outputs({g.b.make<Where>(
                           {g.input(DType::boolean, {5}), g.input(DType::str, {5}), g.input(DType::str, {})})});
                     }});
  samples.push_back({"where/c64", [](SampleGraph& g) {
                       g.outputs({g.b.make<Where>(
                           {g.input(DType::boolean, {5}), g.input(DType::c64, {5}), g.input(DType::c64, {5})})});
                     }});
  samples.push_back({"clip/f32", [](SampleGraph& g) {
                       Value* x = g.input(DType::f32, {3, 17}, -9, 9);
                       g.outputs({g.b.make<Clip>({x, g.b.scalar(0.0f), g.b.scalar(6.0f)}),
                                  g.b.make<Clip>({x, nullptr, g.b.scalar(1.0f)}),
                                  g.b.make<Clip>({x, g.b.scalar(2.0f), g.b.scalar(-2.0f)}), g.b.make<Clip>({x})});
                     }});
  samples.push_back({"clip/i32", [](SampleGraph& g) {
                       g.outputs({g.b.make<Clip>(
                           {g.input(DType::i32, {37}, -9, 9), g.b.scalar(int32_t{-3}), g.b.scalar(int32_t{4})})});
                     }});
  samples.push_back({"cast/i32", cast_from_f32<DType::i32>});
  samples.push_back({"cast/i64", cast_from_f32<DType::i64>});
  samples.push_back({"cast/u8", cast_from_f32<DType::u8>});
  samples.push_back({"cast/bool", cast_from_f32<DType::boolean>});
  samples.push_back({"cast/f64", cast_from_f32<DType::f64>});
  samples.push_back({"cast/f16", cast_from_f32<DType::f16>});
  samples.push_back({"cast/bf16", cast_from_f32<DType::bf16>});
  samples.push_back({"cast/f8e4m3fn", cast_from_f32<DType::f8e4m3fn>, 0.07, 1e-3});
  samples.push_back({"cast/str", cast_from_f32<DType::str>});
  samples.push_back({"cast/integers", [](SampleGraph& g) {
                       Value* x = g.input(DType::i64, {37}, -300, 300);
                       g.outputs({g.b.make<Cast>({x}, {.to = DType::f32}), g.b.make<Cast>({x}, {.to = DType::u8}),
                                  g.b.make<Cast>({x}, {.to = DType::i4}), g.b.make<Cast>({x}, {.to = DType::boolean}),
                                  g.b.make<Cast>({g.input(DType::boolean, {9})}, {.to = DType::f32})});
                     }});
  samples.push_back({"cast/halves", [](SampleGraph& g) {
                       Value *i = g.input(DType::i32, {37}, -60000, 60000),
                             *l = g.input(DType::i64, {37}, -60000, 60000);
                       Value *d = g.input(DType::f64, {3, 100}, -60000, 60000), *h = g.input(DType::f16, {37}, -9, 9);
                       g.outputs({g.b.make<Cast>({i}, {.to = DType::f16}), g.b.make<Cast>({i}, {.to = DType::bf16}),
                                  g.b.make<Cast>({l}, {.to = DType::f16}), g.b.make<Cast>({l}, {.to = DType::bf16}),
                                  g.b.make<Cast>({d}, {.to = DType::f16}), g.b.make<Cast>({d}, {.to = DType::bf16}),
                                  g.b.make<Cast>({h}, {.to = DType::f64})});
                     }});
  samples.push_back({"cast/from_str", [](SampleGraph& g) {
                       Value* x = g.input(Tensor::of<std::string>({4}, {"1", "-2", "+3", " 4 "}));
                       g.outputs({g.b.make<Cast>({x}, {.to = DType::f32}), g.b.make<Cast>({x}, {.to = DType::i32})});
                     }});
  samples.push_back({"bit_cast/f32", [](SampleGraph& g) {
                       g.outputs({g.b.make<BitCast>({g.input(DType::f32, {3, 5})}, {DType::i32})});
                     }});
  samples.push_back({"bit_cast/u4", [](SampleGraph& g) {
                       g.outputs({g.b.make<BitCast>({g.input(DType::u4, {9}, 0, 15)}, {DType::i4})});
                     }});
  samples.push_back({"bit_cast/widths", [](SampleGraph& g) {
                       std::vector<Value*> outputs;
                       for (const auto& [from, to] : {std::pair{DType::u2, DType::i2},
                                                      {DType::u8, DType::i8},
                                                      {DType::u16, DType::i16},
                                                      {DType::i64, DType::u64},
                                                      {DType::c128, DType::c128}})
                         outputs.push_back(g.b.make<BitCast>({g.input(from, {7}, 0, 3)}, {to}));
                       g.outputs(outputs);
                     }});
  samples.push_back({"gelu/none", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gelu>({g.input(DType::f32, {3, 17}, -5, 5)})});
                     }});
  samples.push_back({"gelu/tanh", [](SampleGraph& g) {
                       g.outputs({g.b.make<Gelu>({g.input(DType::f32, {3, 17}, -5, 5)}, {GeluApproximation::tanh})});
                     }});
  samples.push_back(
      {"swiglu", [](SampleGraph& g) {
         g.outputs({g.b.make<SwiGLU>({g.input(DType::f32, {3, 17}), g.input(DType::f32, {3, 17})}, {.alpha = 1.5})});
       }});
  samples.push_back({"dropout/inference", [](SampleGraph& g) {
                       Node* d = g.b.make_n<Dropout>({g.input(DType::f32, {3, 7})}, {}, 2);
                       g.outputs({d->result(0), d->result(1)});
                     }});
  samples.push_back({"dropout/training", [](SampleGraph& g) {
                       Node* d = g.b.make_n<Dropout>(
                           {g.input(DType::f32, {3, 7}), g.b.scalar(0.25f), g.b.constant(Tensor::scalar(Bool(true)))},
                           {.seed = 7}, 2);
                       g.outputs({d->result(0), d->result(1)});
                     }});
  samples.push_back(
      {"max/many", [](SampleGraph& g) {
         g.outputs({g.b.make<Max>({g.input(DType::f32, {3, 5}), g.input(DType::f32, {5}), g.input(DType::f32, {3, 1})}),
                    g.b.make<Max>({g.input(DType::f32, {3, 5})})});
       }});
  samples.push_back({"mean/many", [](SampleGraph& g) {
                       g.outputs({g.b.make<Mean>(
                           {g.input(DType::f32, {3, 5}), g.input(DType::f32, {5}), g.input(DType::f32, {3, 1})})});
                     }});
}

}  // namespace

void samples_elementwise(std::vector<Sample>& samples) {
#define TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx) unary_samples<Name>(samples);
#define TC_UNARY_REAL(Name, spelling, since, types, doc, f, dx) unary_samples<Name>(samples);
#define TC_UNARY_1(Name, spelling, since, types, doc, f, dx, p, p0) unary_samples<Name>(samples);
#define TC_UNARY_2(Name, spelling, since, types, doc, f, dx, p, p0, q, q0) unary_samples<Name>(samples);
#define TC_BINARY(Name, spelling, since, types, commuting, doc, f, da, db) binary_samples<Name>(samples);
#define TC_COMPARE(Name, spelling, since, types, commuting, doc, f) binary_samples<Name>(samples);
#define TC_BITWISE(Name, spelling, since, types, doc, f) binary_samples<Name>(samples);
#define TC_VARIADIC(Name, spelling, since, types, doc, f) binary_samples<Name>(samples);
#include "tc/ir/ops/elementwise.def"
  irregular(samples);
}

}  // namespace tc
