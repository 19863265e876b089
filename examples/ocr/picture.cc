#include "picture.h"

#include <png.h>

#include <stdexcept>

namespace ocr {

Picture read_png(const std::string& path) {
  constexpr uint64_t kMaxPixels = 64'000'000;
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&](const std::string& why) -> void {
    png_image_free(&image);
    throw std::runtime_error("cannot read " + path + ": " + why);
  };
  if (!png_image_begin_read_from_file(&image, path.c_str())) refuse(image.message);
  if (uint64_t{image.width} * image.height > kMaxPixels) refuse("too large");
  image.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  constexpr png_color kWhite = {255, 255, 255};
  if (!png_image_finish_read(&image, &kWhite, picture.rgb.data(), 0, nullptr)) refuse(image.message);
  return picture;
}

}  // namespace ocr
