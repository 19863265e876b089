// The portable any-map family: PBM, PGM and PPM, as text (P1 to P3) or bytes (P4 to P6), and PAM (P7).
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

bool is_blank(uint8_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class PnmReader {
 public:
  explicit PnmReader(ImageFile file) : file_(file) {}

  // The next word, after blanks and comments; empty at the end.
  std::string_view word() {
    while (at_ < file_.size() && (is_blank(file_[at_]) || file_[at_] == '#'))
      if (file_[at_++] == '#')
        while (at_ < file_.size() && file_[at_] != '\n') ++at_;
    const size_t begin = at_;
    while (at_ < file_.size() && !is_blank(file_[at_]) && file_[at_] != '#') ++at_;
    return {reinterpret_cast<const char*>(file_.data()) + begin, at_ - begin};
  }
  std::optional<int64_t> number() {
    const std::string_view digits = word();
    if (digits.empty() || digits.size() > 9 ||
        !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    return std::stoll(std::string(digits));
  }
  // One digit of a bitmap in text, where blanks may be left out.
  std::optional<int64_t> bit() {
    while (at_ < file_.size() && is_blank(file_[at_])) ++at_;
    if (at_ == file_.size() || (file_[at_] != '0' && file_[at_] != '1')) return std::nullopt;
    return file_[at_++] - '0';
  }
  void skip_one() { at_ = std::min(at_ + 1, file_.size()); }
  ImageFile rest() const { return file_.subspan(at_); }

 private:
  ImageFile file_;
  size_t at_ = 2;  // after the signature
};

struct Header {
  int64_t width = 0, height = 0, depth = 1, most = 1;
};

std::optional<Header> read_header(PnmReader& in, char kind) {
  Header h;
  const auto read = [](int64_t& to, std::optional<int64_t> v) { return v && (to = *v, *v > 0); };
  if (kind == '7') {
    for (std::string_view key = in.word(); key != "ENDHDR"; key = in.word()) {
      if (key.empty()) return std::nullopt;
      if (key == "TUPLTYPE") {
        in.word();
        continue;
      }
      int64_t* const to = key == "WIDTH"    ? &h.width
                          : key == "HEIGHT" ? &h.height
                          : key == "DEPTH"  ? &h.depth
                          : key == "MAXVAL" ? &h.most
                                            : nullptr;
      if (!to || !read(*to, in.number())) return std::nullopt;
    }
  } else {
    h.depth = kind == '3' || kind == '6' ? 3 : 1;
    if (!read(h.width, in.number()) || !read(h.height, in.number())) return std::nullopt;
    if (kind != '1' && kind != '4' && !read(h.most, in.number())) return std::nullopt;
  }
  in.skip_one();
  if (h.width == 0 || h.height == 0 || h.depth > 4 || h.most > 65535) return std::nullopt;
  return h;
}

}  // namespace

bool decode_pnm(ImageFile file, Picture& picture) {
  if (file.size() < 3 || file[1] < '1' || file[1] > '7') return false;
  const char kind = static_cast<char>(file[1]);
  const bool text = kind < '4', bitmap = kind == '1' || kind == '4';
  PnmReader in(file);
  const auto header = read_header(in, kind);
  if (!header) return false;
  const auto [width, height, depth, most] = *header;
  const ImageFile bytes = in.rest();
  const int64_t sample = most > 255 ? 2 : 1, line = kind == '4' ? (width + 7) / 8 : width * depth * sample;
  if (!text && static_cast<uint64_t>(line) > bytes.size() / static_cast<uint64_t>(height)) return false;
  picture.resize(width, height);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      uint8_t v[4];
      for (int64_t k = 0; k < depth; ++k) {
        std::optional<int64_t> value;
        if (text) {
          value = bitmap ? in.bit() : in.number();
        } else if (bitmap) {
          value = bytes[static_cast<size_t>(y * line + x / 8)] >> (7 - x % 8) & 1;
        } else {
          const uint8_t* p = &bytes[static_cast<size_t>(y * line + (x * depth + k) * sample)];
          value = sample == 2 ? p[0] << 8 | p[1] : p[0];
        }
        if (!value || *value > most) return false;
        v[k] = static_cast<uint8_t>((*value * 255 + most / 2) / most);
        if (bitmap) v[k] = static_cast<uint8_t>(255 - v[k]);  // 1 is black
      }
      if (depth < 3) v[1] = v[2] = v[0];  // a second sample is alpha
      picture.set(x, y, v[0], v[1], v[2]);
    }
  return true;
}

}  // namespace tc
