// tc-opt --wasm: a WebAssembly module for one model, by the package that ./dev wasm builds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tc {

struct WasmFlags {
  std::string folder, form, keep;
};
void add_wasm_options(CLI::App& app, WasmFlags& flags);

// Runs the package's single.mjs by Node in place of this program; returns only by an Error. dims: SYMBOL=N.
[[noreturn]] void write_wasm(const std::string& model, const WasmFlags& flags, const std::vector<std::string>& dims);

}  // namespace tc
