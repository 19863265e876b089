// Operands of what moves, picks and orders elements: extents, axes, places and counts.
#include <algorithm>
#include <numeric>

#include "writer.h"

namespace tc::fuzz {
namespace {

constexpr DTypeSet kAny = dtypes::numeric | DType::boolean | DType::str;
constexpr DTypeSet kSorted = dtypes::floats | DType::i32 | DType::i64;

std::vector<int64_t> some_axes(Writer& w, int rank, const std::function<int64_t(int64_t, int64_t)>& between) {
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i)
    if (between(0, 1)) axes.push_back(between(0, 2) ? i : i - rank);
  (void)w;
  return axes;
}

}  // namespace

bool Operands::movement() {
  const auto between = [&](int64_t a, int64_t b) { return w.between(a, b); };
  const auto each = [&](int n, int64_t low, int64_t high) {
    std::vector<int64_t> list;
    for (int i = 0; i < n; ++i) list.push_back(between(low, high));
    return list;
  };
  switch (op) {
    case OpId::Reshape: {
      start(kAny, 0, 4);
      const Extents e = w.extents(values[0]);
      std::vector<int64_t> to;
      if (w.random_.chance(3)) {
        to = {-1};
      } else if (e.size() > 1 && w.random_.chance(2)) {
        to = {0, -1};
      } else {
        to.assign(e.rbegin(), e.rend());
        if (!to.empty() && w.random_.chance(2))
          to[static_cast<size_t>(between(0, static_cast<int64_t>(to.size()) - 1))] = -1;
      }
      values.push_back(w.ints(to));
      return true;
    }
    case OpId::Squeeze: {
      start(kAny, 1, 6);
      std::vector<int64_t> ones;
      const Extents e = w.extents(values[0]);
      for (size_t i = 0; i < e.size(); ++i)
        if (e[i] == 1 && w.random_.chance(2)) ones.push_back(static_cast<int64_t>(i));
      if (w.random_.chance(3)) return true;
      values.push_back(w.ints(ones));
      return true;
    }
    case OpId::Unsqueeze:
      start(kAny, 0, 4);
      values.push_back(w.ints({between(-w.rank(values[0]) - 1, w.rank(values[0]))}));
      return true;
    case OpId::Slice: {
      start(kAny, 1, 6);
      const auto axes = some_axes(w, w.rank(values[0]), between);
      const int n = static_cast<int>(axes.size());
      const DType t = w.random_.chance(4) ? DType::i32 : DType::i64;
      std::vector<int64_t> steps = each(n, 1, 2);
      for (int64_t& s : steps)
        if (w.random_.chance(3)) s = -s;
      auto ends = each(n, -3, 5);
      // Backwards ONNX Runtime takes it for the beginning.
      if (n && steps[0] > 0 && w.random_.chance(3)) ends[0] = t == DType::i32 ? INT32_MAX : INT64_MAX;
      for (const auto& list : {each(n, -3, 3), ends, axes, steps}) values.push_back(w.ints(list, t));
      return true;
    }
    case OpId::Pad: {
      start(kAny - DTypeSet(DType::str), 1, 4);
      values.push_back(w.ints(each(2 * w.rank(values[0]), w.random_.chance(3) ? -1 : 0, 2)));
      if (w.random_.chance(2)) values.push_back(w.constant(random_tensor(type(), {}, w.random_, false)));
      return true;
    }
    case OpId::Expand: {
      start(kAny, 0, 4);
      std::vector<int64_t> to = w.extents(values[0]);
      for (int64_t& n : to) n = n == 1 ? between(1, 3) : w.random_.chance(2) ? 1 : n;
      if (w.random_.chance(2)) to.insert(to.begin(), between(1, 3));
      values.push_back(w.ints(to));
      return true;
    }
    case OpId::Tile:
      start(kAny, 1, 4);
      values.push_back(w.ints(each(w.rank(values[0]), w.random_.chance(8) ? 0 : 1, 2)));
      return true;
    case OpId::Split: {
      start(kAny, 1, 4);
      auto& a = of<Split>();
      const Extents e = w.extents(values[0]);
      const auto axis = static_cast<size_t>(a.axis < 0 ? a.axis + static_cast<int64_t>(e.size()) : a.axis);
      results = static_cast<int>(between(1, 3));
      if (e[axis] >= 1 && w.random_.chance(2)) {
        const int64_t first = between(0, e[axis]);
        results = 2;
        values.push_back(w.ints({first, e[axis] - first}));
      } else {
        a.num_outputs = results;
      }
      return true;
    }
    case OpId::Concat: {
      start(kAny, 1, 4);
      const Dims d = w.plain(values[0]);
      auto axis = of<Concat>().axis;
      if (axis < 0) axis += static_cast<int64_t>(d.size());
      for (int64_t n = between(0, 2); n > 0; --n) {
        Dims other = d;
        if (w.random_.chance(2)) other[static_cast<size_t>(axis)] = between(0, 3);
        values.push_back(w.random_.chance(4) ? values[0] : fresh(type(), other));
      }
      return true;
    }
    case OpId::ReverseSequence: {
      start(kAny, 2, 4);
      auto& a = of<ReverseSequence>();
      a.batch_axis = between(0, 1), a.time_axis = 1 - a.batch_axis;
      const Extents e = w.extents(values[0]);
      std::vector<int64_t> lengths;
      const int64_t most = e[static_cast<size_t>(a.time_axis)];
      for (int64_t i = 0; i < e[static_cast<size_t>(a.batch_axis)]; ++i)
        lengths.push_back(between(std::min<int64_t>(1, most), most));
      values.push_back(w.ints(lengths));
      return true;
    }
    case OpId::CenterCropPad:
      start(kAny - DTypeSet(DType::str), 1, 4);
      of<CenterCropPad>().axes = {};
      values.push_back(w.ints(each(w.rank(values[0]), 1, 4)));
      return true;
    case OpId::ConstantOfShape:
      values = {w.random_.chance(2) ? w.ints(each(static_cast<int>(between(0, 3)), 0, 3))
                                    : w.add(OpId::ShapeOf, {w.pick(kAny, 0, 4)}, nullptr, 1)};
      return true;
    case OpId::Range: {
      const DType t = w.random_type(kSorted);
      for (const double v : {static_cast<double>(between(-2, 2)), static_cast<double>(between(-1, 5)),
                             w.random_.chance(4) ? -1.0 : 1.0}) {
        Tensor s(t, {});
        narrow(std::vector<double>{v}, s);
        values.push_back(w.constant(s));
      }
      return true;
    }
    case OpId::Trilu:
      start(kAny - DTypeSet(DType::str), 2, 4);
      if (w.random_.chance(2)) values.push_back(w.constant(Tensor::scalar(between(-2, 2))));
      return true;
    case OpId::EyeLike:
      start(kAny - DTypeSet(DType::str), 2, 2);
      return true;
    case OpId::DepthToSpace:
    case OpId::SpaceToDepth:
      start(kAny - DTypeSet(DType::str), 4, 4);
      return true;
    case OpId::Resize: {
      start(dtypes::floats | DType::u8 | DType::i32, 1, 4);
      const int r = w.rank(values[0]);
      auto& a = of<Resize>();
      a.axes = {};
      std::vector<float> scales;
      const std::vector<float> kScales = {1, 1, 2, 0.5f, 1.5f};
      for (int i = 0; i < r; ++i) scales.push_back(w.one_of(kScales));
      if (w.random_.chance(2)) {
        values.insert(values.end(), {nullptr, w.constant(Tensor::of<float>({r}, scales))});
      } else {
        values.insert(values.end(), {nullptr, nullptr, w.ints(each(r, 1, 4))});
      }
      return true;
    }
    default:
      return false;
  }
}

bool Operands::gathers() {
  const auto places = [&](const Extents& e, int64_t low, int64_t high) {
    if (high < low) throw Writer::Rejected();
    std::vector<int64_t> list;
    for (int64_t n = element_count(e); n > 0; --n) list.push_back(w.between(low, high));
    return w.constant(Tensor::of<int64_t>(e, list));
  };
  const auto least = [&](size_t axis) {
    return std::min(w.extents(values[0], 0)[axis], w.extents(values[0], 1)[axis]);
  };
  const auto axis_of = [&](int64_t axis) { return static_cast<size_t>(axis < 0 ? axis + w.rank(values[0]) : axis); };
  const auto some_extents = [&] {
    Extents e;
    for (int64_t r = w.between(0, 2); r > 0; --r) e.push_back(w.between(0, 3));
    return e;
  };
  switch (op) {
    case OpId::Gather: {
      start(kAny, 1, 4);
      const int64_t n = least(axis_of(of<Gather>().axis));
      values.push_back(places(some_extents(), -n, n - 1));
      return true;
    }
    case OpId::GatherElements:
    case OpId::ScatterElements: {
      start(op == OpId::GatherElements ? kAny : kSorted, 1, 3);
      const size_t axis = axis_of(op == OpId::GatherElements ? of<GatherElements>().axis : of<ScatterElements>().axis);
      Extents e;
      for (int i = 0; i < w.rank(values[0]); ++i) e.push_back(least(static_cast<size_t>(i)));
      e[axis] = op == OpId::GatherElements ? w.between(0, 3) : std::min<int64_t>(e[axis], w.between(1, 3));
      values.push_back(places(e, -least(axis), least(axis) - 1));
      if (op == OpId::ScatterElements) values.push_back(w.constant(random_tensor(type(), e, w.random_, false)));
      return true;
    }
    case OpId::GatherND:
    case OpId::ScatterND: {
      start(op == OpId::GatherND ? kAny : kSorted, 1, 3);
      if (op == OpId::GatherND) of<GatherND>().batch_dims = 0;
      const Dims d = w.plain(values[0]);
      const int64_t depth = w.between(1, w.rank(values[0]));
      int64_t n = least(0);
      for (int64_t i = 0; i < depth; ++i) n = std::min(n, least(static_cast<size_t>(i)));
      const int64_t rows = w.between(0, 3);
      values.push_back(places({rows, depth}, 0, n - 1));
      if (op == OpId::ScatterND) {
        Dims updates(d.begin() + depth, d.end());
        updates.insert(updates.begin(), rows);
        values.push_back(fresh(type(), updates));
      }
      return true;
    }
    case OpId::OneHot:
      start(DTypeSet(DType::i64) | DType::i32 | DType::f32, 0, 3);
      values.push_back(w.constant(Tensor::scalar(w.between(1, 4))));
      values.push_back(fresh(w.random_type(kSorted), {2}));
      return true;
    case OpId::Compress: {
      start(kAny, 1, 4);
      std::vector<Bool> keep;
      const auto& a = of<Compress>();
      int64_t n = a.axis ? least(axis_of(*a.axis)) : element_count(w.extents(values[0]));
      for (n = std::min<int64_t>(n, 5); n > 0; --n) keep.push_back(Bool(w.random_.chance(2)));
      values.push_back(w.constant(Tensor::of<Bool>({static_cast<int64_t>(keep.size())}, keep)));
      return true;
    }
    default:
      return false;
  }
}

bool Operands::searches() {
  switch (op) {
    case OpId::TopK: {
      start(kSorted | DType::u8 | DType::f16, 1, 4);
      auto axis = of<TopK>().axis;
      if (axis < 0) axis += w.rank(values[0]);
      of<TopK>().sorted = true;
      const int64_t n = std::min(w.extents(values[0], 0)[static_cast<size_t>(axis)],
                                 w.extents(values[0], 1)[static_cast<size_t>(axis)]);
      values.push_back(w.ints({w.between(0, n)}));
      results = 2;
      return true;
    }
    case OpId::Unique:
      start(kSorted | DType::str, 0, 3);
      results = static_cast<int>(w.between(1, 4));
      return true;
    case OpId::NonZero:
      start(kSorted | DType::boolean, 0, 4);
      return true;
    case OpId::NonMaxSuppression: {
      const int64_t n = w.between(1, 5);
      values = {fresh(DType::f32, {1, n, 4}), fresh(DType::f32, {1, w.between(1, 2), n}),
                w.constant(Tensor::scalar(w.between(0, 3))), w.constant(Tensor::scalar(0.5f))};
      return true;
    }
    case OpId::CumSum:
    case OpId::CumProd:
      start(kSorted | DType::u32 | DType::u64, 1, 4);
      values.push_back(w.constant(Tensor::scalar(w.between(-w.rank(values[0]), w.rank(values[0]) - 1))));
      return true;
    default:
      break;
  }
  if (info(op).family != Family::reduce || info(op).facts->signature.num_operands != 2) return false;
  const DTypeSet types = info(op).facts->set_of('T');
  start(types, 0, 4);
  const auto axes = some_axes(w, w.rank(values[0]), [&](int64_t a, int64_t b) { return w.between(a, b); });
  if (!w.random_.chance(4)) values.push_back(w.ints(axes));
  return true;
}

}  // namespace tc::fuzz
