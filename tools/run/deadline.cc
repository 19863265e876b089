#include "tc/tools/run/deadline.h"

#include <cstdio>
#include <cstdlib>

#include "tc/backend/onnx/atomic_file.h"

namespace tc {
namespace {

std::shared_ptr<Budget> ending_at(std::chrono::steady_clock::time_point t) {
  const auto budget = std::make_shared<Budget>();
  budget->stop_at(nullptr, std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count());
  return budget;
}

// For what asks to get there by itself: its error names a place.
constexpr std::chrono::seconds kGrace{2};

}  // namespace

Deadline::Deadline(int seconds)
    : seconds_(seconds),
      time_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)),
      scope_(ending_at(time_)),
      watcher_([this] { watch(); }) {}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  done_.notify_all();
  watcher_.join();
}

void Deadline::watch() {
  std::unique_lock lock(mutex_);
  if (done_.wait_until(lock, time_ + kGrace, [&] { return over_; })) return;
  std::fprintf(stderr, "tc-run: limit-steps: not done after the %d seconds of --timeout\n", seconds_);
  onnx::AtomicFile::remove_uncommitted();
  std::_Exit(1);
}

}  // namespace tc
