#include "tc/backend/cpu/bind/gemm_weights.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tc/kernels/cpu.h"

namespace tc::cpu {
namespace {

// Whether so many bytes have left the caches that are read about as fast as 22-bit integers is widened when their turn
// comes again: the second-level one, of AMD also the third-level one.
bool beyond_caches(size_t bytes) {
  const kernels::CpuInfo& cpu = kernels::cpu_info();
  return bytes > (cpu.amd ? std::max(cpu.l2_bytes, cpu.l3_bytes) : cpu.l2_bytes);
}

// Rows up to which 22-bit integers is ahead of weights in L3 that are read as they are, split bf16
// or floats, half as much again: widening takes every row's time. A busy Xeon, ms of one thread and two, 4096x1024,
// fixed point and split bf16: 4 rows 0.65/0.30 and 0.82/0.47, 6 0.88/0.43 and 0.70/0.47, 8 1.11/0.59 and 0.89/0.44,
// 12 1.57/0.68 and 0.72/0.43; 22-bit integers and floats with AVX-512: 4 0.76/0.35 and 0.81/0.39, 6 0.70/0.42 and
// 0.79/0.41, 8 0.84/0.54 and 0.81/0.43, 12 1.18/0.69 and 0.85/0.47, with AVX2 3 0.66/0.36 and 0.77/0.39, 4 1.09/0.41
// and 0.89/0.43, 6 1.38/0.51 and 1.07/0.44. Of a model of 178 MB 8 rows, 22-bit integers and split bf16, 7.3/4.5
// and 8.4/5.2, of BERT 27.6/13.9 and 38.8/16.9.
constexpr int64_t kMostNearRows = 5, kMostNearRowsAvx2 = 3;

// Whether all of them are numbers of such a type, infinities and NaN left out. Of weights that are not, the first few
// tell.
template <class Is>
bool all_are(const Tensor& t, Is is) {
  const auto* bytes = static_cast<const std::byte*>(t.data());
  constexpr int64_t kTogether = 1024;
  for (int64_t i = 0; i < t.size(); i += kTogether) {
    bool all = true;
    for (int64_t j = i; j < std::min(i + kTogether, t.size()); ++j) {
      uint32_t bits;
      std::memcpy(&bits, bytes + 4 * j, sizeof(bits));
      all &= is(bits);
    }
    if (!all) return false;
  }
  return true;
}
bool is_bf16(uint32_t bits) {
  return (bits & 0xffff) == 0 && (bits & 0x7f800000) != 0x7f800000;
}
// Below 2^-14 these are multiples of 2^-24.
bool is_f16(uint32_t bits) {
  constexpr uint32_t kLeast = uint32_t{127 - 14} << 23, kMost = uint32_t{127 + 16} << 23;
  const uint32_t magnitude = bits & 0x7fffffff;
  const float count = std::bit_cast<float>(magnitude) * 0x1p24f;
  const bool small = magnitude < kLeast && count == static_cast<float>(static_cast<int32_t>(std::min(count, 1e6f)));
  return small || (magnitude >= kLeast && magnitude < kMost && (bits & 0x1fff) == 0);
}

std::optional<kernels::GemmForm> short_form(const Tensor& t) {
  if (all_are(t, is_bf16)) return kernels::GemmForm::bf16;
  if (all_are(t, is_f16)) return kernels::GemmForm::f16;
  return {};
}

}  // namespace

int64_t most_fixed_rows(const kernels::GemmTraits& traits, size_t bytes) {
  if (!beyond_caches(bytes)) return 0;
  if (bytes > kernels::cpu_info().l3_bytes / 8) return traits.few_rows;
  return std::min(traits.lanes == 8 ? kMostNearRowsAvx2 : kMostNearRows, traits.few_rows);
}

GemmWeights::GemmWeights(Binder& b, int i, bool transposed, int64_t rows, int64_t k, int64_t n)
    : table_(b.table().gemm), source_(*b.constant(i)), transposed_(transposed), k_(k), n_(n) {
  const kernels::GemmTraits traits = table_.traits.fn();
  most_few_ = most_fixed_rows(traits, b.constant_bytes());
  far_ = most_few_ > 0;
  if (!far_ && traits.splits) most_few_ = kernels::kGemvRows;
  if (rows == kAnyRows && most_few_ > 0 && source_.is_mapped()) {
    later_ = b.packs_later(i);
    return;
  }
  const auto now = [&](const std::string& key, size_t bytes, const std::function<void(void*)>& fill) {
    return b.pack(i, key, bytes, fill);
  };
  if (rows == kAnyRows && far_) short_ = short_form(source_);
  if (short_)
    packed_[1] = pack(true, now);
  else
    packed_[0] = packed_[1] = pack(rows != kAnyRows && rows <= most_few_, now);
  source_ = {};
}

const GemmWeights::Packed& GemmWeights::for_rows(int64_t rows) {
  const int few = rows <= most_few_ ? 1 : 0;
  if (later_)
    std::call_once(once_[few], [&] { packed_[few] = pack(few == 1, later_); });
  else if (short_ && few == 0)
    std::call_once(once_[0], [&] { packed_[0] = pack_widened(); });
  return packed_[few];
}

GemmWeights::Packed GemmWeights::pack(bool few, const Binder::PackLater& memory) const {
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
    if (const auto form = short_ ? short_ : short_form(source_)) return {.packed_b = in_form(*form), .form = *form};
    const float* fixed = in_form(Form::int22);
    if (kernels::gemm_fixed_holds(traits, fixed, k_, n_)) return {.packed_b = fixed, .form = Form::int22};
  }
  const bool split_bf16 = !(few && !far_) && kernels::gemm_form(traits, k_, n_) == Form::split_bf16;
  Packed packed;
  if (split_bf16) packed.split_bf16 = in_form(Form::split_bf16);
  if (!split_bf16 || k_ * n_ <= kBothForms) packed.packed_b = in_form(Form::panels);
  return packed;
}

GemmWeights::Packed GemmWeights::pack_widened() {
  const kernels::GemmTraits traits = table_.traits.fn();
  const kernels::GemmForm form = kernels::gemm_form(traits, k_, n_);
  widened_ = Tensor(DType::f32, {kernels::gemm_packed_floats(traits, k_, n_, form)});
  auto* to = static_cast<float*>(widened_.mutable_data());
  kernels::gemm_repack(kernels::Team::shared(), table_, packed_[1].form, packed_[1].packed_b, k_, n_, to, form);
  Packed packed;
  (form == kernels::GemmForm::split_bf16 ? packed.split_bf16 : packed.packed_b) = to;
  return packed;
}

}  // namespace tc::cpu
