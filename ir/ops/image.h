// Pictures in files.
#pragma once

#include "tc/ir/infer.h"
#include "tc/ir/op.h"

namespace tc {

enum class PixelFormat : uint8_t { rgb, bgr, grayscale };
template <>
inline constexpr auto kEnumNames<PixelFormat> = std::array<std::string_view, 3>{"RGB", "BGR", "Grayscale"};

struct ImageDecoder {
  struct Attrs {
    PixelFormat pixel_format = PixelFormat::rgb;
    static constexpr auto fields = Fields{field("pixel_format", &Attrs::pixel_format)};
  };
  static constexpr OpFacts facts{
      "image_decoder",
      {"ImageDecoder", 20},
      "encoded_stream:u8 -> image:u8",
      {},
      "pixels [height, width, channels] of a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP file; empty if unreadable"};
  static void infer(InferContext& ctx);
};

}  // namespace tc
