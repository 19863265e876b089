#include "tc/frontend/onnx/wire.h"

namespace tc::onnx {

uint64_t ScalarRuns::count(uint32_t field) const {
  uint64_t n = 0;
  for (const ScalarRun& run : runs_) n += run.field == field ? run.count : 0;
  return n;
}

std::optional<Bytes> ScalarRuns::packed(uint32_t field) const {
  std::optional<Bytes> found;
  for (const ScalarRun& run : runs_) {
    if (run.field != field || run.count == 0) continue;
    if (found || (run.tagged && run.count > 1)) return std::nullopt;
    const uint8_t* p = run.data;
    if (run.tagged) unchecked_varint(p);
    found = Bytes(p, run.data + run.size);
  }
  return found;
}

WireReader::WireReader(const WireReader& outer, Bytes bytes)
    : source_(outer.source_),
      outer_(&outer),
      pos_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      depth_(outer.depth_ + 1) {
  if (depth_ > kMaxMessageDepth) {
    fail(cat("messages nested deeper than ", kMaxMessageDepth), ErrorCode::limit_nesting);
  }
}

bool WireReader::next() {
  if (pos_ == end_) return false;
  field_start_ = pos_;
  label_ = nullptr;
  index_ = -1;
  const uint64_t tag = varint();
  if (tag > UINT32_MAX || tag < 8) fail("invalid field number");
  field_ = static_cast<uint32_t>(tag >> 3);
  const auto type = static_cast<uint8_t>(tag & 7);
  if (type == 3 || type == 4) fail(cat("field ", field_, " is a group, which ONNX does not use"));
  if (type > 5) fail(cat("field ", field_, " has invalid wire type ", int{type}));
  wire_type_ = static_cast<WireType>(type);
  return true;
}

void WireReader::skip() {
  if (wire_type_ == WireType::length) {
    bytes();
  } else {
    scalar(wire_type_);
  }
}

uint64_t WireReader::long_varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 70; shift += 7) {
    if (pos_ == end_) fail("truncated");
    const uint8_t byte = *pos_;
    if (shift == 63 && byte > 1) break;
    ++pos_;
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  fail("integer of more than 64 bits");
}

uint64_t WireReader::fixed(size_t width) {
  if (static_cast<size_t>(end_ - pos_) < width) fail("truncated");
  uint64_t value = 0;
  std::memcpy(&value, pos_, width);
  pos_ += width;
  return value;
}

Bytes WireReader::bytes() {
  expect(WireType::length);
  const uint64_t size = varint();
  const auto left = static_cast<uint64_t>(end_ - pos_);
  if (size > left) fail(cat("truncated: a field of ", size, " bytes where ", left, " are left"));
  const Bytes b(pos_, size);
  pos_ += size;
  return b;
}

void WireReader::get_run(ScalarRuns& runs, WireType type, const char* label) {
  label_ = label;
  std::vector<ScalarRun>& list = runs.runs_;
  if (wire_type_ != WireType::length) {
    expect(type);
    scalar(type);
    const auto size = static_cast<uint64_t>(pos_ - field_start_);
    if (!list.empty()) {
      ScalarRun& last = list.back();
      if (last.tagged && last.field == field_ && last.data + last.size == field_start_) {
        last.size += size;
        ++last.count;
        return;
      }
    }
    append(list) = {field_start_, size, 1, field_, type, true};
    return;
  }
  const Bytes b = bytes();
  uint64_t count = 0;
  if (type == WireType::varint) {
    for (WireReader packed(*this, b); packed.pos_ != packed.end_; ++count) packed.varint();
  } else {
    const size_t width = type == WireType::fixed32 ? 4 : 8;
    if (b.size() % width != 0) fail(cat(b.size(), " bytes, which is no multiple of ", width, ","));
    count = b.size() / width;
  }
  append(list) = {b.data(), b.size(), count, field_, type, false};
}

void WireReader::charge(uint64_t memory) {
  if (memory > source_.memory_left) {
    fail(cat("more than ", kMemoryPerByte, " bytes of memory needed per byte of file"), ErrorCode::limit_size);
  }
  source_.memory_left -= memory;
}

void WireReader::fail_wire_type(WireType expected) const {
  fail(cat("field ", field_, " has wire type ", static_cast<int>(wire_type_), " instead of ",
           static_cast<int>(expected)));
}

void WireReader::fail(std::string_view what, ErrorCode code) const {
  std::string path;
  for (const WireReader* r = this; r; r = r->outer_) {
    if (!r->label_) continue;
    std::string part = r->label_;
    if (r->index_ >= 0) part += cat("[", r->index_, "]");
    path = path.empty() ? part : part + "." + path;
  }
  const std::string text = cat(source_.name, ": ", what, " at byte ", pos_ - source_.bytes.data());
  throw Error(code, path.empty() ? text : text + " in " + path);
}

}  // namespace tc::onnx
