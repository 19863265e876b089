// In place of the decoders that need a library, in builds without them.
#include "tc/ir/diag.h"
#include "tc/ir/eval/image.h"

namespace tc {
namespace {

[[noreturn]] void refuse(std::string_view format) {
  fail(ErrorCode::unsupported, format, " pictures are not in this build (CMake option TC_WITH_CODECS)");
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
