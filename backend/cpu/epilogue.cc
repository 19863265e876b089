#include "tc/backend/cpu/epilogue.h"

namespace tc::cpu {

ActivationEpilogue ActivationEpilogue::of(const Binder&) { return {}; }

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
