// Gradients of gathers add up where elements came from; those of scatters fetch from where elements went. Scatters that
// replace or multiply take their indices to be distinct in the former, any in the latter case.
#include "tc/ir/grad.h"

namespace tc {
namespace {

int normalized(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The parts that data and updates have in a scatter, given how to fetch and put elements at its indices.
template <class Fetch, class Put>
void give_scatter(GradContext& ctx, ScatterReduction reduction, Fetch fetch, Put put) {
  Builder& b = ctx.b;
  const Expr data = ctx.in(0), updates = ctx.in(2), y = ctx.out(), g = ctx.seed();
  auto zeros = [&] { return Expr(b, zeros_like(b, data)); };
  switch (reduction) {
    case ScatterReduction::none:
      ctx.give(0, put(g, Expr(b, zeros_like(b, updates)), ScatterReduction::none));
      if (ctx.wanted(2)) ctx.give(2, fetch(g));
      return;
    case ScatterReduction::add:
      ctx.give(0, g);
      if (ctx.wanted(2)) ctx.give(2, fetch(g));
      return;
    case ScatterReduction::mul: {
      if (ctx.wanted(0)) ctx.give(0, put(g, updates, ScatterReduction::mul));
      if (!ctx.wanted(2)) return;
      // The product of the other updates of the same place: where one update is zero, that of all nonzero ones is it.
      const Expr is_zero = equal(updates, 0), safe = where(is_zero, 1, updates);
      const Expr zero_count = fetch(put(zeros(), is_zero.cast(data.dtype()), ScatterReduction::add));
      const Expr product = fetch(put(Expr(b, full_like(b, data, 1)), safe, ScatterReduction::mul));
      const Expr alone = equal(zero_count, is_zero.cast(data.dtype()));
      return ctx.give(2, where(alone, fetch(g * data) * product / safe, 0));
    }
    case ScatterReduction::max:
    case ScatterReduction::min: {
      // Ties share.
      const Expr data_wins = equal(data, y), update_wins = equal(updates, fetch(y));
      const Expr winners = put(data_wins.cast(g.dtype()), update_wins.cast(g.dtype()), ScatterReduction::add);
      const Expr share = g / winners;
      ctx.give(0, where(data_wins, share, 0));
      if (ctx.wanted(2)) ctx.give(2, where(update_wins, fetch(share), 0));
      return;
    }
  }
}

}  // namespace

void Gather::grad(GradContext& ctx) {
  const int axis = normalized(ctx.attrs<Gather>().axis, ctx.rank(0));
  ctx.rank(1);
  ctx.give(0, scatter_add_along(ctx.b, ctx.seed(), ctx.in(1), extent_of(ctx.b, ctx.in(0), axis), axis));
}

void GatherElements::grad(GradContext& ctx) {
  ctx.give(0, ctx.b.make<ScatterElements>({zeros_like(ctx.b, ctx.in(0)), ctx.in(1), ctx.seed()},
                                          {ctx.attrs<GatherElements>().axis, ScatterReduction::add}));
}

void GatherND::grad(GradContext& ctx) {
  ctx.rank(1);
  Value* indices = with_batch_places(ctx.b, ctx.in(1), ctx.in(0), static_cast<int>(ctx.attrs<GatherND>().batch_dims));
  ctx.give(0, ctx.b.make<ScatterND>({zeros_like(ctx.b, ctx.in(0)), indices, ctx.seed()}, {ScatterReduction::add}));
}

void ScatterElements::grad(GradContext& ctx) {
  const auto& a = ctx.attrs<ScatterElements>();
  Builder& b = ctx.b;
  give_scatter(
      ctx, a.reduction,
      [&](Expr v) {
        return Expr(b, b.make<GatherElements>({v, ctx.in(1)}, {a.axis}));
      },
      [&](Expr to, Expr updates, ScatterReduction r) {
        return Expr(b, b.make<ScatterElements>({to, ctx.in(1), updates}, {a.axis, r}));
      });
}

void ScatterND::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  give_scatter(
      ctx, ctx.attrs<ScatterND>().reduction,
      [&](Expr v) {
        return Expr(b, b.make<GatherND>({v, ctx.in(1)}));
      },
      [&](Expr to, Expr updates, ScatterReduction r) {
        return Expr(b, b.make<ScatterND>({to, ctx.in(1), updates}, {r}));
      });
}

void OneHot::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const Expr g = ctx.seed();
  auto total = [&](const std::vector<int64_t>& values) {
    Value* mask = b.make<OneHot>({ctx.in(0), ctx.in(1), Expr(b, b.ints(values)).cast(g.dtype())}, ctx.attrs<OneHot>());
    return unsqueeze(b, b.make<ReduceSum>({g * Expr(b, mask)}, {.keepdims = false}), {0});
  };
  ctx.give(2, b.make<Concat>({total({1, 0}), total({0, 1})}, {0}));
}

void Compress::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  Value *x = ctx.in(0), *places = b.make<Squeeze>({b.make<NonZero>({ctx.in(1)}), b.ints({0})});
  if (const auto& given = ctx.attrs<Compress>().axis) {
    const int axis = normalized(*given, ctx.rank(0));
    return ctx.give(0, scatter_add_along(b, ctx.seed(), places, extent_of(b, x, axis), axis));
  }
  Value* flat = scatter_add_along(b, ctx.seed(), places, unsqueeze(b, count_of(b, x), {0}), 0);
  ctx.give(0, reshape_like(b, flat, x));
}

// The update's entries are fetched from where they went, batch by batch.
void TensorScatter::grad(GradContext& ctx) {
  Builder& b = ctx.b;
  const auto& a = ctx.attrs<TensorScatter>();
  const int rank = ctx.rank(0), axis = normalized(a.axis, rank);
  Value *cache = ctx.in(0), *update = ctx.in(1), *g = ctx.seed();
  Value* starts = ctx.has(2) ? ctx.in(2) : Expr(b, full(b, extent_of(b, cache, 0), DType::i64, 0));
  if (ctx.wanted(0)) ctx.give(0, b.make<TensorScatter>({g, zeros_like(b, update), starts}, a));
  if (!ctx.wanted(1)) return;
  const Expr steps(b, unsqueeze(b, iota(b, extent_of(b, update, axis)), {0}));
  const Expr places = Expr(b, unsqueeze(b, starts, {1})) + steps;
  const Expr wrapped =
      a.mode == TensorScatterMode::circular ? Expr(b, b.make<Mod>({places, extent_of(b, cache, axis)})) : places;
  std::vector<int64_t> front{0, axis}, back;
  for (int k = 1; k < rank; ++k)
    if (k != axis) front.push_back(k);
  for (int k = 0; k < rank; ++k) back.push_back(k == 0 ? 0 : k < axis ? k + 1 : k == axis ? 1 : k);
  Value* fetched = b.make<GatherND>({transpose(b, g, front), unsqueeze(b, wrapped, {-1})}, {.batch_dims = 1});
  ctx.give(1, transpose(b, fetched, back));
}

}  // namespace tc
