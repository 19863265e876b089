// Random programs of the IR, operator by operator: what inference and the reference refuse is drawn again, so that what
// is left runs. Every element type, ranks 0 to 6, extents 0 and 1, broadcasting, symbolic extents, special values,
// branches, loops, scans, functions and sequences, which capture values from outside.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../mutate.h"
#include "tc/ir/builder.h"
#include "tc/ir/eval/eval.h"

namespace tc::fuzz {

inline constexpr DTypeSet kReal = dtypes::floats, kBytes = DTypeSet(DType::u8) | DType::i8;
inline constexpr DTypeSet kSums = DTypeSet(DType::i32) | DType::i64 | DType::u32 | DType::u64 | dtypes::floats;

constexpr int kBindings = 2;  // sets of extents that one program runs with
using Data = std::array<Datum, kBindings>;

struct RandomGraph {
  std::unique_ptr<Module> module;
  std::array<std::vector<Datum>, kBindings> inputs;
  bool special = false;  // infinities, NaN and the like among the numbers
};

// Deterministic. Error internal where the compiler itself breaks.
RandomGraph random_graph(uint64_t seed);

// Elements of every kind; special ones such as NaN, infinities and the ends of ranges among them when asked for.
Tensor random_tensor(DType t, const Extents& extents, Random& random, bool special);

class Writer {
 public:
  Writer(RandomGraph& graph, uint64_t seed);
  void write();

 private:
  friend struct Operands;
  struct Rejected {};  // the draw is of no use
  using Values = std::vector<Value*>;

  // One more node, or none.
  bool step();
  void draw_node(OpId op);
  void draw_branch();
  void draw_loop();
  void draw_scan();
  void draw_call();
  Value* add(OpId op, const Values& operands, std::shared_ptr<const void> attrs, int results,
             std::vector<std::unique_ptr<Graph>> regions = {});
  std::unique_ptr<Graph> region(const std::vector<std::pair<Type, Data>>& inputs,
                                const std::function<Values(Graph&)>& body);
  void evaluate(const Node& node);
  std::vector<Datum> run(const Graph& graph, std::vector<Datum> args, int binding);

  std::shared_ptr<void> attributes(const OpInfo& op, const Value* x);
  std::optional<AttrValue> attribute(const FieldInfo& field, const Value* x);

  Value* pick(const std::function<bool(const Value&)>& fits);
  Value* pick(DTypeSet types, int least_rank = 0, int most_rank = 6);
  Value* fresh(DType t, const Dims& dims);
  Value* constant(Tensor t);
  Value* ints(const std::vector<int64_t>& values, DType t = DType::i64);
  Value* input(DType t, const Dims& dims, const Data& data);
  const Extents& extents(const Value* v, int binding = 0) const;
  int rank(const Value* v) const { return static_cast<int>(extents(v).size()); }
  Dims plain(const Value* v) const;  // extents that an input can declare
  Dims random_dims(int rank);
  DType random_type(DTypeSet types);
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random_.below(static_cast<size_t>(high - low + 1)));
  }
  template <class T>
  const T& one_of(const std::vector<T>& list) {
    return random_.pick(list);
  }

  RandomGraph& graph_;
  Module& module_;
  Random random_;
  Graph* at_;
  bool special_;
  int depth_ = 0, nodes_ = 0;
  std::vector<Value*> pool_;
  std::map<const Value*, Data> data_;
  std::array<std::map<std::string, int64_t>, kBindings> symbols_;
};

// Draws the operands of an operator, and what of its attributes depends on them.
struct Operands {
  Writer& w;
  OpId op;
  std::vector<Value*> values;
  std::shared_ptr<void> attrs;
  int results = 1;

  void draw();
  template <class Op>
  attrs_t<Op>& of() {
    return *static_cast<attrs_t<Op>*>(attrs.get());
  }
  void start(DTypeSet types, int least_rank = 0, int most_rank = 6);
  DType type() const { return values[0]->dtype(); }
  Value* fresh(DType t, const Dims& dims) { return w.fresh(t, dims); }

  bool products();
  bool windows();
  bool norms();
  bool movement();
  bool gathers();
  bool searches();
  bool quantised();
  bool recurrent();
  bool others();
  Tensor converted_rois() const;
  void by_signature();
};

}  // namespace tc::fuzz
