// Integer arithmetic: products and convolutions of bytes, and the way from floats to bytes and back.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/quant.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/blockwise/blockwise.h"
#include "tc/kernels/int8/int8.h"

namespace tc::cpu {
namespace {

using kernels::Int8ConvArgs;
using kernels::Int8GemmArgs;
using kernels::Int8Output;

// The number that every element of a constant is, seen as a byte.
std::optional<uint8_t> constant_byte(const Binder& b, int i) {
  const Tensor* t = b.constant(i);
  if (!t || t->size() == 0) return std::nullopt;
  const auto* bytes = static_cast<const uint8_t*>(t->data());
  if (std::any_of(bytes, bytes + t->size(), [&](uint8_t x) { return x != bytes[0]; })) return std::nullopt;
  return bytes[0];
}

// Parameters whose extents tell at compile time whether they are one number.
bool is_one(const Binder& b, int i) {
  const Dim count = b.shape(i).count();
  return count.is_const() && count.value() == 1;
}

Int8Output::Kind kind_of(DType t) {
  switch (t) {
    case DType::u8:
      return Int8Output::Kind::u8;
    case DType::i8:
      return Int8Output::Kind::i8;
    case DType::f32:
      return Int8Output::Kind::f32;
    default:
      return Int8Output::Kind::i32;
  }
}

int32_t as_number(uint8_t byte, DType t) {
  return t == DType::i8 ? static_cast<int8_t>(byte) : byte;
}

struct IntegerProductState {
  Int8GemmArgs args;
  int64_t batches = 1, b_step = 0;
  size_t scale_at = 0;  // in scratch
};

// Where the operands of an integer product are; -1: absent.
struct ProductOperands {
  int a, a_zero, b, b_zero;
  int a_scale = -1, b_scale = -1, y_scale = -1, y_zero = -1;  // of a quantised result
  int scale = -1, bias = -1;                                  // of floats
};

bool bind_integer_product(Binder& b, const ProductOperands& o, bool relu = false) {
  if (b.rank(o.a) < 2 || b.rank(o.b) < 2) return b.refuse("an operand is a vector");
  const Shape& bs = b.shape(o.b);
  const bool has_a_zero = o.a_zero >= 0 && b.has(o.a_zero), has_b_zero = o.b_zero >= 0 && b.has(o.b_zero);
  if (b.rank(o.b) > 2) return b.refuse("the right operand has batches");
  if (has_a_zero && !is_one(b, o.a_zero)) return b.refuse("zero points per row");
  const bool quantised = o.y_scale >= 0, floats = o.scale >= 0;
  const auto one_per_column = [&](int i) { return b.rank(i) == 1 && b.shape(i)[0] == bs[1]; };
  if (has_b_zero && !is_one(b, o.b_zero) && !one_per_column(o.b_zero))
    return b.refuse("zero points that are not one per column");
  if (floats) {
    if (!is_one(b, o.scale) && !one_per_column(o.scale)) return b.refuse("scales that are not one per column");
    if (b.has(o.bias) && !one_per_column(o.bias)) return b.refuse("a bias that is not one per column");
  }
  if (quantised) {
    if (!dtypes::bytes.has(b.result_dtype(0))) return b.refuse("the result is no byte");
    for (int i : {o.a_scale, o.y_scale, o.y_zero})
      if (!is_one(b, i) || (i != o.y_zero && b.dtype(i) != DType::f32))
        return b.refuse("scales per row, or not in f32");
    if (b.dtype(o.b_scale) != DType::f32) return b.refuse("scales are not in f32");
    if (!is_one(b, o.b_scale) && !one_per_column(o.b_scale)) return b.refuse("scales that are not one per column");
  }
  const kernels::Int8Table& table = b.table().int8;
  const bool a_signed = b.dtype(o.a) == DType::i8, b_signed = b.dtype(o.b) == DType::i8;
  const Slot a = b.in(o.a);
  Slot w = kNoSlot;
  const uint8_t* packed = nullptr;
  if (const Tensor* t = b.constant(o.b); t && t->size() > 0) {
    const Extents e = t->extents();
    const auto bytes = kernels::int8_packed_bytes(table, e[0], e[1]);
    packed = static_cast<const uint8_t*>(
        b.pack(o.b, cat("int8 ", b_signed, " ", table.block.name, " ", table.traits.fn().width), bytes, [&](void* to) {
          kernels::int8_pack(kernels::Team::shared(), table, static_cast<const uint8_t*>(t->data()), b_signed, e[0],
                             e[1], static_cast<uint8_t*>(to));
        }));
  } else {
    w = b.in(o.b);
  }
  const Extents packed_extents = packed ? b.constant(o.b)->extents() : Extents();
  // A zero point that is a constant 0 asks for nothing.
  const auto zero_slot = [&](int i, bool there) { return there && constant_byte(b, i) != 0 ? b.in(i) : kNoSlot; };
  const Slot a_zero = zero_slot(o.a_zero, has_a_zero);
  const bool b_zero_vector = has_b_zero && !is_one(b, o.b_zero);
  const Slot b_zero = zero_slot(o.b_zero, has_b_zero);
  const auto given = [&](int i) { return i < 0 || !b.has(i) ? kNoSlot : b.in(i); };
  const Slot a_scale = given(o.a_scale), b_scale = given(o.b_scale), y_scale = given(o.y_scale),
             y_zero = given(o.y_zero), scale = given(o.scale), bias = given(o.bias);
  const bool scale_vector = (quantised && !is_one(b, o.b_scale)) || (floats && !is_one(b, o.scale));
  const DType result = b.result_dtype(0);
  const Slot y = b.out(0);
  b.flops = [=](const Frame& f) {
    return 2.0 * static_cast<double>(f.count(y)) * static_cast<double>(f.extents(a).back());
  };
  const Node* node = &b.node();
  b.step<IntegerProductState>(
      table.block.name,
      [=, &table](Frame& f, IntegerProductState& s) {
        const auto ae = f.extents(a);
        const auto be = packed ? std::span<const int64_t>(packed_extents) : f.extents(w);
        if (ae.back() != be[0])
          f.fail(*node, ErrorCode::bad_shape, cat("inner extents ", ae.back(), " and ", be[0], " differ"));
        Int8GemmArgs& g = s.args;
        g = {};
        g.k = be[0], g.n = be[1], g.m = 1;
        for (size_t i = 0; i + 1 < ae.size(); ++i) g.m *= ae[i];
        g.a_signed = a_signed, g.b_signed = b_signed, g.packed_b = packed;
        static constexpr uint8_t kPresent = 0;
        g.b_zero = b_zero == kNoSlot ? nullptr : &kPresent;
        g.b_zero_step = b_zero_vector;
        g.output.kind = kind_of(result);
        g.output.scale_col = scale_vector;
        g.output.relu = relu;
        s.scale_at = (kernels::int8_gemm_scratch(table, g, f.team().threads()) + 63) / 64 * 64;
        f.need_scratch(s.scale_at + (quantised ? static_cast<size_t>(g.n) * sizeof(float) : 0) + 64);
      },
      [=, &table](Frame& f, IntegerProductState& s) {
        Int8GemmArgs& g = s.args;
        g.a = f.ptr<const uint8_t>(a);
        if (!packed) g.b = f.ptr<const uint8_t>(w);
        g.a_zero = a_zero == kNoSlot ? nullptr : f.ptr<const uint8_t>(a_zero);
        g.b_zero = b_zero == kNoSlot ? nullptr : f.ptr<const uint8_t>(b_zero);
        g.scratch = f.scratch();
        if (quantised) {
          auto* scales = reinterpret_cast<float*>(f.scratch() + s.scale_at);
          const float of_a = *f.ptr<const float>(a_scale), of_y = *f.ptr<const float>(y_scale);
          const auto* of_b = f.ptr<const float>(b_scale);
          for (int64_t j = 0; j < (scale_vector ? g.n : 1); ++j) scales[j] = of_a * of_b[j] / of_y;
          g.output.scale = scales;
          g.output.zero = as_number(*f.ptr<const uint8_t>(y_zero), result);
        }
        if (scale != kNoSlot) g.output.scale = f.ptr<const float>(scale);
        if (bias != kNoSlot) g.output.shift = f.ptr<const float>(bias);
        g.c = f.raw(y);
        kernels::int8_gemm(f.team(), table, g);
      });
  return true;
}

bool bind_matmul_integer(Binder& b) {
  return bind_integer_product(b, {.a = 0, .a_zero = 2, .b = 1, .b_zero = 3});
}

bool bind_qlinear_matmul(Binder& b) {
  return bind_integer_product(
      b, {.a = 0, .a_zero = 2, .b = 3, .b_zero = 5, .a_scale = 1, .b_scale = 4, .y_scale = 6, .y_zero = 7});
}

bool bind_fused_matmul_integer(Binder& b) {
  const Activation activation = b.attrs<FusedMatMulInteger>().activation;
  if (activation != Activation::none && activation != Activation::relu) return b.refuse("an activation but relu");
  if (b.result_dtype(0) != DType::f32) return b.refuse("not in f32");
  return bind_integer_product(b, {.a = 0, .a_zero = 2, .b = 1, .b_zero = 3, .scale = 4, .bias = 5},
                              activation == Activation::relu);
}

// The weights as the kernel packs them, and its shape for them; nothing where it does not take such.
struct BlockwiseOperands {
  kernels::BlockwiseShape shape;
  kernels::BlockwiseWeights weights;
};

std::optional<BlockwiseOperands> blockwise_operands(const Binder& b, const Tensor& w, const Tensor& scale,
                                                    const Tensor* zero) {
  const auto& at = b.attrs<FusedDequantizeMatMul>();
  BlockwiseOperands o;
  const Extents e = w.extents();
  o.shape.k = e[at.trans_b ? 1 : 0], o.shape.n = e[at.trans_b ? 0 : 1];
  o.weights.w_k = at.trans_b ? 1 : o.shape.n, o.weights.w_n = at.trans_b ? o.shape.k : 1;
  o.weights.block = o.shape.k;
  if (scale.size() > 1) {
    const bool along_k = (at.axis < 0 ? at.axis + 2 : at.axis) == (at.trans_b ? 1 : 0);
    if (along_k != (at.block_size > 0)) return std::nullopt;
    const int64_t blocks = scale.size() / o.shape.n;
    if (along_k) o.weights.block = at.block_size;
    o.weights.scale_n = at.trans_b ? blocks : 1, o.weights.scale_k = at.trans_b ? 1 : o.shape.n;
  }
  // How few bits the numbers take, whatever type holds them.
  const auto* bytes = static_cast<const uint8_t*>(w.data());
  const bool is_signed = kind(w.dtype()) == DTypeKind::signed_int;
  const auto range = [&]<class T>(const T* numbers) {
    T low = 0, high = 0;
    for (int64_t i = 0; i < w.size(); ++i) low = std::min(low, numbers[i]), high = std::max(high, numbers[i]);
    return std::pair<int, int>(low, high);
  };
  const auto [low, high] = is_signed ? range(reinterpret_cast<const int8_t*>(bytes)) : range(bytes);
  const auto fits = [&, least = low, most = high](int bits) {
    const int half = 1 << (bits - 1);
    return is_signed ? least >= -half && most < half : most < 2 * half;
  };
  o.shape.bits = fits(2) ? 2 : fits(4) ? 4 : 8;
  o.weights.moved = is_signed ? static_cast<uint8_t>(1 << (o.shape.bits - 1)) : 0;
  o.shape.zero = o.weights.moved;
  if (zero) {
    const auto* zeros = static_cast<const uint8_t*>(zero->data());
    o.shape.own_zeros = std::any_of(zeros, zeros + zero->size(), [&](uint8_t z) { return z != zeros[0]; });
    if (zero->size() > 0) o.shape.zero = o.weights.moved + (is_signed ? static_cast<int8_t>(zeros[0]) : zeros[0]);
    // Own zero points are bytes once they are moved.
    for (int64_t i = 0; o.shape.own_zeros && i < zero->size(); ++i) {
      const int moved = o.weights.moved + (is_signed ? static_cast<int8_t>(zeros[i]) : zeros[i]);
      if (moved < 0 || moved > 255) return std::nullopt;
    }
    o.weights.zero = zeros;
  }
  o.shape.group = kernels::blockwise_group(o.shape.bits, o.shape.k, o.weights.block);
  o.weights.w = bytes, o.weights.scale = static_cast<const float*>(scale.data());
  return o.shape.group > 0 ? std::optional(o) : std::nullopt;
}

// Tells tensors apart that are packed beside another one; addresses would differ where constants are made anew.
size_t hash_of(const Tensor& t) {
  return std::hash<std::string_view>{}({static_cast<const char*>(t.data()), t.bytes()});
}

bool bind_dequantize_matmul(Binder& b) {
  const Tensor *w = b.constant(1), *given_scale = b.constant(2), *given_zero = b.constant(3);
  if (!w || !given_scale || (b.has(3) && !given_zero))
    return b.refuse("weights, scales or zero points are not constant");
  if (b.dtype(0) != DType::f32 || given_scale->dtype() != DType::f32) return b.refuse("not in f32");
  if (w->size() == 0 || given_scale->size() == 0) return b.refuse("empty weights");
  const Tensor scale = given_scale->aligned_copy();
  const auto o = blockwise_operands(b, *w, scale, given_zero);
  if (!o) return b.refuse("scales of another axis, or blocks or zero points that kernels do not take");
  const kernels::BlockwiseTable& table = b.table().blockwise;
  const kernels::BlockwiseShape shape = o->shape;
  const auto& at = b.attrs<FusedDequantizeMatMul>();
  const std::string key = cat("blockwise ", at.trans_b, " ", at.axis, " ", at.block_size, " ", table.traits.fn().width,
                              " ", hash_of(scale), " ", shape.own_zeros ? hash_of(*given_zero) : 0);
  const auto* packed =
      static_cast<const std::byte*>(b.pack(1, key, kernels::blockwise_packed_bytes(table, shape), [&](void* to) {
        kernels::blockwise_pack(kernels::Team::shared(), table, shape, o->weights, static_cast<std::byte*>(to));
      }));
  const Slot x = b.in(0), y = b.out(0);
  b.flops = [=](const Frame& f) { return 2.0 * static_cast<double>(f.count(y)) * static_cast<double>(shape.k); };
  const Node* node = &b.node();
  b.step<kernels::BlockwiseArgs>(
      table.tile.name,
      [=](Frame& f, kernels::BlockwiseArgs& args) {
        const auto extents = f.extents(x);
        if (extents.back() != shape.k)
          f.fail(*node, ErrorCode::bad_shape, cat("inner extents ", extents.back(), " and ", shape.k, " differ"));
        args = {.shape = shape, .m = product(extents.first(extents.size() - 1)), .packed = packed};
        f.need_scratch(kernels::blockwise_scratch(args));
      },
      [=, &table](Frame& f, kernels::BlockwiseArgs& args) {
        args.x = f.ptr<const float>(x);
        args.y = f.ptr<float>(y);
        args.scratch = f.scratch();
        kernels::blockwise(f.team(), table, args);
      });
  return true;
}

// Where the operands of an integer convolution are; -1: absent.
struct ConvOperands {
  int x, x_zero, w, w_zero;
  int x_scale = -1, w_scale = -1, y_scale = -1, y_zero = -1, bias = -1;
  int residual = -1, residual_scale = -1, residual_zero = -1, sum_scale = -1, sum_zero = -1;
  int scale = -1, shift = -1;  // of floats
};

struct IntegerConvState {
  Int8ConvArgs args;
  size_t scale_at = 0;  // in scratch
};

template <class Op>
bool bind_integer_conv(Binder& b, const ConvOperands& o) {
  const auto& attrs = b.attrs<Op>();
  if (b.rank(o.x) != 3 && b.rank(o.x) != 4) return b.refuse("not one or two spatial axes");
  if (!b.shape(o.x)[1].is_const()) return b.refuse("channels are not fixed");
  const Tensor* weights = b.constant(o.w);
  if (!weights || weights->size() == 0) return b.refuse("the filters are not constant");
  const bool x_signed = b.dtype(o.x) == DType::i8, w_signed = b.dtype(o.w) == DType::i8;
  const bool has_w_zero = o.w_zero >= 0 && b.has(o.w_zero);
  const std::optional<uint8_t> w_zero_byte = has_w_zero ? constant_byte(b, o.w_zero) : std::optional<uint8_t>(0);
  const bool w_zero_in_middle = w_zero_byte == (w_signed ? 0 : 128);
  if (o.x_zero >= 0 && b.has(o.x_zero) && !is_one(b, o.x_zero)) return b.refuse("several zero points");
  for (const auto& p : attrs.pads)
    if (p < 0) return b.refuse("negative padding");
  const Extents we = weights->extents();
  if (has_w_zero && !is_one(b, o.w_zero) && !(b.rank(o.w_zero) == 1 && b.shape(o.w_zero)[0] == Dim(we[0])))
    return b.refuse("zero points that are not one per channel");
  Int8ConvArgs fixed;
  fixed.groups = attrs.group, fixed.channels = we[1], fixed.out = we[0] / attrs.group;
  if (fixed.channels * attrs.group != b.shape(o.x)[1].value() || fixed.out * attrs.group != we[0])
    return b.refuse("the groups do not fit");
  const std::vector<int64_t> kernel(we.begin() + 2, we.end());
  for (size_t i = 0; i < kernel.size(); ++i) fixed.kernel[2 - kernel.size() + i] = kernel[i];
  fixed.x_signed = x_signed, fixed.w_signed = w_signed;
  const bool quantised = o.y_scale >= 0;
  const DType result = b.result_dtype(0);
  if (quantised) {
    for (int i : {o.x_scale, o.y_scale, o.y_zero})
      if (!is_one(b, i)) return b.refuse("the scale of activations is no number");
    if (!is_one(b, o.w_scale) && !(b.rank(o.w_scale) == 1 && b.shape(o.w_scale)[0] == Dim(we[0])))
      return b.refuse("scales that are not one per channel");
  }
  const bool floats = o.scale >= 0;
  const auto per_channel_f32 = [&](int i) {
    return i < 0 || !b.has(i) || ((is_one(b, i) || b.shape(i).count() == Dim(we[0])) && b.dtype(i) == DType::f32);
  };
  if (!per_channel_f32(o.scale) || !per_channel_f32(o.shift))
    return b.refuse("scale or bias is not in f32, or not one per channel");
  if (floats && b.has(o.bias) && b.shape(o.bias).count() != Dim(we[0])) return b.refuse("one bias for all sums");
  const bool scale_vector = (quantised && !is_one(b, o.w_scale)) || floats;
  const DType product = quantised ? b.dtype(o.y_zero) : result;
  fixed.output.kind = kind_of(product);
  if (o.residual >= 0) {
    for (int i : {o.residual_scale, o.residual_zero, o.sum_scale, o.sum_zero})
      if (!is_one(b, i)) return b.refuse("the scale of the sum is no number");
    fixed.sum.other_signed = b.dtype(o.residual) == DType::i8;
    fixed.sum.is_signed = result == DType::i8;
  }
  if constexpr (std::is_same_v<Op, FusedQLinearConv>)
    (o.residual >= 0 ? fixed.sum.relu : fixed.output.relu) = attrs.relu;
  if constexpr (std::is_same_v<Op, FusedConvInteger>) fixed.output.relu = attrs.activation == Activation::relu;

  static constexpr uint8_t kZero = 0;
  const kernels::Int8Table& table = b.table().int8;
  const kernels::ConvTable& conv = b.table().conv;
  if (!w_zero_in_middle) fixed.w_zero = &kZero, fixed.w_zero_step = has_w_zero && !is_one(b, o.w_zero);
  // Filters are packed in lines of taps, whose length depends on it.
  for (size_t i = 0; i < attrs.dilations.size(); ++i)
    fixed.dilation[2 - attrs.dilations.size() + i] = attrs.dilations[i];
  const std::string* forced = b.forced("conv_int8");
  fixed.algorithm = choose(table, fixed, forced);
  b.candidates = [=, &table](const Frame*) { return candidates(table, fixed, forced); };
  const bool blocked = kernels::int8_conv_gives_blocked(fixed.algorithm);
  const Layout x_layout = fixed.algorithm == kernels::Int8ConvAlgorithm::gathered    ? Layout::plain
                          : fixed.algorithm == kernels::Int8ConvAlgorithm::depthwise ? Layout::blocked16
                                                                                     : b.layout(o.x);
  const Layout y_layout = blocked ? Layout::blocked16 : Layout::plain;
  fixed.x_blocked = x_layout == Layout::blocked16;
  const Slot x = b.in(o.x, x_layout);
  const auto* packed = static_cast<const uint8_t*>(
      b.pack(o.w,
             cat("int8 conv ", attrs.group, " ", w_signed, " ", table.block.name, " ",
                 static_cast<int>(fixed.algorithm), " ", fixed.x_blocked, " ", fixed.dilation[1] == 1),
             kernels::int8_filter_bytes(table, fixed), [&](void* to) {
               kernels::int8_pack_filters(kernels::Team::shared(), table, fixed,
                                          static_cast<const uint8_t*>(weights->data()), static_cast<uint8_t*>(to));
             }));
  const auto given = [&](int i) { return i >= 0 && b.has(i) ? b.in(i) : kNoSlot; };
  const Slot w_zero = w_zero_in_middle ? kNoSlot : given(o.w_zero);
  const Slot x_zero = given(o.x_zero), x_scale = given(o.x_scale), w_scale = given(o.w_scale),
             y_scale = given(o.y_scale), y_zero = given(o.y_zero), bias = given(o.bias), float_scale = given(o.scale),
             float_shift = given(o.shift);
  const Slot residual = o.residual >= 0 ? b.in(o.residual, y_layout) : kNoSlot,
             residual_scale = given(o.residual_scale), residual_zero = given(o.residual_zero),
             sum_scale = given(o.sum_scale), sum_zero = given(o.sum_zero);
  const DType residual_type = o.residual >= 0 ? b.dtype(o.residual) : result;
  const Slot y = b.out(0, y_layout);
  const int64_t filter_size = weights->size() / we[0];
  b.flops = [=](const Frame& f) { return 2.0 * static_cast<double>(f.count(y)) * static_cast<double>(filter_size); };
  const Node* node = &b.node();
  // Blocks have a scale for each lane.
  const int64_t scales = blocked ? (we[0] + 15) / 16 * 16 : scale_vector ? we[0] : 1;
  fixed.output.scale_row = blocked || scale_vector;
  b.step<IntegerConvState>(
      kernels::int8_conv_name(table, conv, fixed.algorithm),
      [=, &table](Frame& f, IntegerConvState& s) {
        Int8ConvArgs& c = s.args;
        c = fixed;
        const auto xe = f.extents(x);
        c.batch = xe[0];
        const NodeErrors errors{*node};
        const auto axes = window_axes(errors, window_spec(errors, node->attrs<Op>(), kernel), xe.subspan(2));
        for (size_t i = 0; i < axes.size(); ++i) {
          const size_t d = 2 - axes.size() + i;
          c.in[d] = axes[i].in, c.extent[d] = axes[i].out, c.stride[d] = axes[i].stride;
          c.dilation[d] = axes[i].dilation, c.pad[d] = axes[i].pad_begin;
        }
        c.packed_w = packed;
        s.scale_at = (kernels::int8_conv_scratch(table, c, f.team().threads()) + 63) / 64 * 64;
        f.need_scratch(s.scale_at + 2 * static_cast<size_t>(scales) * sizeof(float) + 64);
      },
      [=, &table, &conv](Frame& f, IntegerConvState& s) {
        Int8ConvArgs& c = s.args;
        c.x = f.ptr<const uint8_t>(x);
        c.x_zero = x_zero == kNoSlot ? 0 : *f.ptr<const uint8_t>(x_zero);
        if (w_zero != kNoSlot) c.w_zero = f.ptr<const uint8_t>(w_zero);
        c.bias = bias == kNoSlot ? nullptr : f.ptr<const int32_t>(bias);
        c.scratch = f.scratch();
        auto* const scale = reinterpret_cast<float*>(f.scratch() + s.scale_at);
        if (quantised) {
          const float of_x = *f.ptr<const float>(x_scale), of_y = *f.ptr<const float>(y_scale);
          const auto* of_w = f.ptr<const float>(w_scale);
          for (int64_t j = 0; j < scales; ++j) scale[j] = of_x * of_w[scale_vector ? std::min(j, we[0] - 1) : 0] / of_y;
          c.output.scale = scale;
          c.output.zero = as_number(*f.ptr<const uint8_t>(y_zero), product);
        }
        // One number is that of every channel; beyond the channels there are zeros.
        const auto per_channel = [&](Slot of, float* to) {
          const auto* from = f.ptr<const float>(of);
          const int64_t step = f.count(of) == 1 ? 0 : 1;
          for (int64_t j = 0; j < scales; ++j) to[j] = j < we[0] ? from[j * step] : 0.0F;
          return to;
        };
        if (float_scale != kNoSlot) c.output.scale = per_channel(float_scale, scale);
        if (float_shift != kNoSlot) c.output.shift = per_channel(float_shift, scale + scales);
        if (residual != kNoSlot) {
          c.sum.other = f.ptr<const uint8_t>(residual);
          c.sum.other_zero = as_number(*f.ptr<const uint8_t>(residual_zero), residual_type);
          c.sum.zero = as_number(*f.ptr<const uint8_t>(sum_zero), result);
          c.sum.product_scale = *f.ptr<const float>(y_scale);
          c.sum.other_scale = *f.ptr<const float>(residual_scale);
          c.sum.scale = *f.ptr<const float>(sum_scale);
        }
        c.y = f.raw(y);
        kernels::int8_conv(f.team(), table, conv, c);
      });
  return true;
}

bool bind_conv_integer(Binder& b) {
  return bind_integer_conv<ConvInteger>(b, {.x = 0, .x_zero = 2, .w = 1, .w_zero = 3});
}

bool bind_fused_conv_integer(Binder& b) {
  const Activation activation = b.attrs<FusedConvInteger>().activation;
  if (activation != Activation::none && activation != Activation::relu) return b.refuse("an activation but relu");
  return bind_integer_conv<FusedConvInteger>(
      b, {.x = 0, .x_zero = 2, .w = 1, .w_zero = 3, .bias = 6, .scale = 4, .shift = 5});
}

template <class Op>
bool bind_qlinear_conv(Binder& b) {
  return bind_integer_conv<Op>(
      b, {.x = 0, .x_zero = 2, .w = 3, .w_zero = 5, .x_scale = 1, .w_scale = 4, .y_scale = 6, .y_zero = 7, .bias = 8});
}

bool bind_fused_qlinear_conv(Binder& b) {
  if (!b.has(9)) return bind_qlinear_conv<FusedQLinearConv>(b);
  return bind_integer_conv<FusedQLinearConv>(b, {.x = 0,
                                                 .x_zero = 2,
                                                 .w = 3,
                                                 .w_zero = 5,
                                                 .x_scale = 1,
                                                 .w_scale = 4,
                                                 .y_scale = 6,
                                                 .y_zero = 7,
                                                 .bias = 8,
                                                 .residual = 9,
                                                 .residual_scale = 10,
                                                 .residual_zero = 11,
                                                 .sum_scale = 12,
                                                 .sum_zero = 13});
}

// Runs of elements that have one scale: `runs` of them, run i with scale i / 1 mod `scales`.
struct RunsState {
  int64_t scales = 1, runs = 1, length = 0;
};

// Elements of a piece of work.
constexpr int64_t kPiece = 1 << 14;

// Number k of integers of 8 or 16 bits.
int32_t number_at(const void* p, int64_t k, DType t) {
  if (t == DType::u16) return static_cast<const uint16_t*>(p)[k];
  if (t == DType::i16) return static_cast<const int16_t*>(p)[k];
  return as_number(static_cast<const uint8_t*>(p)[k], t);
}

// Rows of `blocks` blocks, of which the last may be shorter.
struct BlocksState {
  int64_t rows = 1, blocks = 1, last = 0;
};

// A scale for each block of the last axis.
template <bool kQuantise>
bool bind_linear_blocks(Binder& b, int64_t block) {
  const kernels::Int8Table& table = b.table().int8;
  const DType narrow = kQuantise ? b.result_dtype(0) : b.dtype(0);
  const Slot x = b.in(0), scale = b.in(1), zero = b.has(2) ? b.in(2) : kNoSlot, y = b.out(0);
  const kernels::Elem type = *elem_of(narrow);
  const auto width = static_cast<int64_t>(size_of(narrow));
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return 3 * static_cast<double>(f.count(x)); };
  b.step<BlocksState>(
      kQuantise ? table.quantise_blocks.name : table.dequantise_blocks.name,
      [=](Frame& f, BlocksState& s) {
        const auto e = f.extents(x);
        s = {.rows = product(e.first(e.size() - 1)), .blocks = (e.back() + block - 1) / block};
        s.last = e.back() - (s.blocks - 1) * block;
        if (f.count(scale) != s.rows * s.blocks)
          f.fail(*node, ErrorCode::bad_shape, cat(f.count(scale), " scales for ", s.rows * s.blocks, " blocks"));
        // Rows without a shorter block go on in the next one.
        if (s.last == block) s.blocks *= s.rows, s.rows = 1;
      },
      [=, &table](Frame& f, BlocksState& s) {
        const auto* scales = f.ptr<const float>(scale);
        const auto* zeros = zero == kNoSlot ? nullptr : f.ptr<const uint8_t>(zero);
        const auto run = [&](int64_t at, int64_t blocks, int64_t n, int64_t k) {
          const void* of_zeros = zeros ? zeros + k * width : nullptr;
          if constexpr (kQuantise)
            table.quantise_blocks.fn(f.ptr<const float>(x) + at, blocks, n, scales + k, of_zeros, type,
                                     f.ptr<uint8_t>(y) + at * width);
          else
            table.dequantise_blocks.fn(f.ptr<const uint8_t>(x) + at * width, type, blocks, n, scales + k, of_zeros,
                                       f.ptr<float>(y) + at);
        };
        const kernels::Tiling pieces{s.blocks, std::max<int64_t>(1, kPiece / block)};
        kernels::parallel_for(f.team(), s.rows * pieces.count(), [&](int64_t tile, int) {
          const int64_t row = tile / pieces.count(), first = pieces.begin(tile % pieces.count());
          const int64_t end = pieces.end(tile % pieces.count()), whole = end - (end == s.blocks && s.last < block);
          const int64_t at = row * ((s.blocks - 1) * block + s.last), k = row * s.blocks;
          run(at + first * block, whole - first, block, k + first);
          if (whole < end) run(at + whole * block, 1, s.last, k + whole);
        });
      });
  return true;
}

template <bool kQuantise>
bool bind_linear(Binder& b) {
  using Op = std::conditional_t<kQuantise, QuantizeLinear, DequantizeLinear>;
  const auto& attrs = b.attrs<Op>();
  if (const char* reason = linear_refusal(b.node())) return b.refuse(reason);
  const DType narrow = kQuantise ? b.result_dtype(0) : b.dtype(0);
  const int rank = b.rank(0);
  const bool one = is_one(b, 1);
  if (!one && attrs.block_size) return bind_linear_blocks<kQuantise>(b, attrs.block_size);
  if (!one && b.rank(1) != 1) return b.refuse("scales are no vector");
  if (b.has(2) && is_one(b, 2) != one) return b.refuse("scales and zero points differ in number");
  const auto axis = static_cast<size_t>(one ? 0 : attrs.axis < 0 ? attrs.axis + rank : attrs.axis);
  const kernels::Int8Table& table = b.table().int8;
  const Layout layout = one ? b.layout(0) : Layout::plain;
  const Slot x = b.in(0, layout), scale = b.in(1), zero = b.has(2) ? b.in(2) : kNoSlot, y = b.out(0, layout);
  const kernels::Elem type = *elem_of(narrow);
  const auto width = static_cast<int64_t>(size_of(narrow));
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return 3 * static_cast<double>(f.count(x)); };
  b.step<RunsState>(
      kQuantise ? table.quantise.name : table.dequantise.name,
      [=](Frame& f, RunsState& s) {
        s = {};
        const auto e = f.extents(x);
        s.length = 1;
        if (one) {
          s.length = static_cast<int64_t>(f.bytes(x) / size_of(kQuantise ? DType::f32 : narrow));
          return;
        }
        s.scales = e[axis];
        if (f.count(scale) != s.scales)
          f.fail(*node, ErrorCode::bad_shape, cat(f.count(scale), " scales for an extent of ", s.scales));
        for (size_t i = 0; i < e.size(); ++i) (i <= axis ? s.runs : s.length) *= e[i];
      },
      [=, &table](Frame& f, RunsState& s) {
        const auto* scales = f.ptr<const float>(scale);
        const void* zeros = zero == kNoSlot ? nullptr : f.raw(zero);
        const kernels::Tiling pieces{s.length, kPiece};
        kernels::parallel_for(f.team(), s.runs * pieces.count(), [&](int64_t tile, int) {
          const int64_t run = tile / pieces.count(), piece = tile % pieces.count(), at = run * s.length;
          const int64_t first = at + pieces.begin(piece), n = at + pieces.end(piece) - first, k = run % s.scales;
          const int32_t of_zero = zeros ? number_at(zeros, k, narrow) : 0;
          if constexpr (kQuantise)
            table.quantise.fn(f.ptr<const float>(x) + first, n, scales[k], of_zero, type,
                              f.ptr<uint8_t>(y) + first * width);
          else
            table.dequantise.fn(f.ptr<const uint8_t>(x) + first * width, type, n, scales[k], of_zero,
                                f.ptr<float>(y) + first);
        });
      });
  return true;
}

bool bind_dynamic_quantize(Binder& b) {
  const kernels::Int8Table& table = b.table().int8;
  const Slot x = b.in(0), y = b.out(0), scale = b.out(1), zero = b.out(2);
  struct State {
    int64_t pieces = 0;
  };
  b.flops = [=](const Frame& f) { return 5 * static_cast<double>(f.count(x)); };
  b.step<State>(
      table.quantise.name,
      [=](Frame& f, State& s) {
        s.pieces = kernels::Tiling{f.count(x), kPiece}.count();
        f.need_scratch(static_cast<size_t>(s.pieces) * 2 * sizeof(float));
      },
      [=, &table](Frame& f, State& s) {
        const auto* from = f.ptr<const float>(x);
        auto* to = f.ptr<uint8_t>(y);
        auto* ranges = reinterpret_cast<float*>(f.scratch());
        const kernels::Tiling pieces{f.count(x), kPiece};
        kernels::parallel_for(f.team(), s.pieces, [&](int64_t p, int) {
          table.range.fn(from + pieces.begin(p), pieces.end(p) - pieces.begin(p), ranges + 2 * p, ranges + 2 * p + 1);
        });
        float low = 0, high = 0;
        for (int64_t p = 0; p < s.pieces; ++p)
          low = std::min(low, ranges[2 * p]), high = std::max(high, ranges[2 * p + 1]);
        // Where all is zero the standard's scale leaves 0 / 0. Exporters divide biases by it: 1 keeps them.
        const float range = (high - low) / 255, step = range == 0 ? 1 : range;
        // The zero point is rounded only after it is clamped, as in the standard's definition.
        const float at = std::nearbyint(std::clamp(-low / step, 0.0F, 255.0F));
        const auto zero_point = static_cast<uint8_t>(at);
        *f.ptr<float>(scale) = step;
        *f.ptr<uint8_t>(zero) = zero_point;
        kernels::parallel_for(f.team(), s.pieces, [&](int64_t p, int) {
          const int64_t first = pieces.begin(p), n = pieces.end(p) - first;
          table.quantise.fn(from + first, n, step, zero_point, kernels::Elem::u8, to + first);
        });
      });
  return true;
}

// 4096 rows of 64 with a scale for each column: 1.47 ms by runs of one element, 0.03 by strips.
constexpr int64_t kShortRun = 16;

// Op: quantize_linear or dequantize_linear.
template <class Op>
const char* refusal(const Node& n, DType narrow, DType real) {
  const bool sums = n.is<DequantizeLinear>() && narrow == DType::i32 && !n.operand(2);
  if (!dtypes::bytes.has(narrow) && narrow != DType::u16 && narrow != DType::i16 && !sums) return "not of 8 or 16 bits";
  if (real != DType::f32 || n.operand(1)->dtype() != DType::f32) return "floats are not in f32";
  if (n.attrs<Op>().block_size) {
    // Others are as long as there are elements beside each other with scales of their own.
    const int64_t axis = n.attrs<Op>().axis;
    const Shape& x = n.operand(0)->shape();
    if (!x.ranked() || (axis != -1 && axis != x.rank() - 1)) return "blocks along an axis that is not the last one";
    if (sums) return "blocks of sums";
    if (n.attrs<Op>().block_size < kShortRun) return "few elements with the same scale";
  }
  if constexpr (requires { n.attrs<Op>().precision; })
    if (n.attrs<Op>().precision.value_or(DType::f32) != DType::f32) return "computed in another precision";
  return nullptr;
}

}  // namespace

const char* linear_refusal(const Node& n) {
  const DType from = n.operand(0)->dtype(), to = n.result(0)->dtype();
  if (n.is<QuantizeLinear>()) return refusal<QuantizeLinear>(n, to, from);
  if (const char* reason = refusal<DequantizeLinear>(n, from, to)) return reason;
  const Shape &x = n.operand(0)->shape(), &scales = n.operand(1)->shape();
  if (!x.ranked() || !scales.ranked() || scales.rank() != 1 || scales[0].is(1)) return nullptr;
  const int64_t axis = n.attrs<DequantizeLinear>().axis, rank = x.rank();
  Dim run(1);
  for (int64_t k = (axis < 0 ? axis + rank : axis) + 1; k < rank; ++k) run = run * x[static_cast<int>(k)];
  return run.is_const() && run.value() < kShortRun ? "few elements with the same scale" : nullptr;
}

void rows_bind_quant(BindRows& rows) {
  rows.push_back({OpId::MatMulInteger, "dot_i8", bind_matmul_integer});
  rows.push_back({OpId::FusedMatMulInteger, "dot_i8", bind_fused_matmul_integer});
  rows.push_back({OpId::QLinearMatMul, "dot_i8", bind_qlinear_matmul});
  rows.push_back({OpId::ConvInteger, "dot_i8", bind_conv_integer});
  rows.push_back({OpId::FusedConvInteger, "dot_i8", bind_fused_conv_integer});
  rows.push_back({OpId::QLinearConv, "dot_i8", bind_qlinear_conv<QLinearConv>});
  rows.push_back({OpId::FusedDequantizeMatMul, "blockwise", bind_dequantize_matmul});
  rows.push_back({OpId::FusedQLinearConv, "dot_i8", bind_fused_qlinear_conv});
  rows.push_back({OpId::QuantizeLinear, "quantise_f32", bind_linear<true>});
  rows.push_back({OpId::DequantizeLinear, "dequantise_f32", bind_linear<false>});
  rows.push_back({OpId::DynamicQuantizeLinear, "quantise_f32", bind_dynamic_quantize});
}

}  // namespace tc::cpu
