// Plans for inputs that come again. Where a rank depends on data (an If whose branches squeeze or not), kernels have
// nothing to hold on to and steps run on reference bodies. Once the same extents, and the same small integers among the
// inputs, have been seen twice, the program is optimised again with those fixed: conditions fold, ranks become known.
//
// Invariants: a program without values of unknown rank never gets here; at most kMostPlans plans are made for one
// executable; a program that contradicts itself under the fixed extents keeps its general plan, which reports it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "tc/backend/cpu/plan/plan.h"
#include "tc/ir/tensor.h"

namespace tc::cpu {

class Specialisations {
 public:
  static constexpr size_t kMostPlans = 8;

  // The plan for inputs like these, made when they are the second ones; null: the general one. An Error while the
  // module is optimised or planned means that there is none. Thread-safe; plans live as long as this.
  using Optimise = std::function<void(Module&)>;
  using MakePlan = std::function<std::unique_ptr<Plan>(const Module&)>;
  const Plan* find(const Module& general, const std::vector<Datum>& inputs, const Optimise& optimise,
                   const MakePlan& plan);

  // A run of this plan failed: the general one is taken from now on. The plan lives on in frames that have it.
  void give_up(const Plan* plan);

  // Worth it for this graph: some value has an unknown rank, and runs do not draw random numbers.
  static bool useful_for(const Graph& graph);

 private:
  using Key = std::vector<int64_t>;
  struct Entry {
    Key key;
    std::unique_ptr<Module> module;  // kept where there is no plan, too: packed weights are known by their source
    std::unique_ptr<Plan> plan;
    bool refused = false;  // it failed where it ran
  };
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Key> seen_;  // once; the latest last
};

}  // namespace tc::cpu
