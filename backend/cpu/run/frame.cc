#include "tc/backend/cpu/run/frame.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "tc/backend/cpu/plan/placement.h"
#include "tc/backend/cpu/run/alias_check.h"
#include "tc/backend/cpu/run/nonfinite_check.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/tensor_budget.h"
#include "tc/ir/verbose.h"
#include "tc/kernels/stop.h"

namespace tc::cpu {
namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What an arena grows by counts until the run ends, and from the start of the next one.
void grow(Arena& arena, size_t bytes) {
  if (bytes <= arena.capacity()) return;
  if (Budget* const budget = Budget::current()) budget->take(bytes - arena.capacity());
  arena.reserve(bytes);
}

// A view that keeps nothing alive: its bytes are valid only while the step runs.
bool is_loan(const Datum& d) {
  if (d.is_tensor()) return d.tensor().defined() && !d.tensor().owner();
  if (d.is_sequence()) return std::any_of(d.items().begin(), d.items().end(), is_loan);
  return false;
}

Datum own(const Datum& d) {
  if (!is_loan(d)) return d;
  if (d.is_tensor()) return d.tensor().clone();
  Sequence s;
  for (const Datum& item : d.items()) s.items.push_back(own(item));
  return s;
}

}  // namespace

Frame::Frame(const Plan& plan, Runtime& runtime)
    : plan_(plan),
      runtime_(runtime),
      buffers_(plan.buffers.size()),
      objects_(plan.buffers.size()),
      extents_(static_cast<size_t>(plan.num_extents)),
      symbols_(plan.exprs.symbols().size()),
      dynamic_extents_(plan.values.size()),
      states_(plan.steps.size()) {
  for (const auto& c : plan_.constants) {
    const auto b = static_cast<size_t>(plan_.values[static_cast<size_t>(c.slot)].buffer);
    buffers_[b] = const_cast<void*>(c.tensor.data());
    objects_[b] = c.tensor;
  }
}

std::span<const int64_t> Frame::extents(Slot s) const {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  if (v.extent_base < 0) return dynamic_extents_[static_cast<size_t>(s)];
  return {extents_.data() + v.extent_base, v.dims.size()};
}

int64_t Frame::count(Slot s) const {
  int64_t n = 1;
  for (int64_t e : extents(s)) n *= e;
  return n;
}

size_t Frame::bytes(Slot s) const {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  if (!v.type.is_tensor()) return 0;
  const auto e = extents(s);
  size_t n = size_of(v.type.dtype());
  for (size_t k = 0; k < e.size(); ++k)
    n *= static_cast<size_t>(v.layout == Layout::blocked16 && k == 1 ? (e[k] + 15) / 16 * 16 : e[k]);
  return n;
}

Datum Frame::datum(Slot s) const {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  const Datum& object = objects_[static_cast<size_t>(v.buffer)];
  if (!object.empty() && !object.is_tensor()) return object;
  if (object.empty() && !raw(s) && (!v.type.is_tensor() || count(s))) return {};  // absent
  const auto e = extents(s);
  const Extents shape(e.begin(), e.end());
  const bool lent = plan_.buffers[static_cast<size_t>(v.buffer)].last_overwrite > current_;
  if (object.is_tensor() && !lent)
    return object.tensor().extents() == shape ? object : Datum(object.tensor().reshaped(shape));
  return Tensor::view(v.type.dtype(), shape, raw(s), nullptr);
}

void* Frame::make(Slot s, const Extents& extents) {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  if (!v.found) {
    const auto e = this->extents(s);
    if (!std::equal(e.begin(), e.end(), extents.begin(), extents.end()))
      fail(*v.value->def(), ErrorCode::bad_shape,
           cat("a value of type ", v.type, " turned out to be ", Type::tensor(v.type.dtype(), Shape::of(extents))));
    return raw(s);
  }
  drop_object(static_cast<size_t>(v.buffer));
  enter_extents(s, v.type.dtype(), extents);
  place(s);
  return raw(s);
}

void Frame::enter_extents(Slot s, DType dtype, const Extents& e) {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  const auto refuse = [&](ErrorCode code) {
    fail(*v.value->def(), code,
         cat("a value of type ", v.type, " turned out to be ", Type::tensor(dtype, Shape::of(e))));
  };
  if (v.type.is_tensor() && dtype != v.type.dtype()) refuse(ErrorCode::internal);
  if (v.extent_base < 0) {
    dynamic_extents_[static_cast<size_t>(s)] = e;
    return;
  }
  if (e.size() != v.dims.size()) refuse(ErrorCode::bad_shape);
  for (size_t k = 0; k < e.size(); ++k) {
    if (v.dims[k] >= 0 && exprs_[static_cast<size_t>(v.dims[k])] != e[k] && plan_.exprs.ready(v.dims[k]) < v.ready)
      refuse(ErrorCode::bad_shape);
    extents_[static_cast<size_t>(v.extent_base) + k] = e[k];
  }
}

void Frame::set_object(Slot s, Datum d) {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  const auto b = static_cast<size_t>(v.buffer);
  drop_object(b);
  d = own(d);
  if (d.is_tensor()) {
    enter_extents(s, d.tensor().dtype(), d.tensor().extents());
    const bool overwritten = plan_.buffers[b].last_overwrite > current_;
    if (!d.tensor().aligned() || (overwritten && !d.tensor().exclusive())) d = d.tensor().clone();
    buffers_[b] = const_cast<void*>(d.tensor().data());
  } else {
    buffers_[b] = nullptr;
  }
  objects_[b] = std::move(d);
}

const Step* Frame::running() const {
  const auto i = static_cast<size_t>(current_);
  return current_ >= 0 && i < plan_.steps.size() ? plan_.steps[i].get() : nullptr;
}

// What a value will take is counted when it is made; here the error can name its node.
void Frame::charge(size_t bytes) const {
  const Budget* const budget = Budget::current();
  if (!budget || budget->has_room(bytes)) return;
  const std::string text = cat("a value of ", bytes, " bytes takes the run beyond the memory budget of ",
                               budget->max_bytes(), " bytes; raise it with --max-memory");
  if (const Step* step = running()) fail(*step->node, ErrorCode::limit_memory, text);
  tc::fail(ErrorCode::limit_memory, text);
}

namespace {

// Kernels whose tiles may be left out: what they write, and nothing else, depends on what they read.
bool may_stop_within(const Step& step) {
  switch (step.node->info().family) {
    case Family::elementwise:
    case Family::matmul:
    case Family::conv:
    case Family::pool:
    case Family::norm:
    case Family::softmax:
    case Family::attention:
    case Family::reduce:
    case Family::fused:
      return !step.is_ref;
    default:
      return false;
  }
}

// Runs it; within steps that allow it, cancellations and the deadline are looked at, too.
void run_step(const Step& step, Frame& frame, int index) {
  const Runtime& runtime = frame.runtime();
  const bool can_stop = (runtime.cancel || runtime.deadline_ns != INT64_MAX) && may_stop_within(step);
  if (!can_stop) return step.run(frame, index);
  kernels::StopSign sign(runtime.cancel, runtime.deadline_ns);
  {
    const kernels::StopSign::Scope scope(&sign);
    step.run(frame, index);
  }
  if (sign.seen())
    frame.fail(*step.node, ErrorCode::limit_steps, "the run ended within this step: cancelled, or past its deadline");
}

}  // namespace

Frame& Frame::region(int step, int index) {
  auto& frame = regions_[{step, index}];
  if (!frame) frame = std::make_unique<Frame>(*plan_.regions.at(step)[static_cast<size_t>(index)], runtime_);
  return *frame;
}

void Frame::fail(const Node& n, ErrorCode code, const std::string& text) const {
  throw Error({code, text, n.location().empty() ? std::string(n.info().name()) : n.location(), {}, {}});
}

bool Frame::bind_inputs(std::vector<Datum>& inputs, Frame* outer) {
  TC_CHECK(inputs.size() == plan_.inputs.size(), "argument count of graph ", plan_.graph->name());
  new_signature_.clear();
  auto note = [&](Slot s) {
    const auto e = extents(s);
    new_signature_.push_back(static_cast<int64_t>(e.size()));
    new_signature_.insert(new_signature_.end(), e.begin(), e.end());
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Slot s = plan_.inputs[i];
    const PlanValue& v = plan_.values[static_cast<size_t>(s)];
    const auto b = static_cast<size_t>(v.buffer);
    Datum& d = inputs[i];
    buffers_[b] = nullptr;
    if (d.is_tensor()) {
      if (!d.tensor().aligned()) d = d.tensor().clone();
      const auto& e = d.tensor().extents();
      if (v.type.is_tensor() &&
          (d.tensor().dtype() != v.type.dtype() || (v.extent_base >= 0 && e.size() != v.dims.size())))
        tc::fail(ErrorCode::internal, "argument ", i, " of graph ", plan_.graph->name(), " is ", d.tensor().type(),
                 ", planned as ", v.type);
      if (v.extent_base >= 0)
        std::copy(e.begin(), e.end(), extents_.begin() + v.extent_base);
      else
        dynamic_extents_[static_cast<size_t>(s)] = e;
      buffers_[b] = const_cast<void*>(d.tensor().data());
      note(s);
    }
    objects_[b] = std::move(d);
  }
  for (const auto& c : plan_.captures) {
    const PlanValue& v = plan_.values[static_cast<size_t>(c.inner)];
    const auto b = static_cast<size_t>(v.buffer);
    buffers_[b] = outer->raw(c.outer);
    objects_[b] = outer->datum(c.outer);
    const auto e = outer->extents(c.outer);
    if (v.extent_base >= 0)
      std::copy(e.begin(), e.end(), extents_.begin() + v.extent_base);
    else
      dynamic_extents_[static_cast<size_t>(c.inner)].assign(e.begin(), e.end());
    if (v.type.is_tensor()) note(c.inner);
  }
  for (const auto& i : plan_.inherited) new_signature_.push_back(outer->exprs_[static_cast<size_t>(i.outer_expr)]);
  if (!fresh_ && new_signature_ == signature_) return false;
  for (const auto& b : plan_.input_bindings)
    symbols_[static_cast<size_t>(b.symbol)] = extents(b.slot)[static_cast<size_t>(b.axis)];
  for (const auto& i : plan_.inherited)
    symbols_[static_cast<size_t>(i.symbol)] = outer->exprs_[static_cast<size_t>(i.outer_expr)];
  return true;
}

void Frame::fill_extents(Slot s) {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  for (size_t k = 0; k < v.dims.size(); ++k) {
    if (v.dims[k] < 0) continue;
    const int64_t e = exprs_[static_cast<size_t>(v.dims[k])];
    int64_t& extent = extents_[static_cast<size_t>(v.extent_base) + k];
    if (plan_.buffers[static_cast<size_t>(v.buffer)].storage == Storage::input && !v.value->def()) {
      if (extent != e)
        tc::fail(ErrorCode::bad_input, "'", v.value->name(), "' has extent ", extent, " at dimension ", k,
                 ", expected ", v.type.shape()[static_cast<int>(k)], " = ", e);
      continue;
    }
    if (v.found && !objects_[static_cast<size_t>(v.buffer)].empty() && extent != e)
      fail(*v.value->def(), ErrorCode::bad_shape,
           cat("a value of type ", v.type, " turned out to have extent ", extent, " at dimension ", k, ", expected ",
               e));
    if (e < 0) {
      const std::string what = cat("a value of type ", v.type, " would have extent ", e);
      if (v.value->def()) fail(*v.value->def(), ErrorCode::bad_shape, what);
      tc::fail(ErrorCode::bad_shape, what);
    }
    extent = e;
  }
}

void Frame::check_claims(int step) const {
  for (int i : plan_.claims_ready[static_cast<size_t>(step + 1)]) {
    const Plan::Claim& c = plan_.claims[static_cast<size_t>(i)];
    const int64_t claimed = exprs_[static_cast<size_t>(c.claimed)], actual = exprs_[static_cast<size_t>(c.inferred)];
    if (claimed != actual)
      fail(*c.node, ErrorCode::bad_shape,
           cat("result ", c.result, " of type ", c.node->result(c.result)->type(), " has extent ", actual,
               " at dimension ", c.axis, ", expected ", claimed));
  }
}

void Frame::prepare(int step) {
  const Step& s = *plan_.steps[static_cast<size_t>(step)];
  const std::string& location = s.node->location();
  const tc::Frame node("node", location.empty() ? s.node->info().name() : std::string_view(location));
  const tc::Frame context("kernel", s.kernel);
  s.prepare(*this, step);
}

void Frame::place_arena() {
  std::vector<PlacedBlock> blocks;
  std::vector<int> buffers, block_of(plan_.buffers.size(), -1);
  for (size_t b = 0; b < plan_.buffers.size(); ++b) {
    const Buffer& buffer = plan_.buffers[b];
    if (buffer.storage != Storage::arena || buffer.bytes < 0 || buffer.last_step < 0) continue;
    const auto bytes = static_cast<size_t>(exprs_[static_cast<size_t>(buffer.bytes)]);
    block_of[b] = static_cast<int>(blocks.size());
    blocks.push_back({(bytes + 63) / 64 * 64, buffer.first_step, buffer.last_step});
    buffers.push_back(static_cast<int>(b));
  }
  std::vector<JointBlocks> joints;
  for (const Plan::Joint& j : plan_.joints) {
    const auto e = extents(j.whole);
    if (std::any_of(e.begin(), e.begin() + j.axis, [](int64_t k) { return k != 1; })) continue;
    const auto block = [&](Slot s) {
      return block_of[static_cast<size_t>(plan_.values[static_cast<size_t>(s)].buffer)];
    };
    size_t offset = 0;
    for (const Plan::Joint::Part& part : j.parts) {
      const size_t size = bytes(part.slot);
      if (part.fits && size > 0 && size % 64 == 0 && offset % 64 == 0)
        joints.push_back({block(part.slot), block(j.whole), offset});
      offset += size;
    }
  }
  planned_bytes_ = place_blocks(blocks, joints);
  Budget* const budget = Budget::current();
  if (budget && planned_bytes_ + scratch_bytes_ > budget->max_bytes())
    tc::fail(ErrorCode::limit_memory, "the run needs ", planned_bytes_ + scratch_bytes_,
             " bytes of working memory, the budget is ", budget->max_bytes(), "; raise it with --max-memory");
  grow(arena_, scratch_offset() + scratch_bytes_);
  // Kernels step from where values begin, even from those of no elements.
  alignas(64) static std::byte nowhere[64];
  std::byte* base = arena_.data() ? arena_.data() : nowhere;
  for (size_t i = 0; i < blocks.size(); ++i) buffers_[static_cast<size_t>(buffers[i])] = base + blocks[i].offset;
}

void Frame::place_scratch() {
  const size_t offset = scratch_offset();
  if (offset + scratch_bytes_ <= arena_.capacity()) {
    scratch_ = arena_.data() + offset;
  } else {
    grow(late_scratch_, scratch_bytes_);
    scratch_ = late_scratch_.data();
  }
}

void Frame::place(Slot s) {
  const PlanValue& v = plan_.values[static_cast<size_t>(s)];
  const auto b = static_cast<size_t>(v.buffer);
  const auto e = extents(s);
  charge(bytes(s));
  Tensor t = v.layout == Layout::plain
                 ? runtime_.pool->make(v.type.dtype(), Extents(e.begin(), e.end()))
                 : runtime_.pool->make(v.type.dtype(), {static_cast<int64_t>(bytes(s) / size_of(v.type.dtype()))});
  buffers_[b] = const_cast<void*>(t.data());
  // In a layout of our own only the pointer is meaningful; it stays alive with the object.
  objects_[b] = std::move(t);
}

void Frame::after(int step) {
  const auto i = static_cast<size_t>(step);
  for (const auto& b : plan_.bindings[i])
    symbols_[static_cast<size_t>(b.symbol)] = extents(b.slot)[static_cast<size_t>(b.axis)];
  const auto& ready = plan_.ready_values[i + 1];
  const auto& steps = plan_.steps_ready[i + 1];
  if (!plan_.bindings[i].empty() || !ready.empty() || !steps.empty() || !plan_.claims_ready[i + 1].empty()) {
    plan_.exprs.evaluate(step, symbols_, exprs_);
    for (Slot s : ready) fill_extents(s);
    for (const auto& o : plan_.observed[i]) {
      const int64_t actual = extents(o.slot)[static_cast<size_t>(o.axis)],
                    expected = exprs_[static_cast<size_t>(o.expr)];
      if (actual != expected)
        fail(*plan_.steps[i]->node, ErrorCode::bad_shape,
             cat("a result of type ", plan_.values[static_cast<size_t>(o.slot)].type, " has extent ", actual,
                 " at dimension ", o.axis, ", expected ", expected));
    }
    check_claims(step);
    for (int s : steps) prepare(s);
    if (!steps.empty()) place_scratch();
  }
  for (int b : plan_.frees[i]) drop_object(static_cast<size_t>(b));
}

std::vector<Datum> Frame::run(std::vector<Datum> inputs, Frame* outer) {
  std::optional<Budget::Scope> counted;
  if (!outer) {
    runtime_.steps = 0, runtime_.depth = 0;
    const auto budget = std::make_shared<Budget>(runtime_.max_memory);
    budget->take(arena_capacity());
    budget->stop_at(runtime_.cancel, runtime_.deadline_ns);
    counted.emplace(budget);
  }
  ++runtime_.depth;
  try {
    auto outputs = run_steps(std::move(inputs), outer);
    --runtime_.depth;
    return outputs;
  } catch (...) {
    drop_objects();
    fresh_ = true;
    throw;
  }
}

std::vector<Datum> Frame::run_steps(std::vector<Datum> inputs, Frame* outer) {
  current_ = -1;
  std::vector<Tensor> donated(plan_.outputs.size());
  for (auto [o, i] : plan_.donations) {
    Datum& d = inputs[static_cast<size_t>(i)];
    if (d.is_tensor() && d.tensor().exclusive() && d.tensor().aligned()) donated[static_cast<size_t>(o)] = d.tensor();
  }
  if (bind_inputs(inputs, outer)) {
    fresh_ = true;  // until everything below has succeeded
    plan_.exprs.evaluate(-1, symbols_, exprs_);
    for (Slot s : plan_.ready_values[0]) fill_extents(s);
    check_claims(-1);
    scratch_bytes_ = 0;
    for (int s : plan_.steps_ready[0]) prepare(s);
    place_arena();
    place_scratch();
    signature_ = new_signature_;
    fresh_ = false;
  }
  for (size_t o = 0; o < plan_.outputs.size(); ++o) {
    const Slot s = plan_.outputs[o];
    const auto b = static_cast<size_t>(plan_.values[static_cast<size_t>(s)].buffer);
    if (plan_.buffers[b].storage != Storage::output || !objects_[b].empty()) continue;
    const Tensor& d = donated[o];
    if (d.defined() && d.dtype() == plan_.values[static_cast<size_t>(s)].type.dtype() && d.size() == count(s)) {
      buffers_[b] = const_cast<void*>(donated[o].data());
      objects_[b] = std::move(donated[o]);
    } else {
      place(s);
    }
  }
  const size_t steps = plan_.steps.size();
  const bool talk = verbose(Topic::exec), check_aliases = AliasCheck::enabled();
  AliasCheck aliases;
  if (check_aliases) aliases.begin(*this);
  const bool check_finite = NonFiniteCheck::enabled();
  if (check_finite) NonFiniteCheck::inputs(*this);
  for (size_t i = 0; i < steps; ++i) {
    const Step& step = *plan_.steps[i];
    current_ = static_cast<int>(i);
    Budget::poll();
    for (Slot s : plan_.late[i]) place(s);
    if (runtime_.profile || talk) {
      const int64_t begin = now_ns();
      run_step(step, *this, static_cast<int>(i));
      const int64_t end = now_ns();
      int64_t moved = 0;
      for (Slot s : step.reads) moved += static_cast<int64_t>(bytes(s));
      for (Slot s : step.writes) moved += static_cast<int64_t>(bytes(s));
      if (runtime_.profile)
        runtime_.profile->push_back({&step, runtime_.depth, begin, end, step.flops ? step.flops(*this) : 0, moved});
      if (talk)
        report(Topic::exec, "graph,depth,step,op,location,kernel,us,bytes",
               {plan_.graph->name(), cat(runtime_.depth - 1), cat(i), std::string(step.node->info().name()),
                step.node->location(), step.kernel, cat(static_cast<double>(end - begin) / 1e3), cat(moved)});
    } else {
      run_step(step, *this, static_cast<int>(i));
    }
    if (runtime_.candidates && step.candidates) runtime_.candidates->push_back({&step, step.candidates(this)});
    if (check_aliases) aliases.after(*this, static_cast<int>(i));
    if (check_finite) NonFiniteCheck::after(*this, static_cast<int>(i));
    after(static_cast<int>(i));
  }
  current_ = static_cast<int>(steps);
  std::vector<Datum> outputs;
  for (Slot s : plan_.outputs) outputs.push_back(own(datum(s)));
  drop_objects();
  return outputs;
}

void Frame::drop_objects() {
  for (size_t b = 0; b < plan_.buffers.size(); ++b)
    if (plan_.buffers[b].storage != Storage::constant) drop_object(b);
}

void Frame::drop_object(size_t buffer) {
  objects_[buffer] = Datum();
}

size_t Frame::arena_bytes() const {
  size_t n = planned_bytes_ + scratch_bytes_;
  for (const auto& [key, f] : regions_) n += f->arena_bytes();
  return n;
}

size_t Frame::arena_capacity() const {
  size_t n = arena_.capacity() + late_scratch_.capacity();
  for (const auto& [key, f] : regions_) n += f->arena_capacity();
  return n;
}

}  // namespace tc::cpu
