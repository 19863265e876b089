// Stands in for the decoders that need a library each in a build without them. BMP and PNM remain.
#include "tc/ir/diag.h"
#include "tc/ir/eval/image.h"

namespace tc {
namespace {

[[noreturn]] void refuse(const char* format) {
  fail(ErrorCode::unsupported, "this build of tc does not decode ", format,
       " pictures: it was configured with TC_WITH_CODECS=OFF");
}

}  // namespace

bool decode_jpeg(ImageFile, Picture&) {
  refuse("JPEG");
}

bool decode_jpeg2000(ImageFile, Picture&) {
  refuse("JPEG 2000");
}

bool decode_png(ImageFile, Picture&) {
  refuse("PNG");
}

bool decode_tiff(ImageFile, Picture&) {
  refuse("TIFF");
}

bool decode_webp(ImageFile, Picture&) {
  refuse("WebP");
}

}  // namespace tc
