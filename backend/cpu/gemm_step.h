// A step that is a matrix product of f32, whatever op it comes from.
#pragma once

#include <cstdint>
#include <limits>
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
  const float *packed_b = nullptr, *halves = nullptr;  // instead of b, as in GemmArgs
  bool fixed = false;
  double alpha = 1, beta = 1;
};

// Where halves serve more rows, panels that serve few ones faster are kept as well if they take a part of the
// second-level cache only.
constexpr int64_t kBothForms = 256 * 1024;

// Rows of a product that are known at run time only.
constexpr int64_t kManyRows = std::numeric_limits<int64_t>::max();

// Packs operand `i`, constant, k x n, as the tier's products of up to `rows` rows want it; `transposed`: it lies as n x
// k.
inline void pack_factor(Binder& b, GemmOperands& o, int i, bool transposed, int64_t rows, int64_t k, int64_t n) {
  const kernels::GemmTable& table = b.table().gemm;
  const kernels::GemmTraits traits = table.traits.fn();
  const Tensor source = *b.constant(i);
  using Form = kernels::GemmForm;
  const auto packed = [&](Form form) {
    const auto bytes = static_cast<size_t>(kernels::gemm_packed_floats(traits, k, n, form)) * sizeof(float);
    return static_cast<const float*>(
        b.pack(i, cat("gemm ", transposed, " ", table.pack(form).name), bytes, [&](void* to) {
          kernels::gemm_pack(kernels::Team::shared(), table, static_cast<const float*>(source.data()),
                             transposed ? 1 : n, transposed ? k : 1, k, n, static_cast<float*>(to), form);
        }));
  };
  if (rows <= traits.fixed_rows && k * n > kBothForms) {
    o.packed_b = packed(Form::fixed);
    o.fixed = kernels::gemm_fixed_holds(traits, o.packed_b, k, n);
    if (o.fixed) return;
    o.packed_b = nullptr;
  }
  const bool halves = kernels::gemm_form(traits, k, n) == Form::halves;
  if (halves) o.halves = packed(Form::halves);
  if (!halves || k * n <= kBothForms) o.packed_b = packed(Form::panels);
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
        // The plan depends on how B is packed, and on strides.
        s.args.packed_b = o.packed_b;
        s.args.halves = o.halves;
        s.args.fixed = o.fixed;
        s.plan = kernels::gemm_plan(s.args, traits);
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
