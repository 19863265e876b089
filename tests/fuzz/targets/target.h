// What coverage-guided fuzzing runs (./dev fuzz), and what the tests run on the corpora of the tree: functions that
// take any bytes. Where they are refused, the error must be a tc::Error that is no broken promise of the compiler
// itself.
#pragma once

#include <functional>
#include <span>
#include <string_view>

namespace tc::fuzz {

struct Target {
  std::string_view name;
  void (*run)(std::string_view bytes);
};

std::span<const Target> targets();

// Ends the process when `holds` is false: libFuzzer, and sanitizers, report where.
void require(bool holds, std::string_view what);
// Runs `body`; an exception that it must not throw ends the process.
void guarded(const std::function<void()>& body);

void run_onnx(std::string_view bytes);
void run_text(std::string_view bytes);
void run_wire(std::string_view bytes);
void run_npy(std::string_view bytes);
void run_npz(std::string_view bytes);
void run_safetensors(std::string_view bytes);
void run_image(std::string_view bytes);

}  // namespace tc::fuzz
