// Changes of physical layout between steps: made where a step asks for a layout that the value does not have yet, once
// per value and layout.
#include <algorithm>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/kernels/table.h"

namespace tc::cpu {
namespace {

class ReorderStep : public Step {
 public:
  void run(Frame& f, int) const override {
    const auto e = f.extents(from);
    int64_t pixels = 1;
    for (size_t k = 2; k < e.size(); ++k) pixels *= e[k];
    const auto reorder = [&]<class T>(const auto& kernel_table, const T* x, T* y) {
      if (to_blocked)
        kernels::to_blocked(f.team(), kernel_table, x, e[0], e[1], pixels, y);
      else
        kernels::to_plain(f.team(), kernel_table, x, e[0], e[1], pixels, y);
    };
    if (bytes)
      reorder(table->int8, f.ptr<const uint8_t>(from), f.ptr<uint8_t>(to));
    else
      reorder(table->conv, f.ptr<const float>(from), f.ptr<float>(to));
  }
  const kernels::Table* table = nullptr;
  Slot from = kNoSlot, to = kNoSlot;
  bool to_blocked = true, bytes = false;
};

// Whether a value lies the same way in both layouts: one pixel of whole blocks.
bool lies_the_same(const Shape& shape) {
  const auto one = [](const Dim& d) { return d.is_const() && d.value() == 1; };
  return std::all_of(shape.dims().begin() + 2, shape.dims().end(), one) && shape[1].is_const() &&
         shape[1].value() % 16 == 0;
}

}  // namespace

Slot PlanBuilder::in_layout(Value* v, Layout layout) {
  if (const auto it = slots_.find({v, layout}); it != slots_.end()) return it->second;
  const Layout other = layout == Layout::plain ? Layout::blocked16 : Layout::plain;
  const auto it = slots_.find({v, other});
  if (it == slots_.end() && layout == Layout::plain) return slot_of(v);
  const Slot from = it == slots_.end() ? slot_of(v) : it->second;
  const bool bytes = size_of(v->dtype()) == 1;
  TC_CHECK(blocks_of(v->dtype()) && v->shape().ranked() && v->shape().rank() >= 2, "no reorder of ", v->type());
  const int buffer = plan_->values[static_cast<size_t>(from)].buffer;
  if (lies_the_same(v->shape()) && plan_->buffers[static_cast<size_t>(buffer)].storage == Storage::arena)
    return new_value(v, v->type(), layout, buffer);
  auto step = std::make_unique<ReorderStep>();
  step->table = &table_;
  step->bytes = bytes;
  step->from = from;
  step->to = new_value(v, v->type(), layout, new_buffer(Storage::arena, -1));
  step->to_blocked = layout == Layout::blocked16;
  step->reads = {from};
  step->writes = {step->to};
  // Of a graph's input: the node that wants it so.
  step->node = v->def() ? v->def() : binding_ ? binding_ : plan_->graph->terminator();
  const auto name = [&](const auto& kernels) {
    return layout == Layout::blocked16 ? kernels.to_blocked.name : kernels.to_plain.name;
  };
  step->kernel = bytes ? name(table_.int8) : name(table_.conv);
  const Slot to = step->to;
  add_step(std::move(step));
  return to;
}

}  // namespace tc::cpu
