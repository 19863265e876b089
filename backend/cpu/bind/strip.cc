#include "tc/backend/cpu/bind/strip.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tc::cpu {
namespace {

struct StripState {
  kernels::StripArgs args;
  std::vector<int64_t> offsets;  // elements before an input's first
  std::vector<kernels::StripInput> inputs;
  std::vector<kernels::StripOutput> outputs;
};

// How an operand takes part when results are in blocked16 layout: gates have an element per image and channel.
enum class Blocked : uint8_t { full, gates, one, channels, no };

bool lies_blocked(Blocked form) {
  return form == Blocked::full || form == Blocked::gates;
}

Blocked blocked_form(const Shape& operand, const Shape& result) {
  if (operand == result) return Blocked::full;
  bool gates = operand.rank() == result.rank() && operand[0] == result[0] && operand[1] == result[1];
  for (int k = 2; gates && k < operand.rank(); ++k) gates = operand[k].is(1);
  if (gates) return Blocked::gates;
  const int skip = result.rank() - operand.rank();
  bool one = true, channels = true;
  for (int k = 0; k < operand.rank(); ++k) {
    const Dim& d = operand[k];
    if (!d.is(1)) one = false;
    if (k + skip == 1 ? !(d == result[1]) : !d.is(1)) channels = false;
  }
  if (one) return Blocked::one;
  return channels && result[1].is_const() && result[1].value() % 16 == 0 ? Blocked::channels : Blocked::no;
}

// Element strides of an operand that broadcasts into `extents`; 0 where its extent is 1. `lies`: the extents of what it
// is a part of, or its own.
void broadcast_strides(std::span<const int64_t> operand, std::span<const int64_t> lies,
                       std::span<const int64_t> extents, int64_t* strides) {
  const size_t skip = extents.size() - operand.size();
  int64_t stride = 1;
  for (size_t k = operand.size(); k-- > 0;) {
    if (operand[k] != 1 && operand[k] != extents[skip + k])
      fail(ErrorCode::bad_shape, "extent ", operand[k], " does not broadcast to ", extents[skip + k]);
    strides[skip + k] = operand[k] == 1 ? 0 : stride;
    stride *= lies[k];
  }
  for (size_t k = 0; k < skip; ++k) strides[k] = 0;
}

// What a split or a slice cuts out of a value: `extent` elements from `start` on along an axis.
struct Cut {
  int axis;
  int64_t start, extent;
};
struct Part {
  Value* whole = nullptr;
  std::vector<Cut> cuts;
};

// Parts of shorter rows are copied before they are read. Halves of rows, one times the sigmoid of the other, which lie
// apart or are read where they lie, AVX-512: halves of 16 0.27 and 0.32 ms, of 32 0.29 and 0.25, of 128 0.26 and 0.20.
constexpr int64_t kLeastPartRow = 32;

// The part that a value is, when its cuts are known and leave rows to read.
std::optional<Part> part_of(const Value& v) {
  const Node* n = v.def();
  if (!n || !(n->is<Split>() || n->is<Slice>()) || !n->operand(0)->shape().ranked()) return std::nullopt;
  Part part{n->operand(0), {}};
  const Shape &whole = part.whole->shape(), &own = v.shape();
  const auto axis_of = [&](int64_t axis) { return static_cast<int>(axis < 0 ? axis + whole.rank() : axis); };
  const auto cut = [&](int axis, int64_t start) {
    if (!whole[axis].is_const() || !own[axis].is_const()) return false;
    if (start < 0) start += whole[axis].value();
    part.cuts.push_back({axis, std::clamp<int64_t>(start, 0, whole[axis].value()), own[axis].value()});
    return part.cuts.back().start + own[axis].value() <= whole[axis].value();
  };
  if (n->is<Split>()) {
    const int axis = axis_of(n->attrs<Split>().axis);
    int64_t start = 0;
    for (int j = 0; n->result(j) != &v; ++j) {
      const Dim& before = n->result(j)->shape()[axis];
      if (!before.is_const()) return std::nullopt;
      start += before.value();
    }
    if (!cut(axis, start)) return std::nullopt;
  } else {
    const auto has = [&](int i) { return i < n->num_operands() && n->operand(i); };
    const auto starts = Binder::ints(n->operand(1)), axes = Binder::ints(has(3) ? n->operand(3) : nullptr),
               steps = Binder::ints(has(4) ? n->operand(4) : nullptr);
    if (!starts || has(3) != axes.has_value() || has(4) != steps.has_value()) return std::nullopt;
    for (size_t k = 0; k < starts->size(); ++k)
      if ((steps && (*steps)[k] != 1) || !cut(axis_of(axes ? (*axes)[k] : static_cast<int64_t>(k)), (*starts)[k]))
        return std::nullopt;
  }
  // Elements side by side, from the innermost cut on.
  int innermost = 0;
  for (const Cut& c : part.cuts)
    if (c.extent != whole[c.axis].value()) innermost = std::max(innermost, c.axis);
  int64_t row = 1;
  for (int k = own.rank(); k-- > innermost;) {
    if (!own[k].is_const()) return std::nullopt;
    row *= own[k].value();
  }
  return row < kLeastPartRow ? std::nullopt : std::optional(std::move(part));
}

// Whether the first output may lie where input k does: nothing reads the input once the output is being written.
bool may_overwrite(const kernels::StripProgram& p, size_t k) {
  const auto input = p.input_slot(static_cast<int>(k)), output = p.output_slot(0);
  bool written = false;
  for (const kernels::StripOp& op : p.code) {
    const int arity = kernels::micro_op_arity(op.op);
    const uint8_t operands[] = {op.a, op.b, op.c};
    if (written && std::find(operands, operands + arity, input) != operands + arity) return false;
    written = written || op.dst == output;
  }
  return true;
}

}  // namespace

namespace {

// What is made of a byte alone is one of 256 results; they are computed here. A hard-swish between bytes: 1 to 0.03 ns
// an element.
bool bind_look_up(Binder& b, const CompiledStrip& program, int operand) {
  uint8_t bytes[256];
  std::iota(std::begin(bytes), std::end(bytes), uint8_t{0});
  std::array<uint8_t, 256> of{};
  kernels::StripInput input{.data = bytes};
  kernels::StripOutput output{.data = of.data()};
  input.type = *elem_of(b.dtype(operand)), output.type = *elem_of(b.result_dtype(0));
  input.stride[0] = output.stride[0] = 1;
  kernels::StripArgs args;
  args.program = &program.program, args.inputs = &input, args.outputs = &output, args.rank = 1, args.extent[0] = 256;
  kernels::Team alone(1);
  if (!kernels::run_strips(b.table().strip, alone, args).ok()) return false;
  const Layout layout = b.layout(operand);
  const Slot x = b.in(operand, layout), y = b.out(0, layout);
  if (b.dtype(operand) == b.result_dtype(0)) b.in_place(0, operand);
  const kernels::Int8Table& table = b.table().int8;
  struct None {};
  b.step<None>(
      table.look_up.name, [](Frame&, None&) {},
      [=, &table](Frame& f, None&) {
        const auto n = static_cast<int64_t>(f.bytes(x));
        const kernels::Tiling pieces = kernels::tile_by_cost(n, 1, 1 << 15);
        kernels::parallel_for(f.team(), pieces.count(), static_cast<double>(n) * 0.03, [&](int64_t piece, int) {
          const int64_t at = pieces.begin(piece);
          table.look_up.fn(of.data(), f.ptr<const uint8_t>(x) + at, pieces.end(piece) - at, f.ptr<uint8_t>(y) + at);
        });
      });
  return true;
}

}  // namespace

bool bind_strip(Binder& b, std::shared_ptr<const CompiledStrip> program, const std::vector<int>& operands,
                const std::vector<int>& results) {
  if (!program) return b.refuse("more values than a strip program has slots");
  // What one op makes of integers needs no table.
  const bool plain = program->program.type == kernels::Elem::i32 && program->code.size() == 1;
  if (!plain && operands.size() == 1 && results.size() == 1 && dtypes::bytes.has(b.dtype(operands[0])) &&
      dtypes::bytes.has(b.result_dtype(0)) && b.shape(operands[0]) == b.result_shape(0) &&
      bind_look_up(b, *program, operands[0]))
    return true;
  const Shape& shape = b.result_shape(results[0]);
  if (shape.rank() > kernels::kMaxRank) return b.refuse(cat("rank beyond ", kernels::kMaxRank));
  const kernels::Elem compute = program->program.type;
  std::vector<kernels::Elem> in_types, out_types;
  const auto takes = [&](DType t, std::vector<kernels::Elem>& types) {
    const auto elem = elem_of(t, compute);
    if (elem) types.push_back(*elem);
    return (elem && kernels::strip_converts(compute, *elem)) || b.refuse(cat("no strip kernel for ", t));
  };
  for (int i : operands)
    if (!takes(b.dtype(i), in_types)) return false;
  for (int j : results)
    if (!takes(b.result_dtype(j), out_types)) return false;

  // Blocked where an operand already is, and everything takes part as it lies; but not to compute mostly on padding.
  bool blocked = shape.rank() >= 3 &&
                 std::any_of(operands.begin(), operands.end(), [&](int i) { return b.layout(i) == Layout::blocked16; });
  std::vector<Blocked> forms;
  for (int i : operands) {
    forms.push_back(shape.rank() >= 3 ? blocked_form(b.shape(i), shape) : Blocked::no);
    if (forms.back() == Blocked::no || (lies_blocked(forms.back()) && !blocks_of(b.dtype(i)))) blocked = false;
  }
  for (int j : results)
    if (!blocks_of(b.result_dtype(j))) blocked = false;
  if (blocked && shape[1].is_const() && shape[1].value() < 8) blocked = false;
  const Layout layout = blocked ? Layout::blocked16 : Layout::plain;

  // A part is read where it lies; that it is cut out may be what nobody needs then.
  std::vector<Slot> ins, outs;
  std::vector<std::optional<Part>> parts(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!blocked && b.layout(operands[k]) == Layout::plain) parts[k] = part_of(*b.node().operand(operands[k]));
    if (parts[k] && b.layout(parts[k]->whole) != Layout::plain) parts[k].reset();
    ins.push_back(parts[k] ? b.value(parts[k]->whole)
                           : b.in(operands[k], blocked && lies_blocked(forms[k]) ? layout : Layout::plain));
  }
  for (int j : results) outs.push_back(b.out(j, layout));
  for (size_t k = 0; k < operands.size(); ++k)
    if (!parts[k] && b.shape(operands[k]) == shape && b.dtype(operands[k]) == b.result_dtype(results[0]) &&
        may_overwrite(program->program, k))
      b.in_place(0, operands[k]);
  std::vector<int64_t> sizes;
  for (int i : operands) sizes.push_back(elem_size(b.dtype(i)));
  const kernels::StripTable& table = b.table().strip;
  const Node* node = &b.node();
  b.step<StripState>(
      table.of(program->program.type).name,
      [=](Frame& f, StripState& s) {
        s.inputs.assign(ins.size(), {});
        s.outputs.assign(outs.size(), {});
        s.offsets.assign(ins.size(), 0);
        s.args = {};
        s.args.program = &program->program;
        s.args.inputs = s.inputs.data();
        s.args.outputs = s.outputs.data();
        const auto e = f.extents(outs[0]);
        if (!blocked) {
          s.args.rank = static_cast<int>(e.size());
          std::copy(e.begin(), e.end(), s.args.extent);
          for (size_t k = 0; k < ins.size(); ++k) {
            const auto lies = f.extents(ins[k]);
            if (!parts[k]) {
              broadcast_strides(lies, lies, e, s.inputs[k].stride);
              continue;
            }
            std::vector<int64_t> own(lies.begin(), lies.end());
            for (const Cut& c : parts[k]->cuts) {
              own[static_cast<size_t>(c.axis)] = c.extent;
              s.offsets[k] += c.start * product(lies.subspan(static_cast<size_t>(c.axis) + 1));
            }
            broadcast_strides(own, lies, e, s.inputs[k].stride);
          }
          for (auto& o : s.outputs) broadcast_strides(e, e, e, o.stride);
        } else {
          int64_t pixels = 1;
          for (size_t k = 2; k < e.size(); ++k) pixels *= e[k];
          const int64_t extents[] = {e[0], (e[1] + 15) / 16, pixels, 16};
          // Gates come from pools over whole planes, which bring these to the thread that had them.
          if (std::find(forms.begin(), forms.end(), Blocked::gates) == forms.end())
            s.args.point = 16, s.args.plane = pixels * 16, s.args.planes = extents[1];
          s.args.rank = 4;
          std::copy(extents, extents + 4, s.args.extent);
          const int64_t full[] = {extents[1] * pixels * 16, pixels * 16, 16, 1}, gates[] = {extents[1] * 16, 16, 0, 1},
                        channels[] = {0, 16, 0, 1}, one[] = {0, 0, 0, 0};
          for (size_t k = 0; k < ins.size(); ++k) {
            const int64_t* strides = forms[k] == Blocked::full       ? full
                                     : forms[k] == Blocked::gates    ? gates
                                     : forms[k] == Blocked::channels ? channels
                                                                     : one;
            std::copy(strides, strides + 4, s.inputs[k].stride);
          }
          for (auto& o : s.outputs) std::copy(full, full + 4, o.stride);
        }
        for (size_t k = 0; k < ins.size(); ++k) s.inputs[k].type = in_types[k];
        for (size_t k = 0; k < outs.size(); ++k) s.outputs[k].type = out_types[k];
        kernels::collapse(s.args);
      },
      [=, &table](Frame& f, StripState& s) {
        for (size_t k = 0; k < ins.size(); ++k)
          s.inputs[k].data = f.ptr<const std::byte>(ins[k]) + s.offsets[k] * sizes[k];
        for (size_t k = 0; k < outs.size(); ++k) s.outputs[k].data = f.raw(outs[k]);
        check(f, *node, kernels::run_strips(table, f.team(), s.args));
      });
  return true;
}

}  // namespace tc::cpu
