#include "tests/samples/sample.h"

namespace tc {
namespace {

// A picture of two by one pixels, without any compression.
Tensor ppm() {
  const std::string bytes("P6 2 1 255\n\x10\x80\xf0\xff\x01\x02", 17);
  return Tensor::of<uint8_t>({17}, {bytes.begin(), bytes.end()});
}

}  // namespace

void samples_image(std::vector<Sample>& samples) {
  samples.push_back({"image_decoder", [](SampleGraph& g) {
                       Value *x = g.input(ppm(), {Dim::symbol("bytes")}), *no = g.input(DType::u8, {5});
                       g.outputs({g.b.make<ImageDecoder>({x}), g.b.make<ImageDecoder>({x}, {PixelFormat::bgr}),
                                  g.b.make<ImageDecoder>({x}, {PixelFormat::grayscale}), g.b.make<ImageDecoder>({no})});
                     }});
}

}  // namespace tc
