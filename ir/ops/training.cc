#include "tc/ir/ops/training.h"

#include "tc/ir/builder.h"
#include "tc/ir/shape_math.h"

namespace tc {
namespace {

// Operands r and t, then `states` + 2 groups of tensors; results: the groups but the gradients.
void infer_optimizer(InferContext& ctx, int states) {
  for (const int i : {0, 1}) {
    const Shape& s = ctx.shape(i);
    if (s.ranked() && s.is_static() && (s.rank() > 1 || !s.count().is(1)))
      ctx.fail(ErrorCode::bad_shape, "operand '", ctx.node().info().facts->signature.operand(i).name, "' of ",
               ctx.node().op(), " must be a scalar, got ", ctx.type(i));
  }
  const int groups = states + 2, tensors = (ctx.num_operands() - 2) / groups;
  if (tensors < 1 || ctx.num_operands() != 2 + groups * tensors)
    ctx.fail(ErrorCode::bad_graph, ctx.node().op(), " takes r, t and ", groups, " tensors for each one to train, got ",
             ctx.num_operands(), " operands");
  if (ctx.num_results() != tensors * (groups - 1))
    ctx.fail(ErrorCode::bad_graph, ctx.node().op(), " of ", tensors, " tensors has ", tensors * (groups - 1),
             " results, not ", ctx.num_results());
  for (int k = 0; k < tensors; ++k)
    for (int g = 0; g < groups; ++g) {
      const int i = 2 + g * tensors + k;
      if (!ctx.has(i)) ctx.fail(ErrorCode::bad_graph, "operand ", i, " of ", ctx.node().op(), " is missing");
      if (!compatible(ctx.type(2 + k), ctx.type(i)))
        ctx.fail(ErrorCode::bad_type, "operand ", i, " of ", ctx.node().op(), " must be ", ctx.type(2 + k),
                 " as the tensor that it belongs to, got ", ctx.type(i));
      if (g == 1) continue;
      // Either shape may know extents that the other one lacks.
      Shape shape = ctx.shape(i).ranked() ? ctx.shape(i) : ctx.shape(2 + k);
      if (ctx.shape(2 + k).ranked()) {
        Dims dims = shape.dims();
        for (int axis = 0; axis < shape.rank(); ++axis)
          dims[static_cast<size_t>(axis)] = same_extent(shape[axis], ctx.shape(2 + k)[axis], "a tensor and its state");
        shape = Shape(std::move(dims));
      }
      ctx.set((g == 0 ? 0 : g - 1) * tensors + k, ctx.dtype(i), shape);
    }
}

// The values of one tensor while its step is being built, all of its element type.
class Step {
 public:
  Step(Builder& b, const Node& node, int groups, int k) : b_(b), node_(node), k_(k) {
    tensors_ = (node.num_operands() - 2) / groups;
    r = scalar(node.operand(0)), t = scalar(node.operand(1));
  }
  Value* group(int g) const { return node_.operand(2 + g * tensors_ + k_); }
  Value* number(double v) const { return b_.scalar_like(group(0)->dtype(), v); }
  Value* add(Value* x, Value* y) const { return b_.make<Add>({x, y}); }
  Value* sub(Value* x, Value* y) const { return b_.make<Sub>({x, y}); }
  Value* mul(Value* x, Value* y) const { return b_.make<Mul>({x, y}); }
  Value* div(Value* x, Value* y) const { return b_.make<Div>({x, y}); }
  Value* scaled(double factor, Value* x) const { return mul(number(factor), x); }
  // The gradient of the loss with norm_coefficient / 2 |x|^2.
  Value* gradient(double norm_coefficient) const {
    return norm_coefficient == 0 ? group(1) : add(scaled(norm_coefficient, group(0)), group(1));
  }
  // `later` after the first update, `first` in it.
  Value* unless_first(Value* later, Value* first) const {
    return b_.make<Where>({b_.make<Greater>({t, number(0)}), later, first});
  }

  Value *r = nullptr, *t = nullptr;

 private:
  Value* scalar(Value* v) const {
    if (v->dtype() != group(0)->dtype()) v = b_.make<Cast>({v}, {.to = group(0)->dtype()});
    return v->shape() == Shape(Dims()) ? v : b_.make<Reshape>({v, b_.ints({})});
  }
  Builder& b_;
  const Node& node_;
  int k_, tensors_ = 0;
};

// step(s) gives the results of one tensor, one per group; they are handed out group by group.
template <class F>
std::vector<Value*> for_each_tensor(Builder& b, const Node& node, int states, F&& step) {
  const int groups = states + 2, tensors = (node.num_operands() - 2) / groups;
  std::vector<Value*> results(static_cast<size_t>(tensors * (groups - 1)));
  for (int k = 0; k < tensors; ++k) {
    const std::vector<Value*> made = step(Step(b, node, groups, k));
    for (size_t g = 0; g < made.size(); ++g)
      results[g * static_cast<size_t>(tensors) + static_cast<size_t>(k)] = made[g];
  }
  return results;
}

}  // namespace

void Adagrad::infer(InferContext& ctx) {
  infer_optimizer(ctx, 1);
}

std::vector<Value*> Adagrad::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<Adagrad>();
  return for_each_tensor(b, node, 1, [&](const Step& s) -> std::vector<Value*> {
    Value* rate = s.div(s.r, s.add(s.number(1), s.scaled(a.decay_factor, s.t)));
    Value* g = s.gradient(a.norm_coefficient);
    Value* h = s.add(s.group(2), s.mul(g, g));
    Value* scale = s.add(b.make<Sqrt>({h}), s.number(a.epsilon));
    return {s.sub(s.group(0), s.div(s.mul(rate, g), scale)), h};
  });
}

void Adam::infer(InferContext& ctx) {
  infer_optimizer(ctx, 2);
}

std::vector<Value*> Adam::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<Adam>();
  return for_each_tensor(b, node, 2, [&](const Step& s) -> std::vector<Value*> {
    Value* g = s.gradient(a.norm_coefficient);
    Value* v = s.add(s.scaled(a.alpha, s.group(2)), s.scaled(1 - a.alpha, g));
    Value* h = s.add(s.scaled(a.beta, s.group(3)), s.scaled(1 - a.beta, s.mul(g, g)));
    // Not 0 where it is not used: its gradient would be infinite.
    const auto rest = [&](double share) {
      return s.unless_first(s.sub(s.number(1), b.make<Pow>({s.number(share), s.t})), s.number(1));
    };
    Value* corrected = s.div(s.mul(s.r, b.make<Sqrt>({rest(a.beta)})), rest(a.alpha));
    Value* rate = s.unless_first(corrected, s.r);
    Value* x = s.sub(s.group(0), s.div(s.mul(rate, v), s.add(b.make<Sqrt>({h}), s.number(a.epsilon))));
    if (a.norm_coefficient_post != 0) x = s.scaled(1 - a.norm_coefficient_post, x);
    return {x, v, h};
  });
}

void Momentum::infer(InferContext& ctx) {
  infer_optimizer(ctx, 1);
}

std::vector<Value*> Momentum::decompose(Builder& b, const Node& node) {
  const auto& a = node.attrs<Momentum>();
  return for_each_tensor(b, node, 1, [&](const Step& s) -> std::vector<Value*> {
    Value* g = s.gradient(a.norm_coefficient);
    Value* share = s.unless_first(s.number(a.beta), s.number(1));
    Value* v = s.add(s.scaled(a.alpha, s.group(2)), s.mul(share, g));
    Value* direction = a.mode == MomentumMode::nesterov ? s.add(g, s.scaled(a.alpha, v)) : v;
    return {s.sub(s.group(0), s.mul(s.r, direction)), v};
  });
}

}  // namespace tc
