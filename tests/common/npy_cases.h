// The arrays that npy_peer.py makes, made again here: element i in C order is a function of i.
#pragma once

#include <filesystem>
#include <string>

#include "tc/frontend/api/files/npy.h"

namespace tc::npy_cases {

// One named array per element type and shape, as cases() of npy_peer.py. S arrays come as strings.
NamedTensors all();
// A fresh folder with everything that `npy_peer.py make` writes; made once per process, removed at exit.
const std::filesystem::path& folder();
// Exit status of `npy_peer.py MODE folder()`.
int run_peer(const std::string& mode);
// Reads a whole file.
std::string slurp(const std::filesystem::path& path);

}  // namespace tc::npy_cases
