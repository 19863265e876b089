// WebP through libwebp; of an animation nothing is shown.
#include <webp/decode.h>

#include "tc/ir/eval/image.h"

namespace tc {

bool decode_webp(ImageFile file, Picture& picture) {
  int width = 0, height = 0;
  if (!WebPGetInfo(file.data(), file.size(), &width, &height)) return false;
  picture.check(width, height, 4);  // a lossless picture is decoded with alpha first
  picture.resize(width, height);
  return WebPDecodeRGBInto(file.data(), file.size(), picture.row(0), picture.rgb().size(), width * 3) != nullptr;
}

}  // namespace tc
