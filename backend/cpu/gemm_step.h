// A step that is a matrix product of f32, whatever op it comes from.
#pragma once

#include <cstdint>
#include <vector>

#include "tc/backend/cpu/bind.h"
#include "tc/backend/cpu/epilogue.h"
#include "tc/kernels/gemm/gemm.h"

namespace tc::cpu {

// Batches beyond the kernels' two levels: element offsets of a, b, c and the addend.
struct Offsets {
  int64_t a, b, c, residual;
};

struct GemmOperands {
  Slot a = kNoSlot, b = kNoSlot, bias = kNoSlot, residual = kNoSlot, c = kNoSlot;
  const float* packed_b = nullptr;  // instead of b
  double alpha = 1, beta = 1;
};

// Operand `i`, constant, k x n as gemm_pack leaves it; `transposed`: it lies as n x k.
inline const float* packed_factor(Binder& b, int i, bool transposed, int64_t k, int64_t n) {
  const kernels::GemmTable& table = b.table().gemm;
  const Tensor source = *b.constant(i);
  const auto bytes = static_cast<size_t>(kernels::gemm_packed_floats(table.traits.fn(), k, n)) * sizeof(float);
  return static_cast<const float*>(b.pack(i, cat("gemm ", transposed, " ", table.pack_b.name), bytes, [&](void* to) {
    kernels::gemm_pack(kernels::Team::shared(), table, static_cast<const float*>(source.data()), transposed ? 1 : n,
                       transposed ? k : 1, k, n, static_cast<float*>(to));
  }));
}

struct GemmState {
  kernels::GemmArgs args;
  kernels::GemmPlan plan;
  std::vector<Offsets> outer;
};

// shape(frame, outer): the GemmShape of a run, and where its products lie.
template <class Shape>
void gemm_step(Binder& b, const GemmOperands& o, const ActivationEpilogue& activation, Shape shape) {
  const kernels::GemmTable& table = b.table().gemm;
  const kernels::GemmTraits traits = table.traits.fn();
  b.step<GemmState>(
      table.run.name,
      [=](Frame& f, GemmState& s) {
        s.args = {};
        static_cast<kernels::GemmShape&>(s.args) = shape(f, s.outer);
        s.args.epilogue.alpha = static_cast<float>(o.alpha);
        s.args.epilogue.beta = static_cast<float>(o.beta);
        activation.fill(s.args.epilogue);
        // The plan depends on whether B is packed, and on strides.
        s.args.packed_b = o.packed_b;
        s.plan = kernels::gemm_plan(s.args, traits);
        f.need_scratch(kernels::gemm_scratch_bytes(s.plan, f.team().threads()));
      },
      [=, &table](Frame& f, GemmState& s) {
        kernels::GemmArgs& g = s.args;
        g.scratch = reinterpret_cast<float*>(f.scratch());
        g.epilogue.bias = o.bias == kNoSlot ? nullptr : f.ptr<const float>(o.bias);
        for (const auto& at : s.outer) {
          g.a = f.ptr<const float>(o.a) + at.a;
          if (o.packed_b)
            g.packed_b = o.packed_b + at.b;
          else
            g.b = f.ptr<const float>(o.b) + at.b;
          g.c = f.ptr<float>(o.c) + at.c;
          g.epilogue.residual = o.residual == kNoSlot ? nullptr : f.ptr<const float>(o.residual) + at.residual;
          kernels::gemm(f.team(), table, g, s.plan);
        }
      });
}

}  // namespace tc::cpu
