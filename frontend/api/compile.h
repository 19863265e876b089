// From a program to something that runs.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tc/frontend/dsl/function.h"
#include "tc/ir/tensor.h"

namespace tc {

class Executable;
namespace kernels {
class Team;
}

// Threads that programs may share (CompilerOptions::team): `threads` of them, the caller of a run included, 0 for one
// per core of the process. None is started before there is work for it.
std::shared_ptr<kernels::Team> make_team(int threads = 0);

struct CompilerOptions {
  int level = 2;    // 0: as written, 1: simplified, 2: fused
  int threads = 0;  // of a run; 0: one per core of the process
  // Cap: "sse42", "avx2", "avx512", "amx", "portable"; empty: what the machine has, capped by TC_ISA.
  std::string isa = {};
  // How products and convolutions of f32 are computed. "strict": by plain f32 multiply-adds; "default": where that is
  // faster also by Winograd's and Strassen's methods, split bf16 and 22-bit weights (docs/accuracy.md); "fast": in 16
  // bits where there are kernels for it, which no tier has yet. Empty: as TC_PRECISION says, else default.
  std::string precision = {};
  // Weights are packed once for products of any number of rows, instead of once for a few and once for many: less
  // memory, slower products of a few rows. Strict products do so anyway.
  bool compact_weights = false;
  // Bytes of working memory of one run; Error limit_memory beyond. UINT64_MAX: 80 % of what the machine or the
  // process's control group has.
  uint64_t max_memory = UINT64_MAX;
  uint64_t max_steps = UINT64_MAX;  // loop iterations of one run; Error limit_steps beyond
  // Of random ops that have no seed of their own. With it the n-th run draws the same numbers in every process, on any
  // number of threads; runs differ from each other. Default: numbers that nobody can foresee.
  std::optional<uint64_t> seed = {};
  // Compilation ends after it, with Error limit_steps; for runs see RunOptions.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // Runs stop at the first step that gives a NaN or an infinity: Error check_failed names its node, line and element,
  // or the input that has one. Fused steps name one of their nodes; at level 0 each node is a step. Slow.
  bool stop_at_nonfinite = false;
  // Callers whose memory and threads are kept for later calls; what a burst takes beyond is given back as its calls
  // end. 0: one per core of the process.
  int idle_contexts = 0;
  // Takes the place of `threads`: all concurrent runs use this team, and so may those of other programs. A step that
  // finds the team busy runs on its caller's thread alone, so that a burst of callers starts no threads.
  std::shared_ptr<kernels::Team> team = {};
  // The algorithm that computes a kind of kernels wherever it can, instead of the one that is taken for the fastest:
  // {{"conv", "direct"}, {"matmul", "tiles"}}. An unknown name is an Error bad_argument that lists the known ones.
  std::map<std::string, std::string> force = {};
};

// What one step of a run did.
struct StepTime {
  std::string op, node, kernel;  // the operator, the node of the model (empty where it has no name), what computed it
  int depth;                     // 1 in the main graph, more in graphs within it
  int64_t begin_ns, end_ns;      // of the steady clock
  double flops;                  // 0: not known
  int64_t bytes;                 // read and written
};

struct RunOptions {
  // Both end the run with Error limit_steps, before its next step or within a long one.
  const std::atomic<bool>* cancel = nullptr;  // once it is true; any thread may set it
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  std::vector<StepTime>* profile = nullptr;  // gets an entry per step
};

// A compiled program. A cheap handle, undefined by default, which may only be assigned to; calls from several threads
// run concurrently, each on memory of its own.
class Compiled {
 public:
  // Outputs in order, for inputs in order: f({x, y}) or f(x, y). A single output can be used as a Tensor itself.
  // Extents may differ from call to call as the declared types allow.
  Results<Tensor> operator()(const std::vector<Tensor>& inputs) const;
  template <std::same_as<Tensor>... More>
  Results<Tensor> operator()(const Tensor& first, const More&... more) const {
    return (*this)(std::vector<Tensor>{first, more...});
  }
  // The same for values that are not tensors. Inputs that are moved in may be donated to outputs.
  std::vector<Datum> run(std::vector<Datum> inputs) const { return run(std::move(inputs), {}); }
  std::vector<Datum> run(std::vector<Datum> inputs, const RunOptions& options) const;
  // Gives the memory and threads of idle callers back; the next call takes them anew. Weights stay.
  void trim() const;
  size_t idle_contexts() const;
  const Executable& executable() const;

 private:
  friend Compiled compile(const Function&, const CompilerOptions&);
  struct Pool;
  std::shared_ptr<const Executable> executable_;
  std::shared_ptr<Pool> pool_;
};

Compiled compile(const Function& f, const CompilerOptions& options = {});

}  // namespace tc
