#include "tests/samples/sample.h"

namespace tc {
namespace {

// Inputs of time 5, batch 3, 4 features, hidden 2; `states` initial states, and biases.
template <class Op>
void recurrent(SampleGraph& g, attrs_t<Op> a, int64_t gates, int states, bool all = true) {
  constexpr DType t = DType::f32;
  const int64_t d = a.direction == RnnDirection::bidirectional ? 2 : 1;
  const Extents state = a.layout ? Extents{3, d, 2} : Extents{d, 3, 2};
  std::vector<Value*> operands{g.input(t, a.layout ? Extents{3, 5, 4} : Extents{5, 3, 4}),
                               g.input(t, {d, gates * 2, 4}), g.input(t, {d, gates * 2, 2})};
  if (all) {
    operands.push_back(g.input(t, {d, gates * 4}));
    operands.push_back(g.input(Tensor::of<int32_t>({3}, {5, 2, 0})));
    for (int i = 0; i < states; ++i) operands.push_back(g.input(t, state));
    if (states == 2) operands.push_back(g.input(t, {d, 6}));
  }
  Node* n = g.b.make_n<Op>(operands, std::move(a), states + 1);
  std::vector<Value*> outputs;
  for (int i = 0; i <= states; ++i) outputs.push_back(n->result(i));
  g.outputs(outputs);
}

}  // namespace

void samples_rnn(std::vector<Sample>& samples) {
  samples.push_back({"rnn", [](SampleGraph& g) { recurrent<RNN>(g, {}, 1, 1); }});
  samples.push_back(
      {"rnn/reverse_relu", [](SampleGraph& g) {
         recurrent<RNN>(g, {.direction = RnnDirection::reverse, .hidden_size = 2, .activations = {"Relu"}, .clip = 1.0},
                        1, 1);
       }});
  samples.push_back({"gru", [](SampleGraph& g) { recurrent<GRU>(g, {}, 3, 1); }});
  samples.push_back({"gru/bidirectional", [](SampleGraph& g) {
                       recurrent<GRU>(g,
                                      {.direction = RnnDirection::bidirectional,
                                       .activations = {"HardSigmoid", "Softsign", "Sigmoid", "ScaledTanh"},
                                       .activation_alpha = {0.3, 1.5},
                                       .activation_beta = {0.4, 0.7},
                                       .layout = 1,
                                       .linear_before_reset = true},
                                      3, 1);
                     }});
  samples.push_back({"lstm", [](SampleGraph& g) { recurrent<LSTM>(g, {}, 4, 2); }});
  samples.push_back({"lstm/plain", [](SampleGraph& g) { recurrent<LSTM>(g, {}, 4, 2, false); }});
  samples.push_back(
      {"lstm/bidirectional", [](SampleGraph& g) {
         recurrent<LSTM>(g, {.direction = RnnDirection::bidirectional, .clip = 0.8, .layout = 1, .input_forget = true},
                         4, 2);
       }});
}

}  // namespace tc
