#include "tests/samples/sample.h"

namespace tc {
namespace {

// Positive: logarithms of sums exist. About 1: products of many stay in range.
constexpr double kLow = 0.5, kHigh = 1.6;

template <class Op, DType T>
void last_axis(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(T, {3, 5, 37}, kLow, kind(T) == DTypeKind::floating ? kHigh : 9), g.b.ints({-1})})});
}
template <class Op>
void variants(SampleGraph& g) {
  Value* x = g.input(DType::f32, {3, 5, 7}, kLow, kHigh);
  g.outputs({g.b.make<Op>({x}), g.b.make<Op>({x}, {.keepdims = false}),
             g.b.make<Op>({x}, {.noop_with_empty_axes = true}),
             g.b.make<Op>({x, g.b.ints({0, 2})}, {.keepdims = false}), g.b.make<Op>({x, g.b.ints({1})}),
             g.b.make<Op>({g.input(DType::f32, {}, kLow, kHigh)})});
}

template <class Op>
void reduce_samples(std::vector<Sample>& samples) {
  const auto name = [](std::string_view variant) { return cat(Op::facts.name, "/", variant); };
  samples.push_back({name("f32"), last_axis<Op, DType::f32>});
  samples.push_back({name("f64"), last_axis<Op, DType::f64>});
  samples.push_back({name("f16"), last_axis<Op, DType::f16>});
  samples.push_back({name("bf16"), last_axis<Op, DType::bf16>});
  samples.push_back({name("i32"), last_axis<Op, DType::i32>});
  samples.push_back({name("i64"), last_axis<Op, DType::i64>});
  if constexpr (Op::facts.set_of('T').has(DType::u8)) {
    samples.push_back({name("u8"), last_axis<Op, DType::u8>});
    samples.push_back({name("bool"), last_axis<Op, DType::boolean>});
  }
  samples.push_back({name("axes"), variants<Op>});
  samples.push_back({name("empty"), [](SampleGraph& g) {
                       g.outputs({g.b.make<Op>({g.input(DType::f32, {2, 0, 3}), g.b.ints({1})})});
                     }});
}

template <class Op, DType T>
void arg_extreme(SampleGraph& g) {
  Value* x = g.input(T, {3, 17, 5}, 0, 4);
  g.outputs({g.b.make<Op>({x}, {.axis = 1}), g.b.make<Op>({x}, {.axis = -1, .keepdims = false}),
             g.b.make<Op>({x}, {.axis = 1, .select_last_index = true})});
}

template <class Op, DType T>
void running(SampleGraph& g) {
  Value *x = g.input(T, {3, 7, 2}), *axis = g.b.scalar<int32_t>(1), *last = g.b.scalar<int64_t>(-1);
  g.outputs({g.b.make<Op>({x, axis}), g.b.make<Op>({x, last}, {.reverse = true}),
             g.b.make<Op>({x, axis}, {.exclusive = true}),
             g.b.make<Op>({x, axis}, {.exclusive = true, .reverse = true})});
}

}  // namespace

void samples_reduce(std::vector<Sample>& samples) {
#define TC_REDUCE(Name, spelling, since, types, doc, start, step, finish) reduce_samples<Name>(samples);
#include "tc/ir/ops/reduce.def"
  samples.push_back({"arg_max/f32", arg_extreme<ArgMax, DType::f32>});
  samples.push_back({"arg_max/i32", arg_extreme<ArgMax, DType::i32>});
  samples.push_back({"arg_min/f32", arg_extreme<ArgMin, DType::f32>});
  samples.push_back({"arg_min/u8", arg_extreme<ArgMin, DType::u8>});
  samples.push_back({"cum_sum/f32", running<CumSum, DType::f32>});
  samples.push_back({"cum_sum/i64", running<CumSum, DType::i64>});
  samples.push_back({"cum_prod/f32", running<CumProd, DType::f32>});
  samples.push_back({"cum_prod/i32", running<CumProd, DType::i32>});
  samples.push_back({"cum_prod/f64", running<CumProd, DType::f64>});
}

}  // namespace tc
