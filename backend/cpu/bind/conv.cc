#include <algorithm>

#include "tc/backend/cpu/bind/algorithms.h"
#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/gemm_step.h"
#include "tc/backend/cpu/bind/spatial.h"
#include "tc/kernels/conv/conv.h"
#include "tc/kernels/product/product.h"

namespace tc::cpu {
namespace {

using kernels::ConvAlgorithm;
using kernels::ConvQuery;
using kernels::ConvShape;

// Of axes that are known at run time only, where the choice of an algorithm asks for extents: the input's, or as many
// as make some outputs.
constexpr int64_t kNominalExtent = 32, kNominalOutputs = 16;

struct ConvState {
  kernels::ConvArgs args;
  kernels::ConvPlan plan;
  const float* packed = nullptr;  // constant weights
  size_t pack_floats = 0;         // of weights that are packed at each run
};

std::vector<int64_t> kernel_of(const Binder& b) {
  std::vector<int64_t> kernel;
  for (int i = 2; i < b.rank(1); ++i) kernel.push_back(b.shape(1)[i].value());
  return kernel;
}

// Whether the result is read plain wherever it goes, as far as the ops tell.
bool leaves_plain(const Value& v) {
  for (const Use* use = v.first_use(); use; use = use->next()) {
    const OpId op = use->user()->op();
    if (op == OpId::Cast && leaves_plain(*use->user()->result(0))) continue;
    if (op != OpId::Return && op != OpId::Reshape && op != OpId::Transpose && op != OpId::MatMul) return false;
  }
  return true;
}

bool spatial_extents_known(const Binder& b) {
  for (int i = 2; i < b.rank(0); ++i) {
    if (!b.shape(0)[i].is_const()) return false;
  }
  return true;
}

// What is fixed: channels, groups, kernel; spatial extents where they are. Refuses what no kernel computes.
template <class Op>
std::optional<ConvShape> fixed_shape(Binder& b) {
  constexpr bool kTransposed = std::is_same_v<Op, ConvTranspose>;
  if (b.rank(0) < 3 || b.rank(0) > 5) return b.refuse("not one to three spatial axes"), std::nullopt;
  if (!b.shape(1).is_static() || !b.shape(0)[1].is_const())
    return b.refuse("channels or kernel extents are not fixed"), std::nullopt;
  const auto& attrs = b.attrs<Op>();
  ConvShape fixed;
  fixed.ic = b.shape(0)[1].value();
  fixed.groups = attrs.group;
  fixed.oc = kTransposed ? b.shape(1)[1].value() * attrs.group : b.shape(1)[0].value();
  fixed.transposed = kTransposed;
  const auto kernel = kernel_of(b);
  for (size_t i = 0; i < kernel.size(); ++i) {
    const size_t k = 3 - kernel.size() + i;
    fixed.kernel[k] = kernel[i];
    const Dim& in = b.shape(0)[static_cast<int>(2 + i)];
    const Dim& out = b.node().result(0)->shape()[static_cast<int>(2 + i)];
    if (!attrs.strides.empty()) fixed.stride[k] = attrs.strides[i];
    fixed.in[k] = in.is_const() ? in.value()
                  : kTransposed ? kNominalExtent
                                : std::max(kNominalExtent, kNominalOutputs * fixed.stride[k]);
    fixed.out[k] = out.is_const() ? out.value()
                   : kTransposed  ? fixed.in[k] * fixed.stride[k]
                                  : (fixed.in[k] + fixed.stride[k] - 1) / fixed.stride[k];
    if (!attrs.dilations.empty()) fixed.dilation[k] = attrs.dilations[i];
  }
  for (const auto& p : attrs.pads)
    if (p < 0) return b.refuse("negative padding"), std::nullopt;
  if (fixed.ic == 0 || fixed.oc == 0) return b.refuse("no channels"), std::nullopt;
  return fixed;
}

// The shape for these extents of the input.
template <class Op>
ConvShape shape_of(const Node& node, ConvShape shape, const std::vector<int64_t>& kernel, std::span<const int64_t> e) {
  shape.n = e[0];
  const NodeErrors errors{node};
  const auto spatial = e.subspan(2);
  const auto spec = window_spec(errors, node.attrs<Op>(), kernel);
  if constexpr (std::is_same_v<Op, ConvTranspose>) {
    const Dims dims(spatial.begin(), spatial.end());
    std::vector<WindowAxis<int64_t>> axes;
    for (const auto& a : transposed_axes(errors, node.attrs<Op>(), spec, std::span<const Dim>(dims)))
      axes.push_back(actual(a));
    set_spatial(shape, axes);
  } else {
    set_spatial(shape, window_axes(errors, spec, spatial));
  }
  return shape;
}

std::function<double(const Frame&)> conv_flops(const ConvShape& fixed, const std::vector<int64_t>& kernel, Slot x,
                                               Slot y) {
  return [=](const Frame& f) {
    double per_output = 2;
    for (int64_t k : kernel) per_output *= static_cast<double>(k);
    const double channels =
        static_cast<double>(fixed.transposed ? fixed.oc : fixed.ic) / static_cast<double>(fixed.groups);
    return per_output * channels * static_cast<double>(f.count(fixed.transposed ? x : y));
  };
}

struct ConvF64State {
  kernels::ConvF64Args args;
  kernels::StripInput input;
  kernels::StripOutput output;
  kernels::StripArgs activation;
};

template <class Op>
bool bind_conv_f64(Binder& b) {
  const auto fixed = fixed_shape<Op>(b);
  if (!fixed) return false;
  const kernels::ProductTable& table = b.table().product;
  const kernels::StripTable& strips = b.table().strip;
  const std::vector<int64_t> kernel = kernel_of(b);
  Slot residual = kNoSlot;
  std::shared_ptr<const CompiledStrip> activation;
  if constexpr (std::is_same_v<Op, FusedConv>) {
    residual = b.in(3);
    if (const Epilogue e = b.attrs<Op>().epilogue(); e.activation != Activation::none) {
      StripBuilder strip(kernels::Elem::f64);
      activation = strip.finish({activation_op(strip, e, strip.input())});
    }
  }
  const Slot x = b.in(0), w = b.in(1), bias = b.in(2), y = b.out(0);
  if (residual != kNoSlot) b.in_place(0, 3);
  const Node* node = &b.node();
  b.flops = conv_flops(*fixed, kernel, x, y);
  b.step<ConvF64State>(
      table.conv.name,
      [=, &table, shape = *fixed](Frame& f, ConvF64State& s) {
        s.args = {};
        s.args.shape = shape_of<Op>(*node, shape, kernel, f.extents(x));
        f.need_scratch(kernels::conv_f64_scratch_bytes(table, s.args.shape, f.team().threads()));
        if (!activation) return;
        s.input = {nullptr, kernels::Elem::f64, {1}}, s.output = {nullptr, kernels::Elem::f64, {1}};
        s.activation = {&activation->program, 1, {f.count(y)}, &s.input, &s.output};
      },
      [=, &table, &strips](Frame& f, ConvF64State& s) {
        s.args.x = f.ptr<const double>(x), s.args.w = f.ptr<const double>(w), s.args.y = f.ptr<double>(y);
        s.args.bias = bias == kNoSlot ? nullptr : f.ptr<const double>(bias);
        s.args.residual = residual == kNoSlot ? nullptr : f.ptr<const double>(residual);
        s.args.scratch = reinterpret_cast<double*>(f.scratch());
        kernels::conv_f64(f.team(), table, s.args);
        if (!activation) return;
        s.input.data = s.output.data = f.raw(y);
        check(f, *node, kernels::run_strips(strips, f.team(), s.activation));
      });
  return true;
}

// Of images of one pixel: a product of rows of channels, which reads the weights once for all images and at the rate of
// a memory's stream.
bool is_product(const Binder& b, const ConvShape& s, const std::vector<int64_t>& pads) {
  for (int i = 0; i < 3; ++i)
    if (s.in[i] != 1 || s.kernel[i] != 1 || s.out[i] != 1) return false;
  // With a stride the one window may lie beside the image.
  if (std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; })) return false;
  return spatial_extents_known(b) && s.groups == 1 && !s.transposed && b.constant(1) != nullptr;
}

void bind_conv_product(Binder& b, const ConvShape& fixed, const ActivationEpilogue& activation) {
  GemmOperands o;
  const Dim& images = b.shape(0)[0];
  o.weights =
      std::make_shared<GemmWeights>(b, 1, true, images.is_const() ? images.value() : kAnyRows, fixed.ic, fixed.oc);
  o.a = b.in(0), o.bias = b.in(2), o.residual = b.in(3), o.c = b.out(0);
  if (o.residual != kNoSlot) b.in_place(0, 3);
  b.flops = conv_flops(fixed, kernel_of(b), o.a, o.c);
  gemm_step(b, o, activation, [=](const Frame& f, std::vector<Offsets>& outer) {
    outer.assign(1, {});
    kernels::GemmShape g;
    g.m = f.extents(o.a)[0], g.n = fixed.oc, g.k = fixed.ic;
    g.a_rs = g.k, g.c_rs = g.residual_rs = g.n;
    return g;
  });
}

// What the choice of an algorithm asks about.
template <class Op>
ConvQuery query_of(const Binder& b, const ConvShape& fixed, const std::vector<int64_t>& kernel) {
  const bool plain = b.layout(0) == Layout::plain && leaves_plain(*b.node().result(0));
  ConvQuery query{b.table().conv, fixed, b.constant(1) != nullptr, plain, fixed};
  if constexpr (std::is_same_v<Op, ConvTranspose>) {
    // Pads and extents of one size speak for all.
    std::vector<int64_t> extents{1, fixed.ic};
    extents.insert(extents.end(), std::end(fixed.in) - std::ssize(kernel), std::end(fixed.in));
    query.padded.reset();
    if (b.attrs<Op>().output_shape.empty()) query.padded = shape_of<Op>(b.node(), fixed, kernel, extents);
  }
  return query;
}

template <class Op>
bool bind_conv(Binder& b) {
  constexpr bool kTransposed = std::is_same_v<Op, ConvTranspose>;
  if (b.dtype(0) == DType::f64) return bind_conv_f64<Op>(b);
  if (b.dtype(0) != DType::f32) return b.refuse(cat("no kernel for ", b.dtype(0)));
  const auto given = fixed_shape<Op>(b);
  if (!given) return false;
  const ConvShape fixed = *given;
  const std::vector<int64_t> kernel = kernel_of(b);
  ActivationEpilogue activation;
  if constexpr (std::is_same_v<Op, FusedConv>)
    activation = ActivationEpilogue(b.attrs<Op>().epilogue(), b.table().strip);
  const std::string* forced = b.forced("conv");
  if constexpr (!kTransposed)
    if (!forced && is_product(b, fixed, b.attrs<Op>().pads)) return bind_conv_product(b, fixed, activation), true;
  const kernels::ConvTable& table = b.table().conv;
  const ConvQuery query = query_of<Op>(b, fixed, kernel);
  const ConvAlgorithm algorithm = choose(query, forced);
  b.candidates = [=](const Frame*) { return candidates(query, algorithm, forced); };
  const int width = b.table().gemm.traits.fn().width;

  const Slot x = b.in(0, conv_takes_blocked(algorithm) ? Layout::blocked16 : Layout::plain);
  const Layout out_layout = conv_gives_blocked(algorithm) ? Layout::blocked16 : Layout::plain;
  const Slot bias = b.in(2);
  Slot residual = kNoSlot;
  if constexpr (!kTransposed)
    if (b.has(3)) residual = b.in(3, out_layout);
  // What runs where the extents are small is not always what runs where they are large: of those that are known at run
  // time only, the direct form is kept as well. 512 to 64 channels on an image of one row: 0.82 ms by Winograd, 0.09.
  const bool by_extents = kernels::conv_by_winograd(algorithm) || algorithm == ConvAlgorithm::split;
  const bool chosen_at_run = by_extents && !forced && b.constant(1) && !spatial_extents_known(b) &&
                             kernels::conv_accepts(ConvAlgorithm::direct, fixed);
  const auto pack = [&](ConvAlgorithm form) {
    const Tensor aligned = b.constant(1)->aligned_copy();
    std::string key = cat(kTransposed ? "conv_transpose " : "conv ", kernels::conv_facts(form).name, " ", fixed.groups);
    for (size_t i = 0; i < 3; ++i) key += cat(" ", fixed.stride[i], ",", fixed.dilation[i]);
    const auto bytes = static_cast<size_t>(kernels::conv_packed_floats(form, fixed)) * sizeof(float);
    return static_cast<const float*>(b.pack(1, key, bytes, [&](void* to) {
      kernels::conv_pack(kernels::Team::shared(), table, fixed, form, static_cast<const float*>(aligned.data()),
                         static_cast<float*>(to));
    }));
  };
  const float *packed = nullptr, *packed_direct = nullptr;
  Slot w = kNoSlot;
  if (b.constant(1) && !kernels::conv_packed_is_plain(algorithm, fixed)) {
    packed = pack(algorithm);
    if (chosen_at_run) packed_direct = pack(ConvAlgorithm::direct);
  } else {
    w = b.in(1);
  }
  const auto floats = static_cast<size_t>(kernels::conv_packed_floats(algorithm, fixed));
  const bool pack_at_run = w != kNoSlot && !kernels::conv_packed_is_plain(algorithm, fixed);
  const Slot y = b.out(0, out_layout);
  if (residual != kNoSlot) b.in_place(0, 3);
  const Node* node = &b.node();
  b.flops = conv_flops(fixed, kernel, x, y);
  const char* name = kernels::conv_kernel_name(table, algorithm);
  b.step<ConvState>(
      name,
      [=](Frame& f, ConvState& s) {
        const ConvShape shape = shape_of<Op>(*node, fixed, kernel, f.extents(x));
        s.args.shape = shape;
        const bool direct =
            packed_direct && kernels::conv_choice({table, shape, true, query.plain, {}}) == ConvAlgorithm::direct;
        s.packed = direct ? packed_direct : packed;
        s.plan = kernels::conv_plan(direct ? ConvAlgorithm::direct : algorithm, shape, width);
        s.pack_floats = pack_at_run ? (floats + 15) / 16 * 16 : 0;
        f.need_scratch(kernels::conv_scratch_bytes(s.plan, f.team().threads()) + s.pack_floats * sizeof(float));
        activation.fill(s.args.epilogue);
      },
      [=, &table](Frame& f, ConvState& s) {
        s.args.x = f.ptr<const float>(x);
        s.args.y = f.ptr<float>(y);
        auto* scratch = reinterpret_cast<float*>(f.scratch());
        s.args.scratch = scratch + s.pack_floats;
        s.args.w = s.packed;
        if (pack_at_run) {
          kernels::conv_pack(f.team(), table, s.args.shape, algorithm, f.ptr<const float>(w), scratch);
          s.args.w = scratch;
        } else if (w != kNoSlot) {
          s.args.w = f.ptr<const float>(w);
        }
        s.args.epilogue.bias = bias == kNoSlot ? nullptr : f.ptr<const float>(bias);
        s.args.epilogue.residual = residual == kNoSlot ? nullptr : f.ptr<const float>(residual);
        kernels::conv(f.team(), table, s.args, s.plan);
      });
  return true;
}

}  // namespace

void rows_bind_conv(BindRows& rows) {
  rows.push_back({OpId::Conv, "conv", bind_conv<Conv>});
  rows.push_back({OpId::FusedConv, "conv", bind_conv<FusedConv>});
  rows.push_back({OpId::ConvTranspose, "conv_transpose", bind_conv<ConvTranspose>});
}

}  // namespace tc::cpu
