#include "tc/backend/cpu/factor.h"

namespace tc::cpu {
namespace {

// Where halves serve more rows, panels that serve few ones faster are kept as well if they take a part of the
// second-level cache only. What is larger is read in fixed point by few rows.
constexpr int64_t kBothForms = 256 * 1024;

}  // namespace

Factor::Factor(Binder& b, int i, bool transposed, int64_t rows, int64_t k, int64_t n)
    : table_(b.table().gemm), source_(*b.constant(i)), transposed_(transposed), k_(k), n_(n) {
  if (rows == kAnyRows && source_.is_mapped() && few(1)) {
    later_ = b.packs_later(i);
    return;
  }
  const auto now = [&](const std::string& key, size_t bytes, const std::function<void(void*)>& fill) {
    return b.pack(i, key, bytes, fill);
  };
  packed_[0] = packed_[1] = pack(rows != kAnyRows && few(rows), now);
  source_ = {};
}

bool Factor::few(int64_t rows) const {
  return rows <= table_.traits.fn().fixed_rows && k_ * n_ > kBothForms;
}

const Factor::Packed& Factor::for_rows(int64_t rows) {
  const bool is_few = few(rows);
  Packed& packed = packed_[is_few ? 1 : 0];
  if (later_) std::call_once(once_[is_few ? 1 : 0], [&] { packed = pack(is_few, later_); });
  return packed;
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
  if (few) {
    const float* fixed = in_form(Form::fixed);
    if (kernels::gemm_fixed_holds(traits, fixed, k_, n_)) return {.packed_b = fixed, .fixed = true};
  }
  const bool halves = kernels::gemm_form(traits, k_, n_) == Form::halves;
  Packed packed;
  if (halves) packed.halves = in_form(Form::halves);
  if (!halves || k_ * n_ <= kBothForms) packed.packed_b = in_form(Form::panels);
  return packed;
}

}  // namespace tc::cpu
