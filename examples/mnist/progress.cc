#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mnist {

Progress::Progress(std::string title, int64_t total)
    : title_(std::move(title)), total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(int64_t done, const std::string& note) {
  const Clock::time_point now = Clock::now();
  const bool last = done >= total_;
  if (!last && (!terminal_ || now - drawn_ < std::chrono::milliseconds(100))) return;
  drawn_ = now;
  constexpr int64_t kWidth = 30;
  const auto filled = static_cast<size_t>(total_ > 0 ? std::min(kWidth, kWidth * done / total_) : kWidth);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::fprintf(stderr, "%s%s [%s%s] %lld/%lld  %s  %.1f s%s", terminal_ ? "\r" : "", title_.c_str(),
               std::string(filled, '#').c_str(), std::string(kWidth - filled, '.').c_str(),
               static_cast<long long>(done), static_cast<long long>(total_), note.c_str(), seconds,
               last        ? "\n"
               : terminal_ ? "\x1b[K"
                           : "");
  std::fflush(stderr);
}

}  // namespace mnist
