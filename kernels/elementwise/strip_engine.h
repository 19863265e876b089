// How strip programs run, for *_tier.cc files.
#pragma once

#include "tc/kernels/elementwise/strip_single.h"

namespace tc::kernels {
namespace {

// Bytes of an operand from which on the next strip is asked for while this one is computed: what L2
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

template <class T>
Status run_program(const StripArgs& args, int64_t begin, int64_t end) {
  constexpr int kStrip = kStripBytes / static_cast<int>(sizeof(T));
  const StripProgram& p = *args.program;
  if (begin >= end) return {};

  const bool past_caches = streams(args);
  if (run_conversion<T>(args, begin, end)) return {};
  if (run_plain<T>(args, begin, end)) return {};
  if (is_single<T>(args) && (run_map<T>(args, begin, end) || run_zip<T>(args, begin, end))) return {};
  const int last = args.rank - 1;
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
    at.access = access_of(args, stride, at.period, input);
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
  for (const StripOp& op : p.code) longs += (micro_op_pace(op.op) == MicroPace::slow);
  for (size_t i = 0; i < p.immediates.size(); ++i) {
    const int to = p.immediate_slot(static_cast<int>(i));
    const T x = immediate<T>(p, to);
    fetch<T, T>(slot[to], &x, 0, widest);
  }

  // Strips follow rows when these are long; short rows are gathered, several to a strip.
  const bool by_rows = strided && args.extent[last] >= kStrip / 2;
  Cursor cursor(args, strided ? begin : 0);
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
      } else if (fars + lates > 0 && (longs == 0 || micro_op_pace(op.op) == MicroPace::slow)) {
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
        cursor = Cursor(args, i);
    }
  }
  if (past_caches) stream_fence();
  return {};
}

}  // namespace
}  // namespace tc::kernels
