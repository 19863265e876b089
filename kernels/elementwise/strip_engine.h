// How strip programs run, for *_tier.cc files: conversions, access to operands, strips.
#pragma once

#include <cstring>
#include <type_traits>

#include "tc/kernels/elementwise/strip_loops.h"
#include "tc/kernels/streams.h"

namespace tc::kernels {
namespace {

struct Bool {
  uint8_t byte;
};

// The nearest thing to a C cast that is defined for every value.
template <class To, class From>
TC_INLINE To convert(From x) {
  if constexpr (std::is_same_v<From, Bool>) {
    return static_cast<To>(x.byte != 0);
  } else if constexpr (std::is_same_v<To, Bool>) {
    return Bool{static_cast<uint8_t>(x != From{0})};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if constexpr (std::is_same_v<To, int32_t>) {
      return x >= From(-0x1p31) && x < From(0x1p31) ? static_cast<To>(x) : std::numeric_limits<To>::min();
    } else {
      if constexpr (std::is_same_v<To, uint64_t>) {
        if (x >= From(0x1p63) && x < From(0x1p64)) return static_cast<To>(x);
      }
      if (x >= From(-0x1p63) && x < From(0x1p63)) return static_cast<To>(static_cast<int64_t>(x));
      // Narrower types take the low bits of the nearest i64.
      using Limits = std::numeric_limits<int64_t>;
      return static_cast<To>(sizeof(To) < 8 && x > From{0} ? Limits::max() : Limits::min());
    }
  } else {
    return static_cast<To>(x);
  }
}

// Copies n elements between a strip and memory: dst[i] = base[i * stride], or base[i * stride] = src[i].
template <class T>
using FetchFn = void(T* dst, const void* base, int64_t stride, int n);
template <class T>
using FlushFn = void(void* base, int64_t stride, const T* src, int n);

template <class T, class S>
void fetch(T* dst, const void* base, int64_t stride, int n) {
  const S* src = static_cast<const S*>(base);
  if (stride == 0) {
    const T value = convert<T>(src[0]);
    for (int i = 0; i < n; ++i) dst[i] = value;
  } else if (stride == 1) {
    if constexpr (std::is_same_v<T, S>) {
      std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
    } else {
      for (int i = 0; i < n; ++i) dst[i] = convert<T>(src[i]);
    }
  } else {
    for (int i = 0; i < n; ++i) dst[i] = convert<T>(src[i * stride]);
  }
}
template <class T, class S>
void flush(void* base, int64_t stride, const T* src, int n) {
  S* dst = static_cast<S*>(base);
  if (stride == 1) {
    if constexpr (std::is_same_v<T, S>) {
      std::memcpy(dst, src, static_cast<size_t>(n) * sizeof(T));
    } else if constexpr (std::is_same_v<T, float> && std::is_integral_v<S> && sizeof(S) < 4) {
      // By way of 32 bits where these hold every value: vectors have such a conversion.
      int beyond = 0;
      for (int i = 0; i < n; ++i) beyond |= !(std::abs(src[i]) < 0x1p31F);
      if (beyond)
        for (int i = 0; i < n; ++i) dst[i] = convert<S>(src[i]);
      else
        for (int i = 0; i < n; ++i) dst[i] = static_cast<S>(static_cast<int32_t>(src[i]));
    } else {
      for (int i = 0; i < n; ++i) dst[i] = convert<S>(src[i]);
    }
  } else {
    for (int i = 0; i < n; ++i) dst[i * stride] = convert<S>(src[i]);
  }
}

// 16-bit floats pass through a buffer of bits when they are strided.
template <bool kBrain>
void fetch_half(float* dst, const void* base, int64_t stride, int n) {
  const auto* src = static_cast<const uint16_t*>(base);
  uint16_t packed[kStripBytes / sizeof(float)];
  if (stride != 1) {
    for (int i = 0; i < n; ++i) packed[i] = src[i * stride];
    src = packed;
  }
  int i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) store(dst + i, kBrain ? load_bf16(src + i) : load_f16(src + i));
  if (i < n) {
    const Tail<float> tail(n - i);
    store(dst + i, kBrain ? load_bf16(src + i, tail) : load_f16(src + i, tail), tail);
  }
}
template <bool kBrain>
void flush_half(void* base, int64_t stride, const float* src, int n) {
  auto* dst = static_cast<uint16_t*>(base);
  uint16_t packed[kStripBytes / sizeof(float)];
  uint16_t* out = stride == 1 ? dst : packed;
  int i = 0;
  for (; i + kLanes<float> <= n; i += kLanes<float>) {
    if constexpr (kBrain)
      store_bf16(out + i, load(src + i));
    else
      store_f16(out + i, load(src + i));
  }
  if (i < n) {
    const Tail<float> tail(n - i);
    if constexpr (kBrain)
      store_bf16(out + i, load(src + i, tail), tail);
    else
      store_f16(out + i, load(src + i, tail), tail);
  }
  if (stride != 1) {
    for (i = 0; i < n; ++i) dst[i * stride] = packed[i];
  }
}

// In the order of Elem.
template <class T>
inline constexpr FetchFn<T>* kFetch[kElemCount] = {
    fetch<T, float>,  fetch<T, double>,   fetch<T, int32_t>, fetch<T, int64_t>,  fetch<T, Bool>,     fetch<T, uint8_t>,
    fetch<T, int8_t>, fetch<T, uint16_t>, fetch<T, int16_t>, fetch<T, uint32_t>, fetch<T, uint64_t>, nullptr,
    nullptr};
template <class T>
inline constexpr FlushFn<T>* kFlush[kElemCount] = {
    flush<T, float>,  flush<T, double>,   flush<T, int32_t>, flush<T, int64_t>,  flush<T, Bool>,     flush<T, uint8_t>,
    flush<T, int8_t>, flush<T, uint16_t>, flush<T, int16_t>, flush<T, uint32_t>, flush<T, uint64_t>, nullptr,
    nullptr};
template <class T>
FetchFn<T>* fetch_fn(Elem type) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == Elem::f16) return fetch_half<false>;
    if (type == Elem::bf16) return fetch_half<true>;
  }
  return kFetch<T>[static_cast<int>(type)];
}
template <class T>
FlushFn<T>* flush_fn(Elem type) {
  if constexpr (std::is_same_v<T, float>) {
    if (type == Elem::f16) return flush_half<false>;
    if (type == Elem::bf16) return flush_half<true>;
  }
  return kFlush<T>[static_cast<int>(type)];
}

// A place in the iteration space.
struct Cursor {
  int rank;
  const int64_t* extent;
  int64_t at[kMaxRank];

  Cursor(const StripArgs& args, int64_t flat) : rank(args.rank), extent(args.extent) {
    for (int d = rank - 1; d >= 0; --d) {
      at[d] = flat % extent[d];
      flat /= extent[d];
    }
  }
  int64_t row_rest() const { return extent[rank - 1] - at[rank - 1]; }
  int64_t row_offset(const int64_t* stride) const {  // of the row's first element
    int64_t sum = 0;
    for (int d = 0; d < rank - 1; ++d) sum += at[d] * stride[d];
    return sum;
  }
  int64_t offset(const int64_t* stride) const { return row_offset(stride) + at[rank - 1] * stride[rank - 1]; }
  // Moves on by at most one row's rest, and returns how far an operand with these strides moves.
  int64_t advance(int64_t n, const int64_t* stride) {
    int d = rank - 1;
    int64_t moved = n * stride[d];
    at[d] += n;
    while (at[d] == extent[d] && d > 0) {
      moved -= extent[d] * stride[d];
      at[d] = 0;
      --d;
      ++at[d];
      moved += stride[d];
    }
    return moved;
  }
};

// How an operand is reached.
enum class Access : uint8_t {
  splat,    // one value for the whole run, written into its strip once
  flat,     // dense over the iteration space
  strided,  // anything else
};

inline Access access_of(const StripArgs& args, const int64_t* stride, int64_t period, bool input) {
  bool flat = !period, splat = input;
  int64_t dense = 1;
  for (int d = args.rank - 1; d >= 0; --d) {
    if (args.extent[d] == 1) continue;
    flat &= stride[d] == dense;
    splat &= stride[d] == 0;
    dense *= args.extent[d];
  }
  return splat ? Access::splat : flat ? Access::flat : Access::strided;
}

// Whether output slot `k` lies in the memory of an input that is read after the output was written. Such an output is
// computed in its strip, and stored when the strip is done.
inline bool written_too_early(const StripArgs& args, int k) {
  const StripProgram& p = *args.program;
  for (int i = 0; i < p.inputs; ++i) {
    if (args.inputs[i].data != args.outputs[k - p.inputs].data) continue;
    bool written = false;
    for (const StripOp& op : p.code) {
      if (written && (op.a == i || op.b == i || op.c == i)) return true;
      written |= op.dst == k;
    }
  }
  return false;
}

inline bool streams(const StripArgs& args) {
  int64_t bytes = 0;
  for (int k = 0; k < args.program->outputs; ++k) bytes += elem_bytes(args.outputs[k].type);
  return args.elements() * bytes >= kStreamedBytes;
}

template <class T>
struct Place {
  Access access;
  bool native;  // elements of the compute type, usable where they lie
  int size;
  union {
    FetchFn<T>* fetch;
    FlushFn<T>* flush;
  };
  int64_t inner;            // stride of the last dimension
  int64_t period;           // as StripInput's
  const void* filled_from;  // source of a row's constant or period that the strip holds already
  int64_t filled_phase;
  int filled;
};

// n elements of a row that begins again after at.period, from element `first` on.
template <class T>
void fetch_repeated(const Place<T>& at, T* dst, const std::byte* row, int64_t first, int n) {
  int64_t phase = first % at.period;
  int have = 0;
  while (have < n && have < at.period) {
    const int64_t rest = std::min(at.period - phase, at.period - have);
    const int part = n - have < rest ? n - have : static_cast<int>(rest);
    at.fetch(dst + have, row + phase * at.inner * at.size, at.inner, part);
    have += part;
    phase = 0;
  }
  for (int part; have < n; have += part) {  // a whole number of periods, twice as many each time
    part = std::min(have, n - have);
    std::memcpy(dst + have, dst, static_cast<size_t>(part) * sizeof(T));
  }
}

// Bytes of an operand from which on the next strip is asked for while this one is computed: what the second-level cache
// does not hold.
constexpr int64_t kFarBytes = int64_t{1} << 20;

// Outputs whose strips go past the caches while the next ones are computed.
constexpr int kMaxLate = 2;

// A strip that is on its way: in one of two buffers, of which the other one is filled.
template <class T, int kStrip>
struct Late {
  int slot = -1;
  T* buffers[2] = {};
  T* to = nullptr;  // null: nothing is under way
  alignas(64) T second[kStrip];
  void finish() {
    if (to)
      stream_copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(buffers[1]), kStrip * sizeof(T));
    to = nullptr;
  }
};

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

template <class T>
Status run_program(const StripArgs& args, int64_t begin, int64_t end) {
  constexpr int kStrip = kStripBytes / static_cast<int>(sizeof(T));
  const StripProgram& p = *args.program;
  if (begin >= end) return {};

  StripArgs scalar_space;
  const StripArgs* space = &args;
  if (args.rank == 0) {
    scalar_space = args;
    scalar_space.rank = 1;
    scalar_space.extent[0] = 1;
    space = &scalar_space;
  }
  const bool past_caches = streams(args);
  if (run_conversion<T>(*space, begin, end)) return {};
  if (run_plain<T>(*space, begin, end)) return {};
  if (is_single<T>(*space) && (run_map<T>(*space, begin, end) || run_zip<T>(*space, begin, end))) return {};
  const int last = space->rank - 1;
  const int operands = p.inputs + p.outputs;

  alignas(64) T strips[kMaxStripSlots][kStrip];
  T* slot[kMaxStripSlots];
  Place<T> place[kMaxStripSlots];
  const int widest = static_cast<int>(end - begin < kStrip ? end - begin : kStrip);
  for (int s = 0; s < p.slots(); ++s) slot[s] = strips[s];

  bool strided = false;
  int far[kMaxStripSlots], fars = 0;  // the inputs that come from memory, or nearly
  Late<T, kStrip> late[kMaxLate];
  int lates = 0;
  for (int k = 0; k < operands; ++k) {
    const bool input = k < p.inputs;
    const int64_t* stride = input ? args.inputs[k].stride : args.outputs[k - p.inputs].stride;
    const Elem type = input ? args.inputs[k].type : args.outputs[k - p.inputs].type;
    Place<T>& at = place[k];
    at.period = input ? args.inputs[k].period : 0;
    at.access = access_of(*space, stride, at.period, input);
    at.native = type == kElemOf<T>;
    at.size = elem_bytes(type);
    at.inner = stride[last];
    at.filled_from = nullptr;
    at.filled_phase = 0;
    at.filled = 0;
    if (input)
      at.fetch = fetch_fn<T>(type);
    else
      at.flush = flush_fn<T>(type);
    strided |= at.access == Access::strided;
    if (at.access == Access::splat) at.fetch(slot[k], args.inputs[k].data, 0, widest);
    if (input && at.access == Access::flat && at.native && args.elements() * at.size >= kFarBytes) far[fars++] = k;
    if (!input) {
      if (std::is_floating_point_v<T> && past_caches && at.native && at.access == Access::flat && lates < kMaxLate) {
        Late<T, kStrip>& l = late[lates++];
        l.slot = k, l.buffers[0] = strips[k], l.buffers[1] = l.second;
      }
      at.native &= !written_too_early(args, k);
    }
  }
  int longs = 0;
  for (const StripOp& op : p.code) longs += is_long(op.op);
  for (size_t i = 0; i < p.immediates.size(); ++i) {
    const int to = p.immediate_slot(static_cast<int>(i));
    const T x = immediate<T>(p, to);
    fetch<T, T>(slot[to], &x, 0, widest);
  }

  // Strips follow rows when these are long; short rows are gathered, several to a strip.
  const bool by_rows = strided && space->extent[last] >= kStrip / 2;
  Cursor cursor(*space, strided ? begin : 0);
  for (int64_t i = begin; i < end;) {
    int64_t n = end - i < kStrip ? end - i : kStrip;
    if (by_rows && n > cursor.row_rest()) n = cursor.row_rest();
    const int count = static_cast<int>(n);
    const bool in_row = strided && n <= cursor.row_rest();

    for (int k = 0; k < p.inputs; ++k) {
      Place<T>& at = place[k];
      if (at.access == Access::splat) continue;
      const StripInput& in = args.inputs[k];
      const auto* base = static_cast<const std::byte*>(in.data);
      if (at.access == Access::flat) {
        const std::byte* here = base + i * at.size;
        if (at.native)
          slot[k] = const_cast<T*>(reinterpret_cast<const T*>(here));
        else
          at.fetch(slot[k], here, 1, count);
        continue;
      }
      if (at.period && in_row) {
        const std::byte* row = base + cursor.row_offset(in.stride) * at.size;
        const int64_t first = cursor.at[last], phase = first % at.period;
        slot[k] = strips[k];
        if (row == at.filled_from && phase == at.filled_phase && count <= at.filled) continue;
        fetch_repeated(at, slot[k], row, first, count);
        at.filled_from = row, at.filled_phase = phase, at.filled = count;
        continue;
      }
      const std::byte* here = base + cursor.offset(in.stride) * at.size;
      if (in_row) {
        if (at.inner == 1 && at.native) {
          slot[k] = const_cast<T*>(reinterpret_cast<const T*>(here));
        } else if (at.inner != 0) {
          slot[k] = strips[k];
          at.fetch(slot[k], here, at.inner, count);
        } else if (here != at.filled_from || count > at.filled) {
          slot[k] = strips[k];
          at.fetch(slot[k], here, 0, count);
          at.filled_from = here;
          at.filled = count;
        }
        continue;
      }
      slot[k] = strips[k];
      at.filled_from = nullptr;
      Cursor walk = cursor;
      for (int done = 0; done < count;) {
        const int64_t rest = walk.row_rest();
        const int part = count - done < rest ? count - done : static_cast<int>(rest);
        if (at.period)
          fetch_repeated(at, slot[k] + done, base + walk.row_offset(in.stride) * at.size, walk.at[last], part);
        else
          at.fetch(slot[k] + done, here, at.inner, part);
        here += walk.advance(part, in.stride) * at.size;
        done += part;
      }
    }
    for (int k = p.inputs; k < operands; ++k) {
      Place<T>& at = place[k];
      const StripOutput& out = args.outputs[k - p.inputs];
      slot[k] = strips[k];
      if (!at.native || (past_caches && at.access == Access::flat)) continue;
      if (at.access == Access::flat)
        slot[k] = static_cast<T*>(out.data) + i;
      else if (in_row && at.inner == 1)
        slot[k] = static_cast<T*>(out.data) + cursor.offset(out.stride);
    }

    for (int l = 0; l < lates; ++l) slot[late[l].slot] = late[l].buffers[0];
    const int ops = static_cast<int>(p.code.size()), carriers = longs ? longs : ops;
    int step = 0, carrier = 0;
    for (const StripOp& op : p.code) {
      OnTheWay<T> way{};
      const OnTheWay<T>* taken = nullptr;
      if constexpr (std::is_integral_v<T>) {
        for (int f = 0; f < fars; ++f) {
          const int size = place[far[f]].size;
          const auto* next = static_cast<const std::byte*>(args.inputs[far[f]].data) + (i + n) * size;
          const int64_t lines = (n * size / 64 + ops - 1) / ops;
          for (int64_t line = step * lines; line < (step + 1) * lines; ++line) __builtin_prefetch(next + line * 64);
        }
        ++step;
      } else if (fars + lates > 0 && (longs == 0 || is_long(op.op))) {
        int lines = 0;
        // The first one gets the last of the inputs, since it moves the results.
        for (int f = (carrier + carriers - 1) % carriers; f < fars && lines < 2; f += carriers)
          way.lines[lines++] = static_cast<const std::byte*>(args.inputs[far[f]].data) + (i + n) * place[far[f]].size;
        for (; lines < 2; ++lines) way.lines[lines] = reinterpret_cast<const std::byte*>(slot[op.dst]);
        if (carrier < lates && late[carrier].to) {
          way.from = late[carrier].buffers[1], way.to = late[carrier].to;
          late[carrier].to = nullptr;
        }
        ++carrier;
        taken = &way;
      }
      const int bad =
          kLoops<T>[static_cast<int>(op.op)].micro(slot[op.dst], slot[op.a], slot[op.b], slot[op.c], count, taken);
      if constexpr (std::is_integral_v<T>) {
        if (bad >= 0) return {StatusCode::kDivisionByZero, i + bad};
      }
    }

    for (int l = 0; l < lates; ++l) {
      late[l].finish();  // when no op took it along
      const int k = late[l].slot;
      T* to = static_cast<T*>(args.outputs[k - p.inputs].data) + i;
      if (!strided && i + 2 * kStrip <= end && can_stream(to)) {
        late[l].to = to;  // a whole strip follows, whose ops take this one along
        std::swap(late[l].buffers[0], late[l].buffers[1]);
      } else {
        stream_copy(reinterpret_cast<std::byte*>(to), reinterpret_cast<const std::byte*>(slot[k]),
                    sizeof(T) * static_cast<size_t>(n));
      }
      slot[k] = nullptr;
    }
    for (int k = p.inputs; k < operands; ++k) {
      if (slot[k] != strips[k]) continue;
      Place<T>& at = place[k];
      const StripOutput& out = args.outputs[k - p.inputs];
      auto* base = static_cast<std::byte*>(out.data);
      if (at.access == Access::flat) {
        if (past_caches && out.type == kElemOf<T>)  // integers, and outputs beyond kMaxLate
          stream_copy(base + i * at.size, reinterpret_cast<const std::byte*>(slot[k]),
                      sizeof(T) * static_cast<size_t>(n));
        else
          at.flush(base + i * at.size, 1, slot[k], count);
        continue;
      }
      Cursor walk = cursor;
      std::byte* here = base + cursor.offset(out.stride) * at.size;
      for (int done = 0; done < count;) {
        const int64_t rest = walk.row_rest();
        const int part = count - done < rest ? count - done : static_cast<int>(rest);
        at.flush(here, at.inner, slot[k] + done, part);
        here += walk.advance(part, out.stride) * at.size;
        done += part;
      }
    }
    i += n;
    if (strided && i < end) {
      if (in_row)
        cursor.advance(n, args.extent);
      else
        cursor = Cursor(*space, i);
    }
  }
  if (past_caches) stream_fence();
  return {};
}

}  // namespace
}  // namespace tc::kernels
