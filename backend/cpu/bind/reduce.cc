#include "tc/kernels/reduce/reduce.h"
#include "tc/backend/cpu/bind/pool.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/ir/shape_math.h"

namespace tc::cpu {
namespace {

using kernels::Elem;

// A mean or maximum over all spatial axes of channels that lie blocked.
bool is_global_pool(const Binder& b, kernels::ReduceOp op, const std::vector<bool>& reduced) {
  if (b.layout(0) != Layout::blocked16 || (op != kernels::ReduceOp::mean && op != kernels::ReduceOp::max)) return false;
  for (size_t k = 0; k < reduced.size(); ++k)
    if (reduced[k] != (k >= 2)) return false;
  const Dim& channels = b.shape(0)[1];
  return ReduceOp::attrs_of(b.node()).keepdims || (channels.is_const() && channels.value() % 16 == 0);
}

template <kernels::ReduceOp kOp>
bool bind_reduce(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  if (!type || !kernels::reduce_supports(kOp, *type)) return b.refuse(cat("no kernel for ", b.dtype(0)));
  if (b.rank(0) > kernels::kMaxRank) return b.refuse(cat("rank beyond ", kernels::kMaxRank));
  const auto axes = b.has(1) ? b.ints(1) : std::optional(std::vector<int64_t>());
  if (!axes) return b.refuse("axes are computed");
  const auto& attrs = ReduceOp::attrs_of(b.node());
  const auto reduced = reduced_axes(&*axes, b.rank(0), attrs.noop_with_empty_axes);
  if (is_global_pool(b, kOp, reduced))
    return bind_global_pool(b, kOp == kernels::ReduceOp::max, attrs.keepdims ? Layout::blocked16 : Layout::plain);
  uint32_t mask = 0;
  for (size_t k = 0; k < reduced.size(); ++k) mask |= reduced[k] ? 1u << k : 0;
  const kernels::ReduceTable& table = b.table().reduce;
  const Slot x = b.in(0), y = b.out(0);
  const Node* node = &b.node();
  b.flops = [=](const Frame& f) { return static_cast<double>(f.count(x)); };
  b.step<kernels::ReduceArgs>(
      kOp == kernels::ReduceOp::log_sum_exp ? table.log_sum_exp.name : table.accumulate.name,
      [=](Frame& f, kernels::ReduceArgs& a) {
        a = {};
        a.op = kOp;
        a.type = *type;
        const auto e = f.extents(x);
        const Extents strides = row_major_strides(Extents(e.begin(), e.end()));
        kernels::set_axes(a, static_cast<int>(e.size()), e.data(), strides.data(), mask);
        if (kOp == kernels::ReduceOp::mean && *type != Elem::f32 && *type != Elem::f64 && a.reduced() == 0 &&
            a.kept() > 0)
          f.fail(*node, ErrorCode::bad_value, "the mean of no integers");
      },
      [=, &table](Frame& f, kernels::ReduceArgs& a) {
        a.input = f.raw(x), a.output = f.raw(y);
        kernels::reduce(table, f.team(), a);
      });
  return true;
}

// Extents as [outer, axis, inner].
struct Lines {
  int64_t outer = 1, n = 1, inner = 1;
  Lines(std::span<const int64_t> e, size_t axis) : n(e[axis]) {
    for (size_t k = 0; k < axis; ++k) outer *= e[k];
    for (size_t k = axis + 1; k < e.size(); ++k) inner *= e[k];
  }
};

template <bool kSmallest>
bool bind_arg(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  switch (type.value_or(Elem::boolean)) {
    case Elem::f32:
    case Elem::f64:
    case Elem::i32:
    case Elem::i64:
    case Elem::u8:
    case Elem::i8:
      break;
    default:
      return b.refuse(cat("no kernel for ", b.dtype(0)));
  }
  if (b.rank(0) == 0) return b.refuse("a scalar has no axis");
  const auto& attrs = ArgExtreme::attrs_of(b.node());
  const auto axis = static_cast<size_t>(attrs.axis < 0 ? attrs.axis + b.rank(0) : attrs.axis);
  const bool last = attrs.select_last_index;
  const kernels::ReduceTable& table = b.table().reduce;
  const Slot x = b.in(0), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::ArgReduceArgs>(
      table.arg_reduce.name,
      [=](Frame& f, kernels::ArgReduceArgs& a) {
        const Lines lines(f.extents(x), axis);
        a = {};
        a.type = *type;
        a.outer = lines.outer, a.n = lines.n, a.inner = lines.inner;
        a.smallest = kSmallest, a.last = last;
        if (a.n == 0 && a.outer * a.inner > 0)
          f.fail(*node, ErrorCode::bad_value, cat("an extreme of no elements: axis ", axis, " has none"));
      },
      [=, &table](Frame& f, kernels::ArgReduceArgs& a) {
        if (a.outer * a.n * a.inner == 0) return;
        a.input = f.raw(x), a.output = f.ptr<int64_t>(y);
        kernels::arg_reduce(table, f.team(), a);
      });
  return true;
}

template <bool kProduct>
bool bind_running(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  if (type != Elem::f32 && type != Elem::f64 && type != Elem::i32 && type != Elem::i64)
    return b.refuse(cat("no kernel for ", b.dtype(0)));
  const auto axes = b.ints(1);
  const int rank = b.rank(0);
  if (!axes || axes->size() != 1) return b.refuse("the axis is computed");
  if ((*axes)[0] < -rank || (*axes)[0] >= rank) return b.refuse("the axis is out of range");
  const auto axis = static_cast<size_t>((*axes)[0] < 0 ? (*axes)[0] + rank : (*axes)[0]);
  const auto& attrs = RunningOp::attrs_of(b.node());
  const bool exclusive = attrs.exclusive, reverse = attrs.reverse;
  const kernels::ReduceTable& table = b.table().reduce;
  const Slot x = b.in(0), y = b.out(0);
  b.in_place(0, 0);
  b.flops = [=](const Frame& f) { return static_cast<double>(f.count(x)); };
  b.step<kernels::CumulateArgs>(
      table.cumulate.name,
      [=](Frame& f, kernels::CumulateArgs& a) {
        const Lines lines(f.extents(x), axis);
        a = {};
        a.type = *type;
        a.outer = lines.outer, a.n = lines.n, a.inner = lines.inner;
        a.exclusive = exclusive, a.reverse = reverse, a.product = kProduct;
      },
      [=, &table](Frame& f, kernels::CumulateArgs& a) {
        if (a.outer * a.n * a.inner == 0) return;
        a.input = f.raw(x), a.output = f.raw(y);
        kernels::cumulate(table, f.team(), a);
      });
  return true;
}

}  // namespace

void rows_bind_reduce(BindRows& rows) {
  using enum kernels::ReduceOp;
  rows.push_back({OpId::ReduceSum, "reduce", bind_reduce<sum>});
  rows.push_back({OpId::ReduceMean, "reduce", bind_reduce<mean>});
  rows.push_back({OpId::ReduceProd, "reduce", bind_reduce<prod>});
  rows.push_back({OpId::ReduceMax, "reduce", bind_reduce<max>});
  rows.push_back({OpId::ReduceMin, "reduce", bind_reduce<min>});
  rows.push_back({OpId::ReduceSumSquare, "reduce", bind_reduce<sum_square>});
  rows.push_back({OpId::ReduceL1, "reduce", bind_reduce<l1>});
  rows.push_back({OpId::ReduceL2, "reduce", bind_reduce<l2>});
  rows.push_back({OpId::ReduceLogSum, "reduce", bind_reduce<log_sum>});
  rows.push_back({OpId::ReduceLogSumExp, "reduce", bind_reduce<log_sum_exp>});
  rows.push_back({OpId::ArgMax, "arg_reduce", bind_arg<false>});
  rows.push_back({OpId::ArgMin, "arg_reduce", bind_arg<true>});
  rows.push_back({OpId::CumSum, "cumulate", bind_running<false>});
  rows.push_back({OpId::CumProd, "cumulate", bind_running<true>});
}

}  // namespace tc::cpu
