// A compiled program, and running it. An Executable is immutable and may be shared between threads; each concurrent run
// uses a Context of its own.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "tc/backend/cpu/options.h"
#include "tc/backend/cpu/run/frame.h"
#include "tc/backend/cpu/run/specialise.h"
#include "tc/ir/module.h"

namespace tc {

class Executable;

// Threads, arena and recycled outputs of one caller. Not for concurrent use.
class Context {
 public:
  Context(std::shared_ptr<const Executable> executable, int threads);
  // On a team that others use, too: what it is busy with when a step comes, the step does by itself.
  Context(std::shared_ptr<const Executable> executable, std::shared_ptr<kernels::Team> team);
  const Executable& executable() const { return *executable_; }
  int threads() const { return runtime_.team.threads(); }

  struct Memory {
    size_t planned;   // bytes of arena and scratch for the latest extents
    size_t capacity;  // bytes of arena and scratch held
  };
  Memory memory() const;
  // From now on each run appends one entry per step; null stops it.
  void profile_into(std::vector<cpu::StepTiming>* timings) { runtime_.profile = timings; }
  // From now on each run appends one entry per step that has several algorithms; null stops it.
  void candidates_into(std::vector<cpu::StepCandidates>* candidates) { runtime_.candidates = candidates; }
  // From now on a run ends with Error limit_steps before its next step once `cancel` is true or the steady clock is
  // past the deadline. Null and INT64_MAX: never.
  void stop_at(const std::atomic<bool>* cancel, int64_t deadline_ns) {
    runtime_.cancel = cancel;
    runtime_.deadline_ns = deadline_ns;
  }

 private:
  friend class Executable;
  std::shared_ptr<const Executable> executable_;
  cpu::Runtime runtime_;
  cpu::Frame frame_;
  std::map<const cpu::Plan*, std::unique_ptr<cpu::Frame>> special_frames_;
};

class Executable : public std::enable_shared_from_this<Executable> {
 public:
  // As optimised; weights that were packed have no data there any more.
  const Graph& graph() const { return module_->main(); }
  const Module& module() const { return *module_; }
  const CompileOptions& options() const { return options_; }
  const cpu::Plan& plan() const { return *plan_; }
  kernels::Tier tier() const { return tier_; }

  // Outputs for inputs in the order of the graph's. Error bad_input when one does not fit its declared type, and
  // whatever a step meets in the data.
  std::vector<Datum> run(std::vector<Datum> inputs, Context& context) const;
  // `threads` 0: one for every core.
  std::unique_ptr<Context> make_context(int threads = 0) const;
  std::unique_ptr<Context> make_context(std::shared_ptr<kernels::Team> team) const;

  size_t packed_bytes() const { return packed_.bytes(); }
  int packed_weights() const { return packed_.count(); }
  size_t constant_bytes() const;

 private:
  friend std::shared_ptr<const Executable> compile(std::unique_ptr<Module>, const CompileOptions&);
  Executable() = default;
  // The frame of the context to run these inputs in.
  cpu::Frame& frame_for(const std::vector<Datum>& inputs, Context& context) const;
  std::unique_ptr<Module> module_;
  CompileOptions options_;
  kernels::Tier tier_ = kernels::Tier::portable;
  mutable cpu::PackedWeights packed_;
  std::unique_ptr<cpu::Plan> plan_;
  std::unique_ptr<cpu::Specialisations> special_;  // null: not worth it
  uint64_t seed_ = 0;
  mutable std::atomic<uint64_t> runs_{0};  // begun
};

// Optimises the module, chooses kernels, packs weights and plans memory. Takes the module over.
std::shared_ptr<const Executable> compile(std::unique_ptr<Module> module, const CompileOptions& options = {});

// The passes that every plan needs, and those of the options' level.
void optimise(Module& module, const CompileOptions& options);

// Every step of the plan, those of regions included, in order.
void walk_steps(const cpu::Plan& plan, const std::function<void(const cpu::Step&, int depth)>& f, int depth = 0);

}  // namespace tc
