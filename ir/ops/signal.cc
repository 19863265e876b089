#include "tc/ir/ops/signal.h"

#include <numbers>

#include "tc/ir/builder.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

void expect_scalar(InferContext& ctx, int i) {
  const Shape& s = ctx.shape(i);
  if (s.ranked() && s.is_static() && (s.rank() > 1 || !s.count().is(1)))
    ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
             ctx.node().op(), " must be a scalar, got ", ctx.type(i));
}

// The only element of operand i, at least `least`, where it is known.
std::optional<Dim> scalar(InferContext& ctx, int i, int64_t least) {
  expect_scalar(ctx, i);
  const Dims* c = ctx.contents(i);
  if (!c || c->size() != 1) return std::nullopt;
  const Dim& d = (*c)[0];
  if (d.is_const() && d.value() < least)
    ctx.fail(ErrorCode::bad_value, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
             ctx.node().op(), " must be at least ", least, ", got ", d);
  return d;
}

// A last axis of 1 (real numbers) or 2 (complex ones).
void expect_numbers(InferContext& ctx, const Dim& last, bool real_only) {
  if (last.is_const() && !last.is(1) && !last.is(2))
    ctx.fail(ErrorCode::bad_shape, "the last axis of operand 0 of ", ctx.node().op(),
             " holds real (1) or complex (2) numbers, got ", ctx.type(0));
  if (real_only && last.is(2))
    ctx.fail(ErrorCode::bad_shape, "the one-sided spectrum is that of real numbers, got ", ctx.type(0));
}

void expect_numeric(InferContext& ctx, DType t) {
  if (!dtypes::numeric.has(t))
    ctx.fail(ErrorCode::bad_attribute, "output_datatype ", t, "; allowed element types: ", dtypes::numeric);
}

std::vector<Value*> cosine_window(Builder& b, const Node& node, const CosineWindow::Attrs& a,
                                  const CosineWindow::Terms& w) {
  constexpr DType t = DType::f64;
  Value* size = b.make<Cast>({node.operand(0)}, {.to = t});
  if (size->shape() != Shape(Dims())) size = b.make<Reshape>({size, b.ints({})});
  Value *zero = b.scalar_like(t, 0), *one = b.scalar_like(t, 1);
  Value* i = b.make<Range>({zero, size, one});
  Value* n = a.periodic ? size : b.make<Sub>({size, one});
  Value* angle = b.make<Div>({b.make<Mul>({i, b.scalar_like(t, 2 * std::numbers::pi)}), n});
  Value* y = b.make<Sub>({b.scalar_like(t, w.a), b.make<Mul>({b.make<Cos>({angle}), b.scalar_like(t, w.b)})});
  if (w.c != 0) {
    Value* twice = b.make<Cos>({b.make<Mul>({angle, b.scalar_like(t, 2)})});
    y = b.make<Add>({y, b.make<Mul>({twice, b.scalar_like(t, w.c)})});
  }
  y = b.make<Where>({b.make<Equal>({size, one}), one, y});
  return {b.make<Cast>({y}, {.to = a.output_dtype})};
}

}  // namespace

void DFT::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<DFT>();
  std::optional<Dim> length;
  if (ctx.has(1)) length = scalar(ctx, 1, 1);
  if (ctx.has(2)) expect_scalar(ctx, 2);
  const Shape& x = ctx.shape(0);
  if (!x.ranked()) return ctx.set(0, Shape());
  if (x.rank() < 2) ctx.fail(ErrorCode::bad_shape, "dft needs rank 2 or more, got ", ctx.type(0));
  expect_numbers(ctx, x[x.rank() - 1], a.onesided && !a.inverse);
  Dims dims = x.dims();
  dims.back() = a.onesided && a.inverse ? 1 : 2;
  const auto given = ctx.has(2) ? ctx.ints(2) : std::vector<int64_t>{kDefaultAxis};
  if (!given || given->size() != 1) {
    for (int i = 0; i + 1 < x.rank(); ++i) dims[static_cast<size_t>(i)] = ctx.fresh();
    return ctx.set(0, Shape(std::move(dims)));
  }
  const int axis = ctx.axis((*given)[0], x.rank());
  if (axis == x.rank() - 1)
    ctx.fail(ErrorCode::bad_attribute, "dft along the last axis of ", ctx.type(0), ", which holds the complex parts");
  Dim& d = dims[static_cast<size_t>(axis)];
  if (!ctx.has(1)) length = a.onesided && a.inverse ? max((d - Dim(1)) * Dim(2), 0) : d;
  if (length && a.onesided && !a.inverse) length = floordiv(*length, 2) + Dim(1);
  d = length ? *length : ctx.fresh();
  ctx.set(0, Shape(std::move(dims)));
}

void STFT::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<STFT>();
  ctx.expect_rank(0, 3);
  const Shape& x = ctx.shape(0);
  if (x.ranked()) expect_numbers(ctx, x[2], a.onesided);
  const auto step = scalar(ctx, 1, 1);
  std::optional<Dim> signal, window, length;
  if (x.ranked()) signal = x[1];
  if (ctx.has(2)) {
    ctx.expect_rank(2, 1);
    if (ctx.shape(2).ranked()) window = ctx.shape(2)[0];
  }
  length = ctx.has(3) ? scalar(ctx, 3, 1) : ctx.has(2) ? window : signal;
  if (length && window && length->is_const() && window->is_const() && window->value() > length->value())
    ctx.fail(ErrorCode::bad_shape, "a window of ", *window, " elements for frames of ", *length);
  Dims dims{x.ranked() ? x[0] : ctx.fresh(), Dim(), Dim(), Dim(2)};
  dims[1] = signal && length && step ? max(floordiv(*signal - *length, *step) + Dim(1), 0) : ctx.fresh();
  dims[2] = !length ? ctx.fresh() : a.onesided ? floordiv(*length, 2) + Dim(1) : *length;
  ctx.set(0, Shape(std::move(dims)));
}

void CosineWindow::infer(InferContext& ctx) {
  const DType t = static_cast<const Attrs*>(ctx.node().raw_attrs().get())->output_dtype;
  expect_numeric(ctx, t);
  const auto size = scalar(ctx, 0, 0);
  ctx.set(0, t, Shape{size ? *size : ctx.fresh()});
}

std::vector<Value*> HannWindow::decompose(Builder& b, const Node& node) {
  return cosine_window(b, node, node.attrs<HannWindow>(), terms);
}

std::vector<Value*> HammingWindow::decompose(Builder& b, const Node& node) {
  return cosine_window(b, node, node.attrs<HammingWindow>(), terms);
}

std::vector<Value*> BlackmanWindow::decompose(Builder& b, const Node& node) {
  return cosine_window(b, node, node.attrs<BlackmanWindow>(), terms);
}

void MelWeightMatrix::infer(InferContext& ctx) {
  const DType t = ctx.attrs<MelWeightMatrix>().output_dtype;
  expect_numeric(ctx, t);
  const auto bins = scalar(ctx, 0, 0), length = scalar(ctx, 1, 0);
  scalar(ctx, 2, 1);
  for (const int i : {3, 4}) expect_scalar(ctx, i);
  ctx.set(0, t, Shape{length ? floordiv(*length, 2) + Dim(1) : ctx.fresh(), bins ? *bins : ctx.fresh()});
}

}  // namespace tc
