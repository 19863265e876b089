#include "tc/ir/ops/elementwise.h"

#include <algorithm>
#include <limits>

#include "tc/ir/ops.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

std::optional<Dim> known(std::optional<bool> b) {
  return b ? std::optional<Dim>(Dim(*b ? 1 : 0)) : std::nullopt;
}

std::optional<bool> less(const Dim& a, const Dim& b) {
  if ((b - a).lower_bound() >= 1) return true;
  if ((a - b).lower_bound() >= 0) return false;
  return std::nullopt;
}

std::optional<bool> negation(std::optional<bool> b) {
  return b ? std::optional<bool>(!*b) : b;
}

std::optional<bool> equal(const Dim& a, const Dim& b) {
  if (a == b) return true;
  if (less(a, b) == true || less(b, a) == true) return false;
  return std::nullopt;
}

bool nonnegative(const Dim& a) {
  return a.lower_bound() >= 0;
}

std::optional<Dim> unary_content(const Node& node, const Dim& x) {
  switch (node.op()) {
    case OpId::Neg:
      return Dim(0) - x;
    case OpId::Abs:
      if (nonnegative(x)) return x;
      if (nonnegative(Dim(0) - x)) return Dim(0) - x;
      return std::nullopt;
    case OpId::Relu:
      return max(x, Dim(0));
    case OpId::Not:
      return known(equal(x, Dim(0)));
    case OpId::Max:
    case OpId::Min:
      return x;
    default:
      return std::nullopt;
  }
}

std::optional<Dim> binary_content(const Node& node, const Dim& a, const Dim& b) {
  switch (node.op()) {
    case OpId::Add:
      return a + b;
    case OpId::Sub:
      return a - b;
    case OpId::Mul:
      return a * b;
    case OpId::Div:
      if (b.is(0)) return std::nullopt;
      if (a.is_const() && b.is_const()) {
        if (b.is(-1)) return Dim(0) - a;
        return Dim(a.value() / b.value());
      }
      if (nonnegative(a) && nonnegative(b)) return floordiv(a, b);
      return std::nullopt;
    case OpId::Mod:
      if (b.is(0) || (node.attrs<Mod>().fmod && !(nonnegative(a) && nonnegative(b)))) return std::nullopt;
      return mod(a, b);
    case OpId::Max:
      return max(a, b);
    case OpId::Min:
      return min(a, b);
    case OpId::Equal:
      return known(equal(a, b));
    case OpId::Less:
      return known(less(a, b));
    case OpId::Greater:
      return known(less(b, a));
    case OpId::LessOrEqual:
      return known(negation(less(b, a)));
    case OpId::GreaterOrEqual:
      return known(negation(less(a, b)));
    case OpId::And:
      if (a.is(0) || b.is(0)) return Dim(0);
      return a.is_const() && b.is_const() ? std::optional<Dim>(Dim(1)) : std::nullopt;
    case OpId::Or:
      if ((a.is_const() && !a.is(0)) || (b.is_const() && !b.is(0))) return Dim(1);
      return a.is_const() && b.is_const() ? std::optional<Dim>(Dim(0)) : std::nullopt;
    case OpId::Xor:
      return a.is_const() && b.is_const() ? std::optional<Dim>(Dim(a == b ? 0 : 1)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Contents hold what the element type can hold.
bool fits(DType t, const Dim& d) {
  if (t == DType::boolean) return d.is(0) || d.is(1);
  if (t == DType::i32 && d.is_const())
    return d.value() >= std::numeric_limits<int32_t>::min() && d.value() <= std::numeric_limits<int32_t>::max();
  return t == DType::i64 || t == DType::i32;
}

std::optional<Dims> follow(InferContext& ctx) {
  const Node& node = ctx.node();
  const int n = ctx.num_operands();
  size_t count = 1;
  std::vector<const Dims*> operands;
  for (int i = 0; i < n; ++i) {
    const Dims* c = ctx.contents(i);
    if (!c || !ctx.shape(i).ranked() || ctx.shape(i).rank() > 1) return std::nullopt;
    operands.push_back(c);
    if (c->size() != 1) count = c->size();
  }
  if (count > static_cast<size_t>(kMaxContents)) return std::nullopt;
  for (const Dims* c : operands)
    if (c->size() != 1 && c->size() != count) return std::nullopt;
  Dims result;
  for (size_t k = 0; k < count; ++k) {
    auto at = [&](int i) -> const Dim& {
      const Dims& c = *operands[static_cast<size_t>(i)];
      return c[c.size() == 1 ? 0 : k];
    };
    std::optional<Dim> d;
    if (node.is<Where>()) {
      if (at(0).is_const())
        d = at(0).is(0) ? at(2) : at(1);
      else if (at(1) == at(2))
        d = at(1);
    } else if (n == 1) {
      d = unary_content(node, at(0));
    } else {
      d = at(0);
      for (int i = 1; i < n && d; ++i) d = binary_content(node, *d, at(i));
    }
    if (!d) return std::nullopt;
    result.push_back(*d);
  }
  return result;
}

void note(InferContext& ctx, const std::optional<Dims>& contents) {
  if (!contents) return;
  const DType t = ctx.node().result(0)->dtype();
  if (!(dtypes::ints | DType::boolean).has(t)) return;
  if (std::all_of(contents->begin(), contents->end(), [&](const Dim& d) { return fits(t, d); }))
    ctx.set_contents(0, *contents);
}

// An expression that overflows is no failure of inference: its value is unknown.
template <class F>
void note_if_known(InferContext& ctx, F&& f) {
  try {
    note(ctx, f());
  } catch (const Error& e) {
    if (e.diagnostic().code != ErrorCode::limit_size) throw;
  }
}

void expect_one_element(InferContext& ctx, int i) {
  if (!ctx.has(i) || !ctx.shape(i).ranked()) return;
  for (const Dim& d : ctx.shape(i).dims())
    if (d.is_const() && !d.is(1))
      ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
               ctx.node().op(), " must be a scalar, got ", ctx.type(i));
}

}  // namespace

void ElementwiseOp::infer(InferContext& ctx) {
  Broadcasting::infer(ctx);
  if (ctx.node().is<PRelu>()) {
    const Shape &x = ctx.shape(0), &slope = ctx.shape(1);
    if (x.ranked() && slope.ranked()) {
      if (slope.rank() > x.rank()) ctx.fail(ErrorCode::bad_shape, "slope ", slope, " does not broadcast to ", x);
      ctx.set(0, x);
    }
  }
  note_if_known(ctx, [&] { return follow(ctx); });
}

void Clip::infer(InferContext& ctx) {
  ctx.set(0, ctx.shape(0));
  expect_one_element(ctx, 1);
  expect_one_element(ctx, 2);
  note_if_known(ctx, [&]() -> std::optional<Dims> {
    const Dims* x = ctx.contents(0);
    if (!x) return std::nullopt;
    Dims result = *x;
    for (int i = 1; i <= 2; ++i) {
      if (!ctx.has(i)) continue;
      const Dims* bound = ctx.contents(i);
      if (!bound || bound->size() != 1) return std::nullopt;
      for (Dim& d : result) d = i == 1 ? max(d, (*bound)[0]) : min(d, (*bound)[0]);
    }
    return result;
  });
}

void Cast::infer(InferContext& ctx) {
  const DType to = ctx.attrs<Cast>().to;
  if (!facts.set_of('U').has(to)) ctx.fail(ErrorCode::bad_attribute, "cannot cast to ", to);
  ctx.set(0, to, ctx.shape(0));
  note_if_known(ctx, [&]() -> std::optional<Dims> {
    const Dims* x = ctx.contents(0);
    if (!x) return std::nullopt;
    Dims result = *x;
    if (to == DType::boolean)
      for (Dim& d : result) {
        const auto zero = equal(d, Dim(0));
        if (!zero) return std::nullopt;
        d = Dim(*zero ? 0 : 1);
      }
    return result;
  });
}

void BitCast::infer(InferContext& ctx) {
  const DType from = ctx.dtype(0), to = ctx.attrs<BitCast>().to;
  if (to == DType::str || tc::info(from).bits != tc::info(to).bits)
    ctx.fail(ErrorCode::bad_attribute, "the bits of ", from, " (", tc::info(from).bits, ") cannot be read as ", to,
             " (", tc::info(to).bits, ")");
  ctx.set(0, to, ctx.shape(0));
}

void Dropout::infer(InferContext& ctx) {
  expect_one_element(ctx, 1);
  expect_one_element(ctx, 2);
  ctx.set(0, ctx.shape(0));
  ctx.set(1, ctx.shape(0));
}

}  // namespace tc
