#include "tc/kernels/gemm/strassen_tier.h"

#include <utility>

#include "tc/kernels/gemm/gemm.h"

namespace tc::kernels {
namespace {

// With quarters of A, B and C, and
//
//   S1 = A21 + A22    S2 = S1 - A11    S3 = A11 - A21    S4 = A12 - S2
//   T1 = B12 - B11    T2 = B22 - T1    T3 = B22 - B12    T4 = B21 - T2
//
//   C11 = A11 B11 + A12 B21
//   C12 = A11 B11 + S2 T2 + S1 T1 + S4 B22
//   C21 = A11 B11 + S2 T2 + S3 T3 + A22 T4
//   C22 = A11 B11 + S2 T2 + S3 T3 + S1 T1
//
// A11 B11, S2 T2 and S3 T3 are summed in a tile's registers, one after the other, and added to C on the way.
enum Left { kA11, kA12, kA22, kS1, kS2, kS3, kS4 };  // the first three lie in A

struct Halves {
  int64_t upper, lower;
  Strips strips;  // of the upper half; the lower may lack the last row

  explicit Halves(int64_t rows) : upper((rows + 1) / 2), lower(rows / 2), strips(upper, panel_rows()) {}
  int lower_rows(int64_t strip) const {
    const int64_t rest = lower - strips.begin(strip);
    return rest < strips.rows(strip) ? static_cast<int>(rest) : strips.rows(strip);
  }
};

// Packed A: [block][strip] of S2 and S3, which are read together, [block][strip] of S1, the same of S4; each is
// [panel_rows()][strassen_row_floats].
int64_t sum_at(const StrassenBlock& g, int64_t strips, int64_t block, Left left, int64_t strip) {
  const int64_t place = left == kS1 ? 2 * strips + strip : left == kS4 ? 3 * strips + strip : 2 * strip + (left - kS2);
  return (block * kStrassenLefts * strips + place) * panel_rows() * strassen_row_floats(g.k_half);
}

// A left operand's rows of one strip.
struct LeftRows {
  const float* a = nullptr;
  int64_t rs = 0, cs = 1;
};
LeftRows left_of(const StrassenBlock& g, const Halves& halves, int64_t block, Left left, int64_t strip) {
  if (left >= kS1)
    return {g.packed_a + sum_at(g, halves.strips.count, block, left, strip), strassen_row_floats(g.k_half), 1};
  const int64_t row = halves.strips.begin(strip) + (left == kA22 ? halves.upper : 0);
  const int64_t step = (2 * block + (left == kA11 ? 0 : 1)) * g.k_half;
  return {g.a + row * g.a_rs + step * g.a_cs, g.a_rs, g.a_cs};
}

// One row of both halves, steps [0, k) and [k, 2k): S1 to S4. Adds its magnitudes to the largest ones.
void pack_row(const float* upper, const float* lower, int64_t cs, int64_t k, float* const (&to)[kStrassenLefts],
              VecF& most_up, VecF& most_low) {
  for (int64_t p = 0; p < k; p += kVecFloats) {
    const int here = static_cast<int>(k - p < kVecFloats ? k - p : kVecFloats);
    const auto read = [&](const float* a) {
      if (cs == 1) return here == kVecFloats ? load(a + p) : load(a + p, Tail<float>(here));
      alignas(64) float lanes[kVecFloats] = {};
      for (int i = 0; i < here; ++i) lanes[i] = a[(p + i) * cs];
      return load(lanes);
    };
    const VecF a11 = read(upper), a12 = read(upper + k * cs), a21 = read(lower), a22 = read(lower + k * cs);
    most_up = vmax(vabs(a12), vmax(vabs(a11), most_up));
    most_low = vmax(vabs(a22), vmax(vabs(a21), most_low));
    const VecF s1 = a21 + a22, s2 = s1 - a11;
    store(to[0] + p, s1);
    store(to[1] + p, s2);
    store(to[2] + p, a11 - a21);
    store(to[3] + p, a12 - s2);
  }
}

// What is done beside the products, a little every few steps: there is time for it, and on its own it would wait for
// L2. First the sums of B's quarters, which on their own take a tenth of the time of 128 rows; then
// the quarters that are read next are asked for.
constexpr int64_t kBesideSteps = 16;
constexpr int64_t kFetchedSums = 1024;  // floats of each quarter that are asked for ahead
struct Beside {
  const float *b11, *b12, *b21, *b22;
  float* t;  // T1 to T4, `stride` floats apart
  int64_t stride;
  int64_t registers = 0, registers_each = 0;           // of each sum: to be made, and each time
  int64_t lines = 0, lines_each = 0;                   // of each panel, to be asked for
  const float *next = nullptr, *next_right = nullptr;  // the panels that are read next

  TC_INLINE void some() {
    if (registers > 0) {
      int64_t count = registers < registers_each ? registers : registers_each;
      registers -= count;
      for (; count > 0; --count) {
        for (const float* b : {b11, b12, b21, b22}) __builtin_prefetch(b + kFetchedSums, 0, 2);
        const VecF x12 = load(b12), x22 = load(b22), t1 = x12 - load(b11), t2 = x22 - t1;
        store(t, t1);
        store(t + stride, t2);
        store(t + 2 * stride, x22 - x12);
        store(t + 3 * stride, load(b21) - t2);
        b11 += kVecFloats, b12 += kVecFloats, b21 += kVecFloats, b22 += kVecFloats, t += kVecFloats;
      }
    } else if (lines > 0) {
      for (int64_t i = 0; i < lines_each; ++i, next += 16, next_right += 16) {
        __builtin_prefetch(next, 0, 2);
        __builtin_prefetch(next_right, 0, 2);
      }
      lines -= lines_each;
    }
  }
};

// Floats of each row of packed A that are fetched ahead.
constexpr int64_t kFetched = 64;

// Products of a strip that follow each other, summed in registers.
struct Sum {
  float* c;    // [rows][kPanel], or null
  bool first;  // it has no value yet
};
struct Group {
  int count;
  Left left[3];
  const float* b[3];   // their right operands
  Sum to[3][2];        // after each, the sum so far goes here
  int64_t k = 0;       // of each
  LeftRows a[4] = {};  // their left operands, and what is read next
};

// kUnitSteps: the steps of every left operand follow each other.
template <bool kUnitSteps, int R>
void multiply(const Group& g, Beside& beside, VecF& check) {
  VecF not_finite[kPanelVecs];
  for (auto& x : not_finite) x = VecF(0.0f);
  Tile<R, kPanelVecs> t;
  t.zero();
  for (int q = 0; q < g.count; ++q) {
    const auto [a, rs, cs] = g.a[q];
    const float* b = g.b[q];
    constexpr int kFours = (R + 3) / 4;
    const float* at[kFours];
#pragma GCC unroll 4
    for (int f = 0; f < kFours; ++f) at[f] = forget(a + 4 * f * rs);
    int64_t left = g.k;
    do {
      beside.some();
      const bool ends = left <= kFetched;
      const float* const ahead = ends ? g.a[q + 1].a + kFetched - left : at[0] + kFetched;
      const int64_t ahead_rs = ends ? g.a[q + 1].rs : rs;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) __builtin_prefetch(ahead + i * ahead_rs, 0, 3);
      if (left <= kBesideSteps)
        for (const Sum& to : g.to[q])
          if (to.c != nullptr && !to.first)
            for (int64_t i = 0; i < R * kPanel; i += 16) __builtin_prefetch(to.c + i, 1, 3);
      int64_t steps = left < kBesideSteps ? left : kBesideSteps;
      left -= kBesideSteps;
      if constexpr (kUnitSteps && kRunsSteps<R, kPanelVecs>) {
        run_steps<1>(t.v, at[0], rs, b, steps);
        continue;
      }
      do {
        t.step_by_fours(at, rs, b, 16);
#pragma GCC unroll 4
        for (int f = 0; f < kFours; ++f) at[f] += cs;
        b += kPanel;
      } while (--steps > 0);
    } while (left > 0);
    for (int d = 0; d < 2; ++d) {
      float* const to = forget(g.to[q][d].c);
      if (to == nullptr) break;
      const bool first = g.to[q][d].first;
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < kPanelVecs; ++j) {
          float* const c = to + i * kPanel + j * kVecFloats;
          const VecF sum = first ? t.v[i][j] : t.v[i][j] + load(c);
          store(c, sum);
          not_finite[j] = fma(VecF(0.0f), sum, not_finite[j]);
        }
    }
  }
  for (auto& x : not_finite) check = check + x;
}

// Rows of one quarter: the steps that no half has, and the epilogue.
template <int R>
void finish(const StrassenBlock& g, const float* sums, int64_t row, int64_t right, const TileOut& out) {
  Tile<R, kPanelVecs> t;
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < kPanelVecs; ++j) t.v[i][j] = load(sums + i * kPanel + j * kVecFloats);
  const int64_t done = 2 * g.blocks * g.k_half;
  const float *a = g.a + row * g.a_rs + done * g.a_cs, *b = g.b + (right * g.k + done) * kPanel;
  for (int64_t p = done; p < g.k; ++p, a += g.a_cs, b += kPanel) t.step(a, g.a_rs, b, 16);
  finish_tile(t, *g.epilogue, out);
}

using MultiplyFn = void (*)(const Group&, Beside&, VecF&);
using FinishFn = void (*)(const StrassenBlock&, const float*, int64_t, int64_t, const TileOut&);
constexpr auto kRowCounts = std::make_integer_sequence<int, kMaxRows[kPanelVecs]>{};

template <bool kUnitSteps, int... R>
MultiplyFn multiply_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr MultiplyFn kByRows[] = {multiply<kUnitSteps, R + 1>...};
  return kByRows[rows - 1];
}
template <int... R>
FinishFn finish_of(int rows, std::integer_sequence<int, R...>) {
  static constexpr FinishFn kByRows[] = {finish<R + 1>...};
  return kByRows[rows - 1];
}

}  // namespace

bool TC_TIER_NAME(strassen_pack)(const StrassenBlock& g, float* packed_a) {
  const Halves halves(g.rows);
  const Strips& strips = halves.strips;
  const int64_t row_floats = strassen_row_floats(g.k_half);
  float least = std::numeric_limits<float>::infinity(), most = 0;
  for (int64_t strip = 0; strip < strips.count; ++strip)
    for (int64_t row = 0; row < strips.rows(strip); ++row) {
      // Where the lower half lacks a row it has the one before once more.
      const int64_t up = strips.begin(strip) + row, low = halves.upper + (up < halves.lower ? up : halves.lower - 1);
      VecF most_up(0.0f), most_low(0.0f);
      for (int64_t block = 0; block < g.blocks; ++block) {
        float* to[kStrassenLefts];
        for (int i = 0; i < kStrassenLefts; ++i)
          to[i] = packed_a + sum_at(g, strips.count, block, static_cast<Left>(kS1 + i), strip) + row * row_floats;
        const float* a = g.a + block * 2 * g.k_half * g.a_cs;
        pack_row(a + up * g.a_rs, a + low * g.a_rs, g.a_cs, g.k_half, to, most_up, most_low);
      }
      for (const float x : {hmax(most_up), hmax(most_low)}) {
        if (x < least) least = x;
        if (x > most) most = x;
      }
    }
  return most <= least * kStrassenRatio;
}

bool TC_TIER_NAME(strassen_block)(const StrassenBlock& g) {
  const Halves halves(g.rows);
  const Strips& strips = halves.strips;
  const int64_t tile_floats = panel_rows() * kPanel, quarter_floats = strips.count * tile_floats;
  float *const c11 = g.scratch, *const t = c11 + 4 * quarter_floats;
  const int64_t panel = g.k * kPanel, half = g.k_half * kPanel, t_floats = strassen_sum_floats(kPanel, g.k_half);
  const int64_t times = strips.count * ((g.k_half + kBesideSteps - 1) / kBesideSteps);  // of a product
  VecF check(0.0f);
  for (int64_t block = 0; block < g.blocks; ++block) {
    const float *b11 = g.b + block * 2 * half, *b12 = b11 + panel, *b21 = b11 + half, *b22 = b12 + half;
    Beside beside{b11, b12, b21, b22, t, t_floats};
    beside.registers = half / kVecFloats;
    beside.registers_each = (beside.registers + 2 * times - 1) / (2 * times);
    beside.next = block + 1 < g.blocks ? b11 + 2 * half : g.next;
    beside.next_right = beside.next == nullptr ? nullptr : beside.next + panel;
    beside.lines = beside.next == nullptr ? 0 : 2 * half / 16;
    beside.lines_each = (beside.lines + 5 * times - 1) / (5 * times);
    const auto multiply_strips = [&](Group group) {
      group.k = g.k_half;
      for (int64_t strip = 0; strip < strips.count; ++strip) {
        const int rows = group.left[0] == kA22 ? halves.lower_rows(strip) : strips.rows(strip);
        if (rows == 0) break;
        for (int q = 0; q < group.count; ++q) group.a[q] = left_of(g, halves, block, group.left[q], strip);
        group.a[group.count] =
            strip + 1 < strips.count ? left_of(g, halves, block, group.left[0], strip + 1) : group.a[0];
        MultiplyFn run = multiply_of<false>(rows, kRowCounts);
        if constexpr (kPanelRunsSteps)
          if (g.a_cs == 1) run = multiply_of<true>(rows, kRowCounts);
        run(group, beside, check);
        for (auto& pair : group.to)
          for (Sum& to : pair)
            if (to.c != nullptr) to.c += tile_floats;
      }
    };
    float *const c12 = c11 + quarter_floats, *const c21 = c12 + quarter_floats, *const c22 = c21 + quarter_floats;
    const float *t1 = t, *t2 = t1 + t_floats, *t3 = t2 + t_floats, *t4 = t3 + t_floats;
    const bool first = block == 0;
    multiply_strips({1, {kA12}, {b21}, {{{c11, first}}}});
    multiply_strips({1, {kS4}, {b22}, {{{c12, first}}}});
    multiply_strips(
        {3, {kA11, kS2, kS3}, {b11, t2, t3}, {{{c11, false}}, {{c12, false}}, {{c21, first}, {c22, first}}}});
    multiply_strips({1, {kS1}, {t1}, {{{c12, false}, {c22, false}}}});
    multiply_strips({1, {kA22}, {t4}, {{{c21, false}}}});
  }
  if (!all(check == VecF(0.0f))) return false;
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    const bool is_lower = quarter >= 2;
    const int64_t right = quarter % 2;
    for (int64_t strip = 0; strip < strips.count; ++strip) {
      const int rows = is_lower ? halves.lower_rows(strip) : strips.rows(strip);
      if (rows == 0) continue;
      const int64_t row = strips.begin(strip) + (is_lower ? halves.upper : 0);
      TileOut out = g.out;
      out.cols = kPanel;
      out.c += row * out.row + right * kPanel;
      if (out.bias != nullptr) out.bias += right * kPanel;
      if (out.scale != nullptr) out.scale += right * kPanel;
      if (out.row_bias != nullptr) out.row_bias += row;
      if (out.residual != nullptr) out.residual += row * out.residual_row + right * kPanel * out.residual_step;
      finish_of(rows, kRowCounts)(g, c11 + quarter * quarter_floats + strip * tile_floats, row, right, out);
    }
  }
  return true;
}

}  // namespace tc::kernels
