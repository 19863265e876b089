#include <limits>

#include "tc/passes/fuse/fuse.h"

namespace tc {
namespace epilogue_patterns {
namespace {

constexpr Any x, low, high;
constexpr As<Conv, FusedConv, MatMul, FusedMatMul> linear;
constexpr As<Relu, Clip, LeakyRelu, Sigmoid, Tanh, Swish, HardSwish, HardSigmoid, Gelu> activation;

bool is_conv(const Node& n) {
  return n.is<Conv>() || n.is<FusedConv>();
}

bool is_linear(const Node& n) {
  return is_conv(n) || n.is<MatMul>() || n.is<FusedMatMul>();
}

Epilogue epilogue_of(const Node& n) {
  if (n.is<FusedConv>()) return n.attrs<FusedConv>().epilogue();
  if (n.is<FusedMatMul>()) return n.attrs<FusedMatMul>().epilogue();
  return {};
}

const char* refuses_epilogue(Rewrite& r, const Value* v) {
  const Node& n = *v->def();
  if (!r.single_use(v)) return "the product or convolution has other users";
  if (epilogue_of(n).activation != Activation::none) return "there is an activation already";
  if (!is_conv(n))
    for (int i = 0; i < 2; ++i)
      if (const Shape& s = n.operand(i)->shape(); !s.ranked() || s.rank() < 2) return "an operand is a vector";
  return nullptr;
}

// The same product or convolution with another epilogue.
Value* rebuild(Rewrite& r, const Node& n, const Epilogue& e, Value* residual) {
  std::vector<Value*> operands = n.operands();
  operands.resize(4, nullptr);
  if (residual) operands[3] = residual;
  if (is_conv(n)) {
    FusedConv::Attrs a;
    static_cast<ConvAttrs&>(a) = n.is<Conv>() ? n.attrs<Conv>() : static_cast<const ConvAttrs&>(n.attrs<FusedConv>());
    a.set(e);
    return r.make<FusedConv>(operands, a);
  }
  FusedMatMul::Attrs a;
  if (n.is<FusedMatMul>()) a = n.attrs<FusedMatMul>();
  a.set(e);
  return r.make<FusedMatMul>(operands, a);
}

std::optional<Epilogue> as_epilogue(const Node& n) {
  auto bound = [&](int i, double absent) -> std::optional<double> {
    const Value* v = n.operand(i);
    if (!v) return absent;
    if (!v->constant() || v->constant()->size() != 1) return std::nullopt;
    return scalar_f64(*v->constant());
  };
  switch (n.op()) {
    case OpId::Relu:
      return Epilogue{Activation::relu};
    case OpId::Clip: {
      const auto lo = bound(1, -std::numeric_limits<double>::infinity()),
                 hi = bound(2, std::numeric_limits<double>::infinity());
      if (!lo || !hi) return std::nullopt;
      return Epilogue{Activation::clip, *lo, *hi};
    }
    case OpId::LeakyRelu:
      return Epilogue{Activation::leaky_relu, n.attrs<LeakyRelu>().alpha};
    case OpId::Sigmoid:
      return Epilogue{Activation::sigmoid};
    case OpId::Tanh:
      return Epilogue{Activation::tanh};
    case OpId::Swish:
      return Epilogue{Activation::swish, n.attrs<Swish>().alpha};
    case OpId::HardSwish:
      return Epilogue{Activation::hard_swish};
    case OpId::HardSigmoid:
      return Epilogue{Activation::hard_sigmoid, n.attrs<HardSigmoid>().alpha, n.attrs<HardSigmoid>().beta};
    case OpId::Gelu:
      return Epilogue{n.attrs<Gelu>().approximate == GeluApproximation::tanh ? Activation::gelu_tanh
                                                                             : Activation::gelu};
    default:
      return std::nullopt;
  }
}

Patch fuse_activation(Rewrite& r) {
  if (const char* why = refuses_epilogue(r, r[linear])) return r.miss(why);
  const auto e = as_epilogue(*r.root());
  if (!e) return r.miss("the bounds are no constants");
  return rebuild(r, *r.node(linear), *e, nullptr);
}

const char* refuses_residual(Rewrite& r, const Value* v, const Value* addend) {
  if (const char* why = refuses_epilogue(r, v)) return why;
  if (v->def()->num_operands() > 3 && v->def()->operand(3)) return "there is a residual already";
  if (!same_type(v, addend)) return "the addend has another shape, or may";
  if (v == addend) return "added to itself";
  return nullptr;
}

// Of two products or convolutions, the second one takes the first one in where that one has other users.
Patch fuse_residual(Rewrite& r) {
  Value *v = r[linear], *addend = r[x];
  const char* why = refuses_residual(r, v, addend);
  const Node* other = addend->def();
  if (why && other && other->graph() == r.root()->graph() && is_linear(*other) && !refuses_residual(r, addend, v)) {
    std::swap(v, addend);
    why = nullptr;
  }
  if (why) return r.miss(why);
  return rebuild(r, *v->def(), {}, addend);
}

}  // namespace
}  // namespace epilogue_patterns

std::span<const Rule> epilogue_rules() {
  using namespace epilogue_patterns;
  static const Rule kRules[] = {
      {"residual-into-epilogue", same_rounding, pat<Add>(linear, x), fuse_residual},
      {"activation-into-epilogue", same_rounding, activation(linear, maybe(low), maybe(high)), fuse_activation},
  };
  return kRules;
}

std::span<const Rule> fuse_rules() {
  static const std::vector<Rule> kRules = [] {
    std::vector<Rule> all;
    for (auto table : {weight_rules(), linear_rules(), epilogue_rules(), attention_rules()})
      all.insert(all.end(), table.begin(), table.end());
    return all;
  }();
  return kRules;
}

std::optional<std::string> is_fused(const Module& m) {
  using namespace epilogue_patterns;
  return find_violation(m, "an activation behind a convolution that nothing else uses", [](const Node& n) {
    if (!n.is<Relu>() && !n.is<HardSwish>() && !n.is<Sigmoid>()) return false;
    const Node* def = n.operand(0)->def();
    return def && def->graph() == n.graph() && n.operand(0)->single_use() && is_conv(*def) &&
           epilogue_of(*def).activation == Activation::none;
  });
}

}  // namespace tc
