// Random numbers as a function of a counter, so that they depend on nothing but where they come from: not on threads,
// engines, or what else runs.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tc {

class EvalContext;

// What the random nodes of one run share.
struct RandomRun {
  uint64_t seed = 0;                                  // of nodes that have none of their own
  std::unordered_map<uint64_t, uint64_t> executions;  // so far, by place in the program

  // Begins run number `run` of those that share the seed; each has numbers of its own.
  void start(uint64_t shared_seed, uint64_t run);
};

// A seed that nobody knows.
uint64_t fresh_seed();

// The numbers of one execution of a node: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011) under a key made of the seed.
class RandomStream {
 public:
  RandomStream(uint64_t key, uint64_t execution) : key_(key), execution_(execution) {}
  struct Block {
    uint64_t low, high;
  };
  Block block(uint64_t i) const;
  // Multiples of 2^-53 in [0, 1).
  void uniform(std::vector<double>& out) const;
  // Mean 0 and variance 1 (Box and Muller, "A note on the generation of random normal deviates", 1958).
  void normal(std::vector<double>& out) const;

 private:
  uint64_t key_, execution_;
};

// The stream of this execution of the node. With a seed: the same in every run.
RandomStream random_stream(EvalContext& ctx, const std::optional<double>& seed);

}  // namespace tc
