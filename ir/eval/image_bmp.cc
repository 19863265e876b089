// Windows and OS/2 bitmaps: 1 to 32 bits per pixel, with a palette, masks or run lengths.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

enum Compression : uint32_t { kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kMasksAndAlpha = 6 };

using Colour = std::array<uint8_t, 3>;

class BmpReader {
 public:
  BmpReader(ImageFile file, Picture& picture) : file_(file), picture_(picture) {}

  bool read() {
    if (!read_header()) return false;
    if (compression_ == kRuns8 || compression_ == kRuns4) {
      picture_.resize(width_, height_);
      return read_runs();
    }
    const uint64_t line = (static_cast<uint64_t>(width_) * bits_ + 31) / 32 * 4;
    if (pixels_ > file_.size() || line > (file_.size() - pixels_) / static_cast<uint64_t>(height_)) return false;
    picture_.resize(width_, height_);
    for (int64_t y = 0; y < height_; ++y)
      for (int64_t x = 0; x < width_; ++x)
        if (!put(x, y, pixel(pixels_ + static_cast<size_t>(y) * line, x))) return false;
    return true;
  }

 private:
  uint32_t number(size_t at, int bytes) const {
    uint32_t v = 0;
    for (int i = 0; i < bytes; ++i) v |= uint32_t{file_[at + static_cast<size_t>(i)]} << 8 * i;
    return v;
  }

  bool read_header() {
    if (file_.size() < 26) return false;
    pixels_ = number(10, 4);
    const uint32_t size = number(14, 4);
    const bool old = size == 12;
    if ((!old && size < 40) || size > file_.size() - 14) return false;
    width_ = old ? int64_t{number(18, 2)} : static_cast<int32_t>(number(18, 4));
    height_ = old ? int64_t{number(20, 2)} : static_cast<int32_t>(number(22, 4));
    bits_ = old ? number(24, 2) : number(28, 2);
    if (height_ < 0) top_down_ = true, height_ = -height_;
    if (width_ <= 0 || height_ <= 0) return false;
    if (!old) compression_ = number(30, 4);
    const bool runs = (compression_ == kRuns8 && bits_ == 8) || (compression_ == kRuns4 && bits_ == 4);
    const bool masks = (compression_ == kMasks || compression_ == kMasksAndAlpha) && (bits_ == 16 || bits_ == 32);
    if (compression_ != kPlain && !runs && !masks) return false;
    size_t at = 14 + size;
    if (bits_ == 16) masks_ = {0x7c00, 0x3e0, 0x1f};
    if (masks) {
      if (file_.size() < 66) return false;
      for (size_t i = 0; i < 3; ++i) masks_[i] = number(54 + 4 * i, 4);
      if (size == 40) at += compression_ == kMasks ? 12 : 16;
    }
    if (bits_ == 1 || bits_ == 4 || bits_ == 8) {
      const uint32_t used = old ? 0 : number(46, 4);
      const size_t count = used ? used : size_t{1} << bits_, entry = old ? 3 : 4;
      if (count > 256) return false;
      for (size_t i = 0; i < count && at + entry <= file_.size(); ++i, at += entry)
        palette_.push_back({file_[at + 2], file_[at + 1], file_[at]});
      return true;
    }
    return bits_ == 16 || bits_ == 24 || bits_ == 32;
  }

  // The number of a palette's colour, or a colour's bits.
  uint32_t pixel(size_t line, int64_t x) const {
    const auto column = static_cast<size_t>(x);
    if (bits_ >= 8) return number(line + column * bits_ / 8, static_cast<int>(bits_ / 8));
    const auto shift = 8 - bits_ - column * bits_ % 8;
    return file_[line + column * bits_ / 8] >> shift & ((1u << bits_) - 1);
  }

  uint8_t masked(uint32_t v, uint32_t mask) const {
    if (mask == 0) return 0;
    const int shift = std::countr_zero(mask);
    const uint64_t most = mask >> shift;
    return static_cast<uint8_t>((((v & mask) >> shift) * uint64_t{255} + most / 2) / most);
  }

  bool put(int64_t x, int64_t y, uint32_t v) {
    Colour c{static_cast<uint8_t>(v >> 16), static_cast<uint8_t>(v >> 8), static_cast<uint8_t>(v)};
    if (bits_ <= 8) {
      if (v >= palette_.size()) return false;
      c = palette_[v];
    } else if (masks_ != std::array<uint32_t, 3>{}) {
      for (size_t i = 0; i < 3; ++i) c[i] = masked(v, masks_[i]);
    }
    picture_.set(x, top_down_ ? y : height_ - 1 - y, c[0], c[1], c[2]);
    return true;
  }

  // Pairs (count, value), and after a 0: 0 ends the line, 1 the picture, 2 moves on, n >= 3 is followed by n values.
  bool read_runs() {
    int64_t x = 0, y = 0;
    size_t at = pixels_;
    const auto value = [&](uint8_t byte, int64_t i) -> uint32_t {
      return bits_ == 8 ? byte : i % 2 ? byte & 15u : byte >> 4;
    };
    const auto place = [&](uint32_t v) { return x < width_ && y < height_ && put(x++, y, v); };
    for (int64_t k = 0; k < (palette_.empty() ? 0 : width_ * height_); ++k)
      put(k % width_, k / width_, 0);  // what is left out has the first colour
    while (at < file_.size() && file_.size() - at >= 2) {
      const uint8_t count = file_[at], code = file_[at + 1];
      at += 2;
      if (count) {
        for (int64_t i = 0; i < count; ++i)
          if (!place(value(code, i))) return false;
      } else if (code == 0) {
        x = 0, ++y;
      } else if (code == 1) {
        return true;
      } else if (code == 2) {
        if (file_.size() - at < 2) return false;
        x += file_[at], y += file_[at + 1];
        at += 2;
      } else {
        const size_t bytes = bits_ == 8 ? code : (code + 1u) / 2, padded = (bytes + 1) / 2 * 2;
        if (file_.size() - at < bytes) return false;
        for (int64_t i = 0; i < code; ++i)
          if (!place(value(file_[at + static_cast<size_t>(bits_ == 8 ? i : i / 2)], i))) return false;
        at = std::min(at + padded, file_.size());
      }
    }
    return y >= height_ || (y == height_ - 1 && x == width_);
  }

  ImageFile file_;
  Picture& picture_;
  int64_t width_ = 0, height_ = 0;
  uint32_t bits_ = 0, compression_ = kPlain;
  bool top_down_ = false;
  size_t pixels_ = 0;
  std::array<uint32_t, 3> masks_{};  // all 0: 8 bits each
  std::vector<Colour> palette_;
};

}  // namespace

bool decode_bmp(ImageFile file, Picture& picture) {
  return BmpReader(file, picture).read();
}

}  // namespace tc
