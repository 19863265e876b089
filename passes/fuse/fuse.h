// Rules and passes of the phase `fuse`: constants move into weights, what follows a product or convolution becomes its
// epilogue, and elementwise ops that remain gather in clusters.
#pragma once

#include "tc/passes/pass.h"

namespace tc {

std::span<const Rule> weight_rules();     // per-channel constants into weights and biases
std::span<const Rule> linear_rules();     // scale, transposes and bias of matrix products
std::span<const Rule> epilogue_rules();   // residual and activation
std::span<const Rule> attention_rules();  // products around a softmax
std::span<const Rule> fuse_rules();       // all of them
std::optional<std::string> is_fused(const Module& m);

// Elementwise ops of one shape that feed each other become clusters.
void form_clusters(PassContext& ctx);
std::span<const Rule> cluster_rules();  // the name and contract of what form_clusters does
bool clusterable(const Node& n);

// One number per channel (axis 1) of a tensor of this shape, when the constant is that; one for all counts too.
std::optional<std::vector<double>> channel_vector(const Tensor& t, const Shape& shape);

}  // namespace tc
