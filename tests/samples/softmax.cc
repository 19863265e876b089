#include "tests/samples/sample.h"

namespace tc {
namespace {

template <class Op, DType T>
void inner_axis(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(T, {3, 37}, -9, 9)})});
}
template <class Op>
void axes(SampleGraph& g) {
  Value *x = g.input(DType::f32, {3, 5, 7}, -9, 9), *y = g.input(DType::f64, {3, 5, 21}, -9, 9);
  g.outputs({g.b.make<Op>({x}, {.axis = 0}), g.b.make<Op>({x}, {.axis = -2}), g.b.make<Op>({y}, {.axis = 1}),
             g.b.make<Op>({g.input(DType::f32, {2, 0})}), g.b.make<Op>({g.input(DType::f32, {})})});
}
template <class Op>
void large(SampleGraph& g) {
  g.outputs({g.b.make<Op>({g.input(DType::f32, {3, 37}, 900, 1000)})});
}

template <class Op>
void softmax_samples(std::vector<Sample>& samples) {
  const auto name = [](std::string_view variant) { return cat(Op::facts.name, "/", variant); };
  samples.push_back({name("f32"), inner_axis<Op, DType::f32>});
  samples.push_back({name("f64"), inner_axis<Op, DType::f64>});
  samples.push_back({name("f16"), inner_axis<Op, DType::f16>});
  samples.push_back({name("bf16"), inner_axis<Op, DType::bf16>});
  samples.push_back({name("axes"), axes<Op>});
  samples.push_back({name("large"), large<Op>});
}

}  // namespace

void samples_softmax(std::vector<Sample>& samples) {
  softmax_samples<Softmax>(samples);
  softmax_samples<LogSoftmax>(samples);
  softmax_samples<Hardmax>(samples);
  samples.push_back({"hardmax/strange_values", [](SampleGraph& g) {
                       Value* x = g.input(Tensor::of<float>(
                           {3, 4}, {1, NAN, 2, NAN, 0, -0.0F, 0, -1, -INFINITY, -INFINITY, -INFINITY, 3}));
                       g.outputs({g.b.make<Hardmax>({x}), g.b.make<Hardmax>({x}, {0}),
                                  g.b.make<Hardmax>({g.input(DType::f64, {4, 0})}),
                                  g.b.make<Hardmax>({g.input(DType::f64, {40, 3, 9}, 0, 3)}, {1})});
                     }});
}

}  // namespace tc
