// Tensors in .safetensors files (https://huggingface.co/docs/safetensors): eight bytes with the length of a header, a
// JSON object of name -> {dtype, shape, data_offsets}, and the little-endian elements of all tensors without gaps.
#pragma once

#include "tc/frontend/api/tensor_file.h"

namespace tc {

// `source` names the bytes in errors. The tensors are views into them, which `owner` keeps alive. Error bad_file where
// they are not such a file, limit_* where a tensor cannot be represented.
NamedTensors parse_safetensors(std::string_view bytes, std::string_view source, std::shared_ptr<const void> owner);
// The header, padded with spaces to a multiple of eight bytes, and its length; the elements follow in order. Errors as
// of save_tensors.
std::string safetensors_header(const NamedTensors& tensors);

}  // namespace tc
