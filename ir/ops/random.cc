#include "tc/ir/ops/random.h"

#include "tc/ir/builder.h"

namespace tc {
namespace {

DType checked(InferContext& ctx, DType t) {
  const DTypeSet allowed = ctx.node().info().facts->set_of(ctx.node().info().facts->signature.result(0).variable);
  if (!allowed.has(t))
    ctx.fail(ErrorCode::bad_attribute, ctx.node().op(), " of element type ", t, "; allowed element types: ", allowed);
  return t;
}

void check(InferContext& ctx, const NormalDistribution& d) {
  if (!(d.scale >= 0)) ctx.fail(ErrorCode::bad_attribute, "a normal distribution of deviation ", d.scale);
}

void check(InferContext& ctx, const UniformDistribution& d) {
  if (!(d.low <= d.high)) ctx.fail(ErrorCode::bad_attribute, "a uniform distribution from ", d.low, " to ", d.high);
}

template <class Op>
void infer_shaped(InferContext& ctx) {
  const auto& a = ctx.attrs<Op>();
  check(ctx, a);
  for (const int64_t d : a.shape)
    if (d < 0) ctx.fail(ErrorCode::bad_attribute, "negative extent ", d);
  ctx.set(0, checked(ctx, a.dtype), Shape::of(a.shape));
}

template <class Op>
void infer_like(InferContext& ctx) {
  const auto& a = ctx.attrs<Op>();
  check(ctx, a);
  ctx.set(0, checked(ctx, a.dtype.value_or(ctx.dtype(0))), ctx.shape(0));
}

}  // namespace

void RandomNormal::infer(InferContext& ctx) {
  infer_shaped<RandomNormal>(ctx);
}

void RandomNormalLike::infer(InferContext& ctx) {
  infer_like<RandomNormalLike>(ctx);
}

void RandomUniform::infer(InferContext& ctx) {
  infer_shaped<RandomUniform>(ctx);
}

void RandomUniformLike::infer(InferContext& ctx) {
  infer_like<RandomUniformLike>(ctx);
}

void Bernoulli::infer(InferContext& ctx) {
  ctx.set(0, checked(ctx, ctx.attrs<Bernoulli>().dtype.value_or(ctx.dtype(0))), ctx.shape(0));
}

std::vector<Value*> Bernoulli::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<Bernoulli>();
  Value* p = node.operand(0);
  RandomUniformLike::Attrs uniform;
  uniform.dtype = DType::f64;
  uniform.seed = a.seed;
  Value* drawn = b.make<RandomUniformLike>({p}, uniform);
  Value* below = b.make<Less>({drawn, b.make<Cast>({p}, {.to = DType::f64})});
  return {b.make<Cast>({below}, {.to = a.dtype.value_or(p->dtype())})};
}

void Multinomial::infer(InferContext& ctx) {
  const auto& a = ctx.attrs<Multinomial>();
  if (a.sample_size < 0) ctx.fail(ErrorCode::bad_attribute, "sample_size is ", a.sample_size);
  ctx.expect_rank(0, 2);
  const Shape& x = ctx.shape(0);
  ctx.set(0, checked(ctx, a.dtype), Shape{x.ranked() ? x[0] : ctx.fresh(), Dim(a.sample_size)});
}

}  // namespace tc
