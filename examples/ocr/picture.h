// Pictures as bytes: read from PNG files of any kind; what is transparent shows white.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ocr {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;  // height x width x 3
};

// Throws std::runtime_error when the file is not a readable PNG or has more than 64 million pixels.
Picture read_png(const std::string& path);

}  // namespace ocr
