#include <algorithm>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/legalize/target.h"
#include "tc/backend/cpu/run/deferred.h"
#include "tc/backend/cpu/run/reference_step.h"
#include "tc/ir/tensor_budget.h"
#include "tc/ir/verify.h"

namespace tc::cpu {
namespace {

const std::vector<std::vector<BindRow>>& rows_by_op() {
  static const auto table = [] {
    BindRows rows;
#define TC_FAMILY(name) rows_bind_##name(rows);
#include "tc/ir/families.def"
#undef TC_FAMILY
    std::vector<std::vector<BindRow>> result(static_cast<size_t>(kNumOps));
    for (const auto& r : rows) result[static_cast<size_t>(r.op)].push_back(r);
    return result;
  }();
  return table;
}

}  // namespace

bool has_kernels(OpId op) {
  return !rows_by_op()[static_cast<size_t>(op)].empty();
}

// --- Binder

const kernels::Table& Binder::table() const {
  return builder_.table_;
}

const std::string* Binder::forced(const std::string& kind) const {
  const auto it = builder_.options_.force.find(kind);
  return it == builder_.options_.force.end() ? nullptr : &it->second;
}

std::optional<std::vector<int64_t>> Binder::ints(const Value* v) {
  if (!v) return std::nullopt;
  if (const Tensor* t = v->constant()) {
    if (kind(t->dtype()) == DTypeKind::signed_int || kind(t->dtype()) == DTypeKind::unsigned_int) return to_i64(*t);
    return std::nullopt;
  }
  if (!v->contents()) return std::nullopt;
  std::vector<int64_t> values;
  for (const Dim& d : *v->contents()) {
    if (!d.is_const()) return std::nullopt;
    values.push_back(d.value());
  }
  return values;
}

Layout Binder::layout(const Value* v) const {
  return builder_.slots_.count({v, Layout::blocked16}) && !builder_.slots_.count({v, Layout::plain}) ? Layout::blocked16
                                                                                                     : Layout::plain;
}

Slot Binder::value(Value* v, Layout layout) {
  const Slot s = builder_.in_layout(v, layout);
  reads_.push_back(s);
  return s;
}

Slot Binder::in(int i, Layout layout) {
  return has(i) ? value(node_.operand(i), layout) : kNoSlot;
}

Slot Binder::out(int j, Layout layout) {
  const Value* v = node_.result(j);
  const Slot s = builder_.new_value(v, v->type(), layout, builder_.new_buffer(Storage::arena, -1));
  writes_.push_back(s);
  return s;
}

Slot Binder::found(int j) {
  const Slot s = out(j);
  if (computable_) return s;
  auto& value = builder_.plan_->values[static_cast<size_t>(s)];
  builder_.plan_->buffers[static_cast<size_t>(value.buffer)].storage = Storage::object;
  value.found = true;
  return s;
}

void Binder::alias(int j, int i) {
  const Slot from = in(i);
  const Value* v = node_.result(j);
  const Slot to =
      builder_.new_value(v, v->type(), Layout::plain, builder_.plan_->values[static_cast<size_t>(from)].buffer);
  done_ = true;
  if (shape(i).count() == v->shape().count()) {
    reads_.clear();
    return;
  }
  // That a view covers its memory is known only when extents are.
  struct None {};
  const Node* node = &node_;
  writes_.push_back(to);
  step<None>(
      "view",
      [=](Frame& f, None&) {
        if (f.count(from) != f.count(to))
          f.fail(*node, ErrorCode::bad_shape, cat("cannot view ", f.count(from), " elements as ", f.count(to)));
      },
      [](Frame&, None&) {});
}

void Binder::in_place(int j, int i) {
  const Slot operand = builder_.slots_.at(
      {node_.operand(i), builder_.plan_->values[static_cast<size_t>(writes_[static_cast<size_t>(j)])].layout});
  builder_.in_place_.push_back(
      {static_cast<int>(builder_.plan_->steps.size()), writes_[static_cast<size_t>(j)], operand});
}

void Binder::joined(Slot whole, const std::vector<Slot>& parts, int axis) {
  Plan::Joint joint{static_cast<int>(builder_.plan_->steps.size()), whole, {}, axis};
  for (const Slot s : parts) joint.parts.push_back({s, false});
  builder_.plan_->joints.push_back(std::move(joint));
}

const void* Binder::pack(int i, const std::string& key, size_t bytes, const std::function<void(void*)>& fill) {
  packed_.push_back(i);
  return packs_later(i)(key, bytes, fill);
}

Binder::PackLater Binder::packs_later(int i) const {
  const Tensor* t = constant(i);
  TC_CHECK(t, "only constants are packed");
  return [source = *t, &memory = builder_.packed_](const std::string& key, size_t bytes,
                                                   const std::function<void(void*)>& fill) {
    const auto fetch_and_fill = [&](void* to) {
      source.prefault_pages();
      fill(to);
    };
    const void* packed = memory.get(source, key, bytes, fetch_and_fill);
    source.discard_pages();  // the packed form is what runs read
    return packed;
  };
}

size_t Binder::constant_bytes() const {
  const PlanBuilder* outermost = &builder_;
  while (outermost->outer_) outermost = outermost->outer_;
  return outermost->constant_bytes_;
}

void Binder::regions() {
  for (int r = 0; r < node_.num_regions(); ++r) {
    PlanBuilder inner(builder_.options_, builder_.table_, builder_.packed_, builder_.replaces_weights_, &builder_);
    inner.defers_ = builder_.defers_;
    builder_.pending_regions_.push_back(inner.build(node_.region(r)));
    for (const auto& c : builder_.pending_regions_.back()->captures) reads_.push_back(c.outer);
  }
}

void Binder::add(std::unique_ptr<Step> step, std::string kernel, bool is_ref) {
  step->kernel = std::move(kernel);
  step->node = &node_;
  step->is_ref = is_ref;
  step->reads = std::move(reads_);
  step->writes = std::move(writes_);
  step->flops = std::move(flops);
  step->candidates = std::move(candidates);
  reads_.clear(), writes_.clear();
  builder_.add_step(std::move(step));
  done_ = true;
}

namespace {

// What the reference body says of a node at which a kernel has failed: it names operand, index and extent. Returns
// where it finds nothing wrong, or where values of the node are not at hand since others were fused into its step.
void let_reference_explain(const Frame& f, const Node& node) {
  if (node.num_regions()) return;
  const Step* step = f.running();
  if (!step) return;
  std::vector<Datum> operands;
  for (const Value* v : node.operands()) {
    if (const Tensor* t = v ? v->constant() : nullptr; t && t->data()) {
      operands.push_back(*t);
      continue;
    }
    const auto it = std::find_if(step->reads.begin(), step->reads.end(), [&](Slot s) {
      const PlanValue& value = f.plan().values[static_cast<size_t>(s)];
      return value.value == v && value.layout == Layout::plain;
    });
    if (v && it == step->reads.end()) return;
    operands.push_back(v ? f.datum(*it) : Datum());
  }
  EvalEnv env;
  env.max_bytes = Budget::current()->max_bytes();
  eval_node(node, operands, env);
}

}  // namespace

void check(const Frame& f, const Node& node, kernels::Status status) {
  if (status.ok()) return;
  let_reference_explain(f, node);
  f.fail(node, ErrorCode::bad_value,
         cat(node.op(), ": ", kernels::status_text(status.code), status.at >= 0 ? cat(" at element ", status.at) : ""));
}

// --- PlanBuilder

int PlanBuilder::new_buffer(Storage storage, int bytes) {
  Buffer b;
  b.storage = storage;
  b.bytes = bytes;
  b.first_step = b.last_step = static_cast<int>(plan_->steps.size());
  plan_->buffers.push_back(b);
  return static_cast<int>(plan_->buffers.size()) - 1;
}

int PlanBuilder::expr_of(const Dim& d) {
  if (outer_)
    d.for_each_symbol([&](const std::string& name) {
      if (plan_->exprs.bound(name)) return;
      const int e = outer_->expr_of(Dim::symbol(name));
      if (e < 0) return;
      plan_->exprs.bind(name, -1);
      plan_->inherited.push_back({plan_->exprs.symbol_index(name), e});
    });
  return plan_->exprs.intern(d);
}

Slot PlanBuilder::new_value(const Value* v, Type type, Layout layout, int buffer) {
  PlanValue p;
  p.value = v;
  p.type = std::move(type);
  p.layout = layout;
  p.buffer = buffer;
  if (p.type.is_tensor() && p.type.shape().ranked()) {
    p.extent_base = plan_->num_extents;
    plan_->num_extents += p.type.shape().rank();
    for (const Dim& d : p.type.shape().dims()) {
      const int e = expr_of(d);
      p.dims.push_back(e);
      if (e >= 0) p.ready = std::max(p.ready, plan_->exprs.ready(e));
    }
  }
  plan_->values.push_back(std::move(p));
  const Slot s = static_cast<Slot>(plan_->values.size()) - 1;
  if (v) slots_[{v, layout}] = s;
  return s;
}

namespace {

// Gathers copy bytes, of a table that may be most of the model and of which they read little.
bool read_by_gathers_alone(const Value& v) {
  const auto uses = v.uses();
  return std::all_of(uses.begin(), uses.end(),
                     [](const Use* use) { return use->user()->is<Gather>() && use->index() == 0; });
}

}  // namespace

Slot PlanBuilder::slot_of(Value* v) {
  if (const auto it = slots_.find({v, Layout::plain}); it != slots_.end()) return it->second;
  if (slots_.count({v, Layout::blocked16})) return in_layout(v, Layout::plain);  // as a step of this plan
  if (const Tensor* t = v->constant()            ? v->constant()
                        : v->def_as<Parameter>() ? &v->def()->attrs<Parameter>().value
                                                 : nullptr) {
    const Slot s = new_value(v, v->type(), Layout::plain, new_buffer(Storage::constant, -1));
    TC_CHECK(v->type() == t->type(), "a constant ", t->type(), " of type ", v->type());
    const bool as_it_lies = options_.kernels && v->constant() && read_by_gathers_alone(*v);
    plan_->constants.push_back({s, as_it_lies ? *t : t->aligned_copy()});
    return s;
  }
  TC_CHECK(outer_, "value '", v->name(), "' of type ", v->type(), " is not defined in the plan");
  const Slot outer = outer_->slot_of(v);
  const Slot s = new_value(v, v->type(), Layout::plain, new_buffer(Storage::input, -1));
  plan_->values[static_cast<size_t>(s)].ready = -1;
  plan_->captures.push_back({s, outer});
  return s;
}

bool PlanBuilder::ranks_known(const Node& node) {
  auto ranked = [](const Value* v) { return v->type().is_tensor() && v->shape().ranked() && v->dtype() != DType::str; };
  const auto operands = node.operands();
  if (!std::all_of(operands.begin(), operands.end(), [&](const Value* v) { return !v || ranked(v); })) return false;
  for (int j = 0; j < node.num_results(); ++j)
    if (!ranked(node.result(j))) return false;
  return true;
}

bool PlanBuilder::extents_computable(const Node& node) {
  for (int j = 0; j < node.num_results(); ++j)
    for (const Dim& d : node.result(j)->shape().dims())
      if (expr_of(d) < 0) return false;
  return true;
}

std::optional<std::vector<Plan::Claim>> PlanBuilder::claims_of(Node& node) {
  std::vector<Plan::Claim> claims;
  const std::vector<Type> inferred = inferred_types(node);
  for (int j = 0; j < node.num_results(); ++j) {
    const Shape& claim = node.result(j)->shape();
    const Type& type = inferred[static_cast<size_t>(j)];
    if (!type.is_tensor() || !type.shape().ranked() || type.shape().rank() != claim.rank()) return std::nullopt;
    for (int axis = 0; axis < claim.rank(); ++axis) {
      if (claim[axis] == type.shape()[axis]) continue;
      const int expr = expr_of(type.shape()[axis]);
      if (expr < 0) return std::nullopt;
      claims.push_back({&node, j, axis, expr_of(claim[axis]), expr});
    }
  }
  return claims;
}

void PlanBuilder::bind_node(Node& node) {
  if (node.is<Constant>() || node.is<Parameter>()) return;  // on first use
  std::vector<std::string> refusals;
  std::optional<std::vector<Plan::Claim>> claims;
  const bool ranked = ranks_known(node);
  if (ranked && extents_computable(node)) claims = claims_of(node);
  const bool computable = claims.has_value();
  for (const BindRow& row : rows_by_op()[static_cast<size_t>(node.op())]) {
    if (!options_.kernels) continue;
    if (!computable && !(ranked && row.finds_extents)) {
      refusals.push_back(cat(row.name, ": extents depend on data"));
      continue;
    }
    Binder b(*this, node);
    b.computable_ = computable;
    const size_t before = plan_->steps.size();
    if (row.bind(b)) {
      TC_CHECK(b.done_, row.name, " accepted ", node.op(), " without adding a step");
      for (size_t s = before; s < plan_->steps.size(); ++s)
        if (plan_->steps[s]->node == &node) plan_->steps[s]->refusals = refusals;
      if (claims) plan_->claims.insert(plan_->claims.end(), claims->begin(), claims->end());
      if (replaces_weights_)
        for (const int i : b.packed_) release_weight(*node.operand(i));
      return;
    }
    refusals.push_back(cat(row.name, ": ", b.reason_));
  }
  bind_eval(node, std::move(refusals), defers_ && options_.kernels && defers(node, computable));
}

// Packed weights replace those that passes made, as where a normalisation went into them; mapped ones have given back
// their pages.
void PlanBuilder::release_weight(Value& v) {
  const Tensor& weight = *v.constant();
  if (!v.single_use() || slots_.count({&v, Layout::plain}) || !packed_.release_source(weight)) return;
  v.def()->set_attrs(std::make_shared<Constant::Attrs>(Constant::Attrs{weight.without_data()}));
}

void PlanBuilder::bind_eval(const Node& node, std::vector<std::string> refusals, bool deferred) {
  auto step = deferred ? deferred_step(node, options_, table_, packed_) : std::make_unique<ReferenceStep>();
  Binder b(*this, node);
  for (int i = 0; i < node.num_operands(); ++i) step->operands.push_back(b.in(i));
  b.regions();
  for (int j = 0; j < node.num_results(); ++j) {
    if (node.result(j)->unused()) {
      step->results.push_back(kNoSlot);
      continue;
    }
    step->results.push_back(b.found(j));
  }
  step->refusals = std::move(refusals);
  b.add(std::move(step), deferred ? "deferred" : "eval", true);
}

void PlanBuilder::add_step(std::unique_ptr<Step> step) {
  const int index = static_cast<int>(plan_->steps.size());
  auto& values = plan_->values;
  plan_->bindings.emplace_back();
  plan_->observed.emplace_back();
  for (Slot s : step->reads) step->extents_ready = std::max(step->extents_ready, values[static_cast<size_t>(s)].ready);
  for (Slot s : step->writes) {
    PlanValue& v = values[static_cast<size_t>(s)];
    Buffer& buffer = plan_->buffers[static_cast<size_t>(v.buffer)];
    if (v.found) {
      // What the step finds out: symbols that stand alone, and extents nobody can compute.
      v.ready = index;
      if (v.extent_base < 0) continue;
      const auto& dims = v.type.shape().dims();
      for (size_t k = 0; k < dims.size(); ++k)
        if (dims[k].is_symbol() && v.dims[k] < 0 && !plan_->exprs.bound(dims[k].str())) {
          plan_->exprs.bind(dims[k].str(), index);
          plan_->bindings.back().push_back({plan_->exprs.symbol_index(dims[k].str()), s, static_cast<int>(k)});
        } else if (const int expr = v.dims[k] < 0 ? expr_of(dims[k]) : -1; expr >= 0) {
          plan_->observed.back().push_back({expr, s, static_cast<int>(k)});
        }
      continue;
    }
    step->extents_ready = std::max(step->extents_ready, v.ready);
    if (buffer.storage != Storage::arena || buffer.bytes >= 0) continue;  // a view of what was there
    if (v.ready >= 0)
      buffer.storage = Storage::object;  // placed when its extents are known
    else
      buffer.bytes = bytes_expr(v);
  }
  if (!pending_regions_.empty()) plan_->regions[index] = std::move(pending_regions_);
  pending_regions_.clear();
  plan_->steps.push_back(std::move(step));
}

// Drops steps that nobody needs: shape arithmetic whose results the extent table has, mostly.
void PlanBuilder::drop_dead_steps() {
  Plan& p = *plan_;
  const size_t count = p.steps.size();
  auto buffer_of = [&](Slot s) { return static_cast<size_t>(p.values[static_cast<size_t>(s)].buffer); };
  std::vector<bool> live_buffer(p.buffers.size()), live(count);
  for (Slot s : p.outputs) live_buffer[buffer_of(s)] = true;
  for (size_t i = count; i-- > 0;) {
    const Step& step = *p.steps[i];
    bool needed = has_effects(*step.node) || !p.bindings[i].empty();
    for (Slot s : step.writes) needed = needed || live_buffer[buffer_of(s)];
    live[i] = needed;
    if (needed)
      for (Slot s : step.reads) live_buffer[buffer_of(s)] = true;
  }
  std::vector<int> renumbered(count);  // the last step kept up to here
  int kept = 0;
  for (size_t i = 0; i < count; ++i) renumbered[i] = live[i] ? kept++ : kept - 1;
  if (kept == static_cast<int>(count)) return;
  auto moved = [&](int i) { return i < 0 ? i : renumbered[static_cast<size_t>(i)]; };
  p.exprs.renumber(renumbered);
  for (PlanValue& v : p.values) v.ready = moved(v.ready);
  std::map<int, std::vector<std::unique_ptr<Plan>>> regions;
  for (auto& [i, plans] : p.regions)
    if (live[static_cast<size_t>(i)]) regions[moved(i)] = std::move(plans);
  p.regions = std::move(regions);
  std::erase_if(in_place_, [&](const InPlace& x) { return !live[static_cast<size_t>(x.step)]; });
  for (InPlace& x : in_place_) x.step = moved(x.step);
  std::erase_if(p.joints, [&](const Plan::Joint& x) { return !live[static_cast<size_t>(x.step)]; });
  for (Plan::Joint& x : p.joints) x.step = moved(x.step);
  std::vector<std::unique_ptr<Step>> steps;
  std::vector<std::vector<Plan::Binding>> bindings;
  std::vector<std::vector<Plan::Observed>> observed;
  for (size_t i = 0; i < count; ++i) {
    if (!live[i]) continue;
    p.steps[i]->extents_ready = moved(p.steps[i]->extents_ready);
    steps.push_back(std::move(p.steps[i]));
    bindings.push_back(std::move(p.bindings[i]));
    observed.push_back(std::move(p.observed[i]));
  }
  p.steps = std::move(steps);
  p.bindings = std::move(bindings);
  p.observed = std::move(observed);
}

// When each buffer is first written and last read.
void PlanBuilder::find_lifetimes() {
  Plan& p = *plan_;
  const int end = static_cast<int>(p.steps.size());
  for (Buffer& b : p.buffers) b.first_step = end, b.last_step = -1;
  for (int i = 0; i < end; ++i) {
    auto touch = [&](Slot s) {
      Buffer& b = p.buffers[static_cast<size_t>(p.values[static_cast<size_t>(s)].buffer)];
      b.first_step = std::min(b.first_step, i);
      b.last_step = std::max(b.last_step, i);
    };
    for (Slot s : p.steps[static_cast<size_t>(i)]->reads) touch(s);
    for (Slot s : p.steps[static_cast<size_t>(i)]->writes) touch(s);
  }
  for (Slot s : p.outputs) p.buffers[static_cast<size_t>(p.values[static_cast<size_t>(s)].buffer)].last_step = end;
}

int PlanBuilder::bytes_expr(const PlanValue& v) {
  Dim bytes = static_cast<int64_t>(size_of(v.type.dtype()));
  const auto& dims = v.type.shape().dims();
  for (size_t k = 0; k < dims.size(); ++k)
    bytes *= v.layout == Layout::blocked16 && k == 1 ? ceildiv(dims[k], 16) * Dim(16) : dims[k];
  return expr_of(bytes);
}

void PlanBuilder::merge_in_place() {
  // Results that take over their operand's buffer; later requests see earlier merges.
  std::vector<int> merged(plan_->buffers.size());
  for (size_t i = 0; i < merged.size(); ++i) merged[i] = static_cast<int>(i);
  auto root = [&](Slot s) {
    int b = plan_->values[static_cast<size_t>(s)].buffer;
    while (merged[static_cast<size_t>(b)] != b) b = merged[static_cast<size_t>(b)];
    return b;
  };
  // Memory of its own, which kernels alone have seen so far: what reference bodies and regions get they may hand on.
  auto unshared = [&](int b, int step) {
    for (int i = 0; i < step; ++i) {
      const Step& s = *plan_->steps[static_cast<size_t>(i)];
      const auto touches = [&](Slot slot) { return root(slot) == b; };
      if ((std::any_of(s.reads.begin(), s.reads.end(), touches) ||
           std::any_of(s.writes.begin(), s.writes.end(), touches)) &&
          (s.is_ref || plan_->regions.count(i)))
        return false;
    }
    return true;
  };
  auto same_memory = [&](Slot x, Slot y) {
    const PlanValue &a = plan_->values[static_cast<size_t>(x)], &b = plan_->values[static_cast<size_t>(y)];
    return a.type.dtype() == b.type.dtype() && a.layout == b.layout && a.extent_base >= 0 && a.dims == b.dims &&
           std::none_of(a.dims.begin(), a.dims.end(), [](int d) { return d < 0; });
  };
  for (const InPlace& p : in_place_) {
    const int from = root(p.operand), to = root(p.result);
    Buffer &operand = plan_->buffers[static_cast<size_t>(from)], &result = plan_->buffers[static_cast<size_t>(to)];
    const auto& reads = plan_->steps[static_cast<size_t>(p.step)]->reads;
    const auto readers = std::count_if(reads.begin(), reads.end(), [&](Slot s) { return root(s) == from; });
    if (to != plan_->values[static_cast<size_t>(p.result)].buffer) continue;  // it lies where another operand was
    if (from == to || operand.last_step != p.step || readers != 1) continue;
    if (operand.storage == Storage::object && result.storage == Storage::object && same_memory(p.operand, p.result) &&
        unshared(from, p.step)) {
      operand.last_step = result.last_step;
      operand.last_overwrite = std::max(p.step, result.last_overwrite);
      merged[static_cast<size_t>(to)] = from;
      result.storage = Storage::arena, result.bytes = -1;
      continue;
    }
    if (operand.storage != Storage::arena) continue;
    if ((result.storage != Storage::arena && result.storage != Storage::output) || operand.bytes != result.bytes)
      continue;
    operand.storage = result.storage;
    operand.last_step = result.last_step;
    operand.last_overwrite = std::max(p.step, result.last_overwrite);
    merged[static_cast<size_t>(to)] = from;
    result.bytes = -1;  // nothing of its own to place
  }
  for (size_t s = 0; s < plan_->values.size(); ++s) plan_->values[s].buffer = root(static_cast<Slot>(s));
}

void PlanBuilder::choose_joints() {
  const auto buffer_of = [&](Slot s) -> const Buffer& {
    return plan_->buffers[static_cast<size_t>(plan_->values[static_cast<size_t>(s)].buffer)];
  };
  const auto planned = [](const Buffer& b) { return b.storage == Storage::arena && b.bytes >= 0; };
  for (Plan::Joint& j : plan_->joints) {
    const Buffer& whole = buffer_of(j.whole);
    bool known = true;  // where the part begins, and its end
    for (Plan::Joint::Part& part : j.parts) {
      const PlanValue& value = plan_->values[static_cast<size_t>(part.slot)];
      known = known && value.ready < 0 && !value.found;
      const Buffer& b = buffer_of(part.slot);
      const bool gathers = b.last_step == j.step && whole.first_step == j.step && b.first_step < j.step;
      const bool cuts = whole.last_step == j.step && b.first_step == j.step && whole.first_step < j.step;
      part.fits = known && planned(whole) && planned(b) && (gathers || cuts);
    }
  }
}

void PlanBuilder::finish() {
  for (Value* v : plan_->graph->outputs()) {
    if (!v) fail(ErrorCode::bad_graph, "an output of graph '", plan_->graph->name(), "' is undefined");
    const Slot s = slot_of(v);
    plan_->outputs.push_back(s);
  }
  for (Slot s : plan_->outputs) {
    Buffer& b = plan_->buffers[static_cast<size_t>(plan_->values[static_cast<size_t>(s)].buffer)];
    if (b.storage == Storage::arena) b.storage = Storage::output;
  }
  drop_dead_steps();
  find_lifetimes();
  merge_in_place();
  choose_joints();
  std::set<int> given;  // inputs whose memory has an output already
  for (auto [o, i] : plan_->graph->donations) {
    const int from = plan_->values[static_cast<size_t>(plan_->inputs[static_cast<size_t>(i)])].buffer;
    const int to = plan_->values[static_cast<size_t>(plan_->outputs[static_cast<size_t>(o)])].buffer;
    Buffer& input = plan_->buffers[static_cast<size_t>(from)];
    const Buffer& output = plan_->buffers[static_cast<size_t>(to)];
    if (output.storage != Storage::output || given.count(i)) continue;
    const bool overwrites = std::any_of(in_place_.begin(), in_place_.end(), [&](const InPlace& p) {
      const auto& reads = plan_->steps[static_cast<size_t>(p.step)]->reads;
      return p.step == output.first_step && plan_->values[static_cast<size_t>(p.operand)].buffer == from &&
             plan_->values[static_cast<size_t>(p.result)].buffer == to &&
             std::count_if(reads.begin(), reads.end(),
                           [&](Slot s) { return plan_->values[static_cast<size_t>(s)].buffer == from; }) == 1;
    });
    if (input.last_step > output.first_step || (input.last_step == output.first_step && !overwrites)) continue;
    plan_->donations.emplace_back(o, i);
    input.last_overwrite = std::max(output.first_step, output.last_overwrite);
    given.insert(i);
  }
  const size_t steps = plan_->steps.size();
  plan_->frees.resize(steps);
  plan_->late.resize(steps);
  plan_->ready_values.resize(steps + 1);
  for (size_t b = 0; b < plan_->buffers.size(); ++b) {
    const Buffer& buffer = plan_->buffers[b];
    if (buffer.storage == Storage::object && buffer.last_step >= 0 && buffer.last_step < static_cast<int>(steps))
      plan_->frees[static_cast<size_t>(buffer.last_step)].push_back(static_cast<int>(b));
  }
  for (size_t i = 0; i < steps; ++i)
    for (Slot s : plan_->steps[i]->writes) {
      const PlanValue& v = plan_->values[static_cast<size_t>(s)];
      const Buffer& b = plan_->buffers[static_cast<size_t>(v.buffer)];
      if (!v.found && b.storage == Storage::object && b.first_step == static_cast<int>(i)) plan_->late[i].push_back(s);
    }
  plan_->steps_ready.resize(steps + 1);
  for (size_t i = 0; i < steps; ++i)
    plan_->steps_ready[static_cast<size_t>(plan_->steps[i]->extents_ready + 1)].push_back(static_cast<int>(i));
  for (size_t s = 0; s < plan_->values.size(); ++s)
    if (plan_->values[s].extent_base >= 0)
      plan_->ready_values[static_cast<size_t>(plan_->values[s].ready + 1)].push_back(static_cast<Slot>(s));
  plan_->claims_ready.resize(steps + 1);
  for (size_t c = 0; c < plan_->claims.size(); ++c) {
    const Plan::Claim& claim = plan_->claims[c];
    const int ready = std::max(plan_->exprs.ready(claim.claimed), plan_->exprs.ready(claim.inferred));
    plan_->claims_ready[static_cast<size_t>(ready + 1)].push_back(static_cast<int>(c));
  }
}

std::unique_ptr<Plan> PlanBuilder::build(const Graph& graph) {
  plan_ = std::make_unique<Plan>();
  plan_->graph = &graph;
  if (!outer_)
    walk(graph, [&](const Node& n) {
      if (n.is<Constant>() && !read_by_gathers_alone(*n.result(0))) constant_bytes_ += n.result(0)->constant()->bytes();
    });
  for (Value* v : graph.inputs()) {
    if (v->type().is_tensor() && v->shape().ranked())
      for (const Dim& d : v->shape().dims())
        if (d.is_symbol()) plan_->exprs.bind(d.str(), -1);
    const Slot s = new_value(v, v->type(), Layout::plain, new_buffer(Storage::input, -1));
    plan_->values[static_cast<size_t>(s)].ready = -1;
    plan_->inputs.push_back(s);
    if (!v->type().is_tensor() || !v->shape().ranked()) continue;
    for (int k = 0; k < v->shape().rank(); ++k)
      if (v->shape()[k].is_symbol())
        plan_->input_bindings.push_back({plan_->exprs.symbol_index(v->shape()[k].str()), s, k});
  }
  for (const auto& node : graph.nodes()) {
    if (node->op() == OpId::Return) break;
    Budget::poll();
    const tc::Frame context("node",
                            node->location().empty() ? node->info().name() : std::string_view(node->location()));
    binding_ = node.get();
    bind_node(*node);
  }
  binding_ = nullptr;
  finish();
  return std::move(plan_);
}

}  // namespace tc::cpu
