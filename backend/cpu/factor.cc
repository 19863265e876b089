#include "tc/backend/cpu/factor.h"

#include "tc/kernels/cpu.h"

namespace tc::cpu {
namespace {

// Whether so many bytes have left the caches that are read about as fast as fixed point is widened when their turn
// comes again: the second-level one, of AMD also the third-level one.
bool beyond_caches(size_t bytes) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  return bytes > (cpu.amd ? std::max(cpu.l2_bytes, cpu.l3_bytes) : cpu.l2_bytes);
}

}  // namespace

Factor::Factor(Binder& b, int i, bool transposed, int64_t rows, int64_t k, int64_t n)
    : table_(b.table().gemm), source_(*b.constant(i)), transposed_(transposed), k_(k), n_(n) {
  const kernels::GemmTraits traits = table_.traits.fn();
  far_ = beyond_caches(b.constant_bytes());
  most_few_ = far_ ? traits.few_rows : traits.splits ? kernels::kGemvRows : 0;
  if (rows == kAnyRows && most_few_ > 0 && source_.is_mapped()) {
    later_ = b.packs_later(i);
    return;
  }
  const auto now = [&](const std::string& key, size_t bytes, const std::function<void(void*)>& fill) {
    return b.pack(i, key, bytes, fill);
  };
  packed_[0] = packed_[1] = pack(rows != kAnyRows && rows <= most_few_, now);
  source_ = {};
}

const Factor::Packed& Factor::for_rows(int64_t rows) {
  const int few = rows <= most_few_ ? 1 : 0;
  if (later_) std::call_once(once_[few], [&] { packed_[few] = pack(few == 1, later_); });
  return packed_[few];
}

Factor::Packed Factor::pack(bool few, const Binder::PackLater& memory) const {
  using Form = kernels::GemmForm;
  const kernels::GemmTraits traits = table_.traits.fn();
  const auto in_form = [&](Form form) {
    const auto bytes = static_cast<size_t>(kernels::gemm_packed_floats(traits, k_, n_, form)) * sizeof(float);
    const auto fill = [&](void* to) {
      kernels::gemm_pack(kernels::Team::shared(), table_, static_cast<const float*>(source_.data()),
                         transposed_ ? 1 : n_, transposed_ ? k_ : 1, k_, n_, static_cast<float*>(to), form);
    };
    return static_cast<const float*>(memory(cat("gemm ", transposed_, " ", table_.pack(form).name), bytes, fill));
  };
  if (few && far_) {
    const float* fixed = in_form(Form::fixed);
    if (kernels::gemm_fixed_holds(traits, fixed, k_, n_)) return {.packed_b = fixed, .fixed = true};
  }
  const bool halves = !(few && !far_) && kernels::gemm_form(traits, k_, n_) == Form::halves;
  Packed packed;
  if (halves) packed.halves = in_form(Form::halves);
  if (!halves || k_ * n_ <= kBothForms) packed.packed_b = in_form(Form::panels);
  return packed;
}

}  // namespace tc::cpu
