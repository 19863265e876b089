// JPEG 2000 through OpenJPEG: bare code streams and JP2 files.
#include <openjpeg.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

struct StreamReader {
  ImageFile file;
  size_t at = 0;
};

OPJ_SIZE_T read_bytes(void* to, OPJ_SIZE_T n, void* handle) {
  auto& r = *static_cast<StreamReader*>(handle);
  const size_t count = std::min(n, r.file.size() - r.at);
  if (count == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, r.file.data() + r.at, count);
  r.at += count;
  return count;
}

OPJ_OFF_T skip(OPJ_OFF_T n, void* handle) {
  auto& r = *static_cast<StreamReader*>(handle);
  if (n < 0) return -1;
  const size_t count = std::min(static_cast<size_t>(n), r.file.size() - r.at);
  r.at += count;
  return static_cast<OPJ_OFF_T>(count);
}

OPJ_BOOL seek(OPJ_OFF_T to, void* handle) {
  auto& r = *static_cast<StreamReader*>(handle);
  if (to < 0 || static_cast<size_t>(to) > r.file.size()) return OPJ_FALSE;
  r.at = static_cast<size_t>(to);
  return OPJ_TRUE;
}

// A sample as 8 bits.
int sample(const opj_image_comp_t& c, OPJ_UINT32 x, OPJ_UINT32 y) {
  const OPJ_UINT32 column = std::min(x / c.dx, c.w - 1), row = std::min(y / c.dy, c.h - 1);
  const int64_t v = int64_t{c.data[size_t{row} * c.w + column]} + (c.sgnd ? int64_t{1} << (c.prec - 1) : 0);
  const int64_t scaled = c.prec >= 8 ? v >> (c.prec - 8) : v * 255 / ((int64_t{1} << c.prec) - 1);
  return static_cast<int>(std::clamp<int64_t>(scaled, 0, 255));
}

uint8_t rounded(double v) {
  return static_cast<uint8_t>(std::clamp(std::lround(v), 0L, 255L));
}

bool copy_pixels(const opj_image_t& image, Picture& picture) {
  const opj_image_comp_t* comps = image.comps;
  const OPJ_UINT32 used = image.numcomps >= 3 ? 3 : 1;
  for (OPJ_UINT32 k = 0; k < used; ++k)
    if (!comps[k].data || comps[k].w == 0 || comps[k].h == 0 || comps[k].dx == 0 || comps[k].dy == 0 ||
        comps[k].prec == 0 || comps[k].prec > 31)
      return false;
  // Subsampled colours are differences even where the file does not say so.
  const bool differences =
      used == 3 && (image.color_space == OPJ_CLRSPC_SYCC ||
                    (image.color_space == OPJ_CLRSPC_UNSPECIFIED && comps[0].dx == 1 && comps[1].dx > 1));
  for (int64_t y = 0; y < picture.height(); ++y)
    for (int64_t x = 0; x < picture.width(); ++x) {
      int v[3];
      for (OPJ_UINT32 k = 0; k < 3; ++k)
        v[k] = k < used ? sample(comps[k], static_cast<OPJ_UINT32>(x), static_cast<OPJ_UINT32>(y)) : v[0];
      if (differences) {
        const double luma = v[0], cb = v[1] - 128, cr = v[2] - 128;
        picture.set(x, y, rounded(luma + 1.402 * cr), rounded(luma - 0.344136 * cb - 0.714136 * cr),
                    rounded(luma + 1.772 * cb));
      } else {
        picture.set(x, y, static_cast<uint8_t>(v[0]), static_cast<uint8_t>(v[1]), static_cast<uint8_t>(v[2]));
      }
    }
  return true;
}

}  // namespace

bool decode_jpeg2000(ImageFile file, Picture& picture) {
  StreamReader reader{file};
  const std::unique_ptr<opj_codec_t, decltype(&opj_destroy_codec)> codec(
      opj_create_decompress(file[0] == 0xff ? OPJ_CODEC_J2K : OPJ_CODEC_JP2), opj_destroy_codec);
  const std::unique_ptr<opj_stream_t, decltype(&opj_stream_destroy)> stream(opj_stream_default_create(OPJ_TRUE),
                                                                            opj_stream_destroy);
  if (!codec || !stream) return false;
  opj_stream_set_user_data(stream.get(), &reader, nullptr);
  opj_stream_set_user_data_length(stream.get(), file.size());
  opj_stream_set_read_function(stream.get(), read_bytes);
  opj_stream_set_skip_function(stream.get(), skip);
  opj_stream_set_seek_function(stream.get(), seek);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* header = nullptr;
  if (!opj_setup_decoder(codec.get(), &parameters) || !opj_decoder_set_strict_mode(codec.get(), OPJ_TRUE) ||
      !opj_read_header(stream.get(), codec.get(), &header))
    return false;
  const std::unique_ptr<opj_image_t, decltype(&opj_image_destroy)> image(header, opj_image_destroy);
  if (image->x1 <= image->x0 || image->y1 <= image->y0 || image->numcomps == 0) return false;
  const int64_t width = image->x1 - image->x0, height = image->y1 - image->y0;
  picture.check(width, height, uint64_t{4} * image->numcomps);
  if (!opj_decode(codec.get(), stream.get(), image.get()) || !opj_end_decompress(codec.get(), stream.get()))
    return false;
  picture.resize(width, height);
  return copy_pixels(*image, picture);
}

}  // namespace tc
