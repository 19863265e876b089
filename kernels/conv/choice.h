// Which algorithm computes a convolution: of those that accept it, the one of least cost.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "tc/kernels/conv/conv.h"

namespace tc::kernels {

struct ConvQuery {
  const ConvTable& kernels;
  // Extents that only runs know are nominal, and pads of zero do.
  ConvShape shape;
  bool constant_weights;  // their packing costs nothing
  // Input and output are plain, so that another layout costs a pass over each.
  bool plain = false;
  // The shape with its pads, where one speaks for all runs.
  std::optional<ConvShape> padded = {};
};

// Why the machine or the shape is none for an algorithm; null: it can be used.
const char* conv_refusal(const ConvQuery& query, ConvAlgorithm algorithm);

// The fastest algorithm that can be used.
ConvAlgorithm conv_choice(const ConvQuery& query);

// What the choice was made from, for people.
struct ConvCandidate {
  ConvAlgorithm algorithm;
  double ns = 0;                   // what it is taken to cost
  const char* refused = nullptr;   // it cannot be used
  const char* declined = nullptr;  // it was not compared
};
std::vector<ConvCandidate> conv_candidates(const ConvQuery& query);

std::optional<ConvAlgorithm> conv_algorithm(std::string_view name);

}  // namespace tc::kernels
