#include <algorithm>

#include "tc/backend/cpu/bind/pool.h"
#include "tc/backend/cpu/bind/roi.h"
#include "tc/backend/cpu/bind/spatial.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/shape_math.h"
#include "tc/kernels/pool/pool.h"
#include "tc/kernels/reduce/reduce.h"

namespace tc::cpu {
namespace {

using kernels::PoolArgs;
using kernels::PoolKind;

// Kernels count planes of a layout.
int64_t planes(std::span<const int64_t> e, Layout layout) {
  return e[0] * (layout == Layout::blocked16 ? (e[1] + 15) / 16 : e[1]);
}

// What the windows of a node are, for these extents.
template <class Op>
kernels::PoolShape pool_shape(const Node& node, std::span<const int64_t> e, std::span<const int64_t> r, Layout layout) {
  kernels::PoolShape shape;
  shape.blocked = layout == Layout::blocked16;
  shape.planes = planes(e, layout);
  const NodeErrors errors{node};
  const auto axes =
      window_axes(errors, window_spec(errors, node.attrs<Op>(), node.attrs<Op>().kernel_shape), e.subspan(2));
  set_spatial(shape, axes);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].out != r[i + 2])
      errors.fail(ErrorCode::internal, "the result's extent ", r[i + 2], " was inferred, ", axes[i].out, " follow");
  }
  return shape;
}

template <class Op>
bool bind_pool(Binder& b) {
  const bool any = b.dtype(0) != DType::f32;
  if (any && b.dtype(0) != DType::f64 && b.dtype(0) != DType::u8 && b.dtype(0) != DType::i8)
    return b.refuse(cat("no kernel for ", b.dtype(0)));
  if (b.rank(0) < 3 || b.rank(0) > 5) return b.refuse("not one to three spatial axes");
  const bool places_wanted = b.wants(1);
  if constexpr (std::is_same_v<Op, MaxPool>)
    if (places_wanted && b.attrs<Op>().storage_order != 0) return b.refuse("indices are column-major");
  for (int64_t p : b.attrs<Op>().pads)
    if (p < 0) return b.refuse("negative padding");
  bool include_pad = false;
  if constexpr (std::is_same_v<Op, AveragePool>) include_pad = b.attrs<Op>().count_include_pad;
  const PoolKind kind = std::is_same_v<Op, MaxPool> ? PoolKind::max : PoolKind::average;
  const Layout layout = places_wanted || b.dtype(0) == DType::f64 ? Layout::plain : b.layout(0);
  const kernels::PoolTable& table = b.table().pool;
  const Slot x = b.in(0, layout), y = b.out(0, layout), places = places_wanted ? b.out(1) : kNoSlot;
  const Node* node = &b.node();
  const auto& kernel = b.attrs<Op>().kernel_shape;
  b.flops = [=](const Frame& f) {
    double taps = 1;
    for (int64_t k : kernel) taps *= static_cast<double>(k);
    return taps * static_cast<double>(f.count(y));
  };
  if (any) {
    const kernels::Elem type = *elem_of(b.dtype(0));
    b.step<kernels::PoolAnyArgs>(
        table.any.name,
        [=](Frame& f, kernels::PoolAnyArgs& a) {
          a = {};
          a.kind = kind, a.type = type;
          a.count_include_pad = include_pad;
          a.shape = pool_shape<Op>(*node, f.extents(x), f.extents(y), layout);
        },
        [=, &table](Frame& f, kernels::PoolAnyArgs& a) {
          a.x = f.raw(x), a.y = f.raw(y);
          if (places != kNoSlot) a.places = f.ptr<int64_t>(places);
          kernels::pool(f.team(), table, a);
        });
    return true;
  }
  b.step<PoolArgs>(
      layout == Layout::blocked16 ? table.blocked.name : table.plain.name,
      [=](Frame& f, PoolArgs& a) {
        a = {};
        a.kind = kind;
        a.count_include_pad = include_pad;
        a.shape = pool_shape<Op>(*node, f.extents(x), f.extents(y), layout);
      },
      [=, &table](Frame& f, PoolArgs& a) {
        a.x = f.ptr<const float>(x), a.y = f.ptr<float>(y);
        if (places != kNoSlot) a.places = f.ptr<int64_t>(places);
        kernels::pool(f.team(), table, a);
      });
  return true;
}

bool bind_col2im(Binder& b) {
  if (b.dtype(0) != DType::f32 && b.dtype(0) != DType::f64) return b.refuse(cat("no kernel for ", b.dtype(0)));
  const auto block = b.ints(2);
  if (!block) return b.refuse("the block's extents are not constant");
  const int rank = b.result_shape(0).rank();
  if (rank < 3 || rank > 5 || block->size() + 2 != static_cast<size_t>(rank))
    return b.refuse("not one to three spatial axes");
  for (int64_t p : b.attrs<Col2Im>().pads)
    if (p < 0) return b.refuse("negative padding");
  const kernels::Elem type = *elem_of(b.dtype(0));
  const kernels::PoolTable& table = b.table().pool;
  const Slot x = b.in(0), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::FoldArgs>(
      table.fold.name,
      [=](Frame& f, kernels::FoldArgs& a) {
        a = {};
        a.type = type;
        const auto e = f.extents(x), image = f.extents(y);
        const NodeErrors errors{*node};
        const auto axes = window_axes(errors, window_spec(errors, node->attrs<Col2Im>(), *block), image.subspan(2));
        set_spatial(a.shape, axes);
        a.shape.planes = image[0] * image[1];
        const int64_t taps = product(*block), blocks = a.shape.out[0] * a.shape.out[1] * a.shape.out[2];
        if (e[1] != taps * image[1] || e[2] != blocks)
          errors.fail(ErrorCode::bad_shape, "the input is ", Shape::of(Extents(e.begin(), e.end())), ", expected [N, ",
                      taps, " * C, ", blocks, "]");
      },
      [=, &table](Frame& f, kernels::FoldArgs& a) {
        a.x = f.raw(x), a.y = f.raw(y);
        kernels::fold_windows(f.team(), table, a);
      });
  return true;
}

// A reduction of each plane.
bool bind_global_f64(Binder& b, bool max) {
  const kernels::ReduceTable& table = b.table().reduce;
  const Slot x = b.in(0), y = b.out(0);
  b.flops = [=](const Frame& f) { return static_cast<double>(f.count(x)); };
  b.step<kernels::ReduceArgs>(
      table.accumulate.name,
      [=](Frame& f, kernels::ReduceArgs& a) {
        a = {};
        a.op = max ? kernels::ReduceOp::max : kernels::ReduceOp::mean;
        a.type = kernels::Elem::f64;
        const auto e = f.extents(x);
        const Extents strides = row_major_strides(Extents(e.begin(), e.end()));
        kernels::set_axes(a, static_cast<int>(e.size()), e.data(), strides.data(), ~uint32_t{3});
      },
      [=, &table](Frame& f, kernels::ReduceArgs& a) {
        a.input = f.raw(x), a.output = f.raw(y);
        kernels::reduce(table, f.team(), a);
      });
  return true;
}

template <PoolKind kKind>
bool bind_global(Binder& b) {
  if (b.dtype(0) != DType::f32 && b.dtype(0) != DType::f64) return b.refuse(cat("no kernel for ", b.dtype(0)));
  if (b.rank(0) < 2) return b.refuse("no channels");
  if (b.dtype(0) == DType::f64) return bind_global_f64(b, kKind == PoolKind::max);
  return bind_global_pool(b, kKind == PoolKind::max, b.layout(0));
}

}  // namespace

bool bind_global_pool(Binder& b, bool max, Layout out_layout) {
  struct None {};
  const PoolKind kind = max ? PoolKind::max : PoolKind::average;
  const Layout layout = b.layout(0);
  const kernels::PoolTable& table = b.table().pool;
  const Slot x = b.in(0, layout), y = b.out(0, out_layout);
  const bool blocked = layout == Layout::blocked16;
  b.flops = [=](const Frame& f) { return static_cast<double>(f.count(x)); };
  b.step<None>(
      blocked ? table.global_blocked.name : table.global_plain.name, [](Frame&, None&) {},
      [=, &table](Frame& f, None&) {
        const auto e = f.extents(x);
        int64_t pixels = 1;
        for (size_t k = 2; k < e.size(); ++k) pixels *= e[k];
        kernels::global_pool(f.team(), table, kind, blocked, f.ptr<const float>(x), planes(e, layout), pixels,
                             f.ptr<float>(y));
      });
  return true;
}

void rows_bind_pool(BindRows& rows) {
  rows.push_back({OpId::MaxPool, "pool_f32", bind_pool<MaxPool>});
  rows.push_back({OpId::AveragePool, "pool_f32", bind_pool<AveragePool>});
  rows.push_back({OpId::GlobalAveragePool, "global_pool_f32", bind_global<PoolKind::average>});
  rows.push_back({OpId::GlobalMaxPool, "global_pool_f32", bind_global<PoolKind::max>});
  rows.push_back({OpId::Col2Im, "fold_windows", bind_col2im});
  rows.push_back({OpId::RoiAlign, "roi_align_f32", bind_roi_align});
  rows.push_back({OpId::MaxRoiPool, "roi_max_pool_f32", bind_max_roi_pool});
}

}  // namespace tc::cpu
