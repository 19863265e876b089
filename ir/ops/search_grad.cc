#include "tc/ir/grad.h"

namespace tc {

void TopK::grad(GradContext& ctx) {
  if (!ctx.has_seed(0)) return;
  ctx.give(0, ctx.b.make<ScatterElements>({zeros_like(ctx.b, ctx.in(0)), ctx.out(1), ctx.seed()},
                                          {ctx.attrs<TopK>().axis, ScatterReduction::none}));
}

// Of equal elements the first stands for all.
void Unique::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Value *x = ctx.in(0), *places = ctx.out(1);
  if (const auto& given = ctx.attrs<Unique>().axis) {
    const int rank = ctx.rank(0), axis = static_cast<int>(*given < 0 ? *given + rank : *given);
    return ctx.give(0, scatter_add_along(b, ctx.seed(), places, extent_of(b, x, axis), axis));
  }
  Value* flat = scatter_add_along(b, ctx.seed(), places, unsqueeze(b, count_of(b, x), {0}), 0);
  ctx.give(0, reshape_like(b, flat, x));
}

}  // namespace tc
