// Changes of physical layout between steps: made where a step asks for a layout that the value does not have yet, once
// per value and layout.
#include "tc/backend/cpu/bind.h"
#include "tc/kernels/conv/conv.h"

namespace tc::cpu {
namespace {

class ReorderStep : public Step {
 public:
  void run(Frame& f, int) const override {
    const auto e = f.extents(from);
    int64_t pixels = 1;
    for (size_t k = 2; k < e.size(); ++k) pixels *= e[k];
    if (to_blocked)
      kernels::to_blocked(f.team(), *table, f.ptr<const float>(from), e[0], e[1], pixels, f.ptr<float>(to));
    else
      kernels::to_plain(f.team(), *table, f.ptr<const float>(from), e[0], e[1], pixels, f.ptr<float>(to));
  }
  const kernels::ConvTable* table = nullptr;
  Slot from = kNoSlot, to = kNoSlot;
  bool to_blocked = true;
};

}  // namespace

Slot PlanBuilder::in_layout(Value* v, Layout layout) {
  if (const auto it = slots_.find({v, layout}); it != slots_.end()) return it->second;
  const Layout other = layout == Layout::plain ? Layout::blocked16 : Layout::plain;
  const auto it = slots_.find({v, other});
  if (it == slots_.end() && layout == Layout::plain) return slot_of(v);
  const Slot from = it == slots_.end() ? slot_of(v) : it->second;
  TC_CHECK(v->dtype() == DType::f32 && v->shape().ranked() && v->shape().rank() >= 2, "no reorder of ", v->type());
  auto step = std::make_unique<ReorderStep>();
  step->table = &table_.conv;
  step->from = from;
  step->to = new_value(v, v->type(), layout, new_buffer(Storage::arena, -1));
  step->to_blocked = layout == Layout::blocked16;
  step->reads = {from};
  step->writes = {step->to};
  step->node = v->def() ? v->def() : plan_->graph->terminator();
  step->kernel = layout == Layout::blocked16 ? table_.conv.to_blocked.name : table_.conv.to_plain.name;
  const Slot to = step->to;
  add_step(std::move(step));
  return to;
}

}  // namespace tc::cpu
