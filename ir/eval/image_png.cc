// PNG through libpng.
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

struct PngReader {
  ImageFile rest;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngReader(ImageFile file) : rest(file) {
    png = png_create_read_struct(
        PNG_LIBPNG_VER_STRING, this, [](png_structp p, png_const_charp) { png_longjmp(p, 1); },
        [](png_structp, png_const_charp) {});
    if (png) info = png_create_info_struct(png);
  }
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
};

void read_bytes(png_structp png, png_bytep to, size_t n) {
  auto& rest = static_cast<PngReader*>(png_get_io_ptr(png))->rest;
  if (n > rest.size()) png_error(png, "truncated");
  std::memcpy(to, rest.data(), n);
  rest = rest.subspan(n);
}

// Errors inside libpng come back here, so nothing with a destructor may live in this function.
bool read(PngReader& reader, Picture& picture) {
  png_structp png = reader.png;
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_read_fn(png, &reader, read_bytes);
  png_read_info(png, reader.info);
  picture.resize(png_get_image_width(png, reader.info), png_get_image_height(png, reader.info));
  png_set_expand(png);
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  png_read_update_info(png, reader.info);
  if (png_get_rowbytes(png, reader.info) != static_cast<size_t>(picture.width()) * 3) return false;
  for (int pass = 0; pass < passes; ++pass)
    for (int64_t y = 0; y < picture.height(); ++y) png_read_row(png, picture.row(y), nullptr);
  png_read_end(png, nullptr);
  return true;
}

}  // namespace

bool decode_png(ImageFile file, Picture& picture) {
  PngReader reader(file);
  return reader.info && read(reader, picture);
}

}  // namespace tc
