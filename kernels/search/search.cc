#include "tc/kernels/search/search.h"

#include <algorithm>
#include <utility>

#include "tc/kernels/parallel.h"
#include "tc/kernels/scratch.h"

namespace tc::kernels {
namespace {

// Elements looked at per tile.
constexpr int64_t kGrain = 16 * 1024;

size_t top_k_worker_scratch(const TopKArgs& a) {
  ScratchPieces pieces(nullptr);
  const int64_t rank_bytes = elem_bytes(a.type) == 8 ? 16 : 8;
  pieces.take<std::byte>(a.n * rank_bytes);
  pieces.take<std::byte>(a.n * rank_bytes);
  return pieces.used_apart();
}

struct NmsMemory {
  NmsMemory(const NmsArgs& a, int threads, std::byte* base) : kept_room(std::clamp<int64_t>(a.most, 0, a.n)) {
    ScratchPieces pieces(base);
    counts = pieces.take<int64_t>(a.batches * a.classes);
    kept = pieces.take<int32_t>(a.batches * a.classes * kept_room);
    boxes = take(pieces, a.batches * a.n);
    const size_t before = pieces.used();
    for (int worker = 0; worker < threads; ++worker) {
      const NmsWork mine = work(pieces, a.n);
      pieces.take<std::byte>(worker_stride<std::byte>(1));
      if (worker == 0) first = mine, worker_bytes = pieces.used() - before;
    }
    bytes = pieces.used();
  }
  NmsWork of(int worker) const {
    const auto moved = [&](auto* p) {
      return reinterpret_cast<decltype(p)>(reinterpret_cast<std::byte*>(p) +
                                           static_cast<size_t>(worker) * worker_bytes);
    };
    const NmsBoxes& b = first.kept;
    return {moved(first.ranks),
            moved(first.best),
            moved(first.spare),
            {moved(b.y0), moved(b.x0), moved(b.y1), moved(b.x1), moved(b.area)}};
  }

  int64_t kept_room;  // of a class
  int64_t* counts;    // by class, all batches
  int32_t* kept;
  NmsBoxes boxes;
  size_t bytes;

 private:
  static NmsBoxes take(ScratchPieces& pieces, int64_t n) {
    float* p[5];
    for (float*& piece : p) piece = pieces.take<float>(n);
    return {p[0], p[1], p[2], p[3], p[4]};
  }
  NmsWork work(ScratchPieces& pieces, int64_t n) const {
    auto* ranks = pieces.take<uint64_t>(n);
    auto* best = pieces.take<uint64_t>(n);
    auto* spare = pieces.take<uint64_t>(n);
    return {ranks, best, spare, take(pieces, kept_room)};
  }
  NmsWork first;
  size_t worker_bytes = 0;
};

// Keys and ranks, or new numbers and old counts.
constexpr size_t kUniqueBytes = 8 + 2 * 16;

// Runs of the innermost dimension, in tiles.
struct NonZeroTiles {
  explicit NonZeroTiles(const NonZeroArgs& a) : run(a.rank ? a.extent[a.rank - 1] : 1) {
    int64_t runs = 1;
    for (int d = 0; d + 1 < a.rank; ++d) runs *= a.extent[d];
    if (a.rank == 1) {  // cut what is one run
      tiles = tile_by_cost(run, 1, kGrain);
      whole_runs = false;
    } else {
      tiles = tile_by_cost(runs, std::max<int64_t>(run, 1), kGrain);
    }
  }
  int64_t begin(int64_t tile) const { return tiles.begin(tile) * (whole_runs ? run : 1); }
  int64_t end(int64_t tile) const { return tiles.end(tile) * (whole_runs ? run : 1); }
  int64_t run;
  Tiling tiles;
  bool whole_runs = true;
};

const std::byte* element(const NonZeroArgs& a, int64_t i) {
  return static_cast<const std::byte*>(a.x) + i * a.elem_size;
}

}  // namespace

size_t top_k_scratch(const TopKArgs& a, int threads) {
  return top_k_worker_scratch(a) * static_cast<size_t>(threads);
}

void top_k(Team& team, const SearchTable& table, const TopKArgs& a) {
  if (a.k == 0) return;
  const size_t mine = top_k_worker_scratch(a);
  const Tiling rows = tile_by_cost(a.outer * a.inner, a.n, 4 * kGrain);
  parallel_for(team, rows.count(), static_cast<double>(rows.total * a.n), [&](int64_t tile, int worker) {
    table.top_k.fn(a, rows.begin(tile), rows.end(tile), a.scratch + static_cast<size_t>(worker) * mine);
  });
}

size_t nms_scratch(const NmsArgs& a, int threads) {
  return NmsMemory(a, threads, nullptr).bytes;
}

int64_t nms(Team& team, const SearchTable& table, const NmsArgs& a) {
  const NmsMemory memory(a, team.threads(), a.scratch);
  const Tiling boxes{a.batches * a.n, kGrain};
  parallel_for(team, boxes.count(),
               [&](int64_t tile, int) { table.nms_boxes.fn(a, memory.boxes, boxes.begin(tile), boxes.end(tile)); });
  parallel_for(team, a.batches * a.classes, [&](int64_t task, int worker) {
    const int64_t first = task / a.classes * a.n;
    const NmsBoxes& b = memory.boxes;
    memory.counts[task] =
        table.nms_class.fn(a, {b.y0 + first, b.x0 + first, b.y1 + first, b.x1 + first, b.area + first},
                           a.scores + task * a.n, memory.of(worker), memory.kept + task * memory.kept_room);
  });
  int64_t total = 0;
  for (int64_t task = 0; task < a.batches * a.classes; ++task) total += memory.counts[task];
  return total;
}

void nms_write(const NmsArgs& a, int64_t* to) {
  const NmsMemory memory(a, 1, a.scratch);
  for (int64_t task = 0; task < a.batches * a.classes; ++task)
    for (int64_t i = 0; i < memory.counts[task]; ++i, to += 3)
      to[0] = task / a.classes, to[1] = task % a.classes, to[2] = memory.kept[task * memory.kept_room + i];
}

size_t non_zero_scratch(const NonZeroArgs& a) {
  return static_cast<size_t>(NonZeroTiles(a).tiles.count() + 1) * sizeof(int64_t);
}

int64_t non_zero_count(Team& team, const SearchTable& table, const NonZeroArgs& a) {
  const NonZeroTiles tiles(a);
  auto* before = reinterpret_cast<int64_t*>(a.scratch);  // of each tile
  parallel_for(team, tiles.tiles.count(), [&](int64_t t, int) {
    before[t] = table.non_zero_count.fn(a, element(a, tiles.begin(t)), tiles.end(t) - tiles.begin(t));
  });
  int64_t total = 0;
  for (int64_t t = 0; t < tiles.tiles.count(); ++t) total += std::exchange(before[t], total);
  return total;
}

void non_zero_write(Team& team, const SearchTable& table, const NonZeroArgs& a, int64_t count, int64_t* indices) {
  if (a.rank == 0 || count == 0) return;
  const NonZeroTiles tiles(a);
  const auto* before = reinterpret_cast<const int64_t*>(a.scratch);
  int64_t* last = indices + (a.rank - 1) * count;
  parallel_for(team, tiles.tiles.count(), [&](int64_t t, int) {
    int64_t at = before[t];
    const int64_t run = tiles.whole_runs ? tiles.run : tiles.end(t) - tiles.begin(t);
    for (int64_t i = tiles.begin(t); i < tiles.end(t); i += run) {
      const int64_t n = table.non_zero_find.fn(a, element(a, i), run, tiles.whole_runs ? 0 : i, last + at);
      if (n == 0) continue;
      int64_t rest = i / tiles.run;
      for (int d = a.rank - 2; d >= 0; rest /= a.extent[d--])
        std::fill_n(indices + d * count + at, n, rest % a.extent[d]);
      at += n;
    }
  });
}

size_t unique_scratch(const UniqueArgs& a) {
  return static_cast<size_t>(a.n) * kUniqueBytes + 3 * 64;
}

int64_t unique(const SearchTable& table, const UniqueArgs& a) {
  const int64_t found = table.unique.fn(a);
  if (a.sorted) return found;
  ScratchPieces pieces(a.scratch);
  auto* number = pieces.take<int64_t>(found);
  auto* counts = pieces.take<int64_t>(found);
  std::fill_n(number, found, -1);
  std::copy_n(a.counts, found, counts);
  for (int64_t i = 0, next = 0; i < a.n; ++i) {
    const int64_t old = a.inverse[i];
    if (number[old] < 0) {
      number[old] = next;
      a.first[next] = i;
      a.counts[next++] = counts[old];
    }
    a.inverse[i] = number[old];
  }
  return found;
}

}  // namespace tc::kernels
