// Strip programs of one op, which run without strips where their operands allow it; for *_tier.cc files.
#pragma once

#include "tc/kernels/elementwise/strip_access.h"

namespace tc::kernels {
namespace {

// The number in an immediate slot.
template <class T>
T immediate(const StripProgram& p, int slot) {
  const Immediate& value = p.immediates[static_cast<size_t>(slot - p.immediate_slot(0))];
  return std::is_integral_v<T> ? static_cast<T>(value.integer) : static_cast<T>(value.real);
}

// Runs a conversion between dense arrays, of which one is of the compute type, without strips in between: 200 thousand
// halves to floats 0.026 to 0.016 ms. False: it is something else.
template <class T>
bool run_conversion(const StripArgs& args, int64_t begin, int64_t end) {
  const StripProgram& p = *args.program;
  if (p.code.size() != 1 || p.outputs != 1 || p.code[0].op != MicroOp::copy || p.code[0].a >= p.inputs) return false;
  const StripInput& in = args.inputs[p.code[0].a];
  const StripOutput& out = args.outputs[0];
  const bool loads = out.type == kElemOf<T>;
  if (streams(args) || loads == (in.type == kElemOf<T>) ||
      access_of(args, in.stride, in.period, true) != Access::flat ||
      access_of(args, out.stride, 0, false) != Access::flat)
    return false;
  constexpr int64_t kPiece = kStripBytes / static_cast<int64_t>(sizeof(T));
  FetchFn<T>* const fetch = fetch_fn<T>(in.type);
  FlushFn<T>* const flush = flush_fn<T>(out.type);
  const auto* from = static_cast<const std::byte*>(in.data);
  auto* to = static_cast<std::byte*>(out.data);
  for (int64_t i = begin; i < end; i += kPiece) {
    const int n = static_cast<int>(std::min(kPiece, end - i));
    const std::byte* const source = from + i * elem_bytes(in.type);
    std::byte* const target = to + i * elem_bytes(out.type);
    if (loads)
      fetch(reinterpret_cast<T*>(target), source, 1, n);
    else
      flush(target, 1, reinterpret_cast<const T*>(source), n);
  }
  return true;
}

// Whether there is one op, whose results are of the compute type and go to caches: what the two ways below may take.
template <class T>
bool is_single(const StripArgs& args) {
  const StripProgram& p = *args.program;
  return p.code.size() == 1 && p.outputs == 1 && args.outputs[0].type == kElemOf<T> && !streams(args);
}

// Runs a single op that is a function of one operand and constants, dense or all of a matrix with dense rows, as
// activations of tiles are: there is nothing to set up. False: it is something else.
template <class T>
bool run_map(const StripArgs& args, int64_t begin, int64_t end) {
  const StripProgram& p = *args.program;
  const StripOp& op = p.code[0];
  MapFn<T>* const map = kLoops<T>[static_cast<int>(op.op)].map;
  const StripOutput& out = args.outputs[0];
  if (!map || op.a >= p.inputs) return false;
  const StripInput& in = args.inputs[op.a];
  if (in.type != kElemOf<T>) return false;
  T constants[2] = {};
  for (int i = 1; i < micro_op_arity(op.op); ++i) {
    const int slot = i == 1 ? op.b : op.c;
    if (slot >= p.inputs) {
      constants[i - 1] = immediate<T>(p, slot);
      continue;
    }
    const StripInput& other = args.inputs[slot];
    if (other.type != kElemOf<T> || access_of(args, other.stride, other.period, true) != Access::splat) return false;
    constants[i - 1] = *static_cast<const T*>(other.data);
  }
  const T* from = static_cast<const T*>(in.data);
  T* to = static_cast<T*>(out.data);
  if (access_of(args, in.stride, in.period, true) == Access::flat &&
      access_of(args, out.stride, 0, false) == Access::flat) {
    map(to + begin, 0, from + begin, 0, constants[0], constants[1], 1, end - begin);
    return true;
  }
  if (args.rank != 2 || in.stride[1] != 1 || out.stride[1] != 1 || in.period || end - begin != args.elements())
    return false;
  map(to, out.stride[0], from, in.stride[0], constants[0], constants[1], args.extent[0], args.extent[1]);
  return true;
}

// The same for arithmetic on operands that are dense or repeated along any dimensions. Rows of 128 with a divisor each,
// 200 thousand elements: 0.139 ms by strips, of which a row takes one, 0.05 so.
template <class T>
bool run_zip(const StripArgs& args, int64_t begin, int64_t end) {
  const StripProgram& p = *args.program;
  const StripOp& op = p.code[0];
  ZipFn<T>* const zip = kLoops<T>[static_cast<int>(op.op)].zip;
  const StripOutput& out = args.outputs[0];
  if (!zip || access_of(args, out.stride, 0, false) != Access::flat) return false;
  const int last = args.rank - 1;
  struct {
    const T* data;
    const int64_t* stride;
    T value;
  } side[3];
  constexpr int64_t kRepeated[kMaxRank] = {};
  const int slots[] = {op.a, op.b, op.c}, arity = micro_op_arity(op.op);
  for (int i = 0; i < 3; ++i) {
    side[i].data = &side[i].value, side[i].stride = kRepeated;
    if (i >= arity) {
      side[i].value = T{};
    } else if (slots[i] >= p.inputs) {
      side[i].value = immediate<T>(p, slots[i]);
    } else {
      const StripInput& in = args.inputs[slots[i]];
      if (in.type != kElemOf<T> || in.period || (in.stride[last] != 1 && in.stride[last] != 0)) return false;
      side[i].data = static_cast<const T*>(in.data), side[i].stride = in.stride;
    }
  }
  if (side[0].stride[last] == 0 && (arity == 3 || side[1].stride[last] == 0)) return false;
  T* const to = static_cast<T*>(out.data);
  const int64_t row = args.extent[last];
  for (int64_t i = begin; i < end;) {
    const Cursor cursor(args, i);
    int64_t rows = 1, cols = std::min(end - i, cursor.row_rest());
    if (last > 0 && cols == row) rows = std::min((end - i) / row, args.extent[last - 1] - cursor.at[last - 1]);
    const auto operand = [&](int k) {
      const int64_t* stride = side[k].stride;
      return ZipOperand<T>{side[k].data + cursor.offset(stride), last > 0 ? stride[last - 1] : 0, stride[last]};
    };
    zip(to + i, operand(0), operand(1), operand(2), rows, cols);
    i += rows * cols;
  }
  return true;
}

// A single op on integers or truth values of one type, whose results are of that type or truth values, or a comparison
// of any numbers, where they lie: dst[i] from a[i] and b[i * b_step].
using PlainFn = void(void* dst, const void* a, const void* b, int64_t b_step, int64_t n);

template <class Op, class In, class Out>
void plain_loop(void* dst, const void* a, const void* b, int64_t b_step, int64_t n) {
  auto* to = static_cast<Out*>(dst);
  const auto *x = static_cast<const In*>(a), *y = static_cast<const In*>(b);
  using Number = std::conditional_t<std::is_same_v<In, Bool>, uint8_t, In>;
  const auto one = [](In p, In q) {
    return convert<Out>(Op::template one<Number>(convert<Number>(p), convert<Number>(q), Number{0}));
  };
  // Nothing overlaps but what is the same.
  if (b_step == 0) {
    const In q = *y;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = one(x[i], q);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) to[i] = one(x[i], y[i]);
  }
}

template <class Op, class In>
constexpr PlainFn* plain_fn() {
  constexpr MicroOp op = Op::kOp;
  constexpr bool kTruth = std::is_same_v<In, Bool>;
  constexpr bool kLogic = op >= MicroOp::logical_and && op <= MicroOp::logical_not;
  constexpr bool kCompares = op >= MicroOp::lt && op <= MicroOp::ne;
  constexpr bool kComputes = (op >= MicroOp::add && op <= MicroOp::mul) || op == MicroOp::min || op == MicroOp::max;
  if constexpr (kLogic ? kTruth : kCompares)
    return plain_loop<Op, In, Bool>;
  else if constexpr (kComputes && std::is_integral_v<In>)
    return plain_loop<Op, In, In>;
  else
    return nullptr;
}
template <class In>
inline constexpr PlainFn* kPlain[kMicroOpCount] = {
#define TC_STRIP_OP(name, arity, kinds, vector, integer) plain_fn<Op_##name, In>(),
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
};

constexpr bool commutes(MicroOp op) {
  return op == MicroOp::add || op == MicroOp::mul || op == MicroOp::min || op == MicroOp::max || op == MicroOp::eq ||
         op == MicroOp::ne || op == MicroOp::logical_and || op == MicroOp::logical_or || op == MicroOp::logical_xor;
}

// Runs such an op without strips in between; 200 thousand bytes 40 to 5 us, i64 0.088 to 0.06 ms. False: it is
// something else.
template <class T>
bool run_plain(const StripArgs& args, int64_t begin, int64_t end) {
  const StripProgram& p = *args.program;
  if (p.code.size() != 1 || p.outputs != 1) return false;
  const StripOp& op = p.code[0];
  const int arity = micro_op_arity(op.op), last = args.rank - 1;
  if (arity > 2 || op.a >= p.inputs || (arity == 2 && op.b >= p.inputs)) return false;
  const bool swaps = args.inputs[op.a].stride[last] == 0 && commutes(op.op);
  const StripInput &a = args.inputs[swaps ? op.b : op.a], &b = args.inputs[arity == 1 || swaps ? op.a : op.b];
  const StripOutput& out = args.outputs[0];
  constexpr bool narrow = std::is_same_v<T, int32_t>;  // it computes these too
  PlainFn* const loop = a.type == kElemOf<T>                ? kPlain<T>[static_cast<int>(op.op)]
                        : narrow && a.type == Elem::u8      ? kPlain<uint8_t>[static_cast<int>(op.op)]
                        : narrow && a.type == Elem::i8      ? kPlain<int8_t>[static_cast<int>(op.op)]
                        : narrow && a.type == Elem::boolean ? kPlain<Bool>[static_cast<int>(op.op)]
                                                            : nullptr;
  const bool computes = op.op < MicroOp::lt;
  if (!loop || b.type != a.type || out.type != (computes ? a.type : Elem::boolean)) return false;
  constexpr int64_t kLeastRow = 32;  // else rows take longer than strips
  const bool flat = access_of(args, out.stride, 0, false) == Access::flat && !a.period && !b.period;
  if (!flat || a.stride[last] != 1 || (b.stride[last] != 1 && b.stride[last] != 0)) return false;
  const bool whole =
      access_of(args, a.stride, 0, true) == Access::flat && access_of(args, b.stride, 0, true) != Access::strided;
  if (!whole && args.extent[last] < kLeastRow) return false;
  const int in_bytes = elem_bytes(a.type), out_bytes = elem_bytes(out.type);
  const auto at = [](const void* base, int64_t offset, int bytes) {
    return static_cast<const std::byte*>(base) + offset * bytes;
  };
  for (int64_t i = begin, n; i < end; i += n) {
    const Cursor cursor(args, i);
    n = whole ? end - i : std::min(end - i, cursor.row_rest());
    loop(static_cast<std::byte*>(out.data) + i * out_bytes, at(a.data, cursor.offset(a.stride), in_bytes),
         at(b.data, cursor.offset(b.stride), in_bytes), b.stride[last], n);
  }
  return true;
}

}  // namespace
}  // namespace tc::kernels
