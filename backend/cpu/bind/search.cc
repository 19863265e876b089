#include <algorithm>
#include <limits>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/strip_builder.h"
#include "tc/kernels/movement/movement.h"
#include "tc/kernels/search/search.h"

namespace tc::cpu {
namespace {

void check_searchable(const Frame& f, const Node& node, int64_t n) {
  if (n > kernels::kMaxSearch)
    f.fail(node, ErrorCode::limit_size, cat("a search of ", n, " elements, at most ", kernels::kMaxSearch));
}

bool bind_top_k(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  if (!type) return b.refuse(cat("element type is ", b.dtype(0)));
  if (b.rank(0) == 0) return b.refuse("operand is a scalar");
  const TopK::Attrs attrs = b.attrs<TopK>();
  const auto axis = static_cast<size_t>(attrs.axis < 0 ? attrs.axis + b.rank(0) : attrs.axis);
  const kernels::SearchTable& table = b.table().search;
  const Slot x = b.in(0), k = b.in(1);
  const Slot values = b.wants(0) ? b.found(0) : kNoSlot, indices = b.wants(1) ? b.found(1) : kNoSlot;
  const Node* node = &b.node();
  b.step<kernels::TopKArgs>(
      table.top_k.name,
      [=](Frame& f, kernels::TopKArgs& a) {
        a = {};
        const auto e = f.extents(x);
        a.type = *type, a.largest = attrs.largest;
        a.outer = product(e.first(axis)), a.n = e[axis], a.inner = product(e.subspan(axis + 1));
        if (f.count(k) != 1)
          f.fail(*node, ErrorCode::bad_shape, cat("k must be one element, got ", f.count(k), " elements"));
        check_searchable(f, *node, a.n);
        f.need_scratch(kernels::top_k_scratch(a, f.team().threads()));
      },
      [=, &table](Frame& f, kernels::TopKArgs& a) {
        a.k = *f.ptr<int64_t>(k);
        if (a.k < 0 || a.k > a.n)
          f.fail(*node, ErrorCode::bad_value, cat("the ", a.k, " largest of ", a.n, " elements"));
        const auto e = f.extents(x);
        Extents result(e.begin(), e.end());
        result[axis] = a.k;
        a.x = f.raw(x), a.scratch = f.scratch();
        a.values = values == kNoSlot ? nullptr : f.make(values, result);
        a.indices = indices == kNoSlot ? nullptr : static_cast<int64_t*>(f.make(indices, result));
        kernels::top_k(f.team(), table, a);
      });
  return true;
}

bool bind_non_zero(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  if (!type) return b.refuse(cat("element type is ", b.dtype(0)));
  const int size = elem_size(b.dtype(0));
  const bool real = kind(b.dtype(0)) == DTypeKind::floating;
  const kernels::SearchTable& table = b.table().search;
  const Slot x = b.in(0), y = b.found(0);
  const auto args = [=](const Frame& f) {
    kernels::NonZeroArgs a;
    a.elem_size = size, a.real = real;
    a.rank = static_cast<int>(f.extents(x).size()), a.extent = f.extents(x).data();
    return a;
  };
  struct None {};
  b.step<None>(
      table.non_zero_find.name, [=](Frame& f, None&) { f.need_scratch(kernels::non_zero_scratch(args(f))); },
      [=, &table](Frame& f, None&) {
        kernels::NonZeroArgs a = args(f);
        a.x = f.raw(x), a.scratch = f.scratch();
        const int64_t n = kernels::non_zero_count(f.team(), table, a);
        kernels::non_zero_write(f.team(), table, a, n, static_cast<int64_t*>(f.make(y, {a.rank, n})));
      });
  return true;
}

// The distinct ones of sorted elements: the first of equal ones, of which NaNs are, too.
template <class T>
int64_t distinct(const T* sorted, int64_t n, T* to) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const T x = sorted[i];
    if (found > 0 && (x == to[found - 1] || (x != x && to[found - 1] != to[found - 1]))) continue;
    to[found++] = x;
  }
  return found;
}

// Of reals whose places and counts nobody wants: sorted without them.
bool bind_unique_values(Binder& b) {
  const DType type = b.dtype(0);
  if (type != DType::f32 && type != DType::f64) return b.refuse("neither f32 nor f64");
  if (b.attrs<Unique>().axis || !b.attrs<Unique>().sorted) return b.refuse("slices along an axis, or not sorted");
  if (!b.wants(0) || b.wants(1) || b.wants(2) || b.wants(3)) return b.refuse("more than values is wanted");
  const kernels::SearchTable& table = b.table().search;
  const Slot x = b.in(0), y = b.found(0);
  const Node* node = &b.node();
  const auto memory = [](const kernels::TopKArgs& a, int threads) {
    return (kernels::top_k_scratch(a, threads) + 63) / 64 * 64;  // and the sorted elements behind it
  };
  b.step<kernels::TopKArgs>(
      table.top_k.name,
      [=](Frame& f, kernels::TopKArgs& a) {
        a = {};
        a.type = *elem_of(type), a.largest = false;
        a.n = a.k = f.count(x);
        check_searchable(f, *node, a.n);
        f.need_scratch(memory(a, f.team().threads()) + 2 * static_cast<size_t>(a.n) * sizeof(double));
      },
      [=, &table](Frame& f, kernels::TopKArgs& a) {
        a.x = f.raw(x), a.scratch = f.scratch();
        std::byte* sorted = f.scratch() + memory(a, f.team().threads());
        a.values = sorted;
        kernels::top_k(f.team(), table, a);
        std::byte* values = sorted + static_cast<size_t>(a.n) * sizeof(double);
        const auto give = [&]<class T>(T*) {
          auto* to = reinterpret_cast<T*>(values);
          const int64_t found = distinct(reinterpret_cast<const T*>(sorted), a.n, to);
          std::copy_n(to, found, static_cast<T*>(f.make(y, {found})));
        };
        type == DType::f32 ? give(static_cast<float*>(nullptr)) : give(static_cast<double*>(nullptr));
      });
  return true;
}

bool bind_unique(Binder& b) {
  const auto type = elem_of(b.dtype(0));
  if (!type) return b.refuse(cat("element type is ", b.dtype(0)));
  if (b.attrs<Unique>().axis) return b.refuse("slices along an axis");
  const bool sorted = b.attrs<Unique>().sorted;
  const int size = elem_size(b.dtype(0));
  const kernels::SearchTable& table = b.table().search;
  const kernels::MoveTable& move = b.table().move;
  const auto wanted = [&](int j) { return b.wants(j) ? b.found(j) : kNoSlot; };
  const Slot x = b.in(0), y = wanted(0), first = wanted(1), inverse = wanted(2), counts = wanted(3);
  const Node* node = &b.node();
  const auto memory = [](const kernels::UniqueArgs& a) {
    return (kernels::unique_scratch(a) + 63) / 64 * 64;  // and what it finds out behind it
  };
  b.step<kernels::UniqueArgs>(
      table.unique.name,
      [=](Frame& f, kernels::UniqueArgs& a) {
        a = {};
        a.type = *type, a.sorted = sorted, a.n = f.count(x);
        check_searchable(f, *node, a.n);
        f.need_scratch(memory(a) + 3 * static_cast<size_t>(a.n) * sizeof(int64_t));
      },
      [=, &table, &move](Frame& f, kernels::UniqueArgs& a) {
        a.x = f.raw(x), a.scratch = f.scratch();
        a.first = reinterpret_cast<int64_t*>(f.scratch() + memory(a));
        a.counts = a.first + a.n, a.inverse = a.counts + a.n;
        const int64_t found = kernels::unique(table, a);
        const auto give = [&](Slot s, const int64_t* from, int64_t n) {
          if (s != kNoSlot) std::copy_n(from, n, static_cast<int64_t*>(f.make(s, {n})));
        };
        give(first, a.first, found), give(inverse, a.inverse, a.n), give(counts, a.counts, found);
        if (y == kNoSlot) return;
        kernels::GatherArgs picked;
        picked.elem_size = size, picked.n = a.n, picked.count = found;
        picked.data = a.x, picked.index.data = a.first, picked.out = f.make(y, {found});
        check(f, *node, kernels::gather(move, f.team(), picked));
      });
  return true;
}

bool bind_non_max_suppression(Binder& b) {
  const bool centered = b.attrs<NonMaxSuppression>().center_point_box;
  const kernels::SearchTable& table = b.table().search;
  const Slot boxes = b.in(0), scores = b.in(1);
  const auto optional = [&](int i) { return i < b.num_operands() && b.has(i) ? b.in(i) : kNoSlot; };
  const Slot most = optional(2), iou = optional(3), least = optional(4);
  const Slot y = b.found(0);
  // Memory for what classes keep, as far as it is known.
  const auto known = most == kNoSlot ? std::vector<int64_t>{0} : b.ints(2).value_or(std::vector<int64_t>());
  const int64_t at_most = known.size() == 1 ? known[0] : std::numeric_limits<int64_t>::max();
  const Node* node = &b.node();
  b.step<kernels::NmsArgs>(
      table.nms_class.name,
      [=](Frame& f, kernels::NmsArgs& a) {
        a = {};
        const auto box = f.extents(boxes), score = f.extents(scores);
        if (box.size() != 3 || box[2] != 4 || score.size() != 3 || score[0] != box[0] || score[2] != box[1])
          f.fail(*node, ErrorCode::bad_shape,
                 cat("boxes ", Shape::of(Extents(box.begin(), box.end())), " and scores ",
                     Shape::of(Extents(score.begin(), score.end())), " do not fit"));
        a.centered = centered;
        a.batches = score[0], a.classes = score[1], a.n = score[2];
        check_searchable(f, *node, a.n);
        a.most = std::clamp<int64_t>(at_most, 0, a.n);
        f.need_scratch(kernels::nms_scratch(a, f.team().threads()));
      },
      [=, &table](Frame& f, kernels::NmsArgs& a) {
        const auto given = [&]<class T>(Slot s, T fallback) {
          return s != kNoSlot && f.count(s) == 1 ? *f.ptr<T>(s) : fallback;
        };
        a.most = std::clamp<int64_t>(given(most, int64_t{0}), 0, a.n);
        a.iou = given(iou, 0.0f);
        a.least = given(least, -std::numeric_limits<float>::infinity());
        a.boxes = f.ptr<float>(boxes), a.scores = f.ptr<float>(scores), a.scratch = f.scratch();
        const int64_t n = kernels::nms(f.team(), table, a);
        kernels::nms_write(a, static_cast<int64_t*>(f.make(y, {n, 3})));
      });
  return true;
}

}  // namespace

void rows_bind_search(BindRows& rows) {
  rows.push_back({OpId::TopK, "top_k", bind_top_k, true});
  rows.push_back({OpId::NonZero, "non_zero", bind_non_zero, true});
  rows.push_back({OpId::Unique, "top_k", bind_unique_values, true});
  rows.push_back({OpId::Unique, "unique", bind_unique, true});
  rows.push_back({OpId::NonMaxSuppression, "nms_f32", bind_non_max_suppression, true});
}

}  // namespace tc::cpu
