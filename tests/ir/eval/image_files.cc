#include "image_files.h"

#include <openjpeg.h>
#include <png.h>
#include <tiffio.h>
#include <unistd.h>
#include <webp/encode.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

// jpeglib.h needs <cstdio> and does not say so.
#include <jpeglib.h>

namespace tc::testing_image {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(what);
}

// What `write` puts into the file whose path it gets.
template <class Write>
File written(Write&& write) {
  std::string name = (std::filesystem::temp_directory_path() / "tc_image_XXXXXX").string();
  const int handle = mkstemp(name.data());
  require(handle >= 0, "cannot make a temporary file");
  close(handle);
  write(name.c_str());
  std::ifstream in(name, std::ios::binary);
  File file((std::istreambuf_iterator<char>(in)), {});
  std::filesystem::remove(name);
  return file;
}

void put(File& file, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file.push_back(static_cast<uint8_t>(value >> 8 * i));
}

File text(const std::string& s) {
  return {s.begin(), s.end()};
}

}  // namespace

Rgb gradient(int64_t width, int64_t height) {
  Rgb p{width, height, {}};
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (const int64_t v : {x * 255 / width, y * 255 / height, (x * 7 + y * 13) % 256})
        p.bytes.push_back(static_cast<uint8_t>(v));
  return p;
}

File png_file(const Rgb& picture, bool interlaced, bool alpha, int bits) {
  File file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, size_t n) {
        auto& out = *static_cast<File*>(png_get_io_ptr(p));
        out.insert(out.end(), data, data + n);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height), bits,
               alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<uint8_t> samples;
  for (size_t i = 0; i < picture.bytes.size(); ++i) {
    samples.push_back(picture.bytes[i]);
    if (bits == 16) samples.push_back(0x5a);
    if (alpha && i % 3 == 2) samples.insert(samples.end(), static_cast<size_t>(bits / 8), static_cast<uint8_t>(i));
  }
  std::vector<png_bytep> rows;
  for (int64_t y = 0; y < picture.height; ++y)
    rows.push_back(samples.data() + y * static_cast<int64_t>(samples.size()) / picture.height);
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

namespace {

template <class Set>
File jpeg_of(int64_t width, int64_t height, int components, const std::vector<uint8_t>& samples, Set&& set) {
  jpeg_compress_struct c{};
  jpeg_error_mgr errors{};
  c.err = jpeg_std_error(&errors);
  jpeg_create_compress(&c);
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&c, &data, &size);
  c.image_width = static_cast<JDIMENSION>(width), c.image_height = static_cast<JDIMENSION>(height);
  c.input_components = components;
  c.in_color_space = components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(&c);
  jpeg_set_quality(&c, 100, TRUE);
  set(c);
  jpeg_start_compress(&c, TRUE);
  while (c.next_scanline < c.image_height) {
    auto* row = const_cast<JSAMPROW>(samples.data() + static_cast<int64_t>(c.next_scanline) * width * components);
    jpeg_write_scanlines(&c, &row, 1);
  }
  jpeg_finish_compress(&c);
  jpeg_destroy_compress(&c);
  File file(data, data + size);
  std::free(data);
  return file;
}

}  // namespace

File jpeg_file(const Rgb& picture, bool progressive, bool gray) {
  return jpeg_of(picture.width, picture.height, 3, picture.bytes, [&](jpeg_compress_struct& c) {
    if (gray)
      jpeg_set_colorspace(&c, JCS_GRAYSCALE);
    else
      for (int k = 0; k < 3; ++k) c.comp_info[k].h_samp_factor = c.comp_info[k].v_samp_factor = 1;
    if (progressive) jpeg_simple_progression(&c);
  });
}

File cmyk_jpeg_file(int64_t width, int64_t height, const std::vector<uint8_t>& ink) {
  return jpeg_of(width, height, 4, ink, [](jpeg_compress_struct& c) { c.write_Adobe_marker = TRUE; });
}

File tiff_file(const Rgb& picture, int compression, bool tiled) {
  return written([&](const char* path) {
    TIFF* tiff = TIFFOpen(path, "w");
    require(tiff, "TIFFOpen");
    const auto width = static_cast<uint32_t>(picture.width), height = static_cast<uint32_t>(picture.height);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
    if (tiled) {
      constexpr uint32_t kSide = 16;
      TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kSide);
      TIFFSetField(tiff, TIFFTAG_TILELENGTH, kSide);
      for (uint32_t y = 0; y < height; y += kSide)
        for (uint32_t x = 0; x < width; x += kSide) {
          std::vector<uint8_t> tile(kSide * kSide * 3);
          for (uint32_t r = 0; r < std::min(kSide, height - y); ++r)
            std::memcpy(&tile[r * kSide * 3], &picture.bytes[((y + r) * width + x) * 3],
                        std::min(kSide, width - x) * 3);
          TIFFWriteTile(tiff, tile.data(), x, y, 0, 0);
        }
    } else {
      TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 5u);
      for (uint32_t y = 0; y < height; ++y)
        TIFFWriteScanline(tiff, const_cast<uint8_t*>(&picture.bytes[size_t{y} * width * 3]), y, 0);
    }
    TIFFClose(tiff);
  });
}

File webp_file(const Rgb& picture) {
  uint8_t* data = nullptr;
  const size_t size =
      WebPEncodeLosslessRGB(picture.bytes.data(), static_cast<int>(picture.width), static_cast<int>(picture.height),
                            static_cast<int>(picture.width * 3), &data);
  require(size, "WebPEncodeLosslessRGB");
  File file(data, data + size);
  WebPFree(data);
  return file;
}

File jpeg2000_file(const Rgb& picture, bool boxes) {
  return written([&](const char* path) {
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_numlayers = 1;
    parameters.tcp_rates[0] = 0;  // lossless
    parameters.cp_disto_alloc = 1;
    parameters.tcp_mct = 1;
    parameters.numresolution = 4;  // the default asks for pictures of 32 x 32
    opj_image_cmptparm_t planes[3]{};
    for (auto& p : planes) {
      p.dx = p.dy = 1;
      p.w = static_cast<OPJ_UINT32>(picture.width), p.h = static_cast<OPJ_UINT32>(picture.height);
      p.prec = 8;
    }
    opj_image_t* image = opj_image_create(3, planes, OPJ_CLRSPC_SRGB);
    image->x1 = planes[0].w, image->y1 = planes[0].h;
    for (size_t i = 0; i < picture.bytes.size(); ++i) image->comps[i % 3].data[i / 3] = picture.bytes[i];
    opj_codec_t* codec = opj_create_compress(boxes ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
    require(opj_setup_encoder(codec, &parameters, image), "opj_setup_encoder");
    opj_stream_t* stream = opj_stream_create_default_file_stream(path, OPJ_FALSE);
    require(opj_start_compress(codec, image, stream) && opj_encode(codec, stream) && opj_end_compress(codec, stream),
            "opj_encode");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
  });
}

// 8 bits: a palette of the colours in the picture, at most 256. 16 bits: 5, 6 and 5 by masks.
File bmp_file(const Rgb& picture, int bits, bool top_down) {
  std::map<std::vector<uint8_t>, uint8_t> palette;
  const auto colour = [&](int64_t x, int64_t y) {
    const uint8_t* p = &picture.bytes[static_cast<size_t>(y * picture.width + x) * 3];
    return std::vector<uint8_t>{p[2], p[1], p[0], 0};
  };
  if (bits <= 8)
    for (int64_t i = 0; i < picture.width * picture.height; ++i)
      palette.try_emplace(colour(i % picture.width, i / picture.width), static_cast<uint8_t>(palette.size()));
  const uint32_t extra = bits == 16 ? 12 : static_cast<uint32_t>(palette.size() * 4);
  File file = text("BM");
  put(file, 0, 8);
  put(file, 54 + extra, 4);
  put(file, 40, 4);
  put(file, static_cast<uint64_t>(picture.width), 4);
  put(file, static_cast<uint64_t>(top_down ? -picture.height : picture.height), 4);
  put(file, 1, 2);
  put(file, static_cast<uint64_t>(bits), 2);
  put(file, bits == 16 ? 3 : 0, 4);
  put(file, 0, 12);
  put(file, palette.size(), 4);
  put(file, 0, 4);
  if (bits == 16)
    for (const uint64_t mask : {0xf800, 0x7e0, 0x1f}) put(file, mask, 4);
  File colours(palette.size() * 4);
  for (const auto& [c, i] : palette) std::copy(c.begin(), c.end(), colours.begin() + 4 * i);
  file.insert(file.end(), colours.begin(), colours.end());
  for (int64_t row = 0; row < picture.height; ++row) {
    const int64_t y = top_down ? row : picture.height - 1 - row;
    uint32_t pending = 0;
    int filled = 0;
    const size_t begin = file.size();
    for (int64_t x = 0; x < picture.width; ++x) {
      const auto c = colour(x, y);
      if (bits < 8) {
        pending = pending << bits | palette.at(c);
        filled += bits;
        if (filled == 8) put(file, pending, 1), pending = 0, filled = 0;
      } else if (bits == 8) {
        put(file, palette.at(c), 1);
      } else if (bits == 16) {
        put(file, static_cast<uint64_t>(c[2] >> 3 << 11 | c[1] >> 2 << 5 | c[0] >> 3), 2);
      } else {
        file.insert(file.end(), c.begin(), c.begin() + bits / 8);
      }
    }
    if (filled) put(file, pending << (8 - filled), 1);
    while ((file.size() - begin) % 4) file.push_back(0);
  }
  return file;
}

std::vector<NamedFile> all_files() {
  const Rgb picture = gradient(37, 21);
  // Few colours, black and white among them.
  Rgb few = picture, bilevel = picture, runs = picture;
  for (size_t i = 0; i < few.bytes.size(); ++i) {
    few.bytes[i] = few.bytes[i] < 128 ? 0 : 255;
    bilevel.bytes[i] = (i / 3) % 5 ? 255 : 0;
    runs.bytes[i] = i % 3 == 0 ? 10 : 20;
  }
  Rgb luma = picture, half = picture;
  for (size_t i = 0; i < luma.bytes.size(); i += 3) {
    const uint8_t* p = &picture.bytes[i];
    const auto y = static_cast<uint8_t>(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] + 0.5);
    luma.bytes[i] = luma.bytes[i + 1] = luma.bytes[i + 2] = y;
  }
  for (size_t i = 0; i < half.bytes.size(); ++i) {
    const int levels = i % 3 == 1 ? 63 : 31, v = half.bytes[i] >> (i % 3 == 1 ? 2 : 3);
    half.bytes[i] = static_cast<uint8_t>((v * 255 + levels / 2) / levels);
  }
  const auto size = std::to_string(picture.width) + " " + std::to_string(picture.height);
  File p6 = text("P6 # a comment\n" + size + "\n255\n"), p3 = text("P3\n" + size + " 255\n"),
       p4 = text("P4\n" + size + "\n"), p5 = text("P5\n" + size + "\n65535\n"),
       p7 = text("P7\nWIDTH 37\nHEIGHT 21\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"),
       p1 = text("P1\n" + size + "\n");
  p6.insert(p6.end(), picture.bytes.begin(), picture.bytes.end());
  for (size_t i = 0; i < picture.bytes.size(); ++i) {
    const File digits = text(std::to_string(picture.bytes[i]) + (i % 17 ? " " : "\n"));
    p3.insert(p3.end(), digits.begin(), digits.end());
    p7.push_back(picture.bytes[i]);
    if (i % 3 == 2) p7.push_back(9);
    if (i % 3 == 0)
      p5.push_back(luma.bytes[i]), p5.push_back(luma.bytes[i]), p1.push_back(bilevel.bytes[i] ? '0' : '1');
  }
  for (int64_t y = 0; y < bilevel.height; ++y)
    for (int64_t x = 0; x < bilevel.width; x += 8) {
      int byte = 0;
      for (int64_t k = 0; k < 8; ++k)
        byte =
            byte << 1 | (x + k < bilevel.width && !bilevel.bytes[static_cast<size_t>((y * bilevel.width + x + k) * 3)]);
      p4.push_back(static_cast<uint8_t>(byte));
    }
  std::vector<uint8_t> ink;
  for (size_t i = 0; i < picture.bytes.size(); ++i) {
    ink.push_back(picture.bytes[i]);
    if (i % 3 == 2) ink.push_back(255);
  }
  // Runs of one colour: a palette with it, each row one run and an end.
  File rle = bmp_file(runs, 8, false);
  rle.resize(58), rle[30] = 1;
  for (int64_t y = 0; y < runs.height; ++y) put(rle, 37, 4);
  put(rle, 0x100, 2);
  return {
      {"png", png_file(picture, false, false, 8), picture},
      {"png_interlaced", png_file(picture, true, false, 8), picture},
      {"png_alpha", png_file(picture, false, true, 8), picture},
      {"png_16_bits", png_file(picture, false, true, 16), picture},
      {"jpeg", jpeg_file(picture, false, false), picture, 4},
      {"jpeg_progressive", jpeg_file(picture, true, false), picture, 4},
      {"jpeg_gray", jpeg_file(picture, false, true), luma, 3},
      {"jpeg_cmyk", cmyk_jpeg_file(37, 21, ink), picture, 4},
      {"tiff", tiff_file(picture, COMPRESSION_NONE, false), picture},
      {"tiff_lzw_tiles", tiff_file(picture, COMPRESSION_LZW, true), picture},
      {"webp", webp_file(picture), picture},
      {"jpeg2000", jpeg2000_file(picture, false), picture},
      {"jpeg2000_boxes", jpeg2000_file(picture, true), picture},
      {"bmp_1", bmp_file(bilevel, 1, false), bilevel},
      {"bmp_4", bmp_file(few, 4, false), few},
      {"bmp_8", bmp_file(few, 8, true), few},
      {"bmp_8_runs", rle, runs},
      {"bmp_16", bmp_file(picture, 16, false), half},
      {"bmp_24", bmp_file(picture, 24, true), picture},
      {"bmp_32", bmp_file(picture, 32, false), picture},
      {"pnm_1", p1, bilevel},
      {"pnm_3", p3, picture},
      {"pnm_4", p4, bilevel},
      {"pnm_5", p5, luma},
      {"pnm_6", p6, picture},
      {"pnm_7", p7, picture},
  };
}

}  // namespace tc::testing_image
