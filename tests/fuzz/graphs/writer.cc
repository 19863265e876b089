#include "writer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tc::fuzz {
namespace {

constexpr int64_t kMaxElements = 4096;
constexpr uint64_t kMaxBytes = 1 << 20;

// What stays out: what only passes make, what draws numbers of its own, and what wants a trained model or a file.
bool drawn(const OpInfo& op) {
  switch (op.id) {
    case OpId::Constant:
    case OpId::Parameter:
    case OpId::Return:
    case OpId::Call:
    case OpId::StopGradient:
    case OpId::Check:
    case OpId::If:
    case OpId::Loop:
    case OpId::Scan:
    case OpId::SequenceMap:
    case OpId::FlexAttention:
      return false;
    default:
      return op.family != Family::fused && op.family != Family::random && op.family != Family::training &&
             op.family != Family::image && op.family != Family::ml;
  }
}

const std::vector<OpId>& drawn_operators() {
  static const auto list = [] {
    std::vector<OpId> ops;
    for (const OpInfo& op : all_ops())
      if (drawn(op)) ops.push_back(op.id);
    return ops;
  }();
  return list;
}

bool small(const Datum& d) {
  if (d.is_tensor()) return d.tensor().size() <= kMaxElements;
  if (d.is_sequence()) return d.items().size() <= 16 && std::all_of(d.items().begin(), d.items().end(), small);
  return d.empty();
}

double random_number(Random& random, bool special, bool whole) {
  if (special && random.chance(6)) {
    constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
    // No subnormals: kernels take them for 0 (docs/accuracy.md).
    constexpr double kOdd[] = {0.0, -0.0, kInf, -kInf, kNan, 1e-8, 0.5, -0.5};
    return kOdd[random.below(std::size(kOdd))];
  }
  const double x = static_cast<double>(random.below(4001)) / 1000 - 2;
  return whole ? std::round(x * 3) : x;
}

}  // namespace

Tensor random_tensor(DType t, const Extents& extents, Random& random, bool special) {
  const auto n = static_cast<size_t>(element_count(extents));
  if (t == DType::str) {
    static const std::vector<std::string> kWords = {"", "a", "B c", "caf\xc3\xa9", "12", "a,b"};
    std::vector<std::string> words;
    for (size_t i = 0; i < n; ++i) words.push_back(random.pick(kWords));
    return Tensor::of<std::string>(extents, words);
  }
  std::vector<double> values;
  const bool whole = random.chance(4);
  for (size_t i = 0; i < n; ++i) {
    double x = random_number(random, special && dtypes::floats.has(t), whole || dtypes::ints.has(t));
    if (dtypes::unsigned_ints.has(t) || t == DType::boolean) x = std::abs(x);
    values.push_back(x);
  }
  Tensor out(t, extents);
  narrow(values, out);
  return out;
}

Writer::Writer(RandomGraph& graph, uint64_t seed)
    : graph_(graph),
      module_(*graph.module),
      random_(Random(seed).bits()),
      at_(&module_.main()),
      special_(random_.chance(8)) {
  graph.special = special_;
  for (auto& binding : symbols_)
    for (const char* name : {"N", "M"}) binding[name] = random_.chance(12) ? 0 : between(1, 4);
}

const Extents& Writer::extents(const Value* v, int binding) const {
  const Datum& d = data_.at(v)[static_cast<size_t>(binding)];
  if (!d.is_tensor()) throw Rejected();
  return d.tensor().extents();
}

Dims Writer::plain(const Value* v) const {
  if (!v->type().is_tensor() || !v->shape().ranked()) throw Rejected();
  for (const Dim& d : v->shape().dims())
    if (!d.is_const() && !(d.is_symbol() && symbols_[0].count(d.symbol_name()))) throw Rejected();
  return v->shape().dims();
}

Dims Writer::random_dims(int rank) {
  Dims dims;
  for (int i = 0; i < rank; ++i) {
    if (random_.chance(4))
      dims.push_back(Dim::symbol(random_.chance(2) ? "N" : "M"));
    else
      dims.push_back(random_.chance(30) ? 0 : between(1, rank > 3 ? 2 : 4));
  }
  return dims;
}

DType Writer::random_type(DTypeSet types) {
  static const std::vector<DType> kTypes = {DType::f32, DType::f32,     DType::f32,     DType::f32, DType::f32,
                                            DType::f64, DType::f16,     DType::i64,     DType::i64, DType::i32,
                                            DType::u8,  DType::i8,      DType::u32,     DType::u64, DType::i16,
                                            DType::u16, DType::boolean, DType::boolean, DType::str, DType::bf16};
  for (int tries = 0; tries < 40; ++tries)
    if (const DType t = one_of(kTypes); types.has(t)) return t;
  throw Rejected();
}

Value* Writer::input(DType t, const Dims& dims, const Data& data) {
  Value* v = module_.main().add_input(Type::tensor(t, Shape(dims)), cat("x", module_.main().num_inputs()));
  data_[v] = data;
  for (int b = 0; b < kBindings; ++b) graph_.inputs[static_cast<size_t>(b)].push_back(data[static_cast<size_t>(b)]);
  return v;
}

Value* Writer::constant(Tensor t) {
  Builder b(*at_);
  Value* v = b.constant(t);
  data_[v] = {t, t};
  return v;
}

Value* Writer::ints(const std::vector<int64_t>& values, DType t) {
  const Extents e{static_cast<int64_t>(values.size())};
  if (t == DType::i32) return constant(Tensor::of<int32_t>(e, std::vector<int32_t>(values.begin(), values.end())));
  return constant(Tensor::of<int64_t>(e, values));
}

Value* Writer::fresh(DType t, const Dims& dims) {
  Data data;
  bool fixed = true;
  for (size_t b = 0; b < kBindings; ++b) {
    Extents e;
    for (const Dim& d : dims) {
      if (d.is_const()) {
        e.push_back(d.value());
        continue;
      }
      fixed = false;
      const auto it = d.is_symbol() ? symbols_[b].find(d.symbol_name()) : symbols_[b].end();
      if (it == symbols_[b].end()) throw Rejected();
      e.push_back(it->second);
    }
    data[b] = random_tensor(t, e, random_, special_);
  }
  Value* v = fixed && random_.chance(2) ? constant(data[0].tensor()) : input(t, dims, data);
  pool_.push_back(v);
  return v;
}

Value* Writer::pick(const std::function<bool(const Value&)>& fits) {
  std::vector<Value*> list;
  for (Value* v : pool_)
    if (fits(*v)) list.push_back(v);
  return list.empty() ? nullptr : random_.pick(list);
}

Value* Writer::pick(DTypeSet types, int least_rank, int most_rank) {
  const auto fits = [&](const Value& v) {
    if (!v.type().is_tensor() || !types.has(v.dtype())) return false;
    const int r = rank(&v);
    return r >= least_rank && r <= most_rank;
  };
  if (Value* v = random_.chance(6) ? nullptr : pick(fits)) return v;
  if (random_.chance(2)) {
    // Of another type it will do as well.
    const auto converts = [&](const Value& v) {
      return v.type().is_tensor() && v.dtype() != DType::str && rank(&v) >= least_rank && rank(&v) <= most_rank;
    };
    if (Value* v = pick(converts)) {
      const DType t = random_type(types - DTypeSet(DType::str));
      return add(OpId::Cast, {v}, std::make_shared<attrs_t<Cast>>(attrs_t<Cast>{.to = t}), 1);
    }
  }
  const int most = std::min(most_rank, random_.chance(8) ? 6 : 4);
  return fresh(random_type(types), random_dims(static_cast<int>(between(least_rank, std::max(most, least_rank)))));
}

std::vector<Datum> Writer::run(const Graph& graph, std::vector<Datum> args, int binding) {
  const auto b = static_cast<size_t>(binding);
  for (int i = 0; i < graph.num_inputs(); ++i) data_[graph.input(i)][b] = args[static_cast<size_t>(i)];
  EvalEnv env;
  env.max_bytes = kMaxBytes;
  env.max_steps = 64;
  env.run_graph = [&](const Node&, const Graph& g, std::vector<Datum> inner) {
    return run(g, std::move(inner), binding);
  };
  std::vector<Datum> outputs;
  for (const auto& n : graph.nodes()) {
    std::vector<Datum> operands;
    for (const Value* v : n->operands()) operands.push_back(v ? data_.at(v)[b] : Datum());
    if (n->op() == OpId::Return) return operands;
    auto results = eval_node(*n, operands, env);
    for (int j = 0; j < n->num_results(); ++j) data_[n->result(j)][b] = results[static_cast<size_t>(j)];
  }
  return outputs;
}

void Writer::evaluate(const Node& node) {
  for (int b = 0; b < kBindings; ++b) {
    EvalEnv env;
    env.max_bytes = kMaxBytes;
    env.max_steps = 64;
    env.run_graph = [&](const Node&, const Graph& g, std::vector<Datum> args) { return run(g, std::move(args), b); };
    std::vector<Datum> operands;
    for (const Value* v : node.operands()) operands.push_back(v ? data_.at(v)[static_cast<size_t>(b)] : Datum());
    const auto results = eval_node(node, operands, env);
    for (int j = 0; j < node.num_results(); ++j) {
      const Datum& d = results[static_cast<size_t>(j)];
      if (!small(d)) throw Rejected();
      data_[node.result(j)][static_cast<size_t>(b)] = d;
    }
  }
}

Value* Writer::add(OpId op, const Values& operands, std::shared_ptr<const void> attrs, int results,
                   std::vector<std::unique_ptr<Graph>> regions) {
  Builder b(*at_);
  b.set_location(cat("node", ++nodes_));
  Node* n = b.node(op, operands, std::move(attrs), results, std::move(regions));
  evaluate(*n);
  for (int j = 0; j < results; ++j) {
    Value* v = n->result(j);
    const Datum& d = data_.at(v)[0];
    if ((d.is_tensor() || d.is_sequence()) && !v->type().is_none()) pool_.push_back(v);
  }
  return n->result(0);
}

void Writer::draw_node(OpId op) {
  Operands o{*this, op, {}, nullptr, 1};
  o.draw();
  add(op, o.values, o.attrs, o.results);
}

bool Writer::step() {
  const Node* const last = at_->nodes().empty() ? nullptr : at_->nodes().back().get();
  const int inputs = module_.main().num_inputs();
  const auto pool = pool_;
  const size_t functions = module_.functions().size();
  try {
    const size_t kind = random_.below(24);
    if (depth_ < 2 && kind == 0)
      draw_branch();
    else if (depth_ < 2 && kind == 1)
      draw_loop();
    else if (depth_ < 2 && kind == 2)
      draw_scan();
    else if (depth_ == 0 && kind == 3)
      draw_call();
    else
      draw_node(one_of(drawn_operators()));
    return true;
  } catch (const Rejected&) {
  } catch (const Error& e) {
    if (e.code() == ErrorCode::internal) throw;
  }
  // Nothing of it stays.
  pool_ = pool;
  while (!at_->nodes().empty() && at_->nodes().back().get() != last) at_->erase(at_->nodes().back().get());
  while (module_.functions().size() > functions) module_.erase_function(module_.functions().back()->name());
  if (depth_ == 0)
    while (module_.main().num_inputs() > inputs) {
      module_.main().erase_input(module_.main().num_inputs() - 1);
      for (auto& list : graph_.inputs) list.pop_back();
    }
  return false;
}

void Writer::write() {
  const int64_t nodes = between(2, 12);
  for (int64_t i = between(1, 3); i > 0; --i) {
    const DType t = random_.chance(3) ? random_type(dtypes::all) : DType::f32;
    fresh(t, random_dims(static_cast<int>(between(0, random_.chance(8) ? 6 : 4))));
  }
  int64_t made = 0;
  for (int tries = 0; tries < 400 && made < nodes; ++tries) made += step();
  // What nobody reads is what the program gives.
  Graph& main = module_.main();
  std::vector<Value*> outputs;
  for (Value* v : pool_)
    if (v->graph() == &main && v->def() && v->def()->op() != OpId::Constant && v->unused() && v->type().is_tensor())
      outputs.push_back(v);
  if (outputs.empty())
    for (Value* v : pool_)
      if (v->graph() == &main && v->type().is_tensor()) outputs = {v};
  main.set_outputs(outputs);
  for (size_t i = 0; i < outputs.size(); ++i) main.output_names.push_back(cat("y", i));
  for (auto it = main.nodes().rbegin(); it != main.nodes().rend();) {
    Node* n = it->get();
    ++it;
    const auto unused = [&] {
      for (int j = 0; j < n->num_results(); ++j)
        if (!n->result(j)->unused()) return false;
      return true;
    };
    if (n->op() != OpId::Return && unused()) {
      main.erase(n);
      it = main.nodes().rbegin();
    }
  }
  for (int i = main.num_inputs(); i-- > 0;)
    if (main.input(i)->unused()) {
      main.erase_input(i);
      for (auto& list : graph_.inputs) list.erase(list.begin() + i);
    }
}

RandomGraph random_graph(uint64_t seed) {
  RandomGraph g{std::make_unique<Module>(), {}, false};
  Writer(g, seed).write();
  return g;
}

}  // namespace tc::fuzz
