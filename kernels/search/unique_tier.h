// Distinct elements by sorting. Included by search_tier.cc.
#pragma once
#include <algorithm>

#include "tc/kernels/scratch.h"
#include "tc/kernels/search/rank_tier.h"
#include "tc/kernels/search/search.h"

namespace tc::kernels {
namespace {

template <class K>
int64_t group(const Rank<K>* ranks, const UniqueArgs& a) {
  int64_t found = 0;
  for (int64_t i = 0; i < a.n; ++i) {
    const int64_t index = RankOf<K>::index(ranks[i]);
    if (i == 0 || RankOf<K>::key(ranks[i]) != RankOf<K>::key(ranks[i - 1])) {
      a.first[found] = index;
      a.counts[found++] = 0;
    }
    ++a.counts[found - 1];
    a.inverse[index] = found - 1;
  }
  return found;
}

template <Elem E>
int64_t unique_as(const UniqueArgs& a) {
  using K = typename KeyOf<E>::Key;
  if (a.n == 0) return 0;
  ScratchPieces pieces(a.scratch);
  auto* keys = pieces.take<K>(a.n);
  make_keys<E>(a.x, a.n, 1, K{-1}, keys);  // small ones first
  auto* ranks = pieces.take<Rank<K>>(a.n);
  auto* spare = pieces.take<Rank<K>>(a.n);
  if constexpr (sizeof(K) == 8) {
    // Numbers of 64 bits that lie close together, as labels and tokens do, are sorted by their distance.
    const auto [least, most] = std::minmax_element(keys, keys + a.n);
    const uint64_t from = static_cast<uint64_t>(*least);
    if (static_cast<uint64_t>(*most) - from <= UINT32_MAX) {
      auto* near = reinterpret_cast<uint64_t*>(ranks);
      for (int64_t i = 0; i < a.n; ++i) {
        const auto distance = static_cast<uint32_t>(static_cast<uint64_t>(keys[i]) - from);
        near[i] = RankOf<int32_t>::rank(static_cast<int32_t>(distance ^ 0x80000000u), i);
      }
      return group<int32_t>(sort_ranks(near, reinterpret_cast<uint64_t*>(spare), a.n), a);
    }
  }
  for (int64_t i = 0; i < a.n; ++i) ranks[i] = RankOf<K>::rank(keys[i], i);
  return group<K>(sort_ranks(ranks, spare, a.n), a);
}

int64_t unique(const UniqueArgs& a) {
  int64_t found = 0;
  visit_elem(a.type, [&]<Elem E>() { found = unique_as<E>(a); });
  return found;
}

}  // namespace
}  // namespace tc::kernels
