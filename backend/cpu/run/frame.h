// The running state of one plan: extents, pointers, objects, arena, per-step state. Owned by a Context, reused from run
// to run; nothing is allocated while extents stay the same, except outputs that the caller kept.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tc/backend/cpu/plan/plan.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/tensor.h"
#include "tc/kernels/parallel.h"

namespace tc::cpu {

struct StepTiming {
  const Step* step;
  int depth;  // of the region
  int64_t begin_ns, end_ns;
  double flops;
  int64_t bytes;  // read and written, by extents
};

// The algorithms that a step of a run was chosen from.
struct StepCandidates {
  const Step* step;
  std::vector<Candidate> candidates;
};

// Blocks of memory for results that leave the arena: outputs and values of data-dependent extents. A block whose tensor
// has died is used again. Idle blocks are kept only as far as the pool holds little more than was once in use at a
// time.
class TensorPool : public std::enable_shared_from_this<TensorPool> {
 public:
  Tensor make(DType dtype, Extents extents);
  size_t held_bytes() const;  // of those, and of idle blocks
  ~TensorPool();

 private:
  struct Block {
    void* data = nullptr;
    size_t bytes = 0;
    uint64_t idle_since = 0;  // by makes_
  };
  static Block allocate(size_t bytes);
  static void release(Block b);
  void give_back(Block b);
  void drop(size_t idle);
  size_t least_missed() const;
  mutable std::mutex mutex_;
  std::vector<Block> idle_;
  size_t live_ = 0, idle_bytes_ = 0, most_live_ = 0;
  uint64_t makes_ = 0;
};

// What all frames of one context share.
struct Runtime {
  explicit Runtime(std::shared_ptr<kernels::Team> t)
      : shared_team(std::move(t)), team(*shared_team), pool(std::make_shared<TensorPool>()) {}
  explicit Runtime(int threads) : Runtime(std::make_shared<kernels::Team>(threads)) {}
  std::shared_ptr<kernels::Team> shared_team;  // its owner, with whom other contexts may share it
  kernels::Team& team;
  std::shared_ptr<TensorPool> pool;
  uint64_t max_memory = UINT64_MAX, max_steps = UINT64_MAX;
  uint64_t steps = 0;  // loop iterations of this run
  RandomRun random;
  std::vector<StepTiming>* profile = nullptr;         // filled when set
  std::vector<StepCandidates>* candidates = nullptr;  // the same
  const std::atomic<bool>* cancel = nullptr;          // the run ends before the next step once it is true
  int64_t deadline_ns = INT64_MAX;                    // of the steady clock; the run ends before the next step after it
  int depth = 0;
};

// Page-aligned memory that grows, never shrinks, on huge pages when large.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  void reserve(size_t bytes);  // contents are lost when it grows
  std::byte* data() const { return data_; }
  size_t capacity() const { return capacity_; }

 private:
  std::byte* data_ = nullptr;
  size_t capacity_ = 0;
};

class Frame {
 public:
  Frame(const Plan& plan, Runtime& runtime);

  // Runs the plan; `outer` gives captured values.
  std::vector<Datum> run(std::vector<Datum> inputs, Frame* outer);

  const Plan& plan() const { return plan_; }
  Runtime& runtime() const { return runtime_; }
  kernels::Team& team() const { return runtime_.team; }
  const Step* running() const;  // null before the first and after the last

  template <class T>
  T* ptr(Slot s) const {
    return static_cast<T*>(raw(s));
  }
  void* raw(Slot s) const { return buffers_[static_cast<size_t>(plan_.values[static_cast<size_t>(s)].buffer)]; }
  std::span<const int64_t> extents(Slot s) const;
  int64_t count(Slot s) const;  // elements, by logical extents
  size_t bytes(Slot s) const;   // of memory, in the value's layout
  // The value as reference bodies and regions see it. Whoever keeps it may share its memory, unless that is the arena's
  // or a later step writes over it: then it is a view that owns nothing, which set_object and the end of a region copy.
  Datum datum(Slot s) const;
  // Memory of a result of which the running step has found the extents out, or knows what they must be.
  void* make(Slot s, const Extents& extents);
  // Result of a step that makes its own memory. Memory that is only viewed is copied, and so is memory that others hold
  // when a later step works in place on this result.
  void set_object(Slot s, Datum d);

  // A step's state for the current extents.
  template <class T>
  T& state(int step) {
    auto& p = states_[static_cast<size_t>(step)];
    if (!p) p = std::make_unique<T>();
    return static_cast<T&>(*p);
  }
  // Memory that is the step's alone while it runs; size asked for in prepare.
  void need_scratch(size_t bytes) { scratch_bytes_ = std::max(scratch_bytes_, bytes); }
  std::byte* scratch() const { return scratch_; }

  Frame& region(int step, int index);
  size_t arena_bytes() const;  // planned, with scratch and regions
  size_t arena_capacity() const;

  // Error located at the node.
  [[noreturn]] void fail(const Node& node, ErrorCode code, const std::string& text) const;

 private:
  bool bind_inputs(std::vector<Datum>& inputs, Frame* outer);  // true when extents changed
  void place_arena();
  void place_scratch();
  size_t scratch_offset() const { return (planned_bytes_ + 4095) / 4096 * 4096; }  // on a page of its own
  void place(Slot s);  // memory of its own for a value of known extents
  void after(int step);
  void fill_extents(Slot s);
  void enter_extents(Slot s, DType dtype, const Extents& e);
  void check_claims(int step) const;  // of those that can be told after it
  void prepare(int step);
  void charge(size_t bytes) const;  // Error limit_memory when that many more bytes exceed the budget
  void drop_object(size_t buffer);
  std::vector<Datum> run_steps(std::vector<Datum> inputs, Frame* outer);
  void drop_objects();

  const Plan& plan_;
  Runtime& runtime_;
  std::vector<void*> buffers_;  // by buffer
  std::vector<Datum> objects_;  // by buffer
  std::vector<int64_t> extents_, exprs_, symbols_, signature_, new_signature_;
  std::vector<Extents> dynamic_extents_;            // by slot, of values of unknown rank
  std::vector<std::unique_ptr<StepState>> states_;  // by step
  Arena arena_;         // of values, with the scratch of the steps prepared before the run behind them
  Arena late_scratch_;  // for steps whose extents are found during the run and that need more
  std::byte* scratch_ = nullptr;
  size_t planned_bytes_ = 0, scratch_bytes_ = 0;
  bool fresh_ = true;
  int current_ = -1;  // the running step; their count once all have run
  std::map<std::pair<int, int>, std::unique_ptr<Frame>> regions_;
};

}  // namespace tc::cpu
