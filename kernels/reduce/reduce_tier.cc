#include "tc/kernels/reduce/lanes.h"
#include "tc/kernels/reduce/reduce.h"

namespace tc::kernels {
namespace {

// Columns that are read side by side, row by row, and the least rows that this is for.
constexpr int64_t kWideColumns = 1024, kWideRows = 32;

// Walks the reduced dimensions but the innermost, restricted to [first, last) of the outermost.
struct Walk {
  const ReduceArgs& args;
  int64_t first;
  int64_t last;
  int64_t at[kMaxRank] = {};

  Walk(const ReduceArgs& a, int64_t from, int64_t to) : args(a), first(from), last(to) {}
  int outer_rank() const { return args.reduced_rank - 1; }
  int64_t begin_of(int d) const { return d == 0 ? first : 0; }
  int64_t end_of(int d) const { return d == 0 ? last : args.reduced_extent[d]; }
  bool empty() const {
    for (int d = 0; d < args.reduced_rank; ++d) {
      if (begin_of(d) >= end_of(d)) return true;
    }
    return false;
  }
  int64_t start() {
    int64_t offset = 0;
    for (int d = 0; d < outer_rank(); ++d) {
      at[d] = begin_of(d);
      offset += at[d] * args.reduced_stride[d];
    }
    return offset;
  }
  // Moves `offset` to the next row; false after the last.
  TC_INLINE bool next(int64_t& offset) {
    const int d = outer_rank() - 1;
    if (d < 0) return false;
    offset += args.reduced_stride[d];
    return ++at[d] < end_of(d) || carry(offset, d);
  }

 private:
  // Dimension d has come to its end. Once for each kernel would take most of the time to compile this file.
  [[gnu::noinline]] bool carry(int64_t& offset, int d) {
    for (;;) {
      offset -= (end_of(d) - begin_of(d)) * args.reduced_stride[d];
      at[d] = begin_of(d);
      if (--d < 0) return false;
      offset += args.reduced_stride[d];
      if (++at[d] < end_of(d)) return true;
    }
  }
};

[[gnu::noinline]] int64_t kept_offset(const ReduceArgs& args, int64_t flat) {
  int64_t offset = 0;
  for (int d = args.kept_rank - 1; d >= 0; --d) {
    offset += flat % args.kept_extent[d] * args.kept_stride[d];
    flat /= args.kept_extent[d];
  }
  return offset;
}

// A row's lanes where these are few groups.
template <class Step, class T>
TC_INLINE typename Group<T>::Type short_row_lanes(const T* p, int64_t whole, int tail, T shift) {
  using G = Group<T>;
  const auto s = G::all(shift);
  auto acc = G::all(Step::kStart);
  for (int64_t k = 0; k < whole; ++k, p += G::kWidth) acc = G::template apply<Step>(acc, G::load(p), s);
  return tail > 0 ? row_tail<Step>(acc, p, tail, shift) : acc;
}

// `count` neighbouring results from rows that are contiguous along the innermost reduced dimension and lie `apart`: a
// group of them at a time, whose rows' lanes are folded together.
template <class Step, class T>
[[gnu::noinline]] void reduce_rows(const ReduceArgs& args, const T* base, int64_t apart, int64_t count, int64_t first,
                                   int64_t last, const T* shift, T* out) {
  using G = Group<T>;
  using Fold = typename Step::Fold;
  constexpr int kWidth = G::kWidth;
  constexpr int64_t kLine = 64 / sizeof(T), kAhead = 4096 / sizeof(T);
  const auto start = G::all(Fold::kStart), none = G::all(T{0});
  Walk walk(args, first, last);
  const int inner = args.reduced_rank - 1;
  const int64_t skip = walk.begin_of(inner), n = walk.end_of(inner) - skip, whole = n / kWidth;
  const int tail = static_cast<int>(n % kWidth);
  for (int64_t at = 0; at < count; at += kWidth) {
    const int here = static_cast<int>(least(kWidth, count - at));
    int64_t offset = walk.start(), steps = 0;
    auto total = start, block = start;
    do {
      const T* p = base + at * apart + offset + skip;
      typename G::Type rows[kWidth];
      for (int r = 0; r < here; ++r, p += apart) {
        const T s = shift == nullptr ? T{0} : shift[at + r];
        if (whole > kRowAccumulators) {
          rows[r] = row_lanes<Step>(p, n, s);
          continue;
        }
        // 32000 rows of 33 f64 on a Xeon 0.33 to 0.37 ms without, 0.32 so; 100000 of 20 f32 0.36 and 0.33.
        for (int64_t i = 0; i < n; i += kLine) __builtin_prefetch(p + kAhead + i);
        rows[r] = short_row_lanes<Step>(p, whole, tail, s);
      }
      for (int r = here; r < kWidth; ++r) rows[r] = start;
      const auto x = here == 1 ? G::all(fold_lanes<Fold, T>(rows[0])) : fold_groups<Fold, T>(rows);
      block = G::template apply<Fold>(block, x, none);
      if (steps++ % kBlockSteps == 0) {
        total = G::template apply<Fold>(total, block, none);
        block = start;
      }
    } while (walk.next(offset));
    total = G::template apply<Fold>(total, block, none);
    here == kWidth ? G::store(out + at, total) : G::store(out + at, total, here);
  }
}

// The same of dense rows of n values, more than kRow / 2 and at most kRow: a group holds several. Maxima of 100000 rows
// of 2 3.0 to 0.015 ms, of 10000 of 8 0.42 to 0.007.
template <class Step, class T, int kRow>
void reduce_packed_rows(const T* p, int64_t n, int64_t count, T* out) {
  using G = Group<T>;
  constexpr int kWidth = G::kWidth, kRows = kWidth / kRow;
  constexpr int kWords = sizeof(T) / sizeof(int32_t);
  const auto start = G::all(Step::kStart), none = G::all(T{0});
  // Which lanes hold a row's values, and where these are in memory.
  alignas(64) T inside[kWidth];
  alignas(64) int32_t from[kWidth * kWords];
  for (int i = 0; i < kWidth; ++i) {
    const int64_t in_row = i % kRow;
    inside[i] = in_row < n ? T{1} : T{0};
    const auto lane = static_cast<int32_t>(i / kRow * n + least(in_row, n - 1));
    for (int w = 0; w < kWords; ++w) from[i * kWords + w] = lane * kWords + w;
  }
  const auto used = G::raw(G::load(inside)) != G::raw(none);
  const VecI lanes = load(from);
  for (int64_t at = 0; at < count; at += kWidth) {
    typename G::Type rows[kRow];
#pragma GCC unroll 16
    for (int g = 0; g < kRow; ++g) {
      const int64_t row = at + g * kRows, here = least(kRows, count - row);
      const auto x = here > 0 ? G::load(p + row * n, static_cast<int>(here * n), T{0}) : none;
      auto spread = G::raw(x);
      if constexpr (kRow < kWidth)
        spread = (Lanes<T>)lanes_of<int32_t>(permute(vec_of<int32_t>((Lanes<int32_t>)spread), lanes));
      const auto applied = G::template apply<Step>(start, G::of(spread), none);
      rows[g] = G::of(used ? G::raw(applied) : G::raw(start));
    }
    const auto total = fold_groups<typename Step::Fold, T, kRow>(rows);
    const int64_t here = least(kWidth, count - at);
    here == kWidth ? G::store(out + at, total) : G::store(out + at, total, static_cast<int>(here));
  }
}
template <class Step, class T, int kRow = Group<T>::kWidth>
void reduce_packed(const T* p, int64_t n, int64_t count, T* out) {
  if constexpr (kRow > 2)
    if (2 * n <= kRow) return reduce_packed<Step, T, kRow / 2>(p, n, count, out);
  reduce_packed_rows<Step, T, kRow>(p, n, count, out);
}

// `count` neighbouring results, at most kGroups groups, from columns; and `outers` times as many, `outer_step` apart in
// the input and `out_step` in the results.
template <class Step, int kGroups, class T>
[[gnu::noinline]] void reduce_columns(const ReduceArgs& args, const T* base, int count, int64_t outers,
                                      int64_t outer_step, int64_t out_step, int64_t first, int64_t last, const T* shift,
                                      T* out) {
  using G = Group<T>;
  using Fold = typename Step::Fold;
  constexpr int kWidth = G::kWidth;
  const auto none = G::all(T{0});
  typename G::Type total[kGroups], block[kGroups], s[kGroups];
  const int tail = count - (kGroups - 1) * kWidth;  // lanes of the last group
  const auto fetch = [&](const T* p, int g) __attribute__((always_inline)) {
    return g < kGroups - 1 || tail == kWidth ? G::load(p + g * kWidth) : G::load(p + g * kWidth, tail, T{0});
  };
  Walk walk(args, first, last);
  const int inner = args.reduced_rank - 1;
  const int64_t skip = walk.begin_of(inner), n = walk.end_of(inner) - skip, step = args.reduced_stride[inner];
  // Few columns are summed in so many blocks side by side, which do not wait for each other's sums.
  constexpr int kBeside = kGroups == 1 ? 4 : 1;
  for (int64_t o = 0; o < outers; ++o, base += outer_step, out += out_step) {
    for (int g = 0; g < kGroups; ++g) {
      total[g] = block[g] = G::all(Step::kStart);
      s[g] = shift == nullptr ? none : fetch(shift + o * out_step, g);
    }
    int64_t offset = walk.start(), steps = 0;
    do {
      const T* p = base + offset + skip * step;
      int64_t i = 0;
      if constexpr (kBeside > 1) {
        for (; steps % kBlockSteps == 0 && i + kBeside * kBlockSteps <= n; i += kBeside * kBlockSteps) {
          typename G::Type blocks[kBeside];
          for (auto& b : blocks) b = G::all(Step::kStart);
          for (int64_t k = 0; k < kBlockSteps; ++k, p += step) {
            for (int b = 0; b < kBeside; ++b)
              blocks[b] = G::template apply<Step>(blocks[b], fetch(p + b * kBlockSteps * step, 0), s[0]);
          }
          for (const auto& b : blocks) total[0] = G::template apply<Fold>(total[0], b, none);
          p += (kBeside - 1) * kBlockSteps * step;
        }
      }
      for (; i < n; ++i, p += step) {
        for (int g = 0; g < kGroups; ++g) block[g] = G::template apply<Step>(block[g], fetch(p, g), s[g]);
        if (++steps % kBlockSteps == 0) {
          for (int g = 0; g < kGroups; ++g) {
            total[g] = G::template apply<Fold>(total[g], block[g], none);
            block[g] = G::all(Step::kStart);
          }
        }
      }
    } while (walk.next(offset));
    for (int g = 0; g < kGroups; ++g) {
      total[g] = G::template apply<Fold>(total[g], block[g], none);
      if (g < kGroups - 1 || tail == kWidth)
        G::store(out + g * kWidth, total[g]);
      else
        G::store(out + g * kWidth, total[g], tail);
    }
  }
}

// Many columns, by rows: these are read from end to end, several at a time, and the blocks' sums stay in the
// L1. 1024 x 1024 along the first axis 0.135 to 0.05 ms.
template <class Step, class T>
[[gnu::noinline]] void reduce_wide(const ReduceArgs& args, const T* base, int64_t count, int64_t first, int64_t last,
                                   const T* shift, T* out) {
  using G = Group<T>;
  constexpr int kWidth = G::kWidth;
  constexpr int64_t kRows = 8;
  static_assert(kBlockSteps % kRows == 0);
  const auto none = G::all(T{0});
  // f(column, its groups' load, and store) for groups of columns.
  const auto each_group = [&](auto&& f) __attribute__((always_inline)) {
    int64_t c = 0;
    for (; c + kWidth <= count; c += kWidth)
      f(
          c, [](const T* p) { return G::load(p); }, [](T* p, auto x) { G::store(p, x); });
    const int tail = static_cast<int>(count - c);
    if (tail > 0)
      f(
          c, [=](const T* p) { return G::load(p, tail, T{0}); }, [=](T* p, auto x) { G::store(p, x, tail); });
  };
  alignas(64) T block[kWideColumns];
  const auto add_block = [&](bool anew) {
    each_group([&](int64_t c, auto load, auto store) __attribute__((always_inline)) {
      const auto before = anew ? G::all(Step::Fold::kStart) : load(out + c);
      store(out + c, G::template apply<typename Step::Fold>(before, load(block + c), none));
    });
  };
  const auto add_rows = [&]<int kCount>(const T* p, int64_t step, bool anew, std::integral_constant<int, kCount>) {
    each_group([&](int64_t c, auto load, auto store) __attribute__((always_inline)) {
      auto sum = anew ? G::all(Step::kStart) : load(block + c);
      const auto s = shift == nullptr ? none : load(shift + c);
#pragma GCC unroll 8
      for (int r = 0; r < kCount; ++r) sum = G::template apply<Step>(sum, load(p + r * step + c), s);
      store(block + c, sum);
    });
  };
  Walk walk(args, first, last);
  const int inner = args.reduced_rank - 1;
  const int64_t skip = walk.begin_of(inner), n = walk.end_of(inner) - skip, step = args.reduced_stride[inner];
  int64_t offset = walk.start(), steps = 0;
  do {
    const T* p = base + offset + skip * step;
    for (int64_t i = 0; i < n;) {
      const int64_t in_block = steps % kBlockSteps;
      const bool many = n - i >= kRows && kBlockSteps - in_block >= kRows;
      if (many)
        add_rows(p, step, in_block == 0, std::integral_constant<int, kRows>());
      else
        add_rows(p, step, in_block == 0, std::integral_constant<int, 1>());
      const int64_t rows = many ? kRows : 1;
      i += rows, p += rows * step, steps += rows;
      if (steps % kBlockSteps == 0) add_block(steps == kBlockSteps);
    }
  } while (walk.next(offset));
  if (steps % kBlockSteps != 0) add_block(steps < kBlockSteps);
}

// `columns` neighbouring results, `outers` times.
template <class Step, class T>
void reduce_piece(const ReduceArgs& args, const T* base, int64_t columns, int64_t outers, int64_t outer_step,
                  int64_t out_step, int64_t first, int64_t last, const T* shift, T* out) {
  constexpr int kWidth = Group<T>::kWidth;
  // Several groups at a time, single ones at the end of a row: more variants cost compile time and gain nothing.
  constexpr int kGroups = 4;
  const bool wide = columns > 2 * kWidth && args.reduced() >= kWideRows;
  for (int64_t c = 0; c < columns;) {
    const T* s = shift == nullptr ? nullptr : shift + c;
    const int64_t room = columns - c;
    const bool many = room > (kGroups - 1) * kWidth;
    const int64_t most = wide ? kWideColumns : many ? kGroups * kWidth : kWidth;
    const auto count = static_cast<int>(least(room, most));
    if (wide) {
      for (int64_t o = 0; o < outers; ++o)
        reduce_wide<Step>(args, base + o * outer_step + c, count, first, last, s == nullptr ? s : s + o * out_step,
                          out + o * out_step + c);
    } else {
      (many ? reduce_columns<Step, kGroups, T> : reduce_columns<Step, 1, T>)(args, base + c, count, outers, outer_step,
                                                                             out_step, first, last, s, out + c);
    }
    c += count;
  }
}

// No dimension is contiguous: one by one.
template <class Step, class T>
T reduce_strided(const ReduceArgs& args, const T* base, int64_t first, int64_t last, T shift) {
  T total = Step::kStart, block = Step::kStart;
  Walk walk(args, first, last);
  const int inner = args.reduced_rank - 1;
  const int64_t skip = walk.begin_of(inner), n = walk.end_of(inner) - skip, step = args.reduced_stride[inner];
  int64_t offset = walk.start(), steps = 0;
  do {
    for (int64_t i = skip; i < skip + n; ++i) {
      block = Step::one(block, base[offset + i * step], shift);
      if (++steps % kBlockSteps == 0) {
        total = Step::Fold::one(total, block, T{0});
        block = Step::kStart;
      }
    }
  } while (walk.next(offset));
  return Step::Fold::one(total, block, T{0});
}

template <class Step, class T>
void run_step(const ReduceArgs& args, int64_t begin, int64_t end, int64_t first, int64_t last, const T* shift, T* acc);

// The longest dense rows that go several to a register.
template <class T>
constexpr int kPackedRow = sizeof(T) == 1 ? Group<int32_t>::kWidth : Group<T>::kWidth;

// `count` dense rows of n bytes, as integers of 32 bits, some thousands of them at a time.
template <class Step, class T>
[[gnu::noinline]] void reduce_short_bytes(const T* p, int64_t n, int64_t count, T* out) {
  constexpr int64_t kRoom = 2048;
  alignas(64) int32_t wide[kRoom], result[kRoom];
  ReduceArgs args;
  args.input = wide;
  args.kept_rank = args.reduced_rank = 1;
  args.kept_stride[0] = args.reduced_extent[0] = n;
  args.reduced_stride[0] = 1;
  for (int64_t rows; count > 0; count -= rows, p += rows * n, out += rows) {
    args.kept_extent[0] = rows = least(kRoom / n, count);
    for (int64_t i = 0; i < rows * n; ++i) wide[i] = p[i];
    run_step<Step>(args, 0, rows, 0, n, static_cast<int32_t*>(nullptr), result);
    for (int64_t i = 0; i < rows; ++i) out[i] = static_cast<T>(result[i]);
  }
}

// Results [begin, end); `shift` has one value per result, or is null.
template <class Step, class T>
void run_step(const ReduceArgs& args, int64_t begin, int64_t end, int64_t first, int64_t last, const T* shift, T* acc) {
  const T* input = static_cast<const T*>(args.input);
  ReduceArgs plain;
  const ReduceArgs* use = &args;
  if (args.reduced_rank == 0) {
    // Nothing to reduce over: one row of one element.
    plain = args;
    plain.reduced_rank = 1;
    plain.reduced_extent[0] = 1;
    plain.reduced_stride[0] = 1;
    use = &plain;
  }
  if (Walk(*use, first, last).empty()) {
    for (int64_t i = begin; i < end; ++i) acc[i - begin] = Step::kStart;
    return;
  }
  const int kept_last = args.kept_rank - 1, reduced_last = use->reduced_rank - 1;
  const bool columns = args.kept_adjoin();
  const bool rows = use->reduced_stride[reduced_last] == 1;
  const auto shift_at = [&](int64_t i) { return shift == nullptr ? T{0} : shift[i - begin]; };
  if (columns && (!rows || args.reduced_rank == 0)) {
    const int64_t row = args.kept_extent[kept_last];
    for (int64_t i = begin; i < end;) {
      const int64_t column = i % row;
      // Whole rows of the last dimension but one, or a piece of one.
      int64_t outers = 1, outer_step = 0;
      if (column == 0 && kept_last > 0 && end - i >= row) {
        const int64_t lines = args.kept_extent[kept_last - 1];
        outers = least((end - i) / row, lines - i / row % lines);
        outer_step = args.kept_stride[kept_last - 1];
      }
      const int64_t count = least(row - column, end - i);
      reduce_piece<Step>(*use, input + kept_offset(args, i), count, outers, outer_step, row, first, last,
                         shift == nullptr ? nullptr : shift + (i - begin), acc + (i - begin));
      i += outers * count;
    }
  } else if (rows) {
    const int64_t line = args.kept_rank > 0 ? args.kept_extent[kept_last] : 1;
    const int64_t apart = args.kept_rank > 0 ? args.kept_stride[kept_last] : 0;
    for (int64_t i = begin; i < end;) {
      const int64_t count = least(end - i, line - i % line), n = use->reduced_extent[0];
      const T *const base = input + kept_offset(args, i), *const s = shift == nullptr ? nullptr : shift + (i - begin);
      T* const to = acc + (i - begin);
      if (use->reduced_rank == 1 && n == apart && n <= kPackedRow<T> && last - first == n && s == nullptr) {
        if constexpr (sizeof(T) == 1)
          reduce_short_bytes<typename Step::template Of<int32_t>>(base, n, count, to);
        else
          reduce_packed<Step>(base, n, count, to);
      } else {
        reduce_rows<Step>(*use, base, apart, count, first, last, s, to);
      }
      i += count;
    }
  } else {
    for (int64_t i = begin; i < end; ++i) {
      acc[i - begin] = reduce_strided<Step>(*use, input + kept_offset(args, i), first, last, shift_at(i));
    }
  }
}

template <class T>
void accumulate_as(const ReduceArgs& args, int64_t begin, int64_t end, int64_t first, int64_t last, void* out) {
  T* const acc = static_cast<T*>(out);
  switch (args.op) {
    case ReduceOp::prod:
      return run_step<ProductStep<T>, T>(args, begin, end, first, last, nullptr, acc);
    case ReduceOp::max:
      return run_step<MaxStep<T>, T>(args, begin, end, first, last, nullptr, acc);
    case ReduceOp::min:
      return run_step<MinStep<T>, T>(args, begin, end, first, last, nullptr, acc);
    case ReduceOp::l2:
    case ReduceOp::sum_square:
      return run_step<SquareStep<T>, T>(args, begin, end, first, last, nullptr, acc);
    case ReduceOp::l1:
      return run_step<MagnitudeStep<T>, T>(args, begin, end, first, last, nullptr, acc);
    default:
      return run_step<SumStep<T>, T>(args, begin, end, first, last, nullptr, acc);
  }
}

void accumulate(const ReduceArgs& args, int64_t begin, int64_t end, int64_t first, int64_t last, void* acc) {
  const auto bytes = [&]<class T>(T) {
    T* const to = static_cast<T*>(acc);
    if (args.op == ReduceOp::max) return run_step<MaxStep<T>, T>(args, begin, end, first, last, nullptr, to);
    return run_step<MinStep<T>, T>(args, begin, end, first, last, nullptr, to);
  };
  if (args.type == Elem::i8) return bytes(int8_t{});
  if (elem_bytes(args.type) == 1) return bytes(uint8_t{});
  by_number(args.type, [&]<class T>(T) { accumulate_as<T>(args, begin, end, first, last, acc); });
}

// Applies f to n values, a group at a time.
template <class T, class F>
TC_INLINE void each(T* v, int64_t n, F f) {
  int64_t i = 0;
  for (; i + kLanes<T> <= n; i += kLanes<T>) store(v + i, f(load(v + i)));
  if (i < n) {
    const Tail<T> tail(static_cast<int>(n - i));
    store(v + i, f(load(v + i, tail)), tail);
  }
}

template <class T>
void finish_as(const ReduceArgs& args, T* acc, int64_t n) {
  const int64_t count = args.reduced();
  if constexpr (std::is_integral_v<T>) {
    if (args.op != ReduceOp::mean || count == 0) return;
    for (int64_t i = 0; i < n; ++i) acc[i] = static_cast<T>(acc[i] / count);
  } else {
    if (args.op == ReduceOp::mean) {
      const Vec<T> by(static_cast<T>(count));
      each(acc, n, [&](Vec<T> x) { return x / by; });
    }
    if (args.op == ReduceOp::l2) each(acc, n, [](Vec<T> x) { return vsqrt(x); });
    if (args.op == ReduceOp::log_sum) each(acc, n, [](Vec<T> x) { return vlog(x); });
  }
}

void finish(const ReduceArgs& args, void* acc, int64_t n) {
  if (elem_bytes(args.type) == 1) {
    auto* const p = static_cast<uint8_t*>(acc);
    for (int64_t i = 0; args.type == Elem::boolean && i < n; ++i) p[i] = p[i] != 0;
    return;
  }
  by_number(args.type, [&]<class T>(T) { finish_as(args, static_cast<T*>(acc), n); });
}

// log(sum(e^(x - m))) + m with m the largest x, or 0 where that is infinite.
template <class T>
void log_sum_exp_as(const ReduceArgs& args, int64_t begin, int64_t end) {
  constexpr int64_t kChunk = 256;
  alignas(64) T peak[kChunk], sum[kChunk];
  T* const out = static_cast<T*>(args.output);
  const int64_t last = args.reduced_rank > 0 ? args.reduced_extent[0] : 1;
  for (int64_t i = begin; i < end; i += kChunk) {
    const int64_t stop = end - i < kChunk ? end : i + kChunk;
    run_step<MaxStep<T>, T>(args, i, stop, 0, last, nullptr, peak);
    each(peak, stop - i, [](Vec<T> m) { return select(vabs(m) == Vec<T>(infinity<T>), Vec<T>(T{0}), m); });
    run_step<ExpStep<T>, T>(args, i, stop, 0, last, peak, sum);
    int64_t k = 0;
    for (; k + kLanes<T> <= stop - i; k += kLanes<T>) store(out + i + k, vlog(load(sum + k)) + load(peak + k));
    if (k < stop - i) {
      const Tail<T> tail(static_cast<int>(stop - i - k));
      store(out + i + k, vlog(load(sum + k, tail)) + load(peak + k, tail), tail);
    }
  }
}

void log_sum_exp(const ReduceArgs& args, int64_t begin, int64_t end) {
  args.type == Elem::f64 ? log_sum_exp_as<double>(args, begin, end) : log_sum_exp_as<float>(args, begin, end);
}

}  // namespace

void TC_TIER_NAME(arg_reduce)(const ArgReduceArgs& args, int64_t begin, int64_t end);
void TC_TIER_NAME(cumulate)(const CumulateArgs& args, int64_t begin, int64_t end);

extern constinit const ReduceTable TC_TIER_NAME(reduce_table){
    .accumulate = TC_KERNEL(accumulate, "reduce"),
    .finish = TC_KERNEL(finish, "reduce_finish"),
    .log_sum_exp = TC_KERNEL(log_sum_exp, "log_sum_exp"),
    .arg_reduce = TC_KERNEL(TC_TIER_NAME(arg_reduce), "arg_reduce"),
    .cumulate = TC_KERNEL(TC_TIER_NAME(cumulate), "cumulate"),
};

}  // namespace tc::kernels
