// Sums, differences and products of two tensors of quantised bytes, rounded to bytes again, as the residuals and gates
// of 8-bit networks are: their strip programs in one pass. For *_tier.cc files.
#pragma once

#include <cmath>
#include <optional>

#include "tc/kernels/elementwise/strip_single.h"
#include "tc/kernels/inverts.h"
#include "tc/kernels/simd/bytes.h"
#include "tc/kernels/simd/divide.h"

namespace tc::kernels {
namespace {

// What such a program says: to_byte(relu((a - zero) * scale <op> (b - zero) * scale) / by + zero).
struct BytePair {
  struct Side {
    const StripInput* in;
    float zero, scale;
  } sides[2];
  MicroOp op;
  Elem type;  // of all three
  bool relu;
  float by, zero;

  // A bound of the quotients' magnitudes; bytes differ by 255 at most from a zero point, which is a byte.
  float most_quotient() const {
    const float a = 255 * std::fabs(sides[0].scale), b = 255 * std::fabs(sides[1].scale);
    return (op == MicroOp::mul ? a * b : a + b) / std::fabs(by);
  }
};

inline std::optional<BytePair> byte_pair(const StripArgs& args) {
  const StripProgram& p = *args.program;
  const std::span<const StripOp> code = p.code;
  if (p.inputs != 2 || p.outputs != 1 || code.size() < 5 || code.size() > 6) return {};
  const Elem type = args.outputs[0].type;
  if (type != Elem::u8 && type != Elem::i8) return {};
  bool constant = true;
  const auto number = [&](int slot) {
    const bool is = slot >= p.immediate_slot(0) && slot < p.register_slot(0);
    constant &= is;
    return is ? immediate<float>(p, slot) : 0.0F;
  };
  BytePair pair{};
  const auto side = [&](const StripOp& op) {
    const bool moves = op.op == MicroOp::dequantise;
    constant &= (moves || op.op == MicroOp::mul) && op.a < p.inputs;
    return BytePair::Side{&args.inputs[constant ? op.a : 0], moves ? number(op.b) : 0, number(moves ? op.c : op.b)};
  };
  const StripOp &sum = code[2], *next = &code[3];
  const bool swapped = sum.a == code[1].dst;
  pair.sides[swapped] = side(code[0]), pair.sides[!swapped] = side(code[1]);
  pair.op = sum.op;
  if (code[0].dst == code[1].dst || sum.a != code[swapped].dst || sum.b != code[!swapped].dst) return {};
  int from = sum.dst;
  pair.relu = code.size() == 6;
  if (pair.relu) {
    if (next->op != MicroOp::relu || next->a != from) return {};
    from = next++->dst;
  }
  if ((next->op != MicroOp::quotient && next->op != MicroOp::div) || next->a != from) return {};
  pair.by = number(next->b);
  from = next++->dst;
  if (next->op != (type == Elem::u8 ? MicroOp::to_u8 : MicroOp::to_i8) || next->a != from) return {};
  pair.type = type, pair.zero = number(next->b);
  // What is no number would take another way to a byte.
  for (const auto& s : pair.sides) constant &= s.in->type == type && std::isfinite(s.scale);
  if (next->dst != p.output_slot(0) || !constant || !inverts(pair.by)) return {};
  return pair;
}

template <MicroOp op, class T, bool kARepeats, bool kBRepeats>
void pair_row(const BytePair& pair, const uint8_t* a, const uint8_t* b, int64_t n, uint8_t* y) {
  using Limits = std::numeric_limits<T>;
  constexpr int64_t kV = kLanes<float>;
  const auto &p = pair.sides[0], &q = pair.sides[1];
  ByteQuotient<T> divide(pair.by, static_cast<int32_t>(pair.zero));
  if (pair.relu) divide.low = VecF(0.0F);
  const MovedBytes<T> a_moved(p.zero), b_moved(q.zero);
  const VecF p_scale(p.scale), q_scale(q.scale);
  const VecI least(Limits::min()), most(Limits::max());
  const VecF a_one = VecF(static_cast<float>(static_cast<T>(*a)) - p.zero) * p_scale,
             b_one = VecF(static_cast<float>(static_cast<T>(*b)) - q.zero) * q_scale;
  const auto at = [&](int64_t i, auto... rest) __attribute__((always_inline)) {
    const VecF x = kARepeats ? a_one : a_moved(a + i, rest...) * p_scale;
    const VecF z = kBRepeats ? b_one : b_moved(b + i, rest...) * q_scale;
    return op == MicroOp::add ? x + z : op == MicroOp::sub ? x - z : x * z;
  };
  int64_t i = 0;
  const auto quads = [&](auto quotient_of, int16_t moved) __attribute__((always_inline)) {
    constexpr int64_t kAhead = 1024;  // bytes; fetching by itself stops at the ends of pages
    for (; i + 4 * kV <= n; i += 4 * kV) {
      if constexpr (!kARepeats) __builtin_prefetch(a + i + kAhead);
      if constexpr (!kBRepeats) __builtin_prefetch(b + i + kAhead);
      const VecI four[] = {quotient_of(at(i)), quotient_of(at(i + kV)), quotient_of(at(i + 2 * kV)),
                           quotient_of(at(i + 3 * kV))};
      store_low_bytes<Limits::is_signed>(y + i, four, moved);
    }
  };
  // Where no quotient leaves the words that bytes are made of, those are clamped and moved as words.
  if (!kARepeats && !kBRepeats && !pair.relu && pair.most_quotient() < 0x1p14F)
    quads(
        [&](VecF x) __attribute__((always_inline)) { return divide.rounded(x); }, static_cast<int16_t>(pair.zero));
  else
    quads(
        [&](VecF x) __attribute__((always_inline)) { return divide(divide.clamp(x)); }, 0);
  for (; i < n; i += kV) {
    const VecI byte = vmin(most, vmax(least, divide(divide.clamp(at(i, n - i)))));
    n - i >= kV ? store_low_bytes(y + i, byte) : store_low_bytes(y + i, byte, n - i);
  }
}

template <MicroOp op, class T>
void pair_row_of(const BytePair& pair, const uint8_t* a, bool a_repeats, const uint8_t* b, bool b_repeats, int64_t n,
                 uint8_t* y) {
  if (a_repeats)
    b_repeats ? pair_row<op, T, true, true>(pair, a, b, n, y) : pair_row<op, T, true, false>(pair, a, b, n, y);
  else
    b_repeats ? pair_row<op, T, false, true>(pair, a, b, n, y) : pair_row<op, T, false, false>(pair, a, b, n, y);
}

using PairFn = void(const BytePair& pair, const uint8_t* a, bool a_repeats, const uint8_t* b, bool b_repeats, int64_t n,
                    uint8_t* y);
// Null: of no such op.
template <class T>
PairFn* pair_fn(MicroOp op) {
  switch (op) {
    case MicroOp::add:
      return pair_row_of<MicroOp::add, T>;
    case MicroOp::sub:
      return pair_row_of<MicroOp::sub, T>;
    case MicroOp::mul:
      return pair_row_of<MicroOp::mul, T>;
    default:
      return nullptr;
  }
}

// Runs such a program without strips: a million bytes 0.53 to 0.12 ms. False: it is something else.
inline bool run_bytes(const StripArgs& args, int64_t begin, int64_t end) {
  const std::optional<BytePair> pair = byte_pair(args);
  if (!pair) return false;
  const StripInput* const in[] = {pair->sides[0].in, pair->sides[1].in};
  PairFn* const run = pair->type == Elem::u8 ? pair_fn<uint8_t>(pair->op) : pair_fn<int8_t>(pair->op);
  const Walk walk = walk_of(args, in);
  if (!run || walk == Walk::none) return false;
  walk_elements(args, walk, begin, end, [&](const Cursor& cursor, int64_t i, int64_t n) {
    const auto at = [&](int k) { return static_cast<const uint8_t*>(in[k]->data) + cursor.offset(in[k]->stride); };
    const auto repeats = [&](int k) { return in[k]->stride[args.rank - 1] == 0; };
    run(*pair, at(0), repeats(0), at(1), repeats(1), n, static_cast<uint8_t*>(args.outputs[0].data) + i);
  });
  return true;
}

}  // namespace
}  // namespace tc::kernels
