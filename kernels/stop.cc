#include "tc/kernels/stop.h"

#include <chrono>

namespace tc::kernels {
namespace {

thread_local StopSign* current_sign = nullptr;

}  // namespace

StopSign* StopSign::current() {
  return current_sign;
}

StopSign::Scope::Scope(StopSign* sign) : outer_(current_sign) {
  current_sign = sign;
}

StopSign::Scope::~Scope() {
  current_sign = outer_;
}

bool StopSign::due() {
  if (seen()) return true;
  bool stop = cancel_ && cancel_->load(std::memory_order_relaxed);
  if (!stop && deadline_ns_ != INT64_MAX) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    stop = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() > deadline_ns_;
  }
  if (stop) seen_.store(true, std::memory_order_relaxed);
  return stop;
}

}  // namespace tc::kernels
