#include "tests/samples/sample.h"

namespace tc {
namespace {

// Two tensors of different extents and element types; states of squares are not negative.
template <class Op>
void optimizer(SampleGraph& g, int groups, int64_t updates, attrs_t<Op> attrs) {
  std::vector<Value*> operands{g.input(Tensor::scalar<float>(0.1F)), g.input(Tensor::scalar<int64_t>(updates))};
  for (int i = 0; i < groups; ++i) {
    const double low = i < 2 ? -2 : 0;
    operands.push_back(g.input(DType::f32, {3, 5}, low, 2));
    operands.push_back(g.input(DType::f64, {7}, low, 2));
  }
  Node* n = g.b.make_n<Op>(operands, attrs, 2 * (groups - 1));
  std::vector<Value*> results;
  for (int j = 0; j < n->num_results(); ++j) results.push_back(n->result(j));
  g.outputs(results);
}

}  // namespace

void samples_training(std::vector<Sample>& samples) {
  const auto add = [&](const char* name, void (*build)(SampleGraph&)) { samples.push_back({name, build}); };
  add("adagrad", [](SampleGraph& g) { optimizer<Adagrad>(g, 3, 0, {}); });
  add("adagrad/decay", [](SampleGraph& g) { optimizer<Adagrad>(g, 3, 4, {0.1, 1e-4, 0.01}); });
  add("adam", [](SampleGraph& g) { optimizer<Adam>(g, 4, 0, {}); });
  add("adam/later", [](SampleGraph& g) { optimizer<Adam>(g, 4, 5, {0.8, 0.99, 1e-3, 0.01, 0.02}); });
  add("momentum", [](SampleGraph& g) { optimizer<Momentum>(g, 3, 0, {0.9, 0.1, MomentumMode::heavy_ball, 0.001}); });
  add("momentum/nesterov", [](SampleGraph& g) { optimizer<Momentum>(g, 3, 2, {0.9, 0.5, MomentumMode::nesterov, 0}); });
  add("momentum/scalar", [](SampleGraph& g) {
    std::vector<Value*> operands{g.input(Tensor::of<double>({1}, {0.5})), g.input(Tensor::of<int64_t>({1}, {1}))};
    for (int i = 0; i < 3; ++i) operands.push_back(g.input(DType::f32, {}));
    Node* n = g.b.make_n<Momentum>(operands, {0.9, 0.5, MomentumMode::heavy_ball, 0}, 2);
    g.outputs({n->result(0), n->result(1)});
  });
}

}  // namespace tc
