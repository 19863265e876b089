#include <algorithm>
#include <limits>

#include "tc/backend/cpu/bind.h"
#include "tc/kernels/norm/batch_norm.h"

namespace tc::cpu {
namespace {

struct BatchState {
  kernels::BatchNormArgs args;
  int64_t statistics = 0;  // bytes before the scratch of the pieces
};

// In training: by the batch's own statistics, which the running ones move towards.
bool bind_batch_norm_in_training(Binder& b) {
  const auto& attrs = b.attrs<BatchNormalization>();
  if (!attrs.training_mode) return b.refuse("not in training");
  if (b.rank(0) < 3) return b.refuse("no planes");
  for (int i = 0; i < 5; ++i)
    if (b.dtype(i) != DType::f32) return b.refuse(cat("operand ", i, " is ", b.dtype(i)));
  const kernels::NormTable& table = b.table().norm;
  const Slot x = b.in(0), scale = b.in(1), bias = b.in(2), y = b.out(0);
  const Slot old[] = {b.in(3), b.in(4)};
  Slot running[] = {kNoSlot, kNoSlot};
  for (int j = 0; j < 2; ++j)
    if (b.wants(j + 1)) running[j] = b.out(j + 1);
  b.in_place(0, 0);
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return 7 * static_cast<double>(f.count(x)); };
  b.step<BatchState>(
      table.moments.name,
      [=, epsilon = attrs.epsilon](Frame& f, BatchState& s) {
        const auto e = f.extents(x);
        for (Slot v : {scale, bias, old[0], old[1]})
          if (f.count(v) != e[1])
            f.fail(*node, ErrorCode::bad_shape, cat("a vector of ", f.count(v), " elements for ", e[1], " channels"));
        s = {};
        auto& a = s.args.pieces;
        a.images = e[0], a.channels = e[1], a.pixels = product(e.subspan(2)), a.epsilon = epsilon;
        s.statistics = 2 * a.channels * static_cast<int64_t>(sizeof(double));
        f.need_scratch(static_cast<size_t>(s.statistics) +
                       (f.count(x) > 0 ? static_cast<size_t>(a.scratch_floats()) * sizeof(float) : 0));
      },
      [=, &table, momentum = attrs.momentum](Frame& f, BatchState& s) {
        auto& a = s.args.pieces;
        const auto channels = static_cast<size_t>(a.channels);
        s.args.mean = reinterpret_cast<double*>(f.scratch()), s.args.variance = s.args.mean + channels;
        std::fill_n(s.args.mean, 2 * channels, std::numeric_limits<double>::quiet_NaN());  // of nothing
        a.scratch = reinterpret_cast<float*>(f.scratch() + s.statistics);
        a.input = f.ptr<const float>(x), a.output = f.ptr<float>(y);
        a.scale = f.ptr<const float>(scale), a.bias = f.ptr<const float>(bias);
        if (f.count(x) > 0) kernels::normalize_batch(table, f.team(), s.args);
        for (size_t j = 0; j < 2; ++j) {
          if (running[j] == kNoSlot) continue;
          const double* batch = j == 0 ? s.args.mean : s.args.variance;
          const auto* from = f.ptr<const float>(old[j]);
          auto* to = f.ptr<float>(running[j]);
          for (size_t c = 0; c < channels; ++c)
            to[c] = static_cast<float>(from[c] * momentum + batch[c] * (1 - momentum));
        }
      });
  return true;
}

}  // namespace

void rows_bind_training(BindRows& rows) {
  rows.push_back({OpId::BatchNormalization, "moments", bind_batch_norm_in_training});
}

}  // namespace tc::cpu
