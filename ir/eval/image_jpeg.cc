// JPEG through libjpeg's interface.
#include <climits>
#include <csetjmp>
#include <cstddef>
#include <cstdio>

// jpeglib.h needs <cstdio> and jerror.h needs jpeglib.h, and neither says so.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "tc/ir/eval/image.h"

namespace tc {
namespace {

constexpr int kMaxScans = 500;  // of a progressive file: each one is a pass over the whole picture

struct JpegReader {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf failed;
  std::vector<uint8_t> row;

  JpegReader() {
    info.err = jpeg_std_error(&errors);
    info.client_data = this;
    errors.error_exit = [](j_common_ptr c) { std::longjmp(static_cast<JpegReader*>(c->client_data)->failed, 1); };
    // Other warnings leave a whole picture; at the end of the file the rest would be made up.
    errors.emit_message = [](j_common_ptr c, int level) {
      if (level < 0 && c->err->msg_code == JWRN_JPEG_EOF) c->err->error_exit(c);
    };
    errors.output_message = [](j_common_ptr) {};
    progress.progress_monitor = [](j_common_ptr c) {
      if (reinterpret_cast<j_decompress_ptr>(c)->input_scan_number > kMaxScans) c->err->error_exit(c);
    };
  }
  ~JpegReader() { jpeg_destroy_decompress(&info); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
};

// Errors inside libjpeg come back here, so nothing with a destructor may live in this function.
bool read(JpegReader& reader, ImageFile file, Picture& picture) {
  jpeg_decompress_struct& info = reader.info;
  if (setjmp(reader.failed)) return false;
  jpeg_create_decompress(&info);
  info.client_data = &reader;
  info.progress = &reader.progress;
  info.mem->max_memory_to_use =
      static_cast<long>(picture.max_bytes() / 2 < LONG_MAX ? picture.max_bytes() * 2 : LONG_MAX);
  jpeg_mem_src(&info, file.data(), static_cast<unsigned long>(file.size()));
  if (jpeg_read_header(&info, TRUE) != JPEG_HEADER_OK) return false;
  picture.resize(info.image_width, info.image_height);
  const bool four = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = four ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&info);
  if (four) reader.row.resize(size_t{4} * info.output_width);
  while (info.output_scanline < info.output_height) {
    const JDIMENSION y = info.output_scanline;
    JSAMPROW row = four ? reader.row.data() : picture.row(y);
    if (jpeg_read_scanlines(&info, &row, 1) != 1) return false;
    if (!four) continue;
    for (JDIMENSION x = 0; x < info.output_width; ++x) {
      const uint8_t* ink = &reader.row[size_t{4} * x];
      // Adobe stores how much ink is missing.
      const auto light = [&](int k) { return info.saw_Adobe_marker ? ink[k] : 255 - ink[k]; };
      const auto mixed = [&](int k) { return static_cast<uint8_t>((light(k) * light(3) + 127) / 255); };
      picture.set(x, y, mixed(0), mixed(1), mixed(2));
    }
  }
  jpeg_finish_decompress(&info);
  return true;
}

}  // namespace

bool decode_jpeg(ImageFile file, Picture& picture) {
  JpegReader reader;
  return read(reader, file, picture);
}

}  // namespace tc
