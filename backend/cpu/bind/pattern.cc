#include "tc/backend/cpu/bind/pattern.h"

#include <algorithm>
#include <cmath>

#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/movement/pattern.h"
#include "tc/kernels/reduce/reduce.h"

namespace tc::cpu {
namespace {

void expect_count(const Frame& f, const Node& node, Slot s, int64_t count, const char* what) {
  if (f.count(s) != count)
    f.fail(node, ErrorCode::bad_shape, cat(what, " must be ", count, " elements, got ", f.count(s)));
}

}  // namespace

bool bind_one_hot(Binder& b) {
  if (b.dtype(0) != DType::i64 && b.dtype(0) != DType::i32) return b.refuse(cat("indices are ", b.dtype(0)));
  const int rank = b.rank(0) + 1;
  const int64_t given = b.attrs<OneHot>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  const int size = elem_size(b.dtype(2));
  const bool wide = b.dtype(0) == DType::i64;
  const Slot index = b.in(0), depth = b.in(1), values = b.in(2), y = b.found(0);
  const Node* node = &b.node();
  b.step<kernels::OneHotArgs>(
      "one_hot",
      [=](Frame& f, kernels::OneHotArgs& a) {
        a = {};
        a.elem_size = size, a.index.wide = wide;
        const auto e = f.extents(index);
        a.outer = product(e.first(axis)), a.inner = product(e.subspan(axis));
        expect_count(f, *node, depth, 1, "depth");
        expect_count(f, *node, values, 2, "values");
      },
      [=](Frame& f, kernels::OneHotArgs& a) {
        const double wanted = scalar_f64(f.datum(depth).tensor());
        if (!(wanted >= 0 && wanted < 1e15)) f.fail(*node, ErrorCode::bad_value, cat("one_hot of depth ", wanted));
        a.depth = static_cast<int64_t>(wanted);
        const auto e = f.extents(index);
        Extents result(e.begin(), e.end());
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), a.depth);
        a.out = f.make(y, result);
        a.index.data = f.raw(index), a.values = f.raw(values);
        kernels::one_hot(f.team(), a);
      });
  return true;
}

// The place of the largest element, then one hot element there.
bool bind_hardmax(Binder& b) {
  if (b.dtype(0) != DType::f32 && b.dtype(0) != DType::f64) return b.refuse(cat("no kernel for ", b.dtype(0)));
  const int rank = b.rank(0);
  if (rank == 0) return b.refuse("a scalar has no axis");
  const int64_t given = AlongAxis::attrs_of(b.node()).axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + rank : given);
  const kernels::Elem type = *elem_of(b.dtype(0));
  const kernels::ReduceTable& table = b.table().reduce;
  const Slot x = b.in(0), y = b.out(0);
  struct State {
    kernels::ArgReduceArgs largest;
    kernels::OneHotArgs hot;
  };
  b.step<State>(
      cat(table.arg_reduce.name, " + one_hot"),
      [=](Frame& f, State& s) {
        s = {};
        const auto e = f.extents(x);
        s.largest.type = type;
        s.largest.outer = s.hot.outer = product(e.first(axis));
        s.largest.n = s.hot.depth = e[axis];
        s.largest.inner = s.hot.inner = product(e.subspan(axis + 1));
        s.hot.elem_size = elem_bytes(type);
        f.need_scratch(static_cast<size_t>(s.hot.outer * s.hot.inner) * sizeof(int64_t));
      },
      [=, &table](Frame& f, State& s) {
        if (f.count(x) == 0) return;
        s.largest.input = f.raw(x), s.largest.output = reinterpret_cast<int64_t*>(f.scratch());
        kernels::arg_reduce(table, f.team(), s.largest);
        static constexpr float f32[] = {0, 1};
        static constexpr double f64[] = {0, 1};
        s.hot.index.data = f.scratch(), s.hot.out = f.raw(y);
        s.hot.values = type == kernels::Elem::f32 ? static_cast<const void*>(f32) : f64;
        kernels::one_hot(f.team(), s.hot);
      });
  return true;
}

bool bind_trilu(Binder& b) {
  const int size = elem_size(b.dtype(0));
  const bool upper = b.attrs<Trilu>().upper;
  const Slot x = b.in(0), k = b.num_operands() > 1 && b.has(1) ? b.in(1) : kNoSlot, y = b.out(0);
  b.in_place(0, 0);
  const Node* node = &b.node();
  b.step<kernels::TriangleArgs>(
      "triangle",
      [=](Frame& f, kernels::TriangleArgs& a) {
        a = {};
        a.elem_size = size, a.upper = upper;
        const auto e = f.extents(x);
        if (e.size() < 2) f.fail(*node, ErrorCode::bad_shape, "trilu needs rank 2 or more");
        a.matrices = product(e.first(e.size() - 2));
        a.rows = e[e.size() - 2], a.columns = e[e.size() - 1];
        if (k != kNoSlot) expect_count(f, *node, k, 1, "k of trilu");
      },
      [=](Frame& f, kernels::TriangleArgs& a) {
        if (k != kNoSlot) a.k = *f.ptr<int64_t>(k);
        a.x = f.raw(x), a.out = f.raw(y);
        kernels::triangle(f.team(), a);
      });
  return true;
}

bool bind_reverse_sequence(Binder& b) {
  const int rank = b.rank(0);
  const auto axis = [&](int64_t given) { return static_cast<size_t>(given < 0 ? given + rank : given); };
  const size_t time = axis(b.attrs<ReverseSequence>().time_axis), batch = axis(b.attrs<ReverseSequence>().batch_axis);
  const size_t first = std::min(time, batch);
  if (std::max(time, batch) != first + 1) return b.refuse("time and batch are not next to each other");
  const int size = elem_size(b.dtype(0));
  const Slot x = b.in(0), lengths = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::ReverseArgs>(
      "reverse_sequences",
      [=](Frame& f, kernels::ReverseArgs& a) {
        a = {};
        const auto e = f.extents(x);
        a.outer = product(e.first(first)), a.row_bytes = product(e.subspan(first + 2)) * size;
        a.steps = e[time], a.sequences = e[batch], a.steps_first = time < batch;
        if (f.count(lengths) != a.sequences)
          f.fail(*node, ErrorCode::bad_shape, cat(f.count(lengths), " sequence lengths for a batch of ", a.sequences));
      },
      [=](Frame& f, kernels::ReverseArgs& a) {
        a.lengths = f.ptr<const int64_t>(lengths);
        for (int64_t s = 0; s < a.sequences; ++s)
          if (a.lengths[s] < 0 || a.lengths[s] > a.steps)
            f.fail(*node, ErrorCode::bad_value, cat("sequence length ", a.lengths[s], " of ", a.steps, " steps"));
        a.x = f.raw(x), a.out = f.raw(y);
        kernels::reverse_sequences(f.team(), a);
      });
  return true;
}

namespace {

// How many of start, start + delta, ... come before limit.
template <class T>
int64_t range_count(const Frame& f, const Node& node, T start, T limit, T delta) {
  if (delta == 0) f.fail(node, ErrorCode::bad_value, "range with delta 0");
  double n;
  if constexpr (std::is_floating_point_v<T>) {
    n = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
  } else {
    const __int128 distance = static_cast<__int128>(limit) - start, step = delta;
    n = static_cast<double>(distance / step + (distance % step != 0 && (distance < 0) == (step < 0)));
  }
  if (!std::isfinite(n)) f.fail(node, ErrorCode::bad_value, cat("range from ", start, " to ", limit, " by ", delta));
  if (!(n < 0x1p47)) f.fail(node, ErrorCode::limit_size, cat("range of ", n, " elements"));
  return static_cast<int64_t>(std::max(n, 0.0));
}

template <class T>
bool bind_range_of(Binder& b) {
  const Slot start = b.in(0), limit = b.in(1), delta = b.in(2), y = b.found(0);
  const kernels::Elem type = *elem_of(b.dtype(0));
  const kernels::MoveTable& table = b.table().move;
  const Node* node = &b.node();
  b.step<kernels::RangeArgs>(
      table.range.name,
      [=](Frame& f, kernels::RangeArgs& a) {
        a.type = type;
        for (Slot s : {start, limit, delta}) expect_count(f, *node, s, 1, "operands of range");
      },
      [=, &table](Frame& f, kernels::RangeArgs& a) {
        a.from = f.raw(start), a.step = f.raw(delta);
        a.count = range_count(f, *node, *f.ptr<T>(start), *f.ptr<T>(limit), *f.ptr<T>(delta));
        a.out = f.make(y, {a.count});
        kernels::range(table, f.team(), a);
      });
  return true;
}

}  // namespace

bool bind_range(Binder& b) {
  switch (b.dtype(0)) {
    case DType::i64:
      return bind_range_of<int64_t>(b);
    case DType::i32:
      return bind_range_of<int32_t>(b);
    case DType::f32:
      return bind_range_of<float>(b);
    case DType::f64:
      return bind_range_of<double>(b);
    default:
      return b.refuse(cat("no kernel for ", b.dtype(0)));
  }
}

}  // namespace tc::cpu
