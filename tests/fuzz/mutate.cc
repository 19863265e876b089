#include "mutate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <limits>

namespace tc::fuzz {
namespace {

// Values at which code changes its mind, and the neighbourhood of what was there.
int64_t other_integer(int64_t old, Random& random) {
  static constexpr int64_t kEdges[] = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       4,
                                       -2,
                                       5,
                                       7,
                                       8,
                                       16,
                                       17,
                                       31,
                                       32,
                                       33,
                                       64,
                                       127,
                                       128,
                                       255,
                                       256,
                                       1000,
                                       65535,
                                       65536,
                                       INT64_C(1) << 20,
                                       1 << 24,
                                       INT32_MAX,
                                       INT32_MIN,
                                       1LL << 31,
                                       1LL << 32,
                                       1LL << 40,
                                       1LL << 61,
                                       INT64_MAX,
                                       INT64_MIN,
                                       INT64_MIN + 1,
                                       INT64_MAX - 1,
                                       6};
  const auto bits = static_cast<uint64_t>(old);
  switch (random.below(6)) {
    case 0:
      return static_cast<int64_t>(bits + 1);
    case 1:
      return static_cast<int64_t>(bits - 1);
    case 2:
      return static_cast<int64_t>(0 - bits);
    case 3:
      return static_cast<int64_t>(bits ^ uint64_t{1} << random.below(64));
    default:
      return kEdges[random.below(std::size(kEdges))];
  }
}

float other_float(Random& random) {
  static constexpr float kEdges[] = {0,
                                     -0.0f,
                                     1,
                                     -1,
                                     0.5f,
                                     1e-30f,
                                     1e30f,
                                     -1e30f,
                                     1e-45f,
                                     3,
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::quiet_NaN()};
  return kEdges[random.below(std::size(kEdges))];
}

// What kinds of leaves there are; a mutation picks the kind first, so that the many names do not drown the few extents.
enum Kind : uint8_t { extent, code, integer, real, name, word, data, version, kKinds };

Kind kind_of(Message in, uint32_t number) {
  switch (in) {
    case Message::tensor:
      return number == 1 ? extent : number == 2 || number == 14 ? code : number == 8 ? name : data;
    case Message::sparse_tensor:
      return extent;
    case Message::dim:
      return extent;
    case Message::tensor_type:
    case Message::map_type:
      return code;
    case Message::attribute:
      return number == 3 || number == 8   ? integer
             : number == 2 || number == 7 ? real
             : number == 20               ? code
             : number == 4                ? word
                                          : name;
    case Message::node:
      return number == 4 || number == 7 || number == 8 ? word : name;
    case Message::opset:
      return version;
    case Message::model:
      return number == 1 ? version : data;
    default:
      return name;
  }
}

struct Place {
  std::vector<Field>* list;
  size_t index;
  Field& field() const { return (*list)[index]; }
};

struct Places {
  std::array<std::vector<Place>, kKinds> leaves;
  std::vector<Place> messages;
};

void collect(std::vector<Field>& fields, Message in, Places& places) {
  for (size_t i = 0; i < fields.size(); ++i) {
    Field& f = fields[i];
    if (f.message == Message::leaf) {
      places.leaves[kind_of(in, f.number)].push_back({&fields, i});
    } else {
      places.messages.push_back({&fields, i});
      collect(f.fields, f.message, places);
    }
  }
}

void mutate_leaf(Kind kind, const std::vector<Place>& same_kind, Random& random) {
  Field& f = random.pick(same_kind).field();
  if (f.wire == 0) {
    // Codes of types and versions are small.
    f.bits = kind == code || kind == version
                 ? random.below(32)
                 : static_cast<uint64_t>(other_integer(static_cast<int64_t>(f.bits), random));
    if (kind == version && random.chance(8)) f.bits = static_cast<uint64_t>(other_integer(1, random));
    return;
  }
  if (f.wire == 5) {
    f.bits = std::bit_cast<uint32_t>(other_float(random));
    return;
  }
  if (f.wire == 1) {
    f.bits = random.bits();
    return;
  }
  if (kind == name || kind == word) {
    const Field& other = random.pick(same_kind).field();
    if (other.wire == 2 && !random.chance(6)) return f.set_text(std::string(other.text()));
    if (random.chance(2)) return f.set_text("");
  }
  f.set_text(mutate_bytes(f.text().substr(0, 1 << 16), random));
}

void mutate_structure(const Places& places, Random& random) {
  const Place at = random.pick(places.messages);
  const Field copy = at.field();
  switch (random.below(5)) {
    case 0:
      at.list->erase(at.list->begin() + static_cast<std::ptrdiff_t>(at.index));
      break;
    case 1:
      at.list->insert(at.list->begin() + static_cast<std::ptrdiff_t>(random.below(at.list->size() + 1)), copy);
      break;
    case 2:
      std::swap(at.field(), (*at.list)[random.below(at.list->size())]);
      break;
    default: {
      // In the place of another message of its kind.
      std::vector<Place> others;
      for (const Place& p : places.messages)
        if (p.field().message == copy.message) others.push_back(p);
      Field& other = random.pick(others).field();
      const uint32_t number = other.number;
      other = copy;
      other.number = number;
    }
  }
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '%' || c == '@';
}

// The words of the text, as [begin, end).
std::vector<std::pair<size_t, size_t>> words_of(std::string_view text) {
  std::vector<std::pair<size_t, size_t>> words;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i) words.emplace_back(i, end);
    i = std::max(end, i + 1);
  }
  return words;
}

}  // namespace

uint64_t Random::bits() {
  // splitmix64, by Sebastiano Vigna: https://prng.di.unimi.it/splitmix64.c
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string mutate_bytes(std::string_view bytes, Random& random) {
  std::string out(bytes);
  if (out.empty()) return std::string(1, static_cast<char>(random.bits()));
  if (random.chance(5)) {
    out.resize(random.below(out.size()));
    return out;
  }
  for (size_t changes = 1 + random.below(4); changes && !out.empty(); --changes) {
    const size_t at = random.below(out.size());
    switch (random.below(4)) {
      case 0:
        out[at] = static_cast<char>(out[at] ^ 1 << random.below(8));
        break;
      case 1:
        out[at] = static_cast<char>(random.bits());
        break;
      case 2:
        out.erase(at, 1 + random.below(8));
        break;
      case 3:
        out.insert(at, 1 + random.below(4), static_cast<char>(random.bits()));
        break;
    }
  }
  return out;
}

std::string mutate_model(std::vector<Field> model, Random& random) {
  // Numbers break fewer promises between the parts of a file than names do, so that more mutants get further.
  static constexpr Kind kDrawn[] = {extent, extent, extent, integer, integer, integer, real,   real,  code,
                                    name,   name,   word,   data,    data,    version, kKinds, kKinds};
  for (size_t changes = random.chance(2) ? 1 : 1 + random.below(4); changes; --changes) {
    Places places;
    collect(model, Message::model, places);
    const Kind kind = kDrawn[random.below(std::size(kDrawn))];
    if (kind == kKinds) {
      if (!places.messages.empty()) mutate_structure(places, random);
    } else if (!places.leaves[kind].empty()) {
      mutate_leaf(kind, places.leaves[kind], random);
    }
  }
  return write_fields(model);
}

std::string mutate_text(std::string_view text, Random& random) {
  std::string out(text);
  for (size_t changes = random.chance(2) ? 1 : 1 + random.below(4); changes; --changes) {
    if (random.chance(12)) {
      out = mutate_bytes(out, random);
      continue;
    }
    const auto words = words_of(out);
    if (words.empty()) break;
    if (random.chance(6)) {
      // A line goes, or comes twice.
      const size_t at = random.pick(words).first, begin = out.rfind('\n', at) + 1,
                   end = std::min(out.find('\n', at), out.size() - 1) + 1;
      const std::string line = out.substr(begin, end - begin);
      if (random.chance(2))
        out.erase(begin, end - begin);
      else
        out.insert(out.rfind('\n', random.pick(words).first) + 1, line);
      continue;
    }
    const auto [begin, end] = random.pick(words);
    const std::string word = out.substr(begin, end - begin);
    const bool number = word.find_first_not_of("-0123456789") == word.npos && word.size() < 19 &&
                        word.find('-', 1) == word.npos && word != "-";
    const auto [other_begin, other_end] = random.pick(words);
    const std::string other = number && !random.chance(4) ? std::to_string(other_integer(std::stoll(word), random))
                                                          : out.substr(other_begin, other_end - other_begin);
    out.replace(begin, end - begin, other);
  }
  return out;
}

}  // namespace tc::fuzz
