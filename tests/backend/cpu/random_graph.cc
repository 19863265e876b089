#include "random_graph.h"

#include <cmath>

#include "tc/ir/builder.h"

namespace tc {
namespace {

constexpr int64_t kChannels[] = {3, 16, 20, 32};

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed), module_(std::make_unique<Module>()), b_(module_->main()) {}

  std::unique_ptr<Module> run() {
    const Dim n = Dim::symbol("N"), h = Dim::symbol("H"), w = Dim::symbol("W"), c = kChannels[pick(4)];
    Graph& g = module_->main();
    const Type image = Type::tensor(DType::f32, Shape({n, c, h, w}));
    values_ = {g.add_input(image, "a"), g.add_input(image, "b"),
               g.add_input(Type::tensor(DType::f32, Shape({h, w})), "c")};
    const size_t nodes = 4 + pick(16);
    while (g.nodes().size() < nodes * 2) {
      Value* v = step();
      if (v) values_.push_back(v);
    }
    std::vector<Value*> outputs{values_.back()};
    for (size_t extra = pick(3); extra > 0; --extra) outputs.push_back(any());
    g.set_outputs(outputs);
    return std::move(module_);
  }

 private:
  size_t pick(size_t n) { return static_cast<size_t>(rng_() % n); }
  // Recent values more often, so that graphs are deep; old ones at times, so that lifetimes are long.
  Value* any() {
    const size_t back = std::min(pick(4) ? pick(4) : pick(values_.size()), values_.size() - 1);
    return values_[values_.size() - 1 - back];
  }
  Tensor weights(Extents e, double fan_in) {
    Tensor t(DType::f32, std::move(e));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (float& x : t.mutable_span<float>()) x = uniform(rng_) / static_cast<float>(std::sqrt(fan_in));
    return t;
  }
  static bool image(const Value* v) {
    return v->shape().rank() == 4 && v->shape()[1].is_const() && !v->shape()[2].is_const();
  }
  Value* another_like(const Value* v) {
    std::vector<Value*> alike;
    for (Value* u : values_)
      if (u->shape() == v->shape()) alike.push_back(u);
    return alike[pick(alike.size())];
  }

  Value* unary(Value* v) {
    switch (pick(8)) {
      case 0:
        return b_.make<Relu>({v});
      case 1:
        return b_.make<Sigmoid>({v});
      case 2:
        return b_.make<Tanh>({v});
      case 3:
        return b_.make<Abs>({v});
      case 4:
        return b_.make<Neg>({v});
      case 5:
        return b_.make<HardSwish>({v});
      case 6:
        return b_.make<LeakyRelu>({v}, {.alpha = 0.1});
      default:
        return b_.make<Clip>({v, b_.scalar(-0.5f), b_.scalar(0.75f)});
    }
  }
  Value* binary(Value* v) {
    Value* u = another_like(v);
    if (pick(3) == 0) {
      const Shape &s = v->shape(), &plane = values_[2]->shape();
      const bool on_planes = image(v) && s[2] == plane[0] && s[3] == plane[1];
      u = on_planes && pick(2) ? values_[2] : b_.scalar(0.7f);
      if (image(v) && pick(2)) u = b_.constant(weights({v->shape()[1].value(), 1, 1}, 1));
    }
    if (pick(2)) std::swap(u, v);
    switch (pick(4)) {
      case 0:
        return b_.make<Sub>({v, u});
      case 1:
        return b_.make<Mul>({v, u});
      case 2:
        return b_.make<Max>({v, u});
      default:
        return b_.make<Add>({v, u});
    }
  }
  Value* convolution(Value* v) {
    const int64_t in = v->shape()[1].value(), k = pick(2) ? 3 : 1;
    const bool depthwise = pick(4) == 0;
    const int64_t out = depthwise ? in : kChannels[pick(4)];
    Conv::Attrs attrs;
    attrs.group = depthwise ? in : 1;
    attrs.pads = {k / 2, k / 2, k / 2, k / 2};
    Value* w = b_.constant(weights({out, depthwise ? 1 : in, k, k}, static_cast<double>(k * k * (depthwise ? 1 : in))));
    std::vector<Value*> operands{v, w};
    if (pick(2)) operands.push_back(b_.constant(weights({out}, 4)));
    return b_.make<Conv>(operands, attrs);
  }
  Value* pool(Value* v) {
    if (pick(4) == 0) {
      // Squeeze and excite.
      Value* s = pick(2) ? b_.make<GlobalAveragePool>({v}) : b_.make<ReduceMean>({v, b_.ints({2, 3})});
      return b_.make<Mul>({v, b_.make<Sigmoid>({s})});
    }
    if (pick(2)) return b_.make<MaxPool>({v}, {.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}});
    return b_.make<AveragePool>({v}, {.kernel_shape = {3, 3}, .pads = {1, 1, 1, 1}});
  }
  Value* movement(Value* v) {
    switch (pick(6)) {
      case 0: {
        std::vector<int64_t> perm;
        for (int k = 0; k < v->shape().rank(); ++k) perm.push_back(k);
        std::shuffle(perm.begin(), perm.end(), rng_);
        return b_.make<Transpose>({v}, {perm});
      }
      case 1:
        if (!image(v)) return nullptr;
        return b_.make<Reshape>({v, b_.ints({0, 0, -1})});
      case 2:
        return b_.make<Flatten>({v}, {static_cast<int64_t>(pick(static_cast<size_t>(v->shape().rank())))});
      case 3: {
        if (!image(v) || v->shape()[1].value() > 64) return nullptr;
        Value* u = another_like(v);
        return b_.make<Concat>({v, u}, {1});
      }
      case 4: {
        if (!image(v)) return nullptr;
        const int64_t c = v->shape()[1].value(), first = static_cast<int64_t>(pick(static_cast<size_t>(c)));
        return b_.make<Slice>({v, b_.ints({first}), b_.ints({c}), b_.ints({1})});
      }
      default:
        return b_.make<Unsqueeze>({b_.make<ReduceMax>({v, b_.ints({0})}, {.keepdims = false}), b_.ints({0})});
    }
  }
  Value* step() {
    Value* v = any();
    switch (pick(12)) {
      case 0:
      case 1:
      case 2:
        return unary(v);
      case 3:
      case 4:
      case 5:
        return binary(v);
      case 6:
      case 7:
        return image(v) ? convolution(v) : nullptr;
      case 8:
        return image(v) ? pool(v) : nullptr;
      case 9:
        return b_.make<Softmax>({v}, {static_cast<int64_t>(pick(static_cast<size_t>(v->shape().rank())))});
      default:
        return v->shape().rank() <= 4 ? movement(v) : nullptr;
    }
  }

  std::mt19937_64 rng_;
  std::unique_ptr<Module> module_;
  Builder b_;
  std::vector<Value*> values_;
};

}  // namespace

std::unique_ptr<Module> random_module(uint64_t seed) {
  return Generator(seed).run();
}

std::vector<Datum> random_inputs(const Module& module, int64_t n, int64_t h, int64_t w, uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<float> uniform(-2, 2);
  const int64_t c = module.main().input(0)->shape()[1].value();
  std::vector<Datum> inputs;
  for (const Extents& e : {Extents{n, c, h, w}, Extents{n, c, h, w}, Extents{h, w}}) {
    Tensor t(DType::f32, e);
    for (float& x : t.mutable_span<float>()) x = uniform(rng);
    inputs.emplace_back(std::move(t));
  }
  return inputs;
}

}  // namespace tc
