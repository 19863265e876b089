// The two ends of PaddleOCR's text-line recogniser: from a picture to the network's input, and from its output to text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "picture.h"

namespace ocr {

inline constexpr int kLineHeight = 48;
inline constexpr int kMaxLineWidth = 8192;  // longer lines are squeezed

// The network's input, of shape [1, 3, kLineHeight, width].
struct LineInput {
  int width = 0;
  std::vector<float> values;
};

// Scales the picture to kLineHeight rows at its aspect ratio, and its values from 0..255 to -1..1; planes in the order
// blue, green, red, as the network was trained. When it shrinks, the filter widens, so that thin strokes survive.
LineInput prepare(const Picture& picture);

// Class 0 is CTC's blank, then one class per line of the file, then the space. Throws std::runtime_error.
std::vector<std::string> read_dictionary(const std::string& path);

struct Reading {
  std::string text;         // UTF-8, without spaces at the ends
  double confidence = 0.0;  // the mean probability of its characters
};

// Greedy CTC decoding (Graves et al. 2006) of probabilities [steps, classes]: the best class of each step, without
// repetitions and blanks. Throws std::runtime_error unless there is one class per dictionary entry.
Reading decode(std::span<const float> probabilities, size_t classes, const std::vector<std::string>& dictionary);

}  // namespace ocr
