#include <algorithm>
#include <cstring>
#include <limits>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/kernels/norm/batch_norm.h"
#include "tc/kernels/product/product.h"
#include "tc/kernels/worker_stride.h"

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

// The gradient of a convolution's weights in groups, as the gradient rules write it: a convolution of few results whose
// kernel is an image. Of an image padded to planes, the result at an offset is one long sum over the planes of x from
// the offset on and those of the kernel, whose elements lie as far apart as the dilation says, with zeros between them.
struct LongConv {
  kernels::ProductArgs args;
  kernels::ProductPlan plan;
  int64_t groups = 0, images = 0, channels = 0, results = 0;  // `channels` in and `results` out, both of a group
  int64_t in[2], kernel[2], out[2], stride[2], dilation[2], pad[2], plane[2];
  int64_t together = 0;  // channels whose planes are summed at once
  int64_t worker = 0;    // elements of a worker's planes
  int64_t last_offset = 0;
};

// Elements of a worker's planes, which L2 holds.
constexpr int64_t kLongElements = 1 << 16;

// Rows of `from` from channel `first` on into planes: element (y, x) at (y * step[0] + pad[0], x * step[1] + pad[1]).
template <class T>
void spread_planes(const T* from, int64_t count, const int64_t (&extent)[2], const int64_t (&plane)[2],
                   const int64_t (&step)[2], const int64_t (&pad)[2], T* to) {
  std::fill_n(to, count * plane[0] * plane[1], T{0});
  const int64_t columns = std::min(extent[1], (plane[1] - pad[1] + step[1] - 1) / step[1]);
  for (int64_t c = 0; c < count; ++c, from += extent[0] * extent[1], to += plane[0] * plane[1])
    for (int64_t y = 0; y < extent[0] && y * step[0] + pad[0] < plane[0]; ++y) {
      T* row = to + (y * step[0] + pad[0]) * plane[1] + pad[1];
      const T* elements = from + y * extent[1];
      if (step[1] == 1)
        std::copy_n(elements, columns, row);
      else
        for (int64_t x = 0; x < columns; ++x) row[x * step[1]] = elements[x];
    }
}

template <class T>
void run_long_conv(const kernels::ProductTable& table, const LongConv& s, const T* x, const T* w, T* y, T* scratch,
                   int64_t group, int worker) {
  static constexpr int64_t kNone[2] = {0, 0}, kOne[2] = {1, 1};
  const int64_t plane = s.plane[0] * s.plane[1], taps = s.out[0] * s.out[1], in = s.in[0] * s.in[1],
                kernel = s.kernel[0] * s.kernel[1], outputs = s.groups * s.results;
  T* x_planes = scratch + worker * kernels::worker_stride<T>(s.worker);
  T* w_planes = x_planes + s.images * s.together * plane;
  y += group * s.results * taps;
  for (int64_t first = 0; first < s.channels; first += s.together) {
    const int64_t count = std::min(s.together, s.channels - first), apart = count * plane;
    for (int64_t image = 0; image < s.images; ++image)
      spread_planes(x + ((image * s.groups + group) * s.channels + first) * in, count, s.in, s.plane, kOne, s.pad,
                    x_planes + image * apart);
    for (int64_t o = 0; o < s.results; ++o)
      spread_planes(w + ((group * s.results + o) * s.channels + first) * kernel, count, s.kernel, s.plane, s.dilation,
                    kNone, w_planes + o * apart);
    kernels::ProductArgs a = s.args;
    auto& g = a.shape;
    g.m = s.results, g.n = s.out[1], g.k = apart - s.last_offset;
    g.a_rs = apart, g.a_cs = 1, g.b_rs = 1, g.b_cs = s.stride[1];
    g.c_rs = g.residual_rs = taps, g.residual_cs = 1;
    g.batch[0] = s.images, g.batch[1] = s.out[0];
    g.b_batch[0] = apart, g.b_batch[1] = s.stride[0] * s.plane[1];
    g.c_batch[0] = g.residual_batch[0] = outputs * taps, g.c_batch[1] = g.residual_batch[1] = s.out[1];
    a.a = w_planes, a.b = x_planes, a.c = y, a.residual = first == 0 ? nullptr : y;
    for (int64_t batch = 0; batch < s.images * s.out[0]; ++batch) table.run.fn(a, s.plan, batch, 0, 0, worker);
  }
}

bool bind_weight_gradient(Binder& b) {
  const auto& attrs = b.attrs<Conv>();
  const DType type = b.dtype(0);
  if (type != DType::f32 && type != DType::f64) return b.refuse("neither f32 nor f64");
  const int axes = b.rank(0) - 2;
  if (axes < 1 || axes > 2) return b.refuse("not one or two spatial axes");
  if (attrs.group == 1 || b.has(2) || b.constant(1)) return b.refuse("no gradient of weights in groups");
  if (attrs.auto_pad != AutoPad::notset) return b.refuse("padded by itself");
  Dim places = 1, taps = 1;
  for (int k = 2; k < axes + 2; ++k) places *= b.shape(1)[k], taps *= b.result_shape(0)[k];
  if (!places.is_const() || !taps.is_const() || places.value() <= taps.value() || taps.value() == 0)
    return b.refuse("as many results as there are weights");
  for (const int64_t p : attrs.pads)
    if (p < 0) return b.refuse("negative padding");
  const kernels::ProductTable& table = b.table().product;
  const Slot x = b.in(0), w = b.in(1), y = b.out(0);
  const kernels::Elem elem = type == DType::f32 ? kernels::Elem::f32 : kernels::Elem::f64;
  const int64_t bytes = kernels::elem_bytes(elem);
  b.flops = [=](const Frame& f) {
    const auto e = f.extents(w);
    return 2.0 * static_cast<double>(f.count(y)) * static_cast<double>(product(e.subspan(1)));
  };
  b.step<LongConv>(
      table.run.name,
      [=](Frame& f, LongConv& s) {
        const auto xe = f.extents(x), we = f.extents(w), ye = f.extents(y);
        s = {};
        s.groups = attrs.group, s.images = xe[0], s.channels = we[1], s.results = we[0] / s.groups;
        for (int k = 0; k < 2; ++k) {
          const int from = k - 2 + axes;  // of the spatial axes; a missing one is of one element
          const auto place = static_cast<size_t>(std::max(0, from)), axis = place + 2;
          const bool is = from >= 0;
          s.in[k] = is ? xe[axis] : 1, s.kernel[k] = is ? we[axis] : 1, s.out[k] = is ? ye[axis] : 1;
          s.stride[k] = is && !attrs.strides.empty() ? attrs.strides[place] : 1;
          s.dilation[k] = is && !attrs.dilations.empty() ? attrs.dilations[place] : 1;
          s.pad[k] = is && !attrs.pads.empty() ? attrs.pads[place] : 0;
          s.plane[k] = (s.out[k] - 1) * s.stride[k] + (s.kernel[k] - 1) * s.dilation[k] + 1;
        }
        s.last_offset = (s.out[0] - 1) * s.stride[0] * s.plane[1] + (s.out[1] - 1) * s.stride[1];
        const int64_t of_channel = (s.images + s.results) * s.plane[0] * s.plane[1];
        s.together =
            std::clamp<int64_t>(kLongElements / std::max<int64_t>(1, of_channel), 1, std::max<int64_t>(1, s.channels));
        s.worker = of_channel * s.together;
        s.args.type = elem;
        s.plan.path = kernels::ProductPlan::Path::dots;
        s.plan.row_tile = s.results, s.plan.row_tiles = 1, s.plan.col_tile = s.out[1], s.plan.col_tiles = 1;
        const int64_t apart = elem == kernels::Elem::f32 ? kernels::worker_stride<float>(s.worker)
                                                         : kernels::worker_stride<double>(s.worker);
        f.need_scratch(static_cast<size_t>(f.team().threads() * apart * bytes));
      },
      [=, &table](Frame& f, LongConv& s) {
        if (s.channels == 0) std::memset(f.raw(y), 0, static_cast<size_t>(f.count(y) * bytes));  // sums of nothing
        kernels::parallel_for(f.team(), s.groups, [&](int64_t group, int worker) {
          if (elem == kernels::Elem::f32)
            run_long_conv(table, s, f.ptr<const float>(x), f.ptr<const float>(w), f.ptr<float>(y),
                          reinterpret_cast<float*>(f.scratch()), group, worker);
          else
            run_long_conv(table, s, f.ptr<const double>(x), f.ptr<const double>(w), f.ptr<double>(y),
                          reinterpret_cast<double*>(f.scratch()), group, worker);
        });
      });
  return true;
}

}  // namespace

void rows_bind_training(BindRows& rows) {
  // Before those that compute any convolution.
  rows.insert(rows.begin(), {OpId::Conv, "product", bind_weight_gradient});
  rows.push_back({OpId::BatchNormalization, "moments", bind_batch_norm_in_training});
}

}  // namespace tc::cpu
