// A step that is a matrix product of f32, whatever op it comes from.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/epilogue.h"
#include "tc/backend/cpu/bind/gemm_weights.h"
#include "tc/kernels/gemm/gemm.h"

namespace tc::cpu {

// Batches beyond the kernels' two levels: element offsets of a, b, c and the addend.
struct Offsets {
  int64_t a, b, c, residual;
};

struct GemmOperands {
  Slot a = kNoSlot, b = kNoSlot, bias = kNoSlot, residual = kNoSlot, c = kNoSlot;
  std::shared_ptr<GemmWeights> weights;  // instead of b
  double alpha = 1, beta = 1;
};

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
  const std::string* forced = b.forced("matmul");
  const auto args_of = [=](const Frame& f, std::vector<Offsets>& outer) {
    kernels::GemmArgs args;
    static_cast<kernels::GemmShape&>(args) = shape(f, outer);
    // The plan depends on how B is packed, and on strides.
    if (o.weights) {
      const GemmWeights::Packed& packed = o.weights->for_rows(args.m);
      args.packed_b = packed.packed_b, args.split_bf16 = packed.split_bf16, args.form = packed.form;
    }
    return args;
  };
  b.candidates = [=](const Frame* f) {
    std::vector<Offsets> outer;
    return f ? candidates(args_of(*f, outer), traits, forced) : std::vector<Candidate>();
  };
  b.step<GemmState>(
      table.run.name,
      [=](Frame& f, GemmState& s) {
        s.args = args_of(f, s.outer);
        s.args.epilogue.alpha = static_cast<float>(o.alpha);
        s.args.epilogue.beta = static_cast<float>(o.beta);
        activation.fill(s.args.epilogue);
        s.plan = kernels::gemm_plan(choose(s.args, traits, forced), s.args, traits);
        f.need_scratch(kernels::gemm_scratch_bytes(s.plan, f.team().threads()));
      },
      [=, &table](Frame& f, GemmState& s) {
        kernels::GemmArgs& g = s.args;
        g.scratch = reinterpret_cast<float*>(f.scratch());
        g.epilogue.bias = o.bias == kNoSlot ? nullptr : f.ptr<const float>(o.bias);
        for (const auto& at : s.outer) {
          g.a = f.ptr<const float>(o.a) + at.a;
          if (o.b != kNoSlot) g.b = f.ptr<const float>(o.b) + at.b;
          g.c = f.ptr<float>(o.c) + at.c;
          g.epilogue.residual = o.residual == kNoSlot ? nullptr : f.ptr<const float>(o.residual) + at.residual;
          kernels::gemm(f.team(), table, g, s.plan);
        }
      });
}

}  // namespace tc::cpu
