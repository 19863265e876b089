#include "tc/backend/cpu/bind/epilogue.h"

namespace tc::cpu {

int activation_op(StripBuilder& strip, const Epilogue& e, int x) {
  using kernels::MicroOp;
  switch (e.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return strip.op(MicroOp::relu, x);
    case Activation::clip:
      return strip.op(MicroOp::clip, x, strip.immediate(e.alpha), strip.immediate(e.beta));
    case Activation::leaky_relu:
      return strip.op(MicroOp::leaky_relu, x, strip.immediate(e.alpha));
    case Activation::sigmoid:
      return strip.op(MicroOp::sigmoid, x);
    case Activation::tanh:
      return strip.op(MicroOp::tanh, x);
    case Activation::swish:
      if (e.alpha == 1) return strip.op(MicroOp::silu, x);
      return strip.op(MicroOp::mul, x, strip.op(MicroOp::sigmoid, strip.op(MicroOp::mul, x, strip.immediate(e.alpha))));
    case Activation::hard_swish:
      return strip.op(MicroOp::hard_swish, x);
    case Activation::hard_sigmoid:
      return strip.op(MicroOp::hard_sigmoid, x, strip.immediate(e.alpha), strip.immediate(e.beta));
    case Activation::gelu:
      return strip.op(MicroOp::gelu, x);
    case Activation::gelu_tanh:
      return strip.op(MicroOp::gelu_tanh, x);
  }
  return strip.op(MicroOp::copy, x);
}

ActivationEpilogue::ActivationEpilogue(const Epilogue& e, const kernels::StripTable& table) {
  switch (e.activation) {
    case Activation::none:
      return;
    case Activation::relu:
      lo_ = 0;
      return;
    case Activation::clip:
      lo_ = static_cast<float>(e.alpha), hi_ = static_cast<float>(e.beta);
      return;
    case Activation::leaky_relu:
      slope_ = static_cast<float>(e.alpha);
      return;
    default:
      break;
  }
  StripBuilder strip(kernels::Elem::f32);
  program_ = std::make_shared<const Program>(Program{strip.finish({activation_op(strip, e, strip.input())}), &table});
}

void ActivationEpilogue::fill(kernels::Epilogue& e) const {
  e.lo = lo_, e.hi = hi_, e.slope = slope_;
  if (!program_) return;
  e.context = const_cast<Program*>(program_.get());
  e.strip = [](void* context, float* tile, int64_t rows, int64_t cols, int64_t ld, int64_t, int64_t) {
    const auto* p = static_cast<const Program*>(context);
    kernels::StripTile t;
    t.program = &p->strip->program;
    t.tile = tile, t.rows = rows, t.cols = cols, t.ld = ld;
    (void)kernels::run_strip_tile(*p->table, t);
  };
}

}  // namespace tc::cpu
