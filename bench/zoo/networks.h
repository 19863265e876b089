// Functions of the table in zoo.cc.
#pragma once

#include "tc/frontend/dsl/function.h"

namespace tc::zoo {

// Perceptrons and convolutional networks.
Function mlp();
Function recommender();
Function mnist_cnn();
Function resnet18();
Function resnet50();
Function mobilenet_v2();

// Convolutional networks that are built otherwise.
Function squeezenet();
Function googlenet();
Function densenet121();
Function shufflenet_v2();
Function efficientnet_b0();
Function mobilenet_v3();
Function resnext50();
Function regnet();
Function convnext();
Function unet();
Function detector();
Function segmentation();
Function video();
Function style_transfer();
Function super_resolution();
Function generator();

// Speech and language.
Function speech_encoder();
Function conformer();
Function wavenet();
template <bool kLong>
Function tagger_of();
template <bool kQuantised>
Function llama_of();

// In half precision.
Function unet_f16();
Function speech_encoder_f16();
Function llama_f16();

// Transformers and recurrent networks.
template <int kLayers>
Function bert_of();
Function vit();
Function swin();
template <int kLayers>
Function gpt2_step_of();
template <int kBatch>
Function lstm_of();

// Integer arithmetic.
Function qdq_resnet18();
Function qdq_efficientnet();
Function dynamic_mlp();
Function qlinear_matmul();

}  // namespace tc::zoo
