// Reader of the protobuf wire format over bytes in memory, as much of it as ONNX files use.
//
// Invariants: nothing outside the given bytes is read; time is linear in them; what parsed messages own stays below
// kMemoryPerByte × bytes + kMemoryFloor; nesting is bounded by kMaxMessageDepth. Strings and byte fields are views.
// Fields whose number a message does not know are skipped; groups, and known fields of a foreign wire type, are
// refused. Every violation throws tc::Error naming the file, the byte offset and the path of the field.
//
// Format: https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tc/ir/diag.h"

namespace tc::onnx {

static_assert(std::endian::native == std::endian::little, "wire values are little-endian, and read as they lie");

using Bytes = std::span<const uint8_t>;

inline constexpr int kMaxMessageDepth = 200;
inline constexpr uint64_t kMemoryPerByte = 64;
inline constexpr uint64_t kMemoryFloor = uint64_t{1} << 20;

enum class WireType : uint8_t { varint = 0, fixed64 = 1, length = 2, fixed32 = 5 };

// Elements of one repeated scalar field that lie together: either packed, or each behind a tag of its own.
struct ScalarRun {
  const uint8_t* data;
  uint64_t size;   // bytes
  uint64_t count;  // elements
  uint32_t field;
  WireType type;  // of an element
  bool tagged;
};

// The repeated scalar fields of one message, checked but not decoded.
class ScalarRuns {
 public:
  bool empty() const { return runs_.empty(); }
  uint64_t count(uint32_t field) const;

  // All elements of the field as they lie, when they lie packed in one piece; else nothing.
  std::optional<Bytes> packed(uint32_t field) const;

  // Calls fn(bits) for each element in order: a varint as 64 bits, a fixed32 in the low 32 bits.
  template <class Fn>
  void for_each(uint32_t field, Fn&& fn) const {
    for (const ScalarRun& run : runs_) {
      if (run.field != field) continue;
      const uint8_t* p = run.data;
      for (uint64_t i = 0; i < run.count; ++i) {
        if (run.tagged) unchecked_varint(p);
        fn(unchecked_scalar(p, run.type));
      }
    }
  }

 private:
  friend class WireReader;
  static uint64_t unchecked_varint(const uint8_t*& p) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      value |= uint64_t{*p & 0x7fu} << shift;
      if (*p++ < 0x80) return value;
    }
  }
  static uint64_t unchecked_scalar(const uint8_t*& p, WireType type) {
    if (type == WireType::varint) return unchecked_varint(p);
    const size_t width = type == WireType::fixed32 ? 4 : 8;
    uint64_t value = 0;
    std::memcpy(&value, p, width);
    p += width;
    return value;
  }

  std::vector<ScalarRun> runs_;
};

// Reads the fields of one message. Usage, for a message struct M with a function `void parse(WireReader&, M&)`:
//   while (in.next()) switch (in.field()) { case 1: in.get(m.name, "name"); break; default: in.skip(); }
// A repeated occurrence of a singular field overrides scalars and merges messages, as protobuf has it.
class WireReader {
 public:
  struct Source {
    std::string_view name;  // for messages
    Bytes bytes;
    uint64_t memory_left = kMemoryPerByte * bytes.size() + kMemoryFloor;
  };

  explicit WireReader(Source& source) : source_(source), pos_(source.bytes.data()), end_(pos_ + source.bytes.size()) {}
  WireReader(const WireReader&) = delete;
  WireReader& operator=(const WireReader&) = delete;

  // Steps to the next field; false at the end of the message.
  bool next();
  uint32_t field() const { return field_; }
  void skip();

  // Reads the current field into `value`. `label` names it in messages and must be a literal.
  template <class T>
  void get(T& value, const char* label) {
    label_ = label;
    read(value);
  }

  // Enters the current field as a message: body(WireReader&).
  template <class Body>
  void message(const char* label, Body&& body) {
    label_ = label;
    WireReader in(*this, bytes());
    body(in);
  }

  // Checks the elements of the current scalar field and adds them to `runs`.
  void get_run(ScalarRuns& runs, WireType type, const char* label);

  [[noreturn]] void fail(std::string_view what, ErrorCode code = ErrorCode::bad_file) const;

 private:
  WireReader(const WireReader& outer, Bytes bytes);

  uint64_t varint() { return pos_ != end_ && *pos_ < 0x80 ? *pos_++ : long_varint(); }
  uint64_t long_varint();
  uint64_t fixed(size_t width);
  uint64_t scalar(WireType type) {
    return type == WireType::varint ? varint() : fixed(type == WireType::fixed32 ? 4 : 8);
  }
  Bytes bytes();
  void expect(WireType type) const {
    if (wire_type_ != type) fail_wire_type(type);
  }
  [[noreturn]] void fail_wire_type(WireType expected) const;
  void charge(uint64_t memory);

  template <class T>
  static constexpr WireType wire_type() {
    return std::is_same_v<T, float> ? WireType::fixed32 : WireType::varint;
  }
  template <class T>
  static T from_bits(uint64_t bits) {
    if constexpr (std::is_same_v<T, float>) {
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    } else {
      return static_cast<T>(bits);  // protobuf keeps the low 32 bits of an int32
    }
  }

  template <class T>
  T& append(std::vector<T>& values) {
    if (values.size() == values.capacity()) {
      const size_t grown = values.empty() ? 1 : 2 * values.size();
      charge((grown - values.size()) * sizeof(T));
      values.reserve(grown);
    }
    return values.emplace_back();
  }

  template <class T>
  requires std::is_arithmetic_v<T>
  void read(T& value) {
    expect(wire_type<T>());
    value = from_bits<T>(scalar(wire_type<T>()));
  }
  void read(std::string_view& value) {
    const Bytes b = bytes();
    value = {reinterpret_cast<const char*>(b.data()), b.size()};
  }
  void read(Bytes& value) { value = bytes(); }
  template <class T>
  requires std::is_class_v<T>
  void read(T& value) {
    WireReader in(*this, bytes());
    parse(in, value);
  }
  template <class T>
  void read(std::optional<T>& value) {
    read(value ? *value : value.emplace());
  }
  template <class T>
  void read(std::unique_ptr<T>& value) {
    if (!value) {
      charge(sizeof(T));
      value = std::make_unique<T>();
    }
    read(*value);
  }
  template <class T>
  void read(std::vector<T>& values) {
    if constexpr (std::is_arithmetic_v<T>) {
      if (wire_type_ != WireType::length) {
        expect(wire_type<T>());
        append(values) = from_bits<T>(scalar(wire_type<T>()));
        return;
      }
      WireReader packed(*this, bytes());
      while (packed.pos_ != packed.end_) append(values) = from_bits<T>(packed.scalar(wire_type<T>()));
    } else {
      index_ = static_cast<int64_t>(values.size());
      read(append(values));
    }
  }

  Source& source_;
  const WireReader* outer_ = nullptr;
  const uint8_t* pos_;
  const uint8_t* end_;
  const uint8_t* field_start_ = nullptr;
  const char* label_ = nullptr;  // of the current field
  int64_t index_ = -1;           // of the current field's element, when it is repeated
  uint32_t field_ = 0;
  WireType wire_type_ = WireType::varint;
  int depth_ = 0;
};

}  // namespace tc::onnx
