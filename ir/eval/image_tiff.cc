// TIFF through libtiff, the first page of a file.
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

struct TiffReader {
  ImageFile file;
  size_t at = 0;
};

tmsize_t read_bytes(thandle_t handle, void* to, tmsize_t n) {
  auto& r = *static_cast<TiffReader*>(handle);
  const size_t count = std::min(static_cast<size_t>(std::max<tmsize_t>(n, 0)), r.file.size() - r.at);
  if (count) std::memcpy(to, r.file.data() + r.at, count);
  r.at += count;
  return static_cast<tmsize_t>(count);
}

toff_t seek(thandle_t handle, toff_t offset, int from) {
  auto& r = *static_cast<TiffReader*>(handle);
  const toff_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? r.at : r.file.size();
  const toff_t target = base + offset;  // offsets are unsigned: a step back wraps around
  if (target > r.file.size()) return static_cast<toff_t>(-1);
  r.at = static_cast<size_t>(target);
  return target;
}

int silent(TIFF*, void*, const char*, const char*, va_list) {
  return 1;
}

}  // namespace

bool decode_tiff(ImageFile file, Picture& picture) {
  TiffReader reader{file};
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 TIFFOpenOptionsFree);
  // The library's own tables are small, and needed before the picture's extents are known.
  constexpr uint64_t kTables = uint64_t{1} << 20;
  TIFFOpenOptionsSetMaxSingleMemAlloc(
      options.get(), static_cast<tmsize_t>(std::clamp<uint64_t>(picture.max_bytes(), kTables, INT64_MAX)));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), silent, nullptr);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), silent, nullptr);
  const auto write = [](thandle_t, void*, tmsize_t) -> tmsize_t { return 0; };
  const auto close = [](thandle_t) { return 0; };
  const auto size = [](thandle_t handle) -> toff_t { return static_cast<TiffReader*>(handle)->file.size(); };
  // "m": not mapped.
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(
      TIFFClientOpenExt("picture", "rm", &reader, read_bytes, write, seek, close, size, nullptr, nullptr,
                        options.get()),
      TIFFClose);
  uint32_t width = 0, height = 0;
  if (!tiff || !TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) ||
      !TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height))
    return false;
  picture.check(width, height, 4);
  picture.resize(width, height);
  std::vector<uint32_t> raster(size_t{width} * height);
  if (!TIFFReadRGBAImageOriented(tiff.get(), width, height, raster.data(), ORIENTATION_TOPLEFT, 1)) return false;
  for (uint32_t y = 0; y < height; ++y)
    for (uint32_t x = 0; x < width; ++x) {
      const uint32_t p = raster[size_t{y} * width + x];
      picture.set(x, y, static_cast<uint8_t>(TIFFGetR(p)), static_cast<uint8_t>(TIFFGetG(p)),
                  static_cast<uint8_t>(TIFFGetB(p)));
    }
  return true;
}

}  // namespace tc
