// Gradients of the elementwise ops: those of elementwise.def from its rows, the others below. Where several operands
// tie for a maximum or minimum, each gets an equal share; at the bounds of clip x gets nothing.
#include <numbers>

#include "tc/ir/grad.h"

namespace tc {
namespace {

constexpr struct Zero {
} kZero;

void give(GradContext& ctx, int i, const Expr& gradient) {
  ctx.give(i, gradient);
}
void give(GradContext&, int, Zero) {}
// The header knows a row's gradient by its spelling alone.
template <typename T>
constexpr bool is_zero = std::is_same_v<std::remove_cvref_t<T>, Zero>;

void give_extreme(GradContext& ctx) {
  const int n = ctx.node().num_operands();
  const Expr y = ctx.out(), g = ctx.seed();
  if (n == 1) return ctx.give(0, g);
  Value* ties = nullptr;
  for (int i = 0; i < n; ++i) {
    const Expr ties_i = equal(ctx.in(i), y).cast(y.dtype());
    ties = ties ? Expr(ctx.b, ties) + ties_i : ties_i;
  }
  const Expr share = g / Expr(ctx.b, ties);
  for (int i = 0; i < n; ++i)
    if (ctx.wanted(i)) ctx.give(i, where(equal(ctx.in(i), y), share, 0));
}

}  // namespace

#define TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx)              \
  void Name::grad(GradContext& ctx) {                                         \
    [[maybe_unused]] const Expr x = ctx.in(0), y = ctx.out(), g = ctx.seed(); \
    static_assert(Name::piecewise_constant == is_zero<decltype(dx)>);         \
    give(ctx, 0, dx);                                                         \
  }
#define TC_UNARY_REAL(Name, spelling, since, types, doc, f, dx) TC_UNARY_FLOAT(Name, spelling, since, types, doc, f, dx)
#define TC_UNARY_1(Name, spelling, since, types, doc, f, dx, p, p0)           \
  void Name::grad(GradContext& ctx) {                                         \
    [[maybe_unused]] const Expr x = ctx.in(0), y = ctx.out(), g = ctx.seed(); \
    [[maybe_unused]] const double p = ctx.attrs<Name>().p;                    \
    give(ctx, 0, dx);                                                         \
  }
#define TC_UNARY_2(Name, spelling, since, types, doc, f, dx, p, p0, q, q0)          \
  void Name::grad(GradContext& ctx) {                                               \
    [[maybe_unused]] const Expr x = ctx.in(0), y = ctx.out(), g = ctx.seed();       \
    [[maybe_unused]] const double p = ctx.attrs<Name>().p, q = ctx.attrs<Name>().q; \
    give(ctx, 0, dx);                                                               \
  }
#define TC_BINARY(Name, spelling, since, types, commuting, doc, f, da, db)                   \
  void Name::grad(GradContext& ctx) {                                                        \
    [[maybe_unused]] const Expr a = ctx.in(0), b = ctx.in(1), y = ctx.out(), g = ctx.seed(); \
    if (ctx.wanted(0)) ctx.give(0, da);                                                      \
    if (ctx.wanted(1)) ctx.give(1, db);                                                      \
  }
#include "tc/ir/ops/elementwise.def"

void Max::grad(GradContext& ctx) {
  give_extreme(ctx);
}
void Min::grad(GradContext& ctx) {
  give_extreme(ctx);
}

void Sum::grad(GradContext& ctx) {
  for (int i = 0; i < ctx.node().num_operands(); ++i) ctx.give(i, ctx.seed());
}
void Mean::grad(GradContext& ctx) {
  const int n = ctx.node().num_operands();
  const Expr share = ctx.seed() / n;
  for (int i = 0; i < n; ++i) ctx.give(i, share);
}

// The quotient is constant but where it jumps.
void Mod::grad(GradContext& ctx) {
  const Expr g = ctx.seed();
  ctx.give(0, g);
  if (!ctx.wanted(1)) return;
  const Expr q = ctx.in(0) / ctx.in(1);
  ctx.give(1, -g * (ctx.attrs<Mod>().fmod ? sign(q) * floor(abs(q)) : floor(q)));
}

// x^y with y = 0 is constant in x; 0^y is taken as constant in y.
void Pow::grad(GradContext& ctx) {
  const Expr x = ctx.in(0), z = ctx.out(), g = ctx.seed();
  const Expr y = ctx.in(1).cast(x.dtype());
  if (ctx.wanted(0)) {
    const Expr none = equal(y, 0);
    ctx.give(0, where(none, 0, g * y * pow(x, where(none, 1, y - 1))));
  }
  if (ctx.wanted(1)) ctx.give(1, (g * z * log(where(equal(x, 0), 1, x))).cast(ctx.in(1).dtype()));
}

void Where::grad(GradContext& ctx) {
  const Expr c = ctx.in(0), g = ctx.seed();
  if (ctx.wanted(1)) ctx.give(1, where(c, g, 0));
  if (ctx.wanted(2)) ctx.give(2, where(c, 0, g));
}

void Clip::grad(GradContext& ctx) {
  const Expr x = ctx.in(0), g = ctx.seed();
  Value* raised = x;  // max(x, min)
  Value* inside = nullptr;
  if (ctx.has(1)) {
    raised = x.make<Max>(ctx.in(1));
    inside = x > ctx.in(1);
  }
  if (ctx.has(2)) {
    const Expr below = Expr(ctx.b, raised) < ctx.in(2);
    if (ctx.wanted(2)) ctx.give(2, where(Expr(ctx.b, raised) > ctx.in(2), g, 0));
    if (ctx.wanted(1)) ctx.give(1, where(both(x < ctx.in(1), below), g, 0));
    inside = inside ? both(Expr(ctx.b, inside), below) : below;
  } else if (ctx.wanted(1)) {
    ctx.give(1, where(x < ctx.in(1), g, 0));
  }
  ctx.give(0, inside ? where(Expr(ctx.b, inside), g, 0) : g);
}

void Cast::grad(GradContext& ctx) {
  ctx.give(0, ctx.seed().cast(ctx.in(0).dtype()));
}

void Gelu::grad(GradContext& ctx) {
  const Expr x = ctx.in(0), g = ctx.seed();
  if (ctx.attrs<Gelu>().approximate == GeluApproximation::tanh) {
    const double slope = std::numbers::sqrt2 * std::numbers::inv_sqrtpi, cube = 0.044715;
    const Expr t = tanh(slope * x * (1 + cube * square(x)));
    return ctx.give(0, g * (0.5 * (1 + t) + 0.5 * slope * x * (1 - square(t)) * (1 + 3 * cube * square(x))));
  }
  const double density = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  ctx.give(0, g * (0.5 * (1 + erf(x / std::numbers::sqrt2)) + density * x * exp(-0.5 * square(x))));
}

void SwiGLU::grad(GradContext& ctx) {
  const double alpha = ctx.attrs<SwiGLU>().alpha;
  const Expr a = ctx.in(0), g = ctx.seed(), s = sigmoid(alpha * a);
  if (ctx.wanted(0)) ctx.give(0, g * ctx.in(1) * s * (1 + alpha * a * sigmoid(-alpha * a)));
  if (ctx.wanted(1)) ctx.give(1, g * a * s);
}

// The mask tells what was kept; outside training all was, unscaled.
void Dropout::grad(GradContext& ctx) {
  if (!ctx.has_seed(0)) return;
  const Expr g = ctx.seed();
  if (!ctx.has(2)) return ctx.give(0, g);
  const Expr ratio = ctx.has(1) ? ctx.in(1).cast(g.dtype()) : g.number(0.5);
  const Expr training = ctx.in(2);
  ctx.give(0, where(ctx.out(1), g * where(training, 1 / (1 - ratio), 1), 0));
}

}  // namespace tc
