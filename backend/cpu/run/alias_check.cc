#include "tc/backend/cpu/run/alias_check.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tc/backend/cpu/run/frame.h"

namespace tc::cpu {
namespace {

constexpr size_t kLargestConstant = size_t{1} << 20;  // bytes; larger ones would take most of the time

// FNV-1a over words of 8 bytes.
uint64_t add_bytes(uint64_t sum, const void* data, size_t bytes) {
  const auto step = [&](uint64_t word) { sum = (sum ^ word) * 0x100000001b3u; };
  const auto* p = static_cast<const unsigned char*>(data);
  for (; bytes >= sizeof(uint64_t); p += sizeof(uint64_t), bytes -= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    step(word);
  }
  for (; bytes > 0; ++p, --bytes) step(*p);
  return sum;
}

uint64_t add_datum(uint64_t sum, const Datum& d) {
  if (d.is_tensor()) {
    const Tensor& t = d.tensor();
    if (t.dtype() != DType::str) return add_bytes(sum, t.data(), t.bytes());
    for (const std::string& s : t.span<std::string>()) sum = add_bytes(sum, s.data(), s.size());
    return sum;
  }
  if (d.is_sequence())
    for (const Datum& item : d.items()) sum = add_datum(sum, item);
  return sum;
}

uint64_t checksum(const Frame& f, Slot s) {
  constexpr uint64_t start = 0xcbf29ce484222325u;
  if (f.plan().values[static_cast<size_t>(s)].layout != Layout::plain) return add_bytes(start, f.raw(s), f.bytes(s));
  return add_datum(start, f.datum(s));
}

}  // namespace

bool AliasCheck::enabled() {
  static const bool on = [] {
    const char* checks = std::getenv("TC_CHECK");
    return checks && std::string_view(checks) == "alias";
  }();
  return on;
}

void AliasCheck::begin(const Frame& f) {
  const Plan& plan = f.plan();
  buffers_.assign(plan.buffers.size(), {});
  const auto watch = [&](Slot s) {
    Watch& w = buffers_[static_cast<size_t>(plan.values[static_cast<size_t>(s)].buffer)];
    w = {s, -1, checksum(f, s)};
  };
  for (const Slot s : plan.inputs) watch(s);
  for (const Plan::Capture& c : plan.captures) watch(c.inner);
  for (const Plan::ConstantValue& c : plan.constants)
    if (c.tensor.bytes() <= kLargestConstant) watch(c.slot);
}

void AliasCheck::after(const Frame& f, int step) {
  const Plan& plan = f.plan();
  const Step& ran = *plan.steps[static_cast<size_t>(step)];
  const auto buffer_of = [&](Slot s) { return static_cast<size_t>(plan.values[static_cast<size_t>(s)].buffer); };
  for (const Slot s : ran.writes) buffers_[buffer_of(s)] = {s, step, 0};
  for (size_t b = 0; b < buffers_.size(); ++b) {
    Watch& w = buffers_[b];
    if (w.slot == kNoSlot) continue;
    if (plan.buffers[b].last_step <= step) {
      w.slot = kNoSlot;
      continue;
    }
    const uint64_t sum = checksum(f, w.slot);
    if (w.writer == step) {
      w.sum = sum;
    } else if (sum != w.sum) {
      f.fail(
          *ran.node, ErrorCode::internal,
          cat("step ", step, " (", ran.kernel, ") wrote over a value of type ",
              plan.values[static_cast<size_t>(w.slot)].type,
              w.writer < 0 ? " that was there before the run" : cat(" of step ", w.writer), ", which is still in use"));
    }
  }
}

}  // namespace tc::cpu
