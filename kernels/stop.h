// Ends a step early. While a thread holds a Scope, tiles of the regions that it starts are left out once the sign is
// due: what the step has written is then of no use, which seen() tells.
#pragma once

#include <atomic>
#include <cstdint>

namespace tc::kernels {

class StopSign {
 public:
  // `cancel` may be null; the deadline is one of the steady clock.
  StopSign(const std::atomic<bool>* cancel, std::int64_t deadline_ns) : cancel_(cancel), deadline_ns_(deadline_ns) {}

  bool due();  // from any thread
  bool seen() const { return seen_.load(std::memory_order_relaxed); }

  static StopSign* current();  // of this thread
  class Scope {
   public:
    explicit Scope(StopSign* sign);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StopSign* outer_;
  };

 private:
  const std::atomic<bool>* cancel_;
  std::int64_t deadline_ns_;
  std::atomic<bool> seen_{false};
};

}  // namespace tc::kernels
