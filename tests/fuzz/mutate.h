// Damages models: bytes of files, fields of ONNX messages, words of textual IR. Deterministic in the seed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto_tree.h"

namespace tc::fuzz {

// The same numbers on every platform, which standard distributions do not promise.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits();
  size_t below(size_t n) { return static_cast<size_t>(bits() % n); }  // n > 0
  bool chance(size_t one_in) { return below(one_in) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[below(list.size())];
  }

 private:
  uint64_t state_;
};

// Truncated, or with some bits flipped, bytes changed, removed or inserted.
std::string mutate_bytes(std::string_view bytes, Random& random);
// One to four changed fields: extents, integers, floats, element types, names, operators, data; or messages that are
// removed, doubled, exchanged or copied from elsewhere in the model.
std::string mutate_model(std::vector<Field> model, Random& random);
// Numbers, words and lines of the text changed, removed or doubled.
std::string mutate_text(std::string_view text, Random& random);

}  // namespace tc::fuzz
