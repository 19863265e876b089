// Named tensors in files: the weights of a model, the state of a training.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tc/ir/tensor.h"

namespace tc {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

// The ending of the path says how: .safetensors as https://huggingface.co/docs/safetensors has it, or .npz as NumPy
// does, which has no bf16 and no narrower floats: they become f32 there. Error bad_argument for other endings.
//
// Replaces the file, all or nothing. Error bad_argument when a name occurs twice, bad_type for elements that the format
// does not have (strings; in .safetensors also complex numbers and elements below 8 bits), bad_file.
void save_tensors(const std::string& path, const NamedTensors& tensors);
// In the order of the file. Files are taken as hostile: Error bad_file, limit_*; no more is allocated than the bytes
// that are there can fill. Tensors of .safetensors are views into the mapped file.
NamedTensors load_tensors(const std::string& path);

}  // namespace tc
