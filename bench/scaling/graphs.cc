#include "tc/bench/scaling/graphs.h"

#include <string>

#include "tc/bench/zoo/layers.h"

namespace tc::scaling {
namespace {

using zoo::Weights;
using Layer = std::function<Var(Weights&, Var)>;

Kind chain(std::string_view name, Extents extents, Layer layer, int64_t nodes_of_layer = 1) {
  return {name, "chain", [=](int64_t nodes) {
            const std::vector<Extent> shape(extents.begin(), extents.end());
            return trace("chain", {{"x", f32, shape}}, [&](Var x) {
              Weights w(1);
              for (int64_t i = 0; i < nodes; i += nodes_of_layer) x = layer(w, x);
              return x;
            });
          }};
}

// `nodes` results of one layer each of the same x.
std::vector<Var> side_by_side(int64_t nodes, const Layer& layer, Var x) {
  Weights w(1);
  std::vector<Var> results;
  for (int64_t i = 0; i < nodes; ++i) results.push_back(layer(w, x));
  return results;
}

Kind wide(std::string_view name, Extents extents, Layer layer) {
  return {name, "wide", [=](int64_t nodes) {
            const std::vector<Extent> shape(extents.begin(), extents.end());
            return trace("wide", {{"x", f32, shape}}, [&](Var x) {
              const std::vector<Var> parts = side_by_side(nodes, layer, x);
              return concat(parts, {.axis = 0});
            });
          }};
}

Outputs numbered(const std::vector<Var>& values) {
  Outputs outputs;
  for (const Var& v : values) outputs.push_back({"y" + std::to_string(outputs.size()), v});
  return outputs;
}

Kind many_outputs(std::string_view name, Extents extents, Layer layer) {
  return {
      name, "outputs", [=](int64_t nodes) {
        const std::vector<Extent> shape(extents.begin(), extents.end());
        return trace("outputs", {{"x", f32, shape}}, [&](Var x) { return numbered(side_by_side(nodes, layer, x)); });
      }};
}

// Joins neighbours until one is left.
Kind tree(std::string_view name, Extents extents, const std::function<Var(Var, Var)>& join) {
  return {name, "tree", [=](int64_t nodes) {
            const std::vector<Extent> shape(extents.begin(), extents.end());
            return trace("tree", {{"x", f32, shape}}, [&](Var x) {
              std::vector<Var> level = side_by_side(
                  nodes / 2, [&](Weights& w, Var v) { return v * w.uniform({1}, 0.5F, 1); }, x);
              while (level.size() > 1) {
                std::vector<Var> next;
                for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(join(level[i], level[i + 1]));
                if (level.size() % 2) next.push_back(level.back());
                level = std::move(next);
              }
              return level.front();
            });
          }};
}

// What the first half computes is read by the second half in reverse order, as gradients do: all of it is live at once.
Kind ladder(std::string_view name, Extents extents, Layer layer) {
  return {name, "ladder", [=](int64_t nodes) {
            const std::vector<Extent> shape(extents.begin(), extents.end());
            return trace("ladder", {{"x", f32, shape}}, [&](Var x) {
              Weights w(1);
              std::vector<Var> kept;
              for (int64_t i = 0; i < nodes / 3; ++i) kept.push_back(x = layer(w, x));
              for (auto v = kept.rbegin(); v != kept.rend(); ++v) x = layer(w, x) * *v;
              return x;
            });
          }};
}

Function split_into_outputs(int64_t nodes) {
  return trace("outputs", {{"x", f32, {nodes, 4}}}, [&](Var x) { return numbered(split(x, nodes, {.axis = 0})); });
}

Var gated(Weights& w, Var x) {
  const Tensor weight = w.layer({8, 8}, 8);
  return cond(
      max(x) > 0.0F, [&] { return tanh(matmul(x, weight)); }, [&] { return x * 0.5F; });
}

Var counted(Weights& w, Var x) {
  const Tensor weight = w.layer({8, 8}, 8);
  return fori_loop(0, 3, [&](Var, Var v) { return tanh(matmul(v, weight)); }, {x});
}

Var quantised_product(Weights& w, Var x) {
  const Var weight = dequantize_linear(w.integers(i8, {8, 8}, -127, 127), w.uniform({8}, 0.01F, 0.02F));
  return matmul(x, weight);
}

Var recurrent(Weights& w, Var x) {
  const auto result = lstm(x, w.layer({1, 16, 4}, 4), w.layer({1, 16, 4}, 4), w.uniform({1, 32}, -0.1F, 0.1F));
  return reshape(result.y, {3, 2, 4});
}

std::vector<Kind> chains_of_layers() {
  const Extents picture{1, 8, 6, 6}, matrix{8, 8};
  const auto filter = [](Weights& w, int64_t in, int64_t size) {
    return w.layer({8, in, size, size}, in * size * size);
  };
  return {
      chain("MatMul, one weight", matrix,
            [](Weights&, Var x) {
              return matmul(x, Weights(1).layer({8, 8}, 8));
            }),
      chain("MatMul", matrix,
            [](Weights& w, Var x) {
              return matmul(x, w.layer({8, 8}, 8));
            }),
      chain(
          "MatMul+Add+Relu", matrix, [](Weights& w, Var x) { return relu(zoo::linear(w, x, 8, 8)); }, 3),
      chain(
          "MatMul f64", matrix,
          [](Weights& w, Var x) {
            return astype(matmul(astype(x, f64), astype(w.layer({8, 8}, 8), f64)), f32);
          },
          3),
      chain("DequantizeLinear+MatMul", matrix, quantised_product, 2),
      chain("Conv 3x3", picture,
            [=](Weights& w, Var x) {
              return conv(x, filter(w, 8, 3), {.padding = Padding{1, 1}});
            }),
      chain("Conv, one weight", picture,
            [=](Weights&, Var x) {
              Weights w(1);
              return conv(x, filter(w, 8, 3), {.padding = Padding{1, 1}});
            }),
      chain("Conv 1x1", picture, [=](Weights& w, Var x) { return conv(x, filter(w, 8, 1)); }),
      chain("Conv depthwise", picture,
            [=](Weights& w, Var x) {
              return conv(x, filter(w, 1, 3), {.padding = Padding{1, 1}, .groups = 8});
            }),
      chain(
          "Conv+BatchNorm+Relu", picture, [](Weights& w, Var x) { return relu(zoo::conv_bn(w, x, 8, 8, 3, 1)); }, 3),
      chain("ConvTranspose", picture,
            [](Weights& w, Var x) {
              return conv_transpose(x, w.layer({8, 8, 3, 3}, 72), {.padding = Padding{1, 1}});
            }),
      chain("MaxPool", picture,
            [](Weights&, Var x) {
              return max_pool(x, {3, 3}, {.strides = {1, 1}, .padding = Padding{1, 1}});
            }),
      chain("Lstm", {3, 2, 4}, recurrent, 2),
      chain("LayerNormalization", matrix,
            [](Weights& w, Var x) { return layer_normalization(x, w.uniform({8}, 0.8F, 1.2F), w.uniform({8}, 0, 1)); }),
      chain("Softmax", matrix, [](Weights&, Var x) { return softmax(x); }),
      chain("Attention", {1, 2, 4, 8}, [](Weights&, Var x) { return attention(x, x, x); }),
  };
}

std::vector<Kind> chains_of_small_ops() {
  const Extents matrix{8, 8};
  return {
      chain("Add one constant", matrix, [](Weights&, Var x) { return x + Weights(1).uniform({8}, -1, 1); }),
      chain("Tanh", matrix, [](Weights&, Var x) { return tanh(x); }),
      chain("Add constant", matrix, [](Weights& w, Var x) { return x + w.uniform({8}, -1, 1); }),
      chain(
          "Mul, Sigmoid", matrix, [](Weights&, Var x) { return x * sigmoid(x); }, 2),
      chain(
          "Where, Greater", matrix, [](Weights& w, Var x) { return where(x > 0.0F, x, w.uniform({8}, -1, 1)); }, 2),
      chain(
          "ReduceMean, Sub", matrix, [](Weights&, Var x) { return x - mean(x, {.axis = 0, .keepdims = true}); }, 2),
      chain("CumSum", matrix, [](Weights&, Var x) { return cumulative_sum(x, {.axis = 0}); }),
      chain("TopK", matrix, [](Weights&, Var x) { return top_k(x, 8).values; }),
      chain(
          "Transpose", matrix,
          [](Weights&, Var x) {
            return tanh(permute_dims(x, {1, 0}));
          },
          2),
      chain(
          "Reshape", matrix,
          [](Weights&, Var x) {
            return tanh(reshape(reshape(x, {4, 16}), {8, 8}));
          },
          3),
      chain(
          "Split, Concat", matrix,
          [](Weights&, Var x) {
            const auto parts = split(x, 2, {.axis = 0});
            return concat({parts[1], parts[0]}, {.axis = 0});
          },
          2),
      chain(
          "Slice, Pad", matrix,
          [](Weights&, Var x) {
            return pad(x[{slice(1, {})}], {{0, 1}, {0, 0}});
          },
          2),
      chain("Gather", matrix,
            [](Weights&, Var x) {
              return take(x, Tensor::of<int64_t>({8}, {1, 2, 3, 4, 5, 6, 7, 0}), {.axis = 0});
            }),
      chain(
          "Cast", matrix, [](Weights&, Var x) { return astype(tanh(astype(x, f64)), f32); }, 3),
      chain("If", matrix, gated, 3),
      chain("Loop", matrix, counted),
  };
}

std::vector<Kind> other_shapes() {
  const Extents matrix{8, 8};
  const Layer scaled = [](Weights& w, Var x) { return tanh(x * w.uniform({8}, 0.5F, 1)); };
  const Layer product = [](Weights& w, Var x) { return matmul(x, w.layer({8, 8}, 8)); };
  return {
      wide("Mul", matrix, [](Weights& w, Var x) { return x * w.uniform({8}, 0.5F, 1); }),
      wide("MatMul", matrix, product),
      wide("Conv", {1, 8, 6, 6},
           [](Weights& w, Var x) {
             return conv(x, w.layer({8, 8, 3, 3}, 72));
           }),
      wide("If", matrix, gated),
      tree("Add", matrix, [](Var a, Var b) { return a + b; }),
      tree("MatMul", matrix, [](Var a, Var b) { return matmul(a, b); }),
      tree("Concat", {1, 8},
           [](Var a, Var b) {
             return concat({a, b}, {.axis = 0});
           }),
      ladder("Mul", matrix, scaled),
      ladder("MatMul", matrix, product),
      many_outputs("Mul", matrix, scaled),
      many_outputs("MatMul", matrix, product),
      {"Split", "outputs", split_into_outputs},
  };
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> list = chains_of_layers();
    for (auto more : {chains_of_small_ops(), other_shapes()}) list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

}  // namespace tc::scaling
