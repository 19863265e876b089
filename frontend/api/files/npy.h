// Tensors in NumPy's files: .npy (one array) and .npz (a zip of them).
//
// Read: versions 1 to 3, little-endian, C and Fortran order, every element type that tc shares with NumPy, and the
// string types U (UTF-32, becomes UTF-8) and S (bytes). Written: version 1 in C order, members stored uncompressed;
// element types that NumPy lacks are widened to the next one that holds them exactly (bf16 and the 8- and 4-bit floats
// to f32, narrow integers to 8 bits). Strings lose trailing NULs, as in NumPy.
//
// Files are taken as hostile: all functions throw tc::Error (bad_file, limit_*) and allocate no more than the bytes
// that are there can fill. Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tc/frontend/api/tensor_file.h"

namespace tc {

// `source` names the bytes in errors.
Tensor parse_npy(std::string_view bytes, std::string_view source);
std::string format_npy(const Tensor& tensor);

Tensor read_npy(const std::string& path);
void write_npy(const std::string& path, const Tensor& tensor);

// All members, in the order of the file, named without ".npy".
NamedTensors read_npz(const std::string& path);
// One member; the error for a missing one names those that are there.
Tensor read_npz_member(const std::string& path, std::string_view member);
// Replaces the file. Error bad_argument when a name occurs twice.
void write_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace tc
