// Recurrent networks. x is [time, batch, features], or [batch, time, features] when layout is 1; results follow the
// layout. Weights are stacked per direction, and per gate in ONNX's order.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

class Builder;

enum class RnnDirection : uint8_t { forward, reverse, bidirectional };
inline constexpr std::string_view kRnnDirectionNames[] = {"forward", "reverse", "bidirectional"};
template <>
inline constexpr std::span<const std::string_view> kEnumNames<RnnDirection> = kRnnDirectionNames;

// Activations, counted from 0: the number of them per direction and the element-wise parameters they take.
struct RnnActivation {
  std::string_view name;
  int parameters;      // 0, alpha, alpha and beta
  double alpha, beta;  // defaults
  double (*apply)(double x, double alpha, double beta);
  Value* (*build)(Builder& b, Value* x, double alpha, double beta);  // the nodes that compute the same
};
// By name, letter case ignored; null when there is none.
const RnnActivation* find_rnn_activation(std::string_view name);

struct RnnFunction {
  const RnnActivation* activation;
  double alpha, beta;
};
// The functions of all directions; `names` is empty or has an entry for each, with known names. Parameters are consumed
// in order by the activations that take them.
std::vector<RnnFunction> rnn_functions(std::vector<std::string> names, const std::vector<double>& alphas,
                                       const std::vector<double>& betas, int64_t directions,
                                       std::initializer_list<std::string_view> defaults);

// y is [time, directions, batch, hidden] ([batch, time, directions, hidden]), y_h [directions, batch, hidden] ([batch,
// directions, hidden]). w is [directions, hidden, features], r [directions, hidden, hidden], b [directions, 2 *
// hidden].
struct RNN {
  struct Attrs {
    RnnDirection direction = RnnDirection::forward;
    std::optional<int64_t> hidden_size = {};
    std::vector<std::string> activations = {};  // empty: Tanh
    std::vector<double> activation_alpha = {}, activation_beta = {};
    std::optional<double> clip = {};  // bounds what enters the activations
    int64_t layout = 0;
    static constexpr auto fields = Fields{field("direction", &Attrs::direction),
                                          field("hidden_size", &Attrs::hidden_size),
                                          field("activations", &Attrs::activations),
                                          field("activation_alpha", &Attrs::activation_alpha),
                                          field("activation_beta", &Attrs::activation_beta),
                                          field("clip", &Attrs::clip),
                                          field("layout", &Attrs::layout)};
  };
  static constexpr OpFacts facts{"rnn",
                                 {"RNN", 7},
                                 "x:T, w:T, r:T, b:T?, sequence_lens:i32?, initial_h:T? -> y:T?, y_h:T?",
                                 {{{'T', dtypes::floats}}},
                                 "h = f(W x + R h + b)"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// Gates z (update), r (reset), h. (Cho et al., 2014.)
struct GRU {
  struct Attrs {
    RnnDirection direction = RnnDirection::forward;
    std::optional<int64_t> hidden_size = {};
    std::vector<std::string> activations = {};  // empty: Sigmoid, Tanh
    std::vector<double> activation_alpha = {}, activation_beta = {};
    std::optional<double> clip = {};
    int64_t layout = 0;
    bool linear_before_reset = false;
    static constexpr auto fields = Fields{field("direction", &Attrs::direction),
                                          field("hidden_size", &Attrs::hidden_size),
                                          field("activations", &Attrs::activations),
                                          field("activation_alpha", &Attrs::activation_alpha),
                                          field("activation_beta", &Attrs::activation_beta),
                                          field("clip", &Attrs::clip),
                                          field("layout", &Attrs::layout),
                                          field("linear_before_reset", &Attrs::linear_before_reset)};
  };
  static constexpr OpFacts facts{"gru",
                                 {"GRU", 7},
                                 "x:T, w:T, r:T, b:T?, sequence_lens:i32?, initial_h:T? -> y:T?, y_h:T?",
                                 {{{'T', dtypes::floats}}},
                                 "gated recurrent units"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

// Gates i, o, f, c; peepholes p are [directions, 3 * hidden] in the order i, o, f. (Hochreiter and Schmidhuber, 1997;
// Gers, 2000.)
struct LSTM {
  struct Attrs {
    RnnDirection direction = RnnDirection::forward;
    std::optional<int64_t> hidden_size = {};
    std::vector<std::string> activations = {};  // empty: Sigmoid, Tanh, Tanh
    std::vector<double> activation_alpha = {}, activation_beta = {};
    std::optional<double> clip = {};
    int64_t layout = 0;
    bool input_forget = false;  // the forget gate is 1 - the input gate
    static constexpr auto fields = Fields{field("direction", &Attrs::direction),
                                          field("hidden_size", &Attrs::hidden_size),
                                          field("activations", &Attrs::activations),
                                          field("activation_alpha", &Attrs::activation_alpha),
                                          field("activation_beta", &Attrs::activation_beta),
                                          field("clip", &Attrs::clip),
                                          field("layout", &Attrs::layout),
                                          field("input_forget", &Attrs::input_forget)};
  };
  static constexpr OpFacts facts{
      "lstm",
      {"LSTM", 7},
      "x:T, w:T, r:T, b:T?, sequence_lens:i32?, initial_h:T?, initial_c:T?, p:T? -> y:T?, y_h:T?, y_c:T?",
      {{{'T', dtypes::floats}}},
      "long short-term memory"};
  static void infer(InferContext& ctx);
  static std::vector<Value*> decompose(Builder& b, const Node& node);
};

}  // namespace tc
