// What a run, or anything else that one thread does, may use: memory and time. Whoever begins the work makes a Budget
// and holds a Scope; tensors that its thread makes meanwhile count for as long as they live, strings and pooled blocks
// included, and what takes long asks from time to time whether it shall go on. Without a Scope nothing is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace tc {

class Tensor;

// 80 % of the memory that the machine has, or the process's control group when that is less.
uint64_t default_memory_budget();

class Budget {
 public:
  // UINT64_MAX: default_memory_budget().
  explicit Budget(uint64_t max_bytes = UINT64_MAX);
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  uint64_t max_bytes() const { return max_bytes_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  bool has_room(uint64_t bytes) const;
  void expect_room(uint64_t bytes) const;  // Error limit_memory
  void take(uint64_t bytes);               // Error limit_memory
  void give_back(uint64_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  // Both end the work at the next poll: once `cancel` is true, or the steady clock is past the deadline.
  void stop_at(const std::atomic<bool>* cancel, int64_t deadline_ns) {
    cancel_ = cancel;
    deadline_ns_ = deadline_ns;
  }
  // Error limit_steps when this thread's work, or what it is a part of, shall end.
  static void poll();

  // Of the calling thread; null outside of every Scope.
  static Budget* current();
  static std::shared_ptr<Budget> shared();

  class Scope {
   public:
    explicit Scope(std::shared_ptr<Budget> budget);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    friend class Budget;
    std::shared_ptr<Budget> budget_;
    Scope* outer_;
  };

  // What one body takes beside its results counts until the body ends.
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    static void add(uint64_t bytes);  // Error limit_memory

   private:
    Budget* budget_;
    uint64_t before_ = 0;
  };

 private:
  uint64_t max_bytes_;
  std::atomic<uint64_t> used_{0};
  uint64_t scratch_ = 0;  // of the thread that holds the Scope
  const std::atomic<bool>* cancel_ = nullptr;
  int64_t deadline_ns_ = INT64_MAX;
};

// Beside its elements a tensor takes so many bytes, roughly: loops that collect small ones fill memory with these.
inline constexpr uint64_t kTensorOverhead = 192;

// Counts the characters of a tensor of strings, which are known only once it is filled.
void count_characters(const Tensor& strings);

}  // namespace tc
