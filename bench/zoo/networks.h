// Functions of the table in zoo.cc.
#pragma once

#include "tc/frontend/dsl/function.h"

namespace tc::zoo {

// Perceptrons and convolutional networks.
Function mlp();
Function mnist_cnn();
Function resnet18();
Function resnet50();
Function mobilenet_v2();

// Transformers and recurrent networks.
template <int kLayers>
Function bert_of();
Function vit();
template <int kLayers>
Function gpt2_step_of();
template <int kBatch>
Function lstm_of();

// Integer arithmetic.
Function qdq_resnet18();
Function dynamic_mlp();
Function qlinear_matmul();

}  // namespace tc::zoo
