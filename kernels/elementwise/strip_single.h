// Strip programs of one op, which run without strips where their operands allow it; for *_tier.cc files.
#pragma once

#include <span>

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
  const bool truths = in.type == Elem::boolean || out.type == Elem::boolean;
  if (truths && elem_bytes(in.type) == 1 && elem_bytes(out.type) == 1 &&
      access_of(args, in.stride, in.period, true) == Access::flat &&
      access_of(args, out.stride, 0, false) == Access::flat) {
    const auto* from = static_cast<const uint8_t*>(in.data);
    auto* to = static_cast<uint8_t*>(out.data);
#pragma GCC ivdep
    for (int64_t i = begin; i < end; ++i) to[i] = from[i] != 0;
    return true;
  }
  const bool loads = out.type == kElemOf<T>;
  if (streams(args) || loads == (in.type == kElemOf<T>) ||
      access_of(args, in.stride, in.period, true) != Access::flat ||
      access_of(args, out.stride, 0, false) != Access::flat)
    return false;
  constexpr int64_t kPiece = 1 << 20;  // what counts as an int
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
  if (args.elements() == 1 || (access_of(args, in.stride, in.period, true) == Access::flat &&
                               access_of(args, out.stride, 0, false) == Access::flat)) {
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

// How the elements of a program are walked whose result is dense and whose operands are so, or repeat one element,
// along the last dimension: all at once, or row by row where rows are no shorter than what strips are better at.
enum class Walk : uint8_t { none, rows, whole };
inline Walk walk_of(const StripArgs& args, std::span<const StripInput* const> inputs) {
  constexpr int64_t kLeastRow = 32;
  if (access_of(args, args.outputs[0].stride, 0, false) != Access::flat) return Walk::none;
  const int last = args.rank - 1;
  bool whole = true;
  for (const StripInput* x : inputs) {
    if (x->period || (x->stride[last] != 1 && x->stride[last] != 0)) return Walk::none;
    whole &= access_of(args, x->stride, 0, true) != Access::strided;
  }
  return whole ? Walk::whole : args.extent[last] >= kLeastRow ? Walk::rows : Walk::none;
}
// run(cursor, i, n) for the n elements from i on, where the cursor is.
template <class Run>
void walk_elements(const StripArgs& args, Walk walk, int64_t begin, int64_t end, Run&& run) {
  for (int64_t i = begin, n; i < end; i += n) {
    const Cursor cursor(args, i);
    n = walk == Walk::whole ? end - i : std::min(end - i, cursor.row_rest());
    run(cursor, i, n);
  }
}

// A single op on integers or truth values of one type, whose results are of that type or truth values, or a comparison
// of any numbers, where they lie: dst[i] from a[i], b[i * b_step] and c[0].
using PlainFn = void(void* dst, const void* a, const void* b, const void* c, int64_t b_step, int64_t n);

template <class Op, class In, class Out>
void plain_loop(void* dst, const void* a, const void* b, const void* c, int64_t b_step, int64_t n) {
  auto* to = static_cast<Out*>(dst);
  const auto *x = static_cast<const In*>(a), *y = static_cast<const In*>(b);
  const In z = *static_cast<const In*>(c);
  using Number = std::conditional_t<std::is_same_v<In, Bool>, uint8_t, In>;
  const auto one = [z](In p, In q) {
    return convert<Out>(Op::template one<Number>(convert<Number>(p), convert<Number>(q), convert<Number>(z)));
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

constexpr bool is_logic(MicroOp op) {
  return op >= MicroOp::logical_and && op <= MicroOp::logical_not;
}
constexpr bool compares(MicroOp op) {
  return (op >= MicroOp::lt && op <= MicroOp::ne) || op == MicroOp::is_inf || op == MicroOp::unsigned_lt ||
         op == MicroOp::unsigned_le;
}
// Of integers; what they make of narrow ones are the low bits of what they make of wide ones.
constexpr bool computes_plainly(MicroOp op) {
  return (op >= MicroOp::add && op <= MicroOp::mul) || (op >= MicroOp::min && op <= MicroOp::sign) ||
         (op >= MicroOp::bit_and && op <= MicroOp::shift_right) ||
         (op >= MicroOp::unsigned_min && op <= MicroOp::unsigned_clip) || op == MicroOp::relu;
}

template <class Op, class In>
constexpr PlainFn* plain_fn() {
  constexpr MicroOp op = Op::kOp;
  constexpr bool kFits = std::is_integral_v<In> || (Op::kKinds & kReal) != 0;
  if constexpr (std::is_same_v<In, Bool> ? is_logic(op) : compares(op) && kFits)
    return plain_loop<Op, In, Bool>;
  else if constexpr (computes_plainly(op) && std::is_integral_v<In>)
    return plain_loop<Op, In, In>;
  else
    return nullptr;
}
template <class In>
inline constexpr PlainFn* kPlain[kMicroOpCount] = {
#define TC_STRIP_OP(name, arity, kinds, pace, vector, integer) plain_fn<Op_##name, In>(),
#include "tc/kernels/elementwise/strip_ops.def"
#undef TC_STRIP_OP
};

// For operands of type `type` in a program that computes in T.
template <class T>
PlainFn* plain_fn_of(MicroOp op, Elem type) {
  const int at = static_cast<int>(op);
  if (type == kElemOf<T>) return kPlain<T>[at];
  if constexpr (std::is_same_v<T, int32_t>) {
    switch (type) {
      case Elem::u8:
        return kPlain<uint8_t>[at];
      case Elem::i8:
        return kPlain<int8_t>[at];
      case Elem::u16:
        return kPlain<uint16_t>[at];
      case Elem::i16:
        return kPlain<int16_t>[at];
      case Elem::boolean:
        return kPlain<Bool>[at];
      default:
        break;
    }
  }
  return nullptr;
}

constexpr bool commutes(MicroOp op) {
  return op == MicroOp::add || op == MicroOp::mul || op == MicroOp::min || op == MicroOp::max || op == MicroOp::eq ||
         op == MicroOp::ne || (op >= MicroOp::logical_and && op <= MicroOp::logical_xor) ||
         (op >= MicroOp::bit_and && op <= MicroOp::bit_xor) || op == MicroOp::unsigned_min ||
         op == MicroOp::unsigned_max;
}

// A choice between elements of as many bytes as T has, whatever they are: dst[i] from x[i * x_step] and y[i * y_step].
using ChoiceFn = void(void* dst, const uint8_t* condition, const void* x, int64_t x_step, const void* y, int64_t y_step,
                      int64_t n);
template <class T>
void choice_loop(void* dst, const uint8_t* condition, const void* x, int64_t x_step, const void* y, int64_t y_step,
                 int64_t n) {
  auto* to = static_cast<T*>(dst);
  const auto *yes = static_cast<const T*>(x), *no = static_cast<const T*>(y);
  const auto choose = [&](auto if_true, auto if_false) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const T p = if_true(i), q = if_false(i);
      to[i] = condition[i] ? p : q;
    }
  };
  const auto along = [](const T* p) { return [p](int64_t i) { return p[i]; }; };
  const auto repeated = [](const T* p) { return [value = *p](int64_t) { return value; }; };
  if (x_step == 0)
    y_step == 0 ? choose(repeated(yes), repeated(no)) : choose(repeated(yes), along(no));
  else
    y_step == 0 ? choose(along(yes), repeated(no)) : choose(along(yes), along(no));
}
inline ChoiceFn* choice_fn(Elem type) {
  switch (elem_bytes(type)) {
    case 1:
      return choice_loop<uint8_t>;
    case 2:
      return choice_loop<uint16_t>;
    case 4:
      return choice_loop<uint32_t>;
    default:
      return choice_loop<uint64_t>;
  }
}

// Runs such an op without strips in between; 200 thousand bytes 40 to 5 us, i64 0.088 to 0.06 ms. False: it is
// something else.
template <class T>
bool run_plain(const StripArgs& args, int64_t begin, int64_t end) {
  const StripProgram& p = *args.program;
  if (p.code.size() != 1 || p.outputs != 1) return false;
  const StripOp& op = p.code[0];
  const bool choice = op.op == MicroOp::where;
  const int arity = micro_op_arity(op.op), last = args.rank - 1;
  const int slots[] = {op.a, op.b, op.c};
  for (int i = 0; i < arity; ++i)
    if (slots[i] >= p.inputs) return false;
  const bool swaps = args.inputs[op.a].stride[last] == 0 && commutes(op.op);
  // What is missing is the first operand once more.
  const StripInput* in[] = {&args.inputs[swaps ? op.b : op.a], &args.inputs[arity == 1 || swaps ? op.a : op.b],
                            &args.inputs[arity < 3 ? op.a : op.c]};
  const StripOutput& out = args.outputs[0];
  PlainFn* const loop = choice ? nullptr : plain_fn_of<T>(op.op, in[0]->type);
  if (choice) {
    if (in[0]->type != Elem::boolean || in[1]->type != out.type || in[2]->type != out.type || streams(args))
      return false;
  } else if (!loop || in[1]->type != in[0]->type || in[2]->type != in[0]->type ||
             out.type != (is_logic(op.op) || compares(op.op) ? Elem::boolean : in[0]->type)) {
    return false;
  }
  if (in[0]->stride[last] != 1) return false;
  const Walk walk = walk_of(args, in);
  if (walk == Walk::none) return false;
  if (arity == 3 && !choice)
    for (int i : {1, 2})
      if (access_of(args, in[i]->stride, 0, true) != Access::splat) return false;
  const int out_bytes = elem_bytes(out.type);
  ChoiceFn* const choose = choice_fn(out.type);
  walk_elements(args, walk, begin, end, [&](const Cursor& cursor, int64_t i, int64_t n) {
    const auto at = [&](int k) {
      return static_cast<const std::byte*>(in[k]->data) + cursor.offset(in[k]->stride) * elem_bytes(in[k]->type);
    };
    std::byte* const to = static_cast<std::byte*>(out.data) + i * out_bytes;
    if (choice)
      choose(to, reinterpret_cast<const uint8_t*>(at(0)), at(1), in[1]->stride[last], at(2), in[2]->stride[last], n);
    else
      loop(to, at(0), at(1), at(2), in[1]->stride[last], n);
  });
  return true;
}

}  // namespace
}  // namespace tc::kernels
