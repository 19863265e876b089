#include <algorithm>
#include <cstring>

#include "tc/backend/cpu/bind/bind.h"
#include "tc/backend/cpu/bind/pattern.h"
#include "tc/backend/cpu/bind/resize.h"
#include "tc/ir/eval/move.h"
#include "tc/kernels/movement/movement.h"

namespace tc::cpu {
namespace {

using kernels::CopyArgs;
using kernels::kMaxRank;

// Adds a step that runs copies between operands and results. `plan` fills in boxes for the current extents: extents and
// strides in elements, and in `src_offset`, `dst_offset` where they start.
struct Box {
  CopyArgs args;
  int64_t src_offset = 0, dst_offset = 0;
  int operand = 0, result = 0;
};
struct BoxState {
  std::vector<Box> boxes;
};

// `cut`: the axis along which the results are the operand's parts, if they are.
template <class PlanBoxes>
bool bind_boxes(Binder& b, const std::vector<int>& operands, PlanBoxes plan, Layout layout = Layout::plain,
                int cut = -1) {
  std::vector<Slot> ins, outs;
  for (int i : operands) ins.push_back(b.in(i, layout));
  for (int j = 0; j < b.node().num_results(); ++j) outs.push_back(b.out(j, layout));
  if (cut >= 0) b.joined(ins[0], outs, cut);
  const int size = elem_size(b.result_dtype(0));
  const kernels::MoveTable& table = b.table().move;
  const Node* node = &b.node();
  b.step<BoxState>(
      table.copy_rows.name,
      [=](Frame& f, BoxState& s) {
        s.boxes.clear();
        plan(f, *node, ins, outs, s.boxes);
        for (Box& box : s.boxes) box.args.elem_size = size;
      },
      [=, &table](Frame& f, BoxState& s) {
        for (Box& box : s.boxes) {
          box.args.src = f.ptr<const std::byte>(ins[static_cast<size_t>(box.operand)]) + box.src_offset * size;
          box.args.dst = f.ptr<std::byte>(outs[static_cast<size_t>(box.result)]) + box.dst_offset * size;
          if (box.args.src != box.args.dst) kernels::copy_box(table, f.team(), box.args);
        }
      });
  return true;
}

void set_extents(Box& box, std::span<const int64_t> e) {
  box.args.rank = static_cast<int>(e.size());
  std::copy(e.begin(), e.end(), box.args.extent);
}

void set_strides(int64_t* out, std::span<const int64_t> e) {
  int64_t stride = 1;
  for (size_t k = e.size(); k-- > 0;) out[k] = stride, stride *= e[k];
}

// Reshape and its kin: the operand's memory under other extents.
bool bind_view(Binder& b) {
  b.alias(0, 0);
  return true;
}

bool bind_transpose(Binder& b) {
  if (b.rank(0) > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  std::vector<int64_t> perm = b.attrs<Transpose>().perm;
  if (perm.empty())
    for (int k = b.rank(0); k-- > 0;) perm.push_back(k);
  for (int64_t& p : perm) p += p < 0 ? b.rank(0) : 0;
  // Moving axes of extent 1 moves no element.
  std::vector<int64_t> moved;
  for (int64_t p : perm)
    if (!b.shape(0)[static_cast<int>(p)].is(1)) moved.push_back(p);
  if (std::is_sorted(moved.begin(), moved.end())) return bind_view(b);
  return bind_boxes(b, {0}, [perm](Frame& f, const Node&, const auto& ins, const auto& outs, auto& boxes) {
    Box box;
    int64_t from[kMaxRank];
    set_extents(box, f.extents(outs[0]));
    set_strides(from, f.extents(ins[0]));
    set_strides(box.args.dst_stride, f.extents(outs[0]));
    for (size_t k = 0; k < perm.size(); ++k) box.args.src_stride[k] = from[perm[k]];
    boxes.push_back(box);
  });
}

int axis_of(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

bool bind_concat(Binder& b) {
  const int rank = b.rank(0);
  if (rank > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  const int axis = axis_of(b.attrs<Concat>().axis, rank);
  std::vector<int> operands;
  for (int i = 0; i < b.num_operands(); ++i) operands.push_back(i);
  // Whole blocks of channels one after the other stay blocked.
  bool blocked = axis == 1 && rank >= 3;
  for (int i : operands)
    if (!b.shape(i)[1 < rank ? 1 : 0].is_const() || b.shape(i)[1 < rank ? 1 : 0].value() % 16 ||
        b.layout(i) != Layout::blocked16)
      blocked = false;
  const Layout layout = blocked ? Layout::blocked16 : Layout::plain;
  std::vector<Slot> ins;
  for (int i : operands) ins.push_back(b.in(i, layout));
  const Slot out = b.out(0, layout);
  b.joined(out, ins, axis);
  const int size = elem_size(b.dtype(0));
  const kernels::MoveTable& table = b.table().move;
  b.step<BoxState>(
      table.copy_rows.name,
      [=](Frame& f, BoxState& s) {
        s.boxes.clear();
        // [outer, axis * inner]: rows of each operand into rows of the result.
        const auto e = f.extents(out);
        int64_t outer = 1, inner = 1, offset = 0;
        for (int k = 0; k < axis; ++k) outer *= e[static_cast<size_t>(k)];
        for (size_t k = static_cast<size_t>(axis) + 1; k < e.size(); ++k) inner *= e[k];
        const int64_t row = e[static_cast<size_t>(axis)] * inner;
        for (size_t i = 0; i < ins.size(); ++i) {
          const int64_t part = f.extents(ins[i])[static_cast<size_t>(axis)] * inner;
          Box box;
          const int64_t extents[] = {outer, part};
          set_extents(box, extents);
          box.args.elem_size = size;
          box.args.src_stride[0] = part, box.args.dst_stride[0] = row;
          box.args.src_stride[1] = box.args.dst_stride[1] = 1;
          box.operand = static_cast<int>(i), box.dst_offset = offset;
          offset += part;
          if (outer * part > 0) s.boxes.push_back(box);
        }
        if (offset != row)
          tc::fail(ErrorCode::bad_shape, "the operands of concat have ", offset / std::max<int64_t>(inner, 1),
                   " elements along the axis, the result ", e[static_cast<size_t>(axis)]);
      },
      [=, &table](Frame& f, BoxState& s) {
        for (Box& box : s.boxes) {
          box.args.src = f.raw(ins[static_cast<size_t>(box.operand)]);
          box.args.dst = f.ptr<std::byte>(out) + box.dst_offset * size;
          if (box.args.src != box.args.dst) kernels::copy_box(table, f.team(), box.args);
        }
      });
  return true;
}

bool bind_split(Binder& b) {
  const int rank = b.rank(0);
  if (rank > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  const auto& a = b.attrs<Split>();
  const int axis = axis_of(a.axis, rank), results = b.node().num_results();
  // Parts after the last one that is used may have no result.
  const bool whole = b.has(1) ? b.shape(1)[0].is(results) : a.num_outputs.value_or(results) == results;
  // Whole blocks of channels stay blocked.
  bool blocked = axis == 1 && rank >= 3 && b.layout(0) == Layout::blocked16;
  for (int j = 0; j < results; ++j)
    if (const Dim channels = b.result_shape(j)[axis]; !channels.is_const() || channels.value() % 16) blocked = false;
  const auto plan = [axis, whole](Frame& f, const Node& node, const auto& ins, const auto& outs, auto& boxes) {
    // [outer, axis * inner]: pieces of the operand's rows.
    int64_t outer = 1, inner = 1, offset = 0;
    const auto e = f.extents(ins[0]);
    const auto at = static_cast<size_t>(axis);
    for (size_t k = 0; k < at; ++k) outer *= e[k];
    for (size_t k = at + 1; k < e.size(); ++k) inner *= e[k];
    for (size_t j = 0; j < outs.size(); ++j) {
      const int64_t part = f.extents(outs[j])[at];
      Box box;
      const int64_t extents[] = {outer, part * inner};
      set_extents(box, extents);
      box.args.src_stride[0] = e[at] * inner, box.args.dst_stride[0] = part * inner;
      box.args.src_stride[1] = box.args.dst_stride[1] = 1;
      box.result = static_cast<int>(j), box.src_offset = offset * inner;
      offset += part;
      boxes.push_back(box);
    }
    const int64_t left = e[at] - offset;
    if (left < 0 || (left > 0 && whole))
      f.fail(node, ErrorCode::bad_shape, cat("parts of ", offset, " elements in all, the axis has ", e[at]));
  };
  return bind_boxes(b, {0}, plan, blocked ? Layout::blocked16 : Layout::plain, axis);
}

bool bind_slice(Binder& b) {
  const int rank = b.rank(0);
  if (rank > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  const auto starts = b.ints(1);
  auto axes = b.has(3) ? b.ints(3) : std::optional(std::vector<int64_t>());
  auto steps = b.has(4) ? b.ints(4) : std::optional(std::vector<int64_t>());
  if (!starts || !axes || !steps) return b.refuse("starts, axes or steps are computed");
  if (!b.has(3))
    for (size_t k = 0; k < starts->size(); ++k) axes->push_back(static_cast<int64_t>(k));
  if (!b.has(4)) steps->assign(starts->size(), 1);
  return bind_boxes(
      b, {0}, [=, axes = *axes, steps = *steps](Frame& f, const Node&, const auto& ins, const auto& outs, auto& boxes) {
        Box box;
        const auto e = f.extents(ins[0]);
        set_extents(box, f.extents(outs[0]));
        set_strides(box.args.src_stride, e);
        set_strides(box.args.dst_stride, f.extents(outs[0]));
        if (f.count(outs[0]) == 0) return;
        for (size_t k = 0; k < axes.size(); ++k) {
          const auto a = static_cast<size_t>(axis_of(axes[k], static_cast<int>(e.size())));
          int64_t start = (*starts)[k];
          if (start < 0) start += e[a];
          start = std::clamp<int64_t>(start, 0, steps[k] < 0 ? e[a] - 1 : e[a]);
          box.src_offset += start * box.args.src_stride[a];
          box.args.src_stride[a] *= steps[k];
        }
        boxes.push_back(box);
      });
}

bool bind_expand(Binder& b) {
  if (b.result_shape(0).rank() > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  // The result's shape may be known all the same, from the operand: then nobody would look at the target.
  if (!b.node().operand(1)->contents() && !b.node().operand(1)->constant())
    return b.refuse("the target shape depends on data");
  return bind_boxes(b, {0}, [](Frame& f, const Node& node, const auto& ins, const auto& outs, auto& boxes) {
    Box box;
    const auto e = f.extents(ins[0]), r = f.extents(outs[0]);
    set_extents(box, r);
    set_strides(box.args.dst_stride, r);
    int64_t stride = 1;
    const size_t skip = r.size() - e.size();
    for (size_t k = e.size(); k-- > 0;) {
      if (e[k] != 1 && e[k] != r[skip + k])
        f.fail(node, ErrorCode::bad_shape, cat("extent ", e[k], " does not broadcast to ", r[skip + k]));
      box.args.src_stride[skip + k] = e[k] == 1 ? 0 : stride;
      stride *= e[k];
    }
    boxes.push_back(box);
  });
}

// Copies next to each other along an axis are one more axis, along which the source stands still.
bool bind_tile(Binder& b) {
  const int rank = b.rank(0);
  int axes = 2 * rank;
  if (const auto repeats = b.ints(1))
    axes = rank + static_cast<int>(std::count_if(repeats->begin(), repeats->end(), [](int64_t n) { return n != 1; }));
  if (axes > kMaxRank) return b.refuse(cat("axes and their repetitions beyond ", kMaxRank));
  return bind_boxes(b, {0}, [](Frame& f, const Node& node, const auto& ins, const auto& outs, auto& boxes) {
    const auto e = f.extents(ins[0]), r = f.extents(outs[0]);
    if (f.count(outs[0]) == 0) return;
    Box box;
    CopyArgs& a = box.args;
    int64_t stride[kMaxRank], out_stride[kMaxRank];
    set_strides(stride, e);
    set_strides(out_stride, r);
    for (size_t k = 0; k < e.size(); ++k) {
      if (e[k] == 0 || r[k] % e[k] != 0)
        f.fail(node, ErrorCode::bad_shape, cat("extent ", r[k], " is no multiple of ", e[k]));
      if (r[k] != e[k]) {
        a.extent[a.rank] = r[k] / e[k], a.src_stride[a.rank] = 0, a.dst_stride[a.rank] = e[k] * out_stride[k];
        ++a.rank;
      }
      a.extent[a.rank] = e[k], a.src_stride[a.rank] = stride[k], a.dst_stride[a.rank] = out_stride[k];
      ++a.rank;
    }
    boxes.push_back(box);
  });
}

bool bind_fill(Binder& b) {
  const auto& given = b.attrs<ConstantOfShape>().value;
  const Tensor value = given ? *given : Tensor(DType::f32, {1});
  if (b.result_dtype(0) == DType::str) return b.refuse("elements are strings");
  const Slot y = b.out(0);
  const kernels::MoveTable& table = b.table().move;
  b.step<kernels::CopyArgs>(
      table.copy_rows.name,
      [=](Frame& f, kernels::CopyArgs& a) {
        a = {};
        a.elem_size = static_cast<int>(size_of(value.dtype()));
        a.rank = 1;
        a.extent[0] = f.count(y);
        a.dst_stride[0] = 1;
        a.src = value.data();
      },
      [=, &table](Frame& f, kernels::CopyArgs& a) {
        a.dst = f.raw(y);
        kernels::copy_box(table, f.team(), a);
      });
  return true;
}

bool bind_pad(Binder& b) {
  const int rank = b.rank(0);
  if (rank > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  const auto pads = b.ints(1);
  auto axes = b.has(3) ? b.ints(3) : std::optional(std::vector<int64_t>());
  if (!pads || !axes) return b.refuse("pads or axes are computed");
  if (!b.has(3))
    for (int k = 0; k < rank; ++k) axes->push_back(k);
  if (pads->size() != 2 * axes->size()) return b.refuse("as many pads as axes ends are expected");
  const PadMode mode = b.attrs<Pad>().mode;
  // Images padded as they lie in blocks, whose lanes are one more axis.
  bool blocked = rank >= 3 && rank < kMaxRank && b.layout(0) == Layout::blocked16;
  for (size_t k = 0; k < axes->size(); ++k)
    if (axis_of((*axes)[k], rank) < 2 && ((*pads)[k] != 0 || (*pads)[axes->size() + k] != 0)) blocked = false;
  const Layout layout = blocked ? Layout::blocked16 : Layout::plain;
  const Slot x = b.in(0, layout), value = b.has(2) ? b.in(2) : kNoSlot, y = b.out(0, layout);
  const int size = elem_size(b.dtype(0));
  const kernels::MoveTable& table = b.table().move;
  const Node* node = &b.node();
  b.step<kernels::PadArgs>(
      table.pad.name,
      [=, pads = *pads, axes = *axes](Frame& f, kernels::PadArgs& a) {
        a = {};
        a.elem_size = size;
        a.mode = mode == PadMode::constant  ? kernels::PadMode::constant
                 : mode == PadMode::edge    ? kernels::PadMode::edge
                 : mode == PadMode::reflect ? kernels::PadMode::reflect
                                            : kernels::PadMode::wrap;
        const auto e = f.extents(x), r = f.extents(y);
        a.rank = static_cast<int>(e.size());
        std::copy(e.begin(), e.end(), a.extent);
        for (size_t k = 0; k < axes.size(); ++k) {
          const int axis = axis_of(axes[k], a.rank);
          a.before[axis] = pads[k], a.after[axis] = pads[axes.size() + k];
        }
        const bool empty = std::find(r.begin(), r.end(), 0) != r.end();
        for (int k = 0; k < a.rank; ++k) {
          if (a.out_extent(k) != r[static_cast<size_t>(k)])
            f.fail(*node, ErrorCode::bad_shape, "pads do not give the result's extents");
          if (!empty && a.mode != kernels::PadMode::constant && a.kept(k) <= 0 && a.out_extent(k) > 0)
            f.fail(*node, ErrorCode::bad_shape, "an empty axis has no elements to pad with");
        }
        if (blocked) a.extent[1] = (a.extent[1] + 15) / 16, a.extent[a.rank++] = 16;
      },
      [=, &table](Frame& f, kernels::PadArgs& a) {
        static constexpr std::byte kZero[16] = {};
        a.src = f.raw(x), a.dst = f.raw(y);
        a.value = value == kNoSlot ? kZero : f.raw(value);
        kernels::pad(table, f.team(), a);
      });
  return true;
}

// Depth to space and back are transposes of the six axes [n, blocks and channels, h, block, w, block].
bool bind_depth_space(Binder& b) {
  const bool to_space = b.node().is<DepthToSpace>();
  const int64_t block = to_space ? b.attrs<DepthToSpace>().blocksize : b.attrs<SpaceToDepth>().blocksize;
  const bool crd = to_space && b.attrs<DepthToSpace>().mode == DepthToSpaceMode::crd;
  if (b.rank(0) != 4) return b.refuse("rank is not 4");
  return bind_boxes(b, {0}, [=](Frame& f, const Node&, const auto& ins, const auto& outs, auto& boxes) {
    // The plain side is [n, c, h, block, w, block].
    const auto big = f.extents(to_space ? outs[0] : ins[0]);
    const int64_t n = big[0], c = big[1], h = big[2] / block, w = big[3] / block;
    Box box;
    const int64_t extents[] = {n, c, h, block, w, block};
    set_extents(box, extents);
    int64_t* plain = to_space ? box.args.dst_stride : box.args.src_stride;
    int64_t* deep = to_space ? box.args.src_stride : box.args.dst_stride;
    set_strides(plain, extents);
    const int64_t plane = h * w;
    deep[0] = c * block * block * plane;
    deep[2] = w, deep[4] = 1;
    if (crd)
      deep[1] = block * block * plane, deep[3] = block * plane, deep[5] = plane;
    else
      deep[1] = plane, deep[3] = block * c * plane, deep[5] = c * plane;
    if (n * c * plane > 0) boxes.push_back(box);
  });
}

// A pad of as much before as after, where negative ones crop.
bool bind_center(Binder& b) {
  if (b.rank(0) > kMaxRank) return b.refuse(cat("rank beyond ", kMaxRank));
  const DType type = b.dtype(0);
  if (type == DType::str) return b.refuse("elements are strings");
  const Slot x = b.in(0), y = b.out(0);
  const int size = elem_size(type);
  const kernels::MoveTable& table = b.table().move;
  b.step<kernels::PadArgs>(
      table.pad.name,
      [=](Frame& f, kernels::PadArgs& a) {
        a = {};
        a.elem_size = size;
        const auto e = f.extents(x), r = f.extents(y);
        a.rank = static_cast<int>(e.size());
        std::copy(e.begin(), e.end(), a.extent);
        for (size_t k = 0; k < e.size(); ++k) {
          const int64_t common = std::min(e[k], r[k]);
          a.before[k] = (r[k] - common) / 2 - (e[k] - common) / 2;
          a.after[k] = r[k] - e[k] - a.before[k];
        }
      },
      [=, &table](Frame& f, kernels::PadArgs& a) {
        static constexpr std::byte kZero[16] = {};
        a.src = f.raw(x), a.dst = f.raw(y), a.value = kZero;
        kernels::pad(table, f.team(), a);
      });
  return true;
}

bool bind_eye(Binder& b) {
  if (b.result_dtype(0) == DType::str) return b.refuse("elements are strings");
  const Tensor one = converted(Tensor::scalar<float>(1), b.result_dtype(0));
  const int size = elem_size(b.result_dtype(0));
  const Slot y = b.out(0);
  const Node* node = &b.node();
  struct State {
    int64_t first, step, count;  // bytes before the first one and between them
  };
  b.step<State>(
      "eye",
      [=, k = b.attrs<EyeLike>().k](Frame& f, State& s) {
        const auto e = f.extents(y);
        if (e.size() != 2) f.fail(*node, ErrorCode::bad_shape, "eye_like needs a matrix");
        const int64_t rows = e[0], columns = e[1], row = k >= 0 ? 0 : k < -rows ? rows : -k;
        const int64_t column = k >= columns ? columns : row + k;
        s = {(row * columns + column) * size, (columns + 1) * size, 0};
        if (row < rows && column < columns) s.count = std::min(rows - row, columns - column);
      },
      [=](Frame& f, State& s) {
        auto* to = static_cast<std::byte*>(f.raw(y));
        std::memset(to, 0, static_cast<size_t>(f.count(y)) * static_cast<size_t>(size));
        to += s.first;
        for (int64_t i = 0; i < s.count; ++i, to += s.step) std::memcpy(to, one.data(), static_cast<size_t>(size));
      });
  return true;
}

}  // namespace

void rows_bind_movement(BindRows& rows) {
  for (OpId op : {OpId::Reshape, OpId::Flatten, OpId::Squeeze, OpId::Unsqueeze})
    rows.push_back({op, "view", bind_view});
  rows.push_back({OpId::Transpose, "copy_box", bind_transpose});
  rows.push_back({OpId::Concat, "copy_box", bind_concat});
  rows.push_back({OpId::Split, "copy_box", bind_split});
  rows.push_back({OpId::Slice, "copy_box", bind_slice});
  rows.push_back({OpId::Expand, "copy_box", bind_expand});
  rows.push_back({OpId::Tile, "copy_box", bind_tile});
  rows.push_back({OpId::Pad, "pad", bind_pad});
  rows.push_back({OpId::CenterCropPad, "pad", bind_center});
  rows.push_back({OpId::EyeLike, "eye", bind_eye});
  rows.push_back({OpId::ConstantOfShape, "copy_box", bind_fill});
  rows.push_back({OpId::Resize, "resize_f32", bind_resize});
  rows.push_back({OpId::Range, "range", bind_range, true});
  rows.push_back({OpId::Trilu, "triangle", bind_trilu});
  rows.push_back({OpId::ReverseSequence, "reverse_sequences", bind_reverse_sequence});
  rows.push_back({OpId::DepthToSpace, "copy_box", bind_depth_space});
  rows.push_back({OpId::SpaceToDepth, "copy_box", bind_depth_space});
}

}  // namespace tc::cpu
