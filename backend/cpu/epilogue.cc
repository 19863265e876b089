#include "tc/backend/cpu/epilogue.h"

namespace tc::cpu {

ActivationEpilogue::ActivationEpilogue(const Epilogue& e, const kernels::StripTable& table) {
  using kernels::MicroOp;
  StripBuilder strip(kernels::Elem::f32);
  const int x = strip.input();
  int y = -1;
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
    case Activation::sigmoid:
      y = strip.op(MicroOp::sigmoid, x);
      break;
    case Activation::tanh:
      y = strip.op(MicroOp::tanh, x);
      break;
    case Activation::swish:
      y = e.alpha == 1 ? strip.op(MicroOp::silu, x)
                       : strip.op(MicroOp::mul, x,
                                  strip.op(MicroOp::sigmoid, strip.op(MicroOp::mul, x, strip.immediate(e.alpha))));
      break;
    case Activation::hard_swish:
      y = strip.op(MicroOp::hard_swish, x);
      break;
    case Activation::hard_sigmoid:
      y = strip.op(MicroOp::hard_sigmoid, x, strip.immediate(e.alpha), strip.immediate(e.beta));
      break;
    case Activation::gelu:
      y = strip.op(MicroOp::gelu, x);
      break;
    case Activation::gelu_tanh:
      y = strip.op(MicroOp::gelu_tanh, x);
      break;
  }
  program_ = std::make_shared<const Program>(Program{strip.finish({y}), &table});
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
