#include "tc/frontend/api/quantize_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tc::quantization {
namespace {

int64_t stored_bytes(const Tensor& t) {
  return t.defined() ? (t.size() * info(t.dtype()).bits + 7) / 8 : 0;
}

// Elements before and after an axis.
struct Around {
  int64_t outer = 1, extent = 1, inner = 1;
  Around(const Extents& e, int axis) {
    for (int i = 0; i < static_cast<int>(e.size()); ++i)
      (i < axis ? outer : i == axis ? extent : inner) *= e[static_cast<size_t>(i)];
  }
};

}  // namespace

int64_t QuantizedWeight::bytes() const {
  return stored_bytes(values) + stored_bytes(scales) + stored_bytes(zeros);
}

QuantizedWeight per_channel(const Tensor& weight, int axis) {
  const Tensor aligned = weight.aligned_copy();
  const auto w = aligned.span<float>();
  const Around at(weight.extents(), axis);
  QuantizedWeight q{Tensor(DType::i8, weight.extents()), Tensor(DType::f32, {at.extent}), {}};
  const auto values = q.values.mutable_span<int8_t>();
  const auto scales = q.scales.mutable_span<float>();
  ErrorSum error;
  for (int64_t c = 0; c < at.extent; ++c) {
    float most = 0;
    const auto each = [&](auto&& f) {
      for (int64_t o = 0; o < at.outer; ++o)
        for (int64_t i = 0; i < at.inner; ++i) f(static_cast<size_t>((o * at.extent + c) * at.inner + i));
    };
    each([&](size_t k) { most = std::max(most, std::abs(w[k])); });
    const float scale = most > 0 ? std::max(most / 127, std::numeric_limits<float>::min()) : 1;
    scales[static_cast<size_t>(c)] = scale;
    each([&](size_t k) {
      const float n = std::clamp(std::nearbyint(w[k] / scale), -127.0F, 127.0F);
      values[k] = static_cast<int8_t>(n);
      error.add(w[k], n * scale);
    });
  }
  q.error = error.relative();
  return q;
}

namespace {

template <class T>
QuantizedWeight blocks_of(const Tensor& weight, int axis, int64_t block, DType type, int most) {
  const Tensor aligned = weight.aligned_copy();
  const auto w = aligned.span<float>();
  const Around at(weight.extents(), axis);
  const int64_t count = (at.extent + block - 1) / block;
  Extents scale_extents = weight.extents();
  scale_extents[static_cast<size_t>(axis)] = count;
  QuantizedWeight q{Tensor(type, weight.extents()), Tensor(DType::f32, scale_extents), Tensor(type, scale_extents)};
  const auto values = q.values.mutable_span<T>(), zeros = q.zeros.mutable_span<T>();
  const auto scales = q.scales.mutable_span<float>();
  ErrorSum error;
  for (int64_t o = 0; o < at.outer; ++o)
    for (int64_t b = 0; b < count; ++b)
      for (int64_t i = 0; i < at.inner; ++i) {
        const int64_t end = std::min(at.extent, (b + 1) * block);
        const auto each = [&](auto&& f) {
          for (int64_t k = b * block; k < end; ++k) f(static_cast<size_t>((o * at.extent + k) * at.inner + i));
        };
        float low = 0, high = 0;
        each([&](size_t k) { low = std::min(low, w[k]), high = std::max(high, w[k]); });
        const float steps = static_cast<float>(most);
        const float scale = high > low ? std::max((high - low) / steps, std::numeric_limits<float>::min()) : 1;
        const float zero = std::clamp(std::nearbyint(-low / scale), 0.0F, steps);
        const auto to = static_cast<size_t>((o * count + b) * at.inner + i);
        scales[to] = scale;
        zeros[to] = T(static_cast<int>(zero));
        each([&](size_t k) {
          const float n = std::clamp(std::nearbyint(w[k] / scale) + zero, 0.0F, steps);
          values[k] = T(static_cast<int>(n));
          error.add(w[k], (n - zero) * scale);
        });
      }
  q.error = error.relative();
  return q;
}

}  // namespace

QuantizedWeight by_blocks(const Tensor& weight, int axis, int64_t block, int bits) {
  return bits == 4 ? blocks_of<UInt4>(weight, axis, block, DType::u4, 15)
                   : blocks_of<uint8_t>(weight, axis, block, DType::u8, 255);
}

void SeenRange::see(const Tensor& values) {
  for (const float v : values.span<float>()) {
    if (!std::isfinite(v)) continue;
    low_ = std::min(low_, v), high_ = std::max(high_, v);
  }
}

void SeenRange::count(const Tensor& values) {
  bins_.resize(kBins);
  const float most = std::max(-low_, high_);
  if (most == 0) return;
  for (const float v : values.span<float>()) {
    if (!std::isfinite(v)) continue;
    const auto bin = static_cast<size_t>(std::abs(v) / most * static_cast<float>(kBins));
    bins_[std::min(bin, kBins - 1)] += 1;
  }
}

void SeenRange::cut(size_t bins) {
  const float most = std::max(-low_, high_) * static_cast<float>(bins) / static_cast<float>(kBins);
  low_ = std::max(low_, -most), high_ = std::min(high_, most);
}

void SeenRange::cut_to_percentile(double percent) {
  double all = 0, sum = 0;
  for (const double n : bins_) all += n;
  for (size_t i = 0; i < bins_.size(); ++i) {
    sum += bins_[i];
    if (sum >= all * percent / 100) return cut(i + 1);
  }
}

namespace {

// The relative entropy of the first `kept` bins, what is beyond them added to the last, to the same in `steps` steps.
double relative_entropy(const std::vector<double>& bins, size_t kept, size_t steps) {
  std::vector<double> p(bins.begin(), bins.begin() + static_cast<std::ptrdiff_t>(kept)), q(kept);
  for (size_t s = 0; s < steps; ++s) {
    const size_t begin = s * kept / steps, end = (s + 1) * kept / steps;
    double sum = 0, used = 0;
    for (size_t i = begin; i < end; ++i) sum += p[i], used += p[i] > 0 ? 1 : 0;
    for (size_t i = begin; i < end; ++i) q[i] = p[i] > 0 ? sum / used : 0;
  }
  for (size_t i = kept; i < bins.size(); ++i) p[kept - 1] += bins[i];
  double all_p = 0, all_q = 0, entropy = 0;
  for (size_t i = 0; i < kept; ++i) all_p += p[i], all_q += q[i];
  constexpr double kLeast = 1e-9;  // of a bin that has something in p alone
  for (size_t i = 0; i < kept; ++i)
    if (p[i] > 0) entropy += p[i] / all_p * std::log((p[i] / all_p) / std::max(q[i] / all_q, kLeast));
  return entropy;
}

}  // namespace

void SeenRange::cut_to_entropy() {
  constexpr size_t kSteps = 128;
  double all = 0, least = std::numeric_limits<double>::infinity();
  for (const double n : bins_) all += n;
  if (all == 0) return;
  size_t best = bins_.size();
  for (size_t kept = kSteps; kept <= bins_.size(); kept += 16) {
    const double e = relative_entropy(bins_, kept, kSteps);
    if (e < least) least = e, best = kept;
  }
  cut(best);
}

Affine affine_of(float low, float high) {
  low = std::min(low, 0.0F), high = std::max(high, 0.0F);
  const float scale = high > low ? std::max((high - low) / 255, std::numeric_limits<float>::min()) : 1;
  return {scale, static_cast<uint8_t>(std::clamp(std::nearbyint(-low / scale), 0.0F, 255.0F))};
}

}  // namespace tc::quantization
