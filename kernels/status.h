// What a kernel reports back: success, or a fact that only the data could tell (an index out of range, a division by
// zero) with the place where it was found.
//
// Invariants: kernels never throw and never allocate; a failing kernel leaves its outputs in a valid but unspecified
// state. Among several failures the one with the lowest position is reported, whatever the number of threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

namespace tc::kernels {

enum class StatusCode : std::uint8_t { kOk, kIndexOutOfRange, kDivisionByZero, kBadArgument };

// `at` is the flat position (in elements) inside the operand that is to blame: the index tensor for
// kIndexOutOfRange, the divisor for kDivisionByZero. It is -1 when there is no such place.
struct [[nodiscard]] Status {
  StatusCode code = StatusCode::kOk;
  std::int64_t at = -1;

  constexpr bool ok() const { return code == StatusCode::kOk; }
};

constexpr const char* status_text(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return "ok";
    case StatusCode::kIndexOutOfRange:
      return "index out of range";
    case StatusCode::kDivisionByZero:
      return "division by zero";
    case StatusCode::kBadArgument:
      return "bad argument";
  }
  return "unknown status";
}

// Collects failures from the tiles of a parallel region and keeps the lowest position.
class FirstFailure {
 public:
  void report(std::int64_t at) {
    std::int64_t seen = at_.load(std::memory_order_relaxed);
    while (at < seen && !at_.compare_exchange_weak(seen, at, std::memory_order_relaxed)) {
    }
  }
  Status status(StatusCode code) const {
    const std::int64_t at = at_.load(std::memory_order_relaxed);
    return at == kNone ? Status{} : Status{code, at};
  }

 private:
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> at_{kNone};
};

}  // namespace tc::kernels
