#include "tc/kernels/trees/trees.h"

#include <algorithm>

#include "tc/kernels/parallel.h"
#include "tc/kernels/scratch.h"

namespace tc::kernels {
namespace {

constexpr double kStepNs = 0.8;
// Levels between looks at whether all ways have ended.
constexpr int kLevels = 8;

template <class T>
inline const TreeNode<T>& node(const void* nodes, std::uint32_t at) {
  return *reinterpret_cast<const TreeNode<T>*>(static_cast<const std::uint64_t*>(nodes) + at);
}

template <bool kFlags, class T>
inline std::uint32_t next(const TreeNode<T>& n, const T* x) {
  const T v = x[n.feature];
  bool yes = v <= n.value;
  if constexpr (kFlags) {
    const bool equal = (n.votes & kTreeEqual) != 0, nan_is_yes = (n.votes & kTreeNanIsYes) != 0;
    yes = (yes & (!equal | (v == n.value))) | (nan_is_yes & (v != v));
  }
  return n.left + kTreeUnit<T> * static_cast<std::uint32_t>(!yes);
}

// Goes `depth` levels down from the nodes `at`; lane i looks at x[.. + i * kLane].
template <bool kFlags, int kLane, class T>
void walk_as(const void* nodes, const T* x, int depth, std::uint32_t* at) {
  std::uint32_t a[kTreeLanes];
  std::copy_n(at, kTreeLanes, a);
  for (int left = depth; left > 0; left -= kLevels) {
    for (int s = std::min(left, kLevels); s > 0; --s)
#pragma GCC unroll 8
      for (int i = 0; i < kTreeLanes; ++i) a[i] = next<kFlags>(node<T>(nodes, a[i]), x + i * kLane);
    if (left > kLevels &&
        std::all_of(a, a + kTreeLanes, [&](std::uint32_t i) { return node<T>(nodes, i).left + kTreeUnit<T> == i; }))
      break;
  }
  std::copy_n(a, kTreeLanes, at);
}

template <int kLane, class T>
void walk(bool flags, const void* nodes, const T* x, int depth, std::uint32_t* at) {
  if (flags)
    walk_as<true, kLane>(nodes, x, depth, at);
  else
    walk_as<false, kLane>(nodes, x, depth, at);
}

// Do flags matter for these rows?
bool need_flags(const TreeArgs& a, bool nan) {
  return (a.flags & kTreeEqual) || (a.flags && nan);
}

// Rows a tile: whole blocks of lanes, more of them where there are many rows, for which a tree then stays in the cache.
std::int64_t rows_per_tile(const TreeArgs& a) {
  return kTreeLanes * std::clamp<std::int64_t>(a.rows / (8 * kTreeLanes), 1, 32);
}
// Few rows go through several trees at a time.
bool by_trees(const TreeArgs& a) {
  return a.rows < 2 * kTreeLanes;
}

std::int64_t padded_trees(const TreeArgs& a) {
  return (a.trees + kTreeLanes - 1) / kTreeLanes * kTreeLanes;
}

struct Scratch {
  void* x;
  double* scores;
  std::uint8_t* has;
  size_t bytes;  // to the next worker's

  Scratch(const TreeArgs& a, std::byte* base) {
    ScratchPieces pieces(base);
    const std::int64_t rows = by_trees(a) ? 2 * kTreeLanes : rows_per_tile(a);
    x = pieces.take<std::byte>(rows * a.features * (a.wide ? 8 : 4));
    scores = pieces.take<double>(rows * a.targets);
    has = pieces.take<std::uint8_t>(rows * a.targets);
    bytes = pieces.used_apart();
  }
};

// Rows [first, last) of X as blocks [feature][lane]. Says whether there is a NaN.
template <class X, class T>
bool interleave_rows(const TreeArgs& a, std::int64_t first, std::int64_t last, T* out) {
  bool nan = false;
  const X* x = static_cast<const X*>(a.x);
  for (std::int64_t r = first; r < last; ++r) {
    const std::int64_t place = r - first, lane = place % kTreeLanes;
    T* block = out + (place - lane) * a.features + lane;
    for (std::int64_t k = 0; k < a.features; ++k) {
      const T v = static_cast<T>(x[r * a.features + k]);
      nan |= v != v;
      block[k * kTreeLanes] = v;
    }
  }
  return nan;
}

bool interleave(const TreeArgs& a, std::int64_t first, std::int64_t last, float* out) {
  return interleave_rows<float>(a, first, last, out);
}
bool interleave(const TreeArgs& a, std::int64_t first, std::int64_t last, double* out) {
  if (a.type == Elem::f64) return interleave_rows<double>(a, first, last, out);
  if (a.type == Elem::i32) return interleave_rows<std::int32_t>(a, first, last, out);
  return interleave_rows<std::int64_t>(a, first, last, out);
}

template <class T>
void vote(const TreeArgs& a, std::uint32_t at, double* scores, std::uint8_t* has) {
  const TreeNode<T>* leaf = &node<T>(a.nodes, at);
  const std::uint32_t last = leaf[1].votes & ~kTreeFlags;
  for (std::uint32_t k = leaf[0].votes; k < last; ++k) {
    const TreeVote v = a.votes[k];
    double& s = scores[v.target];
    if (a.fold == TreeFold::sum)
      s += v.weight;
    else if (a.fold == TreeFold::min)
      s = has[v.target] && s <= v.weight ? s : v.weight;
    else
      s = has[v.target] && s >= v.weight ? s : v.weight;
    has[v.target] = 1;
  }
}

template <class T>
void run_rows(Team& team, const TreeArgs& a) {
  const Tiling tiles{a.rows, rows_per_tile(a)};
  const size_t each = Scratch(a, nullptr).bytes;
  parallel_for(team, tiles.count(), static_cast<double>(a.rows) * a.steps * kStepNs,
               [&](std::int64_t tile, int worker) {
                 const std::int64_t first = tiles.begin(tile), last = tiles.end(tile), rows = last - first;
                 const Scratch s(a, a.scratch + static_cast<size_t>(worker) * each);
                 T* x = static_cast<T*>(s.x);
                 if (rows % kTreeLanes)
                   std::fill_n(x + rows / kTreeLanes * kTreeLanes * a.features, kTreeLanes * a.features, T{0});
                 const bool flags = need_flags(a, interleave(a, first, last, x));
                 std::fill_n(s.scores, rows * a.targets, 0.0);
                 std::fill_n(s.has, rows * a.targets, std::uint8_t{0});
                 for (std::int64_t t = 0; t < a.trees; ++t)
                   for (std::int64_t r = 0; r < rows; r += kTreeLanes) {
                     std::uint32_t at[kTreeLanes];
                     std::fill_n(at, kTreeLanes, a.roots[t]);
                     walk<1>(flags, a.nodes, x + r * a.features, a.depths[t], at);
                     for (std::int64_t i = r; i < std::min(rows, r + kTreeLanes); ++i)
                       vote<T>(a, at[i - r], s.scores + i * a.targets, s.has + i * a.targets);
                   }
                 a.finish(a.context, first, rows, s.scores, s.has);
               });
}

// The ways of all rows through all trees first, then the votes.
template <class T>
void run_trees(Team& team, const TreeArgs& a) {
  const Scratch s(a, a.scratch);
  T* x = static_cast<T*>(s.x);
  auto* leaf = reinterpret_cast<std::uint32_t*>(a.scratch + s.bytes);
  const bool flags = need_flags(a, interleave(a, 0, a.rows, x));
  const Tiling tiles{a.trees, 8 * kTreeLanes};
  parallel_for(team, a.rows * tiles.count(), static_cast<double>(a.rows) * a.steps * kStepNs,
               [&](std::int64_t tile, int) {
                 const std::int64_t r = tile / tiles.count(), lane = r % kTreeLanes, some = tile % tiles.count();
                 const T* row = x + (r - lane) * a.features + lane;
                 for (std::int64_t t = tiles.begin(some); t < tiles.end(some); t += kTreeLanes) {
                   std::uint32_t at[kTreeLanes];
                   std::copy_n(a.roots + t, kTreeLanes, at);
                   walk<0>(flags, a.nodes, row, *std::max_element(a.depths + t, a.depths + t + kTreeLanes), at);
                   std::copy_n(at, kTreeLanes, leaf + r * padded_trees(a) + t);
                 }
               });
  std::fill_n(s.scores, a.rows * a.targets, 0.0);
  std::fill_n(s.has, a.rows * a.targets, std::uint8_t{0});
  for (std::int64_t r = 0; r < a.rows; ++r)
    for (std::int64_t t = 0; t < a.trees; ++t)
      vote<T>(a, leaf[r * padded_trees(a) + t], s.scores + r * a.targets, s.has + r * a.targets);
  a.finish(a.context, 0, a.rows, s.scores, s.has);
}

template <class T>
void run(Team& team, const TreeArgs& a) {
  if (by_trees(a))
    run_trees<T>(team, a);
  else
    run_rows<T>(team, a);
}

}  // namespace

size_t tree_scratch_bytes(const TreeArgs& a, int threads) {
  const size_t each = Scratch(a, nullptr).bytes;
  return by_trees(a) ? each + static_cast<size_t>(a.rows * padded_trees(a)) * sizeof(std::uint32_t)
                     : each * static_cast<size_t>(threads);
}

void trees(Team& team, const TreeArgs& a) {
  if (a.wide)
    run<double>(team, a);
  else
    run<float>(team, a);
}

}  // namespace tc::kernels
