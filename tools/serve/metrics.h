// What a model's requests did, as Prometheus reads it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tc::serve {

class Metrics {
 public:
  void answered(int status, double seconds);
  void ran(int64_t requests, int64_t rows);  // one run of the model
  std::atomic<int64_t> queued = 0, in_flight = 0;

 private:
  friend void append(std::string& out, const std::map<std::string, const Metrics*>& models);
  static constexpr std::array<double, 12> kBounds{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                  0.05,   0.1,   0.25,   0.5,   1,    5};
  mutable std::mutex mutex_;
  std::map<int, int64_t> by_status_;
  std::array<int64_t, kBounds.size() + 1> within_{};
  double seconds_ = 0;
  int64_t runs_ = 0, batched_ = 0, rows_ = 0;
};

// In Prometheus' text format. `models`: labels, as model="a",version="1".
void append(std::string& out, const std::map<std::string, const Metrics*>& models);
// The memory and the processor time of the process.
void append_process(std::string& out);

}  // namespace tc::serve
