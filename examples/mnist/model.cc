#include "model.h"

namespace mnist {
namespace {

Layer layer(tc::Init& init, const std::string& name, const tc::Extents& extents, int64_t out) {
  return {tc::Param(name + ".w", init.he_normal(extents)), tc::Param(name + ".b", tc::Tensor(tc::f32, {out}))};
}

tc::Var conv_block(tc::Var x, const Layer& l) {
  return tc::max_pool(tc::relu(tc::conv(x, l.w, l.b, {.padding = tc::Padding::half})), {2, 2}, {.strides = {2, 2}});
}

const tc::Input kImages{"images", tc::f32, {"batch", 1, 28, 28}};

}  // namespace

Model::Model(uint64_t seed) {
  tc::Init init(seed);
  conv1 = layer(init, "conv1", {32, 1, 3, 3}, 32);
  conv2 = layer(init, "conv2", {64, 32, 3, 3}, 64);
  dense1 = layer(init, "dense1", {64 * 7 * 7, 128}, 128);
  dense2 = layer(init, "dense2", {128, 10}, 10);
}

std::vector<tc::Param> Model::parameters() const {
  std::vector<tc::Param> all;
  for (const Layer& l : {conv1, conv2, dense1, dense2}) all.insert(all.end(), {l.w, l.b});
  return all;
}

tc::Var Model::logits(tc::Var images) const {
  tc::Var x = conv_block(conv_block(images, conv1), conv2);
  x = tc::reshape(x, {x.dim(0), 64 * 7 * 7});
  x = tc::relu(tc::matmul(x, dense1.w) + dense1.b);
  return tc::matmul(x, dense2.w) + dense2.b;
}

tc::Function inference(const Model& model) {
  return tc::trace("mnist", {kImages}, [&](tc::Var images) {
    return tc::Outputs{{"probabilities", tc::softmax(model.logits(images))}};
  });
}

tc::Function loss(const Model& model) {
  return tc::trace("mnist", {kImages, {"labels", tc::i64, {"batch"}}}, [&](tc::Var images, tc::Var labels) {
    const tc::Var logits = model.logits(images);
    const tc::Var right = tc::argmax(logits, {.axis = 1}) == labels;
    return tc::Outputs{{"loss", tc::cross_entropy(logits, labels)}, {"right", tc::count_nonzero(right)}};
  });
}

}  // namespace mnist
