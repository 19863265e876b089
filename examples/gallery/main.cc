// Exports programs of the gallery: gallery NAME FILE.onnx. Without arguments it lists them.
#include <cstdio>
#include <exception>
#include <string_view>

#include "gallery.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    for (const gallery::Program& p : gallery::kPrograms) std::printf("%-20s %s\n", p.name, p.about);
    return argc == 1 ? 0 : 2;
  }
  for (const gallery::Program& p : gallery::kPrograms) {
    if (std::string_view(argv[1]) != p.name) continue;
    try {
      tc::export_onnx(p.make(), argv[2]);
      return 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "gallery: %s\n", e.what());
      return 1;
    }
  }
  std::fprintf(stderr, "gallery: no program '%s'; without arguments it lists them\n", argv[1]);
  return 2;
}
