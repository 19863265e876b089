#include <algorithm>
#include <cmath>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/norm/norm.h"

namespace tc::cpu {
namespace {

// f32 or f64 throughout.
bool one_real_type(Binder& b) {
  const DType t = b.dtype(0);
  if (t != DType::f32 && t != DType::f64) return b.refuse(cat("no kernel for ", t));
  for (int i = 0; i < b.num_operands(); ++i)
    if (b.has(i) && b.dtype(i) != t) return b.refuse(cat("operand ", i, " is ", b.dtype(i)));
  for (int j = 0; j < b.node().num_results(); ++j)
    if (b.wants(j) && b.result_dtype(j) != t) return b.refuse(cat("result ", j, " is ", b.result_dtype(j)));
  return true;
}

// Does the operand have one value for each element of the axes from `axis` on?
bool covers(const Shape& operand, const Shape& x, int axis) {
  const int inner = x.rank() - axis, extra = operand.rank() - inner;
  if (extra < 0) return false;
  for (int k = 0; k < operand.rank(); ++k)
    if (k < extra ? !operand[k].is(1) : !(operand[k] == x[axis + k - extra])) return false;
  return true;
}

template <class Op>
bool bind_layer_norm(Binder& b) {
  constexpr bool kRms = std::is_same_v<Op, RMSNormalization>;
  if (!one_real_type(b)) return false;
  const auto& attrs = b.attrs<Op>();
  const int axis = static_cast<int>(attrs.axis < 0 ? attrs.axis + b.rank(0) : attrs.axis);
  const int bias = !kRms && b.has(2) ? 2 : -1;
  for (int i : {1, bias})
    if (i >= 0 && !covers(b.shape(i), b.shape(0), axis)) return b.refuse("scale or bias broadcasts");
  const kernels::NormTable& table = b.table().norm;
  const kernels::Elem type = *elem_of(b.dtype(0));
  const Slot x = b.in(0), scale = b.in(1), shift = bias < 0 ? kNoSlot : b.in(bias), y = b.out(0);
  b.in_place(0, 0);
  const Slot mean = !kRms && b.wants(1) ? b.out(1) : kNoSlot, inverse = !kRms && b.wants(2) ? b.out(2) : kNoSlot;
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return 7 * static_cast<double>(f.count(x)); };
  b.step<kernels::NormArgs>(
      table.normalize.name,
      [=, epsilon = attrs.epsilon](Frame& f, kernels::NormArgs& a) {
        const auto e = f.extents(x);
        a = {};
        a.type = type;
        a.epsilon = epsilon;
        a.rms = kRms;
        a.rows = product(e.first(static_cast<size_t>(axis)));
        a.channels = product(e.subspan(static_cast<size_t>(axis)));
        for (Slot s : {scale, shift})
          if (s != kNoSlot && f.count(s) != a.channels)
            f.fail(*node, ErrorCode::bad_shape,
                   cat("scale or bias has ", f.count(s), " elements, expected ", a.channels));
      },
      [=, &table](Frame& f, kernels::NormArgs& a) {
        a.input = f.raw(x), a.output = f.raw(y);
        a.scale = f.raw(scale);
        a.bias = shift == kNoSlot ? nullptr : f.raw(shift);
        a.mean = mean == kNoSlot ? nullptr : f.raw(mean);
        a.inv_std = inverse == kNoSlot ? nullptr : f.raw(inverse);
        if (a.channels > 0) {
          kernels::normalize(table, f.team(), a);
          return;
        }
        // Nothing has no mean.
        for (void* p : {a.mean, a.inv_std}) {
          if (p && type == kernels::Elem::f64)
            std::fill_n(static_cast<double*>(p), a.rows, std::numeric_limits<double>::quiet_NaN());
          else if (p)
            std::fill_n(static_cast<float*>(p), a.rows, std::numeric_limits<float>::quiet_NaN());
        }
      });
  return true;
}

struct GroupNormState {
  kernels::NormArgs rows;
  kernels::GroupNormArgs pieces;
  bool by_pieces = false;
};

// Planes whose groups are fewer, and of so many elements, are shared by pieces: three of 640 x 640 on two threads 0.38
// to 0.28 ms, on one 0.54 and 0.57.
constexpr int64_t kFewGroups = 8, kLeastShared = 1 << 16, kLeastPixels = 256;

// Channels in `groups` groups, 0: each for itself.
bool bind_groups(Binder& b, int64_t groups, double epsilon) {
  if (!one_real_type(b)) return false;
  const bool f32 = b.dtype(0) == DType::f32;
  const Layout layout = f32 && b.rank(0) >= 3 ? b.layout(0) : Layout::plain;
  const kernels::NormTable& table = b.table().norm;
  const Slot x = b.in(0, layout), scale = b.in(1), bias = b.in(2), y = b.out(0, layout);
  b.in_place(0, 0);
  const kernels::Elem type = *elem_of(b.dtype(0));
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return 7 * static_cast<double>(f.count(x)); };
  b.step<GroupNormState>(
      table.normalize.name,
      [=](Frame& f, GroupNormState& s) {
        const auto e = f.extents(x);
        const int64_t parts = groups == 0 ? e[1] : groups, pixels = product(e.subspan(2));
        if (parts != 0 && e[1] % parts != 0)
          f.fail(*node, ErrorCode::bad_shape, cat(e[1], " channels do not divide into ", parts, " groups"));
        for (Slot v : {scale, bias})
          if (f.count(v) != e[1])
            f.fail(*node, ErrorCode::bad_shape, cat("scale or bias has ", f.count(v), " elements, expected ", e[1]));
        s = {};
        s.rows.type = type, s.rows.epsilon = s.pieces.epsilon = epsilon;
        s.rows.rows = e[0] * parts, s.rows.groups = parts, s.rows.channels = parts == 0 ? 0 : e[1] / parts;
        s.rows.spatial = pixels;
        s.pieces.images = e[0], s.pieces.channels = e[1], s.pieces.pixels = pixels, s.pieces.groups = parts;
        s.pieces.blocked = layout == Layout::blocked16;
        s.by_pieces = s.pieces.blocked ||
                      (f32 && s.rows.rows < kFewGroups && f.count(x) >= kLeastShared && pixels >= kLeastPixels);
        if (s.by_pieces && f.count(x) > 0)
          f.need_scratch(static_cast<size_t>(s.pieces.scratch_floats()) * sizeof(float));
      },
      [=, &table](Frame& f, GroupNormState& s) {
        if (f.count(x) == 0) return;
        if (!s.by_pieces) {
          s.rows.input = f.raw(x), s.rows.output = f.raw(y), s.rows.scale = f.raw(scale), s.rows.bias = f.raw(bias);
          return kernels::normalize(table, f.team(), s.rows);
        }
        s.pieces.input = f.ptr<const float>(x), s.pieces.output = f.ptr<float>(y);
        s.pieces.scale = f.ptr<const float>(scale), s.pieces.bias = f.ptr<const float>(bias);
        s.pieces.scratch = reinterpret_cast<float*>(f.scratch());
        kernels::normalize_groups(table, f.team(), s.pieces);
      });
  return true;
}

bool bind_instance_norm(Binder& b) {
  return bind_groups(b, 0, b.attrs<InstanceNormalization>().epsilon);
}

bool bind_group_norm(Binder& b) {
  const auto& attrs = b.attrs<GroupNormalization>();
  return bind_groups(b, attrs.num_groups, attrs.epsilon);
}

// factor[c] = scale / sqrt(variance + epsilon) and shift[c] = bias - mean * factor, each in `padded` elements.
template <class T>
void batch_norm_vectors(const T* const vectors[4], int64_t channels, int64_t padded, double epsilon, T* out) {
  std::fill_n(out, 2 * padded, T{0});
  for (int64_t c = 0; c < channels; ++c) {
    const double factor = vectors[0][c] / std::sqrt(static_cast<double>(vectors[3][c]) + epsilon);
    out[c] = static_cast<T>(factor);
    out[padded + c] = static_cast<T>(vectors[1][c] - vectors[2][c] * factor);
  }
}

struct ChannelState {
  kernels::StripArgs args;
  kernels::StripInput inputs[3];
  kernels::StripOutput output;
  int64_t channels = 0, padded = 0;
};

// x * factor[c] + shift[c], in the layout that x lies in. The vectors are made once when they are constants.
template <class T>
bool bind_batch_norm_of(Binder& b) {
  const auto& attrs = b.attrs<BatchNormalization>();
  if (attrs.training_mode) return b.refuse("in training");
  const int rank = b.rank(0);
  if (rank < 2) return b.refuse("no channels");
  const double epsilon = attrs.epsilon;
  const Layout layout = b.layout(0);
  const bool blocked = layout == Layout::blocked16;
  constexpr kernels::Elem kType = std::is_same_v<T, double> ? kernels::Elem::f64 : kernels::Elem::f32;
  StripBuilder builder(kType);
  const int x_id = builder.input(), factor_id = builder.input(), shift_id = builder.input();
  const std::shared_ptr<const CompiledStrip> program =
      builder.finish({builder.op(kernels::MicroOp::fma, x_id, factor_id, shift_id)});
  auto padded_to_block = [](int64_t n) { return (n + 15) / 16 * 16; };

  bool constant = b.shape(0)[1].is_const();
  for (int i = 1; i <= 4; ++i) constant = constant && b.constant(i) && b.constant(i)->size() == b.shape(0)[1].value();
  const T* packed = nullptr;
  Slot vectors[4] = {kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  if (constant) {
    const int64_t channels = b.shape(0)[1].value(), padded = padded_to_block(channels);
    std::string key = cat("batch_norm ", epsilon);
    Tensor aligned[4];
    for (int i = 1; i <= 4; ++i) {
      aligned[i - 1] = b.constant(i)->aligned_copy();
      key += cat(" ", reinterpret_cast<uintptr_t>(b.constant(i)->data()));
    }
    packed = static_cast<const T*>(b.pack(1, key, static_cast<size_t>(2 * padded) * sizeof(T), [&](void* to) {
      const T* data[4];
      for (size_t i = 0; i < 4; ++i) data[i] = static_cast<const T*>(aligned[i].data());
      batch_norm_vectors(data, channels, padded, epsilon, static_cast<T*>(to));
    }));
  } else {
    for (int i = 1; i <= 4; ++i) vectors[i - 1] = b.in(i);
  }
  const Slot scale = vectors[0], bias = vectors[1], mean = vectors[2], variance = vectors[3];
  const Slot x = b.in(0, layout), y = b.out(0, layout);
  b.in_place(0, 0);
  const Node* node = &b.node();
  const kernels::StripTable& table = b.table().strip;
  b.flops = [=](const Frame& f) { return 2 * static_cast<double>(f.count(x)); };
  b.step<ChannelState>(
      table.of(kType).name,
      [=](Frame& f, ChannelState& s) {
        const auto e = f.extents(x);
        const int64_t pixels = product(e.subspan(2));
        s.channels = e[1], s.padded = padded_to_block(e[1]);
        if (!packed) {
          for (Slot v : {scale, bias, mean, variance})
            if (f.count(v) != s.channels)
              f.fail(*node, ErrorCode::bad_shape,
                     cat("a vector of ", f.count(v), " elements for ", s.channels, " channels"));
          f.need_scratch(static_cast<size_t>(2 * s.padded) * sizeof(T));
        }
        s.args = {};
        s.args.program = &program->program;
        s.args.inputs = s.inputs, s.args.outputs = &s.output;
        for (auto& in : s.inputs) in.type = kType;
        s.output.type = kType;
        const int64_t plain_extents[] = {e[0], e[1], pixels}, plain_strides[] = {e[1] * pixels, pixels, 1},
                      plain_channel[] = {0, 1, 0};
        const int64_t blocks = s.padded / 16;
        const int64_t block_extents[] = {e[0], blocks, pixels, 16},
                      block_strides[] = {s.padded * pixels, pixels * 16, 16, 1}, block_channel[] = {0, 16, 0, 1};
        s.args.rank = blocked ? 4 : 3;
        std::copy_n(blocked ? block_extents : plain_extents, s.args.rank, s.args.extent);
        for (int k = 0; k < 3; ++k)
          std::copy_n(k == 0    ? (blocked ? block_strides : plain_strides)
                      : blocked ? block_channel
                                : plain_channel,
                      s.args.rank, s.inputs[k].stride);
        std::copy_n(blocked ? block_strides : plain_strides, s.args.rank, s.output.stride);
        kernels::collapse(s.args);
      },
      [=, &table](Frame& f, ChannelState& s) {
        const T* of_channels = packed;
        if (!packed) {
          const T* data[] = {f.ptr<const T>(scale), f.ptr<const T>(bias), f.ptr<const T>(mean),
                             f.ptr<const T>(variance)};
          auto* scratch = reinterpret_cast<T*>(f.scratch());
          batch_norm_vectors(data, s.channels, s.padded, epsilon, scratch);
          of_channels = scratch;
        }
        s.inputs[0].data = f.raw(x), s.inputs[1].data = of_channels, s.inputs[2].data = of_channels + s.padded;
        s.output.data = f.raw(y);
        check(f, *node, kernels::run_strips(table, f.team(), s.args));
      });
  return true;
}

bool bind_batch_norm(Binder& b) {
  if (!one_real_type(b)) return false;
  return b.dtype(0) == DType::f64 ? bind_batch_norm_of<double>(b) : bind_batch_norm_of<float>(b);
}

}  // namespace

void rows_bind_norm(BindRows& rows) {
  rows.push_back({OpId::BatchNormalization, "strip", bind_batch_norm});
  rows.push_back({OpId::InstanceNormalization, "normalize", bind_instance_norm});
  rows.push_back({OpId::GroupNormalization, "normalize", bind_group_norm});
  rows.push_back({OpId::LayerNormalization, "normalize", bind_layer_norm<LayerNormalization>});
  rows.push_back({OpId::RMSNormalization, "normalize", bind_layer_norm<RMSNormalization>});
}

}  // namespace tc::cpu
