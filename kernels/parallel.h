// The thread seam: the only place where threads, and OpenMP, appear.
//
// A region is a function called once for each tile 0..n-1. What a tile is depends on shapes alone, never on the number
// of threads, so results are bit-identical for any number of them; which thread runs which tile is not defined.
//
// A Team owns resident workers. They are started by the first region that has more than one tile, stay ready for about
// 100 us after a region, then sleep in the kernel and cost nothing. Tiles are claimed: the caller starts at once, and
// waits only for workers that claimed a tile, never for one that has not woken up yet. Locality: the caller (worker
// 0) claims from the front and goes up, workers claim from the back and go down, so consecutive regions of equal shape
// touch the same data on each core, and a tile may ask for what its neighbour on that side reads.
//
//  - A worker that finds itself on its caller's core moves to the others that the process may use, and stays there.
//  - A region started inside a region of the same team runs inline, as the worker it is on.
//  - A region started while another thread uses the team runs inline, as worker 0. Callers that want threads
//    concurrently, or that keep scratch memory per worker, own a team each.
//  - After fork() the child's copies of existing teams run inline.
//  - Functions must not throw.
//
// Variants, chosen by CMake's TC_PARALLEL: openmp (an OpenMP team lives inside one long parallel region), std
// (std::thread, for ThreadSanitizer and compilers without OpenMP), serial (no threads at all).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace tc::kernels {

class Team {
 public:
  // `threads` counts the caller; 0 means one for every core of the process. A team of 1 starts nothing.
  explicit Team(int threads = 0);
  ~Team();  // joins the workers
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // The largest number of threads of a region; `worker` arguments are below it.
  int threads() const { return threads_; }

  // The workers [first, last) that a region started by this thread may have: all, or inside a region its own.
  struct Workers {
    int first, last;
  };
  Workers workers() const;

  // The process-wide team of default size. Never destroyed; its workers are joined at exit, later regions run inline.
  static Team& shared();

 private:
  struct Impl;
  friend void parallel_for(Team&, std::int64_t, void (*)(void*, std::int64_t, int), void*, double);

  int threads_;
  Impl* impl_;  // null for a team of one
};

// Which implementation was compiled in: "openmp", "std" or "serial".
const char* parallel_variant();

using TileFunction = void (*)(void* context, std::int64_t tile, int worker);

// What one thread is expected to do in less time than this is not shared: another core takes microseconds to join, and
// what it has written comes back line by line. Seven steps of 2 to 12 us on two threads: 37 to 24 us. Between cores
// that are near, that pass a line to and fro in less than a quarter of a microsecond, it is the second. Two cores of
// one Zen 5 take 0.13 or 0.38 us, by minutes, as its host places them; near, mnist_cnn on two threads 9.6 to 8.1 us.
constexpr double kLeastSharedNs = 20e3, kLeastNearNs = 5e3;

// Calls fn(context, tile, worker) for each tile in [0, tiles), and returns when all have finished. `ns`: what all of
// them take one thread, roughly, where that may be little.
void parallel_for(Team& team, std::int64_t tiles, TileFunction fn, void* context, double ns = kLeastSharedNs);

// The same for a callable f(tile, worker).
template <class F>
requires std::is_invocable_v<F&, std::int64_t, int>
inline void parallel_for(Team& team, std::int64_t tiles, double ns, F&& f) {
  using Callable = std::remove_reference_t<F>;
  parallel_for(
      team, tiles,
      [](void* context, std::int64_t tile, int worker) { (*static_cast<Callable*>(context))(tile, worker); },
      const_cast<std::remove_const_t<Callable>*>(&f), ns);
}
template <class F>
requires std::is_invocable_v<F&, std::int64_t, int>
inline void parallel_for(Team& team, std::int64_t tiles, F&& f) {
  parallel_for(team, tiles, kLeastSharedNs, f);
}

// A range of `total` items cut into tiles of `size` items, the last one shorter. Depends on nothing but its arguments.
struct Tiling {
  std::int64_t total = 0;
  std::int64_t size = 1;

  constexpr std::int64_t count() const { return (total + size - 1) / size; }
  constexpr std::int64_t begin(std::int64_t tile) const { return tile * size; }
  constexpr std::int64_t end(std::int64_t tile) const { return std::min(total, (tile + 1) * size); }
};

// Tiles of about `grain` units of work where one item costs `cost` units: at most kMaxTiles, at least one item each.
constexpr std::int64_t kMaxTiles = 256;
constexpr Tiling tile_by_cost(std::int64_t total, std::int64_t cost, std::int64_t grain) {
  const std::int64_t by_grain = std::max<std::int64_t>(1, grain / std::max<std::int64_t>(1, cost));
  const std::int64_t by_count = (total + kMaxTiles - 1) / kMaxTiles;
  return {total, std::max<std::int64_t>({1, by_grain, by_count})};
}

}  // namespace tc::kernels
