// A small convolutional network for digits: conv 32, pool, conv 64, pool, dense 128, dense 10.
#pragma once

#include "tc/tc.h"

namespace mnist {

struct Layer {
  tc::Param w, b;
};

// Modules are plain structs of parameters.
struct Model {
  Layer conv1, conv2, dense1, dense2;

  explicit Model(uint64_t seed);
  std::vector<tc::Param> parameters() const;
  // Class scores [batch, 10] of images [batch, 1, 28, 28] with grey values from 0 to 1.
  tc::Var logits(tc::Var images) const;
};

// images -> probabilities.
tc::Function inference(const Model& model);
// images, labels -> the mean cross-entropy, and how many of the images it takes for what they are.
tc::Function loss(const Model& model);

}  // namespace mnist
