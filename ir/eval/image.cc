#include "tc/ir/eval/image.h"

#include <algorithm>
#include <string_view>

#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// Small pictures are decoded whatever they were compressed to, larger ones unless they grow beyond all reason.
constexpr uint64_t kSmallPicture = uint64_t{64} << 20, kMaxExpansion = 2048;  // bytes; bytes per byte

using namespace std::literals;

struct Format {
  std::string_view signature;
  bool (*decode)(ImageFile, Picture&);
};
constexpr Format kFormats[] = {
    {"\x89PNG\r\n\x1a\n"sv, decode_png},
    {"\xff\xd8\xff"sv, decode_jpeg},
    {"BM"sv, decode_bmp},
    {"RIFF"sv, decode_webp},
    {"II*\0"sv, decode_tiff},
    {"MM\0*"sv, decode_tiff},
    {"II+\0"sv, decode_tiff},
    {"MM\0+"sv, decode_tiff},
    {"\0\0\0\x0cjP  \r\n\x87\n"sv, decode_jpeg2000},
    {"\xff\x4f\xff\x51"sv, decode_jpeg2000},
    {"P"sv, decode_pnm},
};

bool decode(ImageFile file, Picture& picture) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  for (const Format& f : kFormats)
    if (text.starts_with(f.signature)) return f.decode(file, picture);
  return false;
}

}  // namespace

void Picture::check(int64_t width, int64_t height, uint64_t bytes_per_pixel) const {
  const auto w = static_cast<uint64_t>(width), h = static_cast<uint64_t>(height);
  if (width < 0 || height < 0 || (w != 0 && h > max_bytes_ / bytes_per_pixel / w))
    fail(ErrorCode::limit_memory, "the file says that its picture is ", w, " by ", h,
         " pixels, more than the memory budget or any plausible compression allows");
}

void Picture::resize(int64_t width, int64_t height) {
  check(width, height, 3);
  width_ = width, height_ = height;
  rgb_.assign(static_cast<size_t>(width * height * 3), 0);
}

template <>
void eval<ImageDecoder>(EvalContext& ctx) {
  const PixelFormat format = ctx.attrs<ImageDecoder>().pixel_format;
  const auto file = ctx.in(0).span<uint8_t>();
  Picture picture(std::min(ctx.env().max_bytes, std::max(kSmallPicture, kMaxExpansion * file.size())));
  const bool readable = decode(file, picture);
  const int64_t channels = format == PixelFormat::grayscale ? 1 : 3;
  Tensor& image = ctx.out(0, {readable ? picture.height() : 0, readable ? picture.width() : 0, channels});
  auto out = image.mutable_span<uint8_t>();
  const auto& rgb = picture.rgb();
  for (size_t i = 0; i < out.size() / static_cast<size_t>(channels); ++i) {
    const uint8_t *p = &rgb[3 * i], r = p[0], g = p[1], b = p[2];
    switch (format) {
      case PixelFormat::rgb:
        out[3 * i] = r, out[3 * i + 1] = g, out[3 * i + 2] = b;
        break;
      case PixelFormat::bgr:
        out[3 * i] = b, out[3 * i + 1] = g, out[3 * i + 2] = r;
        break;
      case PixelFormat::grayscale:
        // Luma of ITU-R BT.601, in units of 2^-16.
        out[i] = static_cast<uint8_t>((19595u * r + 38470u * g + 7471u * b + 32768u) >> 16);
        break;
    }
  }
}

}  // namespace tc
