#include "text_line.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace ocr {
namespace {

// The sources of one row or column of the scaled picture: weights of consecutive pixels, which add up to 1.
struct Taps {
  int first = 0;
  std::vector<float> weights;
};

std::vector<Taps> triangle_filter(int from, int to) {
  const double scale = static_cast<double>(from) / to, reach = std::max(scale, 1.0);
  std::vector<Taps> all(static_cast<size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(centre - reach)));
    const int last = std::min(from, static_cast<int>(std::ceil(centre + reach)));
    Taps& taps = all[static_cast<size_t>(i)];
    taps.first = first;
    double sum = 0;
    for (int k = first; k < last; ++k) {
      const double weight = std::max(0.0, 1 - std::abs(k + 0.5 - centre) / reach);
      taps.weights.push_back(static_cast<float>(weight));
      sum += weight;
    }
    for (float& w : taps.weights) w = static_cast<float>(w / sum);
  }
  return all;
}

}  // namespace

LineInput prepare(const Picture& picture) {
  const auto rows = static_cast<size_t>(picture.height), columns = static_cast<size_t>(picture.width);
  LineInput line;
  const double width_at_ratio = std::ceil(kLineHeight * static_cast<double>(picture.width) / picture.height);
  line.width = static_cast<int>(std::clamp(width_at_ratio, 8.0, static_cast<double>(kMaxLineWidth)));
  const auto width = static_cast<size_t>(line.width);
  const std::vector<Taps> across = triangle_filter(picture.width, line.width);
  const std::vector<Taps> down = triangle_filter(picture.height, kLineHeight);

  line.values.resize(3 * kLineHeight * width);
  std::vector<float> narrow(rows * width);  // one plane, already scaled across
  for (size_t plane = 0; plane < 3; ++plane) {
    const size_t channel = 2 - plane;
    for (size_t y = 0; y < rows; ++y)
      for (size_t x = 0; x < width; ++x) {
        const uint8_t* pixel = &picture.rgb[(y * columns + static_cast<size_t>(across[x].first)) * 3 + channel];
        float sum = 0;
        for (const float w : across[x].weights) sum += w * *pixel, pixel += 3;
        narrow[y * width + x] = sum;
      }
    float* out = &line.values[plane * kLineHeight * width];
    for (size_t y = 0; y < kLineHeight; ++y)
      for (size_t x = 0; x < width; ++x) {
        float sum = 0;
        size_t row = static_cast<size_t>(down[y].first);
        for (const float w : down[y].weights) sum += w * narrow[row++ * width + x];
        out[y * width + x] = sum / 127.5f - 1;
      }
  }
  return line;
}

std::vector<std::string> read_dictionary(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read the dictionary " + path);
  std::vector<std::string> entries = {""};
  for (std::string line; std::getline(file, line);) entries.push_back(line);
  entries.push_back(" ");
  return entries;
}

Reading decode(std::span<const float> probabilities, size_t classes, const std::vector<std::string>& dictionary) {
  if (classes != dictionary.size() || probabilities.size() % classes != 0)
    throw std::runtime_error("the network has " + std::to_string(classes) + " classes, but the dictionary has " +
                             std::to_string(dictionary.size()));
  Reading reading;
  size_t previous = 0, characters = 0;
  for (; !probabilities.empty(); probabilities = probabilities.subspan(classes)) {
    const std::span<const float> step = probabilities.first(classes);
    const auto best = std::ranges::max_element(step);
    const auto c = static_cast<size_t>(best - step.begin());
    if (c != 0 && c != previous) {
      reading.text += dictionary[c];
      reading.confidence += static_cast<double>(*best);
      ++characters;
    }
    previous = c;
  }
  if (characters) reading.confidence /= static_cast<double>(characters);
  reading.text.erase(0, reading.text.find_first_not_of(' '));
  reading.text.erase(reading.text.find_last_not_of(' ') + 1);
  return reading;
}

}  // namespace ocr
