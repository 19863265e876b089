// Branches, loops, scans and functions, whose bodies are drawn like the rest and read what is outside.
#include "writer.h"

namespace tc::fuzz {

std::unique_ptr<Graph> Writer::region(const std::vector<std::pair<Type, Data>>& inputs,
                                      const std::function<Values(Graph&)>& body) {
  auto graph = std::make_unique<Graph>(module_);
  Graph* const outer = at_;
  const auto pool = pool_;
  at_ = graph.get();
  ++depth_;
  const auto leave = [&] {
    --depth_;
    at_ = outer;
    pool_ = pool;
  };
  try {
    for (const auto& [type, data] : inputs) {
      Value* v = graph->add_input(type);
      data_[v] = data;
      pool_.push_back(v);
    }
    graph->set_outputs(body(*graph));
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return graph;
}

namespace {

constexpr DTypeSet kCounted = dtypes::floats | DType::i32 | DType::i64;

}  // namespace

// Both sides give a value of one type: what they make of it keeps that, or they hand on what is outside.
void Writer::draw_branch() {
  Value* x = pick(kCounted);
  Value* condition = pick([&](const Value& v) {
    return v.type().is_tensor() && v.dtype() == DType::boolean && rank(&v) == 0 && v.shape().ranked();
  });
  if (!condition || random_.chance(3)) condition = fresh(DType::boolean, {});
  std::vector<std::unique_ptr<Graph>> sides;
  for (int side = 0; side < 2; ++side)
    sides.push_back(region({}, [&](Graph&) -> Values {
      for (int64_t i = between(0, 2); i > 0; --i) step();
      if (random_.chance(3)) return {x};
      Value* y = add(random_.chance(2) ? OpId::Neg : OpId::Abs, {x}, nullptr, 1);
      return {random_.chance(2) ? y : add(OpId::Add, {y, x}, nullptr, 1)};
    }));
  add(OpId::If, {condition}, nullptr, 1, std::move(sides));
}

void Writer::draw_loop() {
  Value* x = pick(kCounted);
  const Type counter = Type::tensor(DType::i64, Shape(Dims())), going = Type::tensor(DType::boolean, Shape(Dims()));
  const Datum zero = Tensor::scalar<int64_t>(0), yes = Tensor::scalar(Bool(true));
  const int64_t trips = between(0, 3);
  const bool scans = random_.chance(2), hands_on = random_.chance(5);
  auto body = region({{counter, {zero, zero}}, {going, {yes, yes}}, {x->type(), data_.at(x)}}, [&](Graph& g) {
    for (int64_t i = between(0, 2); i > 0; --i) step();
    Value* const carried = g.input(2);
    Value* next = carried;
    if (!hands_on) {
      next = add(OpId::Neg, {carried}, nullptr, 1);
      Value* other = random_.chance(2) ? x : carried;
      if (random_.chance(2)) next = add(OpId::Add, {next, other}, nullptr, 1);
    }
    Values outputs{g.input(1), next};
    if (scans) outputs.push_back(random_.chance(2) ? add(OpId::Abs, {carried}, nullptr, 1) : next);
    return outputs;
  });
  Value* count = random_.chance(3) ? input(DType::i64, {}, {Tensor::scalar(trips), Tensor::scalar<int64_t>(1)})
                                   : constant(Tensor::scalar(trips));
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  add(OpId::Loop, {count, random_.chance(2) ? nullptr : constant(Tensor::scalar(Bool(true))), x}, nullptr, 1 + scans,
      std::move(regions));
}

void Writer::draw_scan() {
  Value* x = pick(kCounted, 1, 4);
  const Dims dims = plain(x);
  const Dims slice(dims.begin() + 1, dims.end());
  Data first;
  for (int b = 0; b < kBindings; ++b) {
    Extents e = extents(x, b);
    e.erase(e.begin());
    first[static_cast<size_t>(b)] = random_tensor(x->dtype(), e, random_, special_);
  }
  Value* state = fresh(x->dtype(), slice);
  const Type type = Type::tensor(x->dtype(), Shape(slice));
  auto body = region({{type, data_.at(state)}, {type, first}}, [&](Graph& g) -> Values {
    for (int64_t i = between(0, 2); i > 0; --i) step();
    Value* next = add(OpId::Add, {g.input(0), g.input(1)}, nullptr, 1);
    return {random_.chance(5) ? g.input(0) : next, random_.chance(3) ? g.input(1) : add(OpId::Neg, {next}, nullptr, 1)};
  });
  std::vector<std::unique_ptr<Graph>> regions;
  regions.push_back(std::move(body));
  auto attrs = std::make_shared<attrs_t<Scan>>();
  attrs->num_scan_inputs = 1;
  if (random_.chance(3)) attrs->scan_input_directions = {1};
  if (random_.chance(3)) attrs->scan_output_directions = {1};
  add(OpId::Scan, {state, x}, attrs, 2, std::move(regions));
}

void Writer::draw_call() {
  Value *x = pick(kCounted), *y = pick(DTypeSet(x->dtype()));
  Graph& f = module_.add_function(cat("f", module_.functions().size()));
  Graph* const outer = at_;
  const auto pool = pool_;
  at_ = &f;
  ++depth_;
  pool_.clear();
  try {
    for (Value* v : {x, y}) {
      Value* inner = f.add_input(v->type());
      data_[inner] = data_.at(v);
      pool_.push_back(inner);
    }
    const int inputs = module_.main().num_inputs();
    for (int64_t i = between(1, 3); i > 0; --i) step();
    // A function reads nothing but its arguments.
    if (module_.main().num_inputs() != inputs) throw Rejected();
    Value* result = pool_.back();
    if (!result->type().is_tensor()) throw Rejected();
    f.set_outputs(Values{result});
  } catch (...) {
    --depth_;
    at_ = outer;
    pool_ = pool;
    throw;
  }
  --depth_;
  at_ = outer;
  pool_ = pool;
  auto attrs = std::make_shared<attrs_t<Call>>();
  attrs->callee = f.name();
  add(OpId::Call, {x, y}, attrs, 1);
  if (random_.chance(2)) add(OpId::Call, {x, y}, attrs, 1);
}

}  // namespace tc::fuzz
