// A compiled graph: steps over values whose extents are expressions of symbols. Immutable once built and shared by all
// contexts; everything that changes while it runs is in a Frame.
//
// Values are numbered by slots. Every value has a buffer; aliases (views) and in-place results share one. Extents that
// are known when a run starts are evaluated from a flat table of expressions; what depends on data is entered by the
// step that finds it out, and memory for it is then taken from the heap.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tc/ir/module.h"
#include "tc/kernels/table.h"

namespace tc::cpu {

class Frame;
class Plan;

using Slot = int;
inline constexpr Slot kNoSlot = -1;

// Physical layouts. blocked16: [n, ceil(c/16), spatial..., 16]; lanes beyond c hold anything.
enum class Layout : uint8_t { plain, blocked16 };
std::string_view to_string(Layout l);

enum class Storage : uint8_t {
  input,     // the caller's memory, or a captured value of the enclosing plan
  constant,  // memory of the module
  output,    // a tensor that is handed out
  arena,     // planned
  object,    // made by the step that defines it: data-dependent extents, strings, sequences, ...
};

struct Buffer {
  Storage storage = Storage::arena;
  int bytes = -1;      // expression
  int first_step = 0;  // that defines it
  int last_step = 0;   // that reads it; steps.size() for what outlives the run
  // The last step that may write over an earlier value in it: one that works in place, or one that takes over a donated
  // input. Until then its memory is only lent to reference bodies and regions; -1: it is never written twice.
  int last_overwrite = -1;
};

struct PlanValue {
  const Value* value = nullptr;
  Type type;
  Layout layout = Layout::plain;
  int buffer = -1;
  std::vector<int> dims;  // expressions; -1 where only the running value tells
  int extent_base = -1;   // of the frame's extents; -1 when the rank is unknown
  int ready = -1;         // step after which extents are known; -1 before the first
  bool found = false;     // the step that defines it makes it and finds its extents out, which must be those of `dims`
};

// State that a step keeps in a frame: what `prepare` worked out for the current extents.
struct StepState {
  virtual ~StepState() = default;
};

// An algorithm that a step may be computed by.
struct Candidate {
  std::string name;
  double ns = 0;     // what it is taken to cost; 0: not compared by cost
  std::string note;  // why it cannot be used, or was not compared
  bool usable = false, chosen = false, forced = false;
};

class Step {
 public:
  virtual ~Step() = default;
  // Extents of operands and results are known: check them, work out what depends on them only.
  virtual void prepare(Frame&, int) const {}
  virtual void run(Frame&, int) const = 0;

  std::string kernel;  // "gemm_f32__14x32__avx512", "eval", ...
  const Node* node = nullptr;
  bool is_ref = false;     // runs on the op's reference body
  int extents_ready = -1;  // prepare runs after this step
  std::vector<Slot> reads, writes;
  std::vector<std::string> refusals;          // kernels that did not accept, and why
  std::function<double(const Frame&)> flops;  // floating point operations of one run; empty: unknown
  // What its algorithm was chosen from, for the extents of a frame, or without one as far as compilation tells. Empty:
  // there is one algorithm.
  std::function<std::vector<Candidate>(const Frame*)> candidates;
};

// One operation of the extent table.
struct Expr {
  enum class Op : uint8_t { constant, symbol, add, mul, floordiv, mod, max, min, broadcast } op;
  int64_t value = 0;  // of a constant; symbol number
  int a = -1, b = -1;
  int ready = -1;  // step after which it can be evaluated
};

class ExprTable {
 public:
  // The expression of a dim, or -1 when one of its symbols is never bound.
  int intern(const Dim& d);
  // Declares a symbol, known after step `ready`. The first declaration counts.
  void bind(const std::string& symbol, int ready);
  bool bound(const std::string& symbol) const { return symbols_.count(symbol) > 0; }
  int symbol_index(const std::string& symbol) const;
  int ready(int expr) const { return exprs_[static_cast<size_t>(expr)].ready; }
  const std::vector<Expr>& exprs() const { return exprs_; }
  const std::map<std::string, int>& symbols() const { return symbols_; }  // name → symbol number
  // Steps got new numbers: what was known after step i is known after step renumbered[i].
  void renumber(const std::vector<int>& renumbered);
  // Evaluates expressions with ready == step into `values`, given `symbol_values`.
  void evaluate(int step, const std::vector<int64_t>& symbol_values, std::vector<int64_t>& values) const;

 private:
  int add(Expr e);
  std::vector<Expr> exprs_;
  std::map<std::string, int> symbols_;
  std::vector<int> symbol_ready_;
  std::unordered_map<std::string, int> memo_;
};

// Memory of packed weights, shared by a whole executable and filled once. They lie side by side on huge pages, small
// ones too.
class PackedWeights {
 public:
  // The packed form of `source` under `key`; `fill` writes it on first use. Tensors that view the same memory with
  // other extents have packed forms of their own.
  const void* get(const Tensor& source, const std::string& key, size_t bytes, const std::function<void(void*)>& fill);
  // Lets go of `source`, a constant's, if nobody else holds its data: forms stay, but are not found again.
  bool release_source(const Tensor& source);
  size_t bytes() const;
  int count() const;
  ~PackedWeights();

 private:
  struct Block {
    void* data;
    Tensor source;  // its address must not be another constant's as long as it is a key
  };
  struct Chunk {
    std::byte* data;
    size_t bytes, used;
  };
  void* take(size_t bytes);

  mutable std::mutex mutex_;
  std::map<std::tuple<const void*, Extents, std::string>, Block> blocks_;
  std::vector<Chunk> chunks_;
  size_t bytes_ = 0;
  int count_ = 0;
};

class Plan {
 public:
  const Graph* graph = nullptr;
  std::vector<PlanValue> values;
  std::vector<Buffer> buffers;
  std::vector<std::unique_ptr<Step>> steps;
  ExprTable exprs;
  int num_extents = 0;
  std::vector<Slot> inputs, outputs;
  struct Capture {
    Slot inner, outer;
  };
  std::vector<Capture> captures;
  struct InheritedSymbol {
    int symbol;      // of this plan
    int outer_expr;  // of the enclosing plan
  };
  std::vector<InheritedSymbol> inherited;
  struct ConstantValue {
    Slot slot;
    Tensor tensor;
  };
  std::vector<ConstantValue> constants;
  // Symbols entered by a value: symbol = extent `axis` of `slot`.
  struct Binding {
    int symbol;
    Slot slot;
    int axis;
  };
  std::vector<Binding> input_bindings;
  // Per step:
  std::vector<std::vector<Binding>> bindings;  // symbols its results enter
  // Further extents of its results that must be what their types say, now that the symbols are known.
  struct Observed {
    int expr;
    Slot slot;
    int axis;
  };
  std::vector<std::vector<Observed>> observed;
  std::vector<std::vector<int>> frees;  // buffers of objects whose last reader it was
  std::vector<std::vector<Slot>> late;  // results to place right before it runs
  // Extents that are declared, or were known before a rewrite, and cannot be told from the operands' types: that they
  // hold is checked when both sides are known.
  struct Claim {
    const Node* node;
    int result, axis;
    int claimed, inferred;  // expressions
  };
  std::vector<Claim> claims;
  // Values that are, one after the other along `axis`, what `whole` holds: where axes before it have but one index,
  // they may lie in its memory, and the step copies what lies elsewhere.
  struct Joint {
    int step;
    Slot whole;
    struct Part {
      Slot slot;
      bool fits;  // its memory is planned, and nobody but the step sees it together with the whole
    };
    std::vector<Part> parts;
    int axis;
  };
  std::vector<Joint> joints;
  // What becomes known before the first step (entry 0) and after step s (entry s + 1):
  std::vector<std::vector<int>> claims_ready;
  std::vector<std::vector<Slot>> ready_values;
  std::vector<std::vector<int>> steps_ready;   // steps to prepare
  std::vector<std::pair<int, int>> donations;  // {output, input} that the plan can honour
  // Regions, by step.
  std::map<int, std::vector<std::unique_ptr<Plan>>> regions;
};

}  // namespace tc::cpu
