#include "tc/kernels/fourier/fourier.h"

#include "tc/kernels/parallel.h"
#include "tc/kernels/worker_stride.h"

namespace tc::kernels {
namespace {

template <class T>
std::int64_t lanes(const FourierTable& table) {
  return table.lanes.fn() * static_cast<std::int64_t>(sizeof(float)) / static_cast<std::int64_t>(sizeof(T));
}

// Numbers in the two blocks that a transform goes to and fro between.
template <class T>
std::int64_t work_numbers(const FourierTable& table, const FourierPlan<T>& p) {
  return worker_stride<T>(2 * 2 * (p.padded ? p.padded->n : p.n) * lanes<T>(table));
}

}  // namespace

template <class T>
size_t fourier_scratch_bytes(const FourierTable& table, const FourierArgs<T>& a, int threads) {
  return static_cast<size_t>(work_numbers(table, *a.plan)) * sizeof(T) * static_cast<size_t>(threads);
}

template <class T>
void fourier(const FourierTable& table, Team& team, const FourierArgs<T>& a) {
  const Tiling tiles{a.outer * a.inner, lanes<T>(table)};
  const std::int64_t each = work_numbers(table, *a.plan);
  parallel_for(team, tiles.count(), static_cast<double>(tiles.count() * each) * 0.5,
               [&](std::int64_t tile, int worker) {
                 table.of<T>().fn(a, tiles.begin(tile), tiles.end(tile) - tiles.begin(tile),
                                  reinterpret_cast<T*>(a.scratch) + worker * each);
               });
}

template size_t fourier_scratch_bytes(const FourierTable&, const FourierArgs<float>&, int);
template size_t fourier_scratch_bytes(const FourierTable&, const FourierArgs<double>&, int);
template void fourier(const FourierTable&, Team&, const FourierArgs<float>&);
template void fourier(const FourierTable&, Team&, const FourierArgs<double>&);

}  // namespace tc::kernels
