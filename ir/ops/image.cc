#include "tc/ir/ops/image.h"

namespace tc {

void ImageDecoder::infer(InferContext& ctx) {
  ctx.expect_rank(0, 1);
  const bool gray = ctx.attrs<ImageDecoder>().pixel_format == PixelFormat::grayscale;
  ctx.set(0, Shape{ctx.fresh(), ctx.fresh(), gray ? 1 : 3});
}

}  // namespace tc
