#include <algorithm>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/pattern.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/movement/movement.h"
#include "tc/kernels/search/search.h"

namespace tc::cpu {
namespace {

bool index_type(Binder& b) {
  return b.dtype(1) == DType::i64 || b.dtype(1) == DType::i32 || b.refuse(cat("indices are ", b.dtype(1)));
}

bool bind_gather(Binder& b) {
  if (!index_type(b)) return false;
  const int64_t given = b.attrs<Gather>().axis;
  const auto axis = static_cast<size_t>(given < 0 ? given + b.rank(0) : given);
  const int size = elem_size(b.dtype(0));
  const bool wide = b.dtype(1) == DType::i64;
  const kernels::MoveTable& table = b.table().move;
  const Slot x = b.in(0), index = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::GatherArgs>(
      table.gather.name,
      [=](Frame& f, kernels::GatherArgs& a) {
        a = {};
        const auto e = f.extents(x);
        a.elem_size = size;
        a.index.wide = wide;
        a.outer = product(e.first(axis)), a.n = e[axis], a.inner = product(e.subspan(axis + 1));
        a.count = f.count(index);
      },
      [=, &table](Frame& f, kernels::GatherArgs& a) {
        a.data = f.raw(x), a.out = f.raw(y), a.index.data = f.raw(index);
        check(f, *node, kernels::gather(table, f.team(), a));
      });
  return true;
}

kernels::ScatterOp scatter_op(ScatterReduction r) {
  switch (r) {
    case ScatterReduction::add:
      return kernels::ScatterOp::add;
    case ScatterReduction::mul:
      return kernels::ScatterOp::mul;
    case ScatterReduction::max:
      return kernels::ScatterOp::max;
    case ScatterReduction::min:
      return kernels::ScatterOp::min;
    case ScatterReduction::none:
      break;
  }
  return kernels::ScatterOp::none;
}

bool scatters(Binder& b, kernels::ScatterOp op) {
  const auto type = elem_of(b.dtype(0));
  return op == kernels::ScatterOp::none || (type && kernels::scatter_supports(op, *type)) ||
         b.refuse(cat("updates of ", b.dtype(0), " are combined"));
}

// The result starts as the data, where it does not lie in its memory.
void copy_data(Frame& f, const kernels::MoveTable& table, Slot x, Slot y, int elem_size) {
  if (f.raw(x) == f.raw(y)) return;
  kernels::CopyArgs copy;
  copy.elem_size = elem_size;
  copy.rank = 1;
  copy.extent[0] = f.count(x);
  copy.src_stride[0] = copy.dst_stride[0] = 1;
  copy.src = f.raw(x), copy.dst = f.raw(y);
  kernels::copy_box(table, f.team(), copy);
}

bool bind_scatter_elements(Binder& b) {
  if (!index_type(b)) return false;
  const auto op = scatter_op(b.attrs<ScatterElements>().reduction);
  if (!scatters(b, op)) return false;
  const int rank = b.rank(0);
  if (rank == 0 || rank > kernels::kMaxRank) return b.refuse(cat("rank is not 1 to ", kernels::kMaxRank));
  if (b.rank(1) != rank || b.rank(2) != rank) return b.refuse("data, indices and updates differ in rank");
  const int64_t given = b.attrs<ScatterElements>().axis;
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  const int size = elem_size(b.dtype(0));
  const auto type = elem_of(b.dtype(0)).value_or(kernels::Elem::f32);
  const bool wide = b.dtype(1) == DType::i64;
  const kernels::MoveTable& table = b.table().move;
  const Slot x = b.in(0), index = b.in(1), updates = b.in(2), y = b.out(0);
  b.in_place(0, 0);
  const Node* node = &b.node();
  b.step<kernels::ScatterElementsArgs>(
      cat(table.scatter_elements.name, " + ", table.copy_rows.name),
      [=](Frame& f, kernels::ScatterElementsArgs& a) {
        a = {};
        a.elem_size = size;
        a.op = op, a.type = type;
        a.index.wide = wide;
        a.rank = rank, a.axis = axis;
        const auto data = f.extents(x), e = f.extents(index), u = f.extents(updates);
        std::copy(data.begin(), data.end(), a.data_extent);
        std::copy(e.begin(), e.end(), a.extent);
        for (int k = 0; k < rank; ++k)
          if (k != axis && a.extent[k] > a.data_extent[k])
            f.fail(*node, ErrorCode::bad_shape,
                   cat("indices have extent ", a.extent[k], " at dimension ", k, ", data ", a.data_extent[k]));
        if (!std::equal(e.begin(), e.end(), u.begin()))
          f.fail(*node, ErrorCode::bad_shape,
                 cat("indices ", Shape::of(Extents(e.begin(), e.end())), " and updates ",
                     Shape::of(Extents(u.begin(), u.end())), " differ"));
      },
      [=, &table](Frame& f, kernels::ScatterElementsArgs& a) {
        copy_data(f, table, x, y, size);
        a.data = f.raw(y), a.updates = f.raw(updates), a.index.data = f.raw(index);
        check(f, *node, kernels::scatter_elements(table, f.team(), a));
      });
  return true;
}

bool bind_gather_elements(Binder& b) {
  if (!index_type(b)) return false;
  const int rank = b.rank(0);
  if (rank == 0 || rank > kernels::kMaxRank) return b.refuse(cat("rank is not 1 to ", kernels::kMaxRank));
  if (b.rank(1) != rank) return b.refuse("data and indices differ in rank");
  const int64_t given = b.attrs<GatherElements>().axis;
  const int axis = static_cast<int>(given < 0 ? given + rank : given);
  const int size = elem_size(b.dtype(0));
  const bool wide = b.dtype(1) == DType::i64;
  const kernels::MoveTable& table = b.table().move;
  const Slot x = b.in(0), index = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::GatherElementsArgs>(
      table.gather_elements.name,
      [=](Frame& f, kernels::GatherElementsArgs& a) {
        a = {};
        a.elem_size = size;
        a.index.wide = wide;
        a.rank = rank, a.axis = axis;
        const auto data = f.extents(x), e = f.extents(index);
        std::copy(data.begin(), data.end(), a.data_extent);
        std::copy(e.begin(), e.end(), a.extent);
        for (int k = 0; k < rank; ++k)
          if (k != axis && a.extent[k] > a.data_extent[k])
            f.fail(*node, ErrorCode::bad_shape,
                   cat("indices have extent ", a.extent[k], " at dimension ", k, ", data ", a.data_extent[k]));
      },
      [=, &table](Frame& f, kernels::GatherElementsArgs& a) {
        a.data = f.raw(x), a.out = f.raw(y), a.index.data = f.raw(index);
        check(f, *node, kernels::gather_elements(table, f.team(), a));
      });
  return true;
}

// The places of what is kept, then a gather.
bool bind_compress(Binder& b) {
  const auto given = b.attrs<Compress>().axis;
  const int64_t rank = b.rank(0);
  const auto axis = static_cast<size_t>(!given ? 0 : *given < 0 ? *given + rank : *given);
  const int size = elem_size(b.dtype(0));
  const kernels::MoveTable& table = b.table().move;
  const kernels::SearchTable& search = b.table().search;
  const Slot x = b.in(0), condition = b.in(1), y = b.found(0);
  const Node* node = &b.node();
  b.step<kernels::GatherArgs>(
      cat(search.non_zero_find.name, " + ", table.gather.name),
      [=](Frame& f, kernels::GatherArgs& a) {
        a = {};
        a.elem_size = size;
        const auto e = f.extents(x);
        a.n = given ? e[axis] : f.count(x);
        if (given) a.outer = product(e.first(axis)), a.inner = product(e.subspan(axis + 1));
        if (f.count(condition) > a.n)
          f.fail(*node, ErrorCode::bad_shape, cat("a condition of ", f.count(condition), " elements for ", a.n));
        f.need_scratch(static_cast<size_t>(f.count(condition)) * sizeof(int64_t));
      },
      [=, &table, &search](Frame& f, kernels::GatherArgs& a) {
        kernels::NonZeroArgs wanted;
        wanted.elem_size = 1;
        auto* kept = reinterpret_cast<int64_t*>(f.scratch());
        a.count = search.non_zero_find.fn(wanted, f.raw(condition), f.count(condition), 0, kept);
        const auto e = f.extents(x);
        Extents result(e.begin(), e.end());
        if (given)
          result[axis] = a.count;
        else
          result = {a.count};
        a.data = f.raw(x), a.index.data = kept, a.out = f.make(y, result);
        check(f, *node, kernels::gather(table, f.team(), a));
      });
  return true;
}

// Index tuples along the last axis of `index` into data; fails where a batch extent differs.
void set_slices(const Frame& f, const Node& node, std::span<const int64_t> data, std::span<const int64_t> index,
                size_t batch, kernels::SliceArgs& a) {
  const auto depth = static_cast<size_t>(index.back());
  for (size_t k = 0; k < batch; ++k)
    if (data[k] != index[k])
      f.fail(node, ErrorCode::bad_shape, cat("data and indices have ", data[k], " and ", index[k], " batches"));
  a.batch = product(data.first(batch));
  a.count = product(index.subspan(batch, index.size() - 1 - batch));
  a.depth = static_cast<int>(depth);
  std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(batch), depth, a.extent);
  a.inner = product(data.subspan(batch + depth));
}

// The length of the index tuples, when the kernels can take them; -1 and a reason otherwise.
int64_t tuple_length(Binder& b, int64_t batch) {
  if (b.rank(1) == 0 || batch >= b.rank(1)) return b.refuse("indices have no tuples"), -1;
  const Dim& length = b.shape(1)[b.rank(1) - 1];
  if (!length.is_const()) return b.refuse("the length of index tuples is not fixed"), -1;
  if (length.value() < 1 || length.value() > kernels::kMaxRank || batch + length.value() > b.rank(0))
    return b.refuse(cat("index tuples of ", length, " numbers")), -1;
  return length.value();
}

bool bind_gather_nd(Binder& b) {
  const int64_t batch = b.attrs<GatherND>().batch_dims;
  if (tuple_length(b, batch) < 0) return false;
  const int size = elem_size(b.dtype(0));
  const kernels::MoveTable& table = b.table().move;
  const Slot x = b.in(0), index = b.in(1), y = b.out(0);
  const Node* node = &b.node();
  b.step<kernels::SliceArgs>(
      table.gather_nd.name,
      [=](Frame& f, kernels::SliceArgs& a) {
        a = {};
        a.elem_size = size;
        set_slices(f, *node, f.extents(x), f.extents(index), static_cast<size_t>(batch), a);
      },
      [=, &table](Frame& f, kernels::SliceArgs& a) {
        a.data = f.raw(x), a.slices = f.raw(y), a.index.data = f.raw(index);
        check(f, *node, kernels::gather_nd(table, f.team(), a));
      });
  return true;
}

bool bind_scatter_nd(Binder& b) {
  const auto op = scatter_op(b.attrs<ScatterND>().reduction);
  if (!scatters(b, op)) return false;
  if (tuple_length(b, 0) < 0) return false;
  const int size = elem_size(b.dtype(0));
  const auto type = elem_of(b.dtype(0)).value_or(kernels::Elem::f32);
  const kernels::MoveTable& table = b.table().move;
  const Slot x = b.in(0), index = b.in(1), updates = b.in(2), y = b.out(0);
  b.in_place(0, 0);
  const Node* node = &b.node();
  b.step<kernels::SliceArgs>(
      cat(table.scatter_nd.name, " + ", table.copy_rows.name),
      [=](Frame& f, kernels::SliceArgs& a) {
        a = {};
        a.elem_size = size;
        a.op = op, a.type = type;
        const auto data = f.extents(x), e = f.extents(index), u = f.extents(updates);
        set_slices(f, *node, data, e, 0, a);
        // Updates are [index tuples..., what is left of data...].
        const auto tuples = e.first(e.size() - 1), rest = data.subspan(static_cast<size_t>(a.depth));
        if (u.size() != tuples.size() + rest.size() || !std::equal(tuples.begin(), tuples.end(), u.begin()) ||
            !std::equal(rest.begin(), rest.end(), u.begin() + static_cast<std::ptrdiff_t>(tuples.size())))
          f.fail(
              *node, ErrorCode::bad_shape,
              cat("updates ", Shape::of(Extents(u.begin(), u.end())), " do not fit indices ",
                  Shape::of(Extents(e.begin(), e.end())), " into data ", Shape::of(Extents(data.begin(), data.end()))));
      },
      [=, &table](Frame& f, kernels::SliceArgs& a) {
        copy_data(f, table, x, y, size);
        a.data = f.raw(y), a.slices = f.raw(updates), a.index.data = f.raw(index);
        check(f, *node, kernels::scatter_nd(table, f.team(), a));
      });
  return true;
}

}  // namespace

void rows_bind_gather(BindRows& rows) {
  rows.push_back({OpId::Gather, "gather", bind_gather});
  rows.push_back({OpId::OneHot, "one_hot", bind_one_hot, true});
  rows.push_back({OpId::Compress, "gather", bind_compress, true});
  rows.push_back({OpId::GatherElements, "gather_elements", bind_gather_elements});
  rows.push_back({OpId::GatherND, "gather_nd", bind_gather_nd});
  rows.push_back({OpId::ScatterElements, "scatter_elements", bind_scatter_elements});
  rows.push_back({OpId::ScatterND, "scatter_nd", bind_scatter_nd});
}

}  // namespace tc::cpu
