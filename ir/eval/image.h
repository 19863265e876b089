// Decoders of picture files, one per format. Each takes the whole file and gives red, green and blue, 8 bits each,
// without any alpha: false where the file is not what the format asks for, in which case the picture is of no use.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tc {

using ImageFile = std::span<const uint8_t>;

class Picture {
 public:
  explicit Picture(uint64_t max_bytes) : max_bytes_(max_bytes) {}

  // Makes room for the pixels, all black. Error limit_memory when they take more than the budget: a file's header
  // promises anything, so it is not believed beyond that.
  void resize(int64_t width, int64_t height);
  // Checks that decoding may take so many bytes per pixel beside the result. Error limit_memory.
  void check(int64_t width, int64_t height, uint64_t bytes_per_pixel) const;

  int64_t width() const { return width_; }
  int64_t height() const { return height_; }
  uint64_t max_bytes() const { return max_bytes_; }
  uint8_t* row(int64_t y) { return rgb_.data() + y * width_ * 3; }
  void set(int64_t x, int64_t y, uint8_t r, uint8_t g, uint8_t b) {
    uint8_t* p = row(y) + 3 * x;
    p[0] = r, p[1] = g, p[2] = b;
  }
  const std::vector<uint8_t>& rgb() const { return rgb_; }

 private:
  uint64_t max_bytes_;
  int64_t width_ = 0, height_ = 0;
  std::vector<uint8_t> rgb_;
};

bool decode_bmp(ImageFile file, Picture& picture);
bool decode_jpeg(ImageFile file, Picture& picture);
bool decode_jpeg2000(ImageFile file, Picture& picture);
bool decode_png(ImageFile file, Picture& picture);
bool decode_pnm(ImageFile file, Picture& picture);
bool decode_tiff(ImageFile file, Picture& picture);
bool decode_webp(ImageFile file, Picture& picture);

}  // namespace tc
