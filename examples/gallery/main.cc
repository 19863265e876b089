// Exports programs of the gallery: gallery NAME FILE.onnx. Without arguments it lists them.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "gallery.h"
#include "tc/bench/zoo/zoo.h"

namespace {

// Of bench/zoo/convolutional.cc and transformers.cc, with weights from a seeded generator.
constexpr std::string_view kNetworks[] = {"resnet18", "resnet50", "mobilenet_v2", "bert_base", "vit", "gpt2_step"};

std::optional<tc::Function> made(std::string_view name) {
  for (const gallery::Program& p : gallery::kPrograms)
    if (name == p.name) return p.make();
  if (std::ranges::count(kNetworks, name)) return tc::zoo::find(name).make();
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const gallery::Program& p : gallery::kPrograms) std::printf("%-20s %s\n", p.name, p.about);
    for (const std::string_view name : kNetworks)
      std::printf("%-20s %s\n", name.data(), tc::zoo::find(name).about.data());
    return argc == 1 ? 0 : 2;
  }
  try {
    const auto program = made(argv[1]);
    if (!program) {
      std::fprintf(stderr, "gallery: no program '%s'; without arguments it lists them\n", argv[1]);
      return 2;
    }
    tc::export_onnx(*program, argv[2]);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "gallery: %s\n", e.what());
    return 1;
  }
}
