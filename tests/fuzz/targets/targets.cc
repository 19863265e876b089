#include "target.h"

#include <cstdio>
#include <cstdlib>

#include "../guard.h"

namespace tc::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {{"onnx", run_onnx},  {"text", run_text}, {"wire", run_wire},
                                        {"npy", run_npy},    {"npz", run_npz},   {"safetensors", run_safetensors},
                                        {"image", run_image}};
  return kTargets;
}

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "not as promised: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

void guarded(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    require(!breaks_promise(e), e.what());
  } catch (const std::exception& e) {
    require(false, cat("an exception that is no tc::Error: ", e.what()));
  }
}

}  // namespace tc::fuzz
