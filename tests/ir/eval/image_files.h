// Picture files for tests, encoded here by the formats' own libraries or by hand.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tc::testing_image {

// 8-bit red, green and blue, three bytes a pixel, row by row.
struct Rgb {
  int64_t width, height;
  std::vector<uint8_t> bytes;
};
// Colours that differ from pixel to pixel.
Rgb gradient(int64_t width, int64_t height);

using File = std::vector<uint8_t>;
struct NamedFile {
  std::string name;
  File file;
  Rgb picture;        // what is in it
  int tolerance = 0;  // of a byte
};

File png_file(const Rgb& picture, bool interlaced, bool alpha, int bits);
File jpeg_file(const Rgb& picture, bool progressive, bool gray);
File cmyk_jpeg_file(int64_t width, int64_t height, const std::vector<uint8_t>& ink);  // four bytes a pixel, Adobe's way
File tiff_file(const Rgb& picture, int compression, bool tiled);
File webp_file(const Rgb& picture);
File jpeg2000_file(const Rgb& picture, bool boxes);
File bmp_file(const Rgb& picture, int bits, bool top_down);

// One or more of every format.
std::vector<NamedFile> all_files();

}  // namespace tc::testing_image
