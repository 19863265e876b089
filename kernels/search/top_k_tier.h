// The k best elements of rows. Included by search_tier.cc.
#pragma once
#include <algorithm>
#include <cstring>

#include "tc/kernels/scratch.h"
#include "tc/kernels/search/rank_tier.h"
#include "tc/kernels/search/search.h"

namespace tc::kernels {
namespace {

constexpr int64_t kChunk = 1024;        // keys made at a time; they stay in L1
constexpr int64_t kMostInserted = 128;  // as many are kept in order by insertion

// The best `k` of what was added, unordered among what came last. An element enters only if it is better than the last
// one known to be in, equal ones stand further back.
template <class K>
class Best {
 public:
  using R = RankOf<K>;
  Best(Rank<K>* list, int64_t k, int64_t room) : list_(list), k_(k), room_(room) {}

  TC_INLINE void scan(const K* key, int64_t n, int64_t from) {
    int64_t i = 0;
    for (; i < n && !full_; ++i) start(key[i], from + i);
    const auto above = [&](int64_t j) { return load(key + j) > broadcast(least_); };
    const auto enter = [&](int64_t j) {
      if (key[j] > least_) add(key[j], from + j);
    };
    constexpr int64_t kStep = kLanes<K>;
    for (; i + 4 * kStep <= n; i += 4 * kStep) {
      const Mask<K> a = above(i), b = above(i + kStep), c = above(i + 2 * kStep), d = above(i + 3 * kStep);
      if (!any((a | b) | (c | d))) continue;
      for_set_lanes<K>(a, i, enter);
      for_set_lanes<K>(b, i + kStep, enter);
      for_set_lanes<K>(c, i + 2 * kStep, enter);
      for_set_lanes<K>(d, i + 3 * kStep, enter);
    }
    for (; i < n; ++i)
      if (key[i] > least_) add(key[i], from + i);
  }
  // The k best ones in order.
  const Rank<K>* sorted() {
    if (k_ <= kMostInserted && full_) return list_;
    shrink();
    std::sort(list_, list_ + k_);
    return list_;
  }

 private:
  void start(K key, int64_t index) {
    list_[count_++] = R::rank(key, index);
    if (count_ < room_) return;
    full_ = true;
    shrink();
    if (k_ <= kMostInserted) std::sort(list_, list_ + k_);
  }
  void add(K key, int64_t index) {
    const Rank<K> rank = R::rank(key, index);
    if (k_ <= kMostInserted) {
      int64_t at = k_ - 1;
      for (; at > 0 && rank < list_[at - 1]; --at) list_[at] = list_[at - 1];
      list_[at] = rank;
      least_ = R::key(list_[k_ - 1]);
    } else {
      list_[count_++] = rank;
      if (count_ == room_) shrink();
    }
  }
  void shrink() {
    if (count_ == k_) return;
    std::nth_element(list_, list_ + k_ - 1, list_ + count_);
    count_ = k_;
    least_ = R::key(list_[k_ - 1]);
  }

  Rank<K>* list_;
  int64_t k_, room_, count_ = 0;
  K least_ = 0;
  bool full_ = false;
};

// Shorter rows are sorted before the histograms of digits are set up.
constexpr int64_t kLeastDigits = 2048;

// What sorting the whole row takes is less than what most of it takes to enter and leave a list.
bool sorts_all(int64_t n, int64_t k) {
  return k > n / 8 && k > 1;
}

// Writes the best of a row, of which index_of(j) gives the places.
template <Elem E, class IndexOf>
void write_row(const TopKArgs& a, int64_t row, IndexOf&& index_of) {
  using Raw = typename KeyOf<E>::Raw;
  const int64_t o = row / a.inner, i = row % a.inner;
  const Raw* x = static_cast<const Raw*>(a.x) + o * a.n * a.inner + i;
  const int64_t to = o * a.k * a.inner + i;
  for (int64_t j = 0; j < a.k; ++j) {
    const int64_t index = index_of(j);
    if (a.values) static_cast<Raw*>(a.values)[to + j * a.inner] = x[index * a.inner];
    if (a.indices) a.indices[to + j * a.inner] = index;
  }
}

// Sorts by one pass over each digit of `keys`, the least significant one first; the result is in either.
template <class U>
U* sort_values(U* keys, U* spare, int64_t n) {
  constexpr int kBits = 8, kDigits = static_cast<int>(sizeof(U)), kBuckets = 1 << kBits;
  const auto digit = [](U key, int d) { return key >> (d * kBits) & (kBuckets - 1); };
  uint32_t from[kDigits][kBuckets] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int d = 0; d < kDigits; ++d) ++from[d][digit(keys[i], d)];
  for (int d = 0; d < kDigits; ++d) {
    if (from[d][digit(keys[0], d)] == n) continue;  // all have the same digit
    uint32_t at = 0;
    for (uint32_t& c : from[d]) at += std::exchange(c, at);
    for (int64_t i = 0; i < n; ++i) spare[from[d][digit(keys[i], d)]++] = keys[i];
    std::swap(keys, spare);
  }
  return keys;
}

// The best of a dense row of f32 or f64 whose places nobody wants, sorted by their bits; false where those of equal
// elements differ, as zeros' and NaNs' do. 10^6 of f32 on Zen 5 14.9 to 10 ms.
template <Elem E>
bool top_values(const TopKArgs& a, int64_t row, std::byte* scratch) {
  using Raw = typename KeyOf<E>::Raw;
  using K = typename KeyOf<E>::Key;
  using U = std::make_unsigned_t<Raw>;
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  const Raw* x = static_cast<const Raw*>(a.x) + row * a.n;
  ScratchPieces pieces(scratch);
  U* keys = reinterpret_cast<U*>(pieces.take<Rank<K>>(a.n));
  U* spare = reinterpret_cast<U*>(pieces.take<Rank<K>>(a.n));
  const U flip = a.largest ? ~U{0} : 0;
  bool differ = false;
  for (int64_t i = 0; i < a.n; ++i) {
    const U bits = static_cast<U>(x[i]);
    // What is neither a number other than -0 nor an infinity.
    differ |= bits == kSign || KeyOf<E>::key(x[i]) == std::numeric_limits<K>::max();
    keys[i] = (bits & kSign ? ~bits : bits | kSign) ^ flip;
  }
  if (differ) return false;
  const U* best = sort_values(keys, spare, a.n);
  Raw* to = static_cast<Raw*>(a.values) + row * a.k;
  for (int64_t i = 0; i < a.k; ++i) {
    const U key = best[i] ^ flip;
    to[i] = static_cast<Raw>(key & kSign ? key ^ kSign : ~key);
  }
  return true;
}

template <Elem E>
void top_k_row(const TopKArgs& a, int64_t row, std::byte* scratch) {
  using Raw = typename KeyOf<E>::Raw;
  using K = typename KeyOf<E>::Key;
  const K flip = a.largest ? 0 : -1;
  const Raw* x = static_cast<const Raw*>(a.x) + row / a.inner * a.n * a.inner + row % a.inner;
  if constexpr (E == Elem::f32 || E == Elem::f64)
    if (a.inner == 1 && a.indices == nullptr && a.values != nullptr && a.n >= kLeastDigits && sorts_all(a.n, a.k) &&
        top_values<E>(a, row, scratch))
      return;
  K key[kChunk];
  ScratchPieces pieces(scratch);
  auto* list = pieces.take<Rank<K>>(a.n);
  const Rank<K>* best;
  if (sorts_all(a.n, a.k)) {
    for (int64_t i = 0; i < a.n; i += kChunk) {
      const int64_t n = std::min(kChunk, a.n - i);
      make_keys<E>(x + i * a.inner, n, a.inner, flip, key);
      for (int64_t j = 0; j < n; ++j) list[i + j] = RankOf<K>::rank(key[j], i + j);
    }
    best = sort_ranks(list, pieces.take<Rank<K>>(a.n), a.n);
  } else {
    Best<K> kept(list, a.k, std::min(a.n, 4 * a.k));
    for (int64_t i = 0; i < a.n; i += kChunk) {
      const int64_t n = std::min(kChunk, a.n - i);
      make_keys<E>(x + i * a.inner, n, a.inner, flip, key);
      kept.scan(key, n, i);
    }
    best = kept.sorted();
  }
  write_row<E>(a, row, [&](int64_t j) { return RankOf<K>::index(best[j]); });
}

// The best one of each of up to kChunk columns that stand side by side.
template <Elem E>
void top_1_columns(const TopKArgs& a, int64_t row, int64_t columns) {
  using Raw = typename KeyOf<E>::Raw;
  using K = typename KeyOf<E>::Key;
  const K flip = a.largest ? 0 : -1;
  const Raw* x = static_cast<const Raw*>(a.x) + row / a.inner * a.n * a.inner + row % a.inner;
  K best[kChunk], at[kChunk] = {};
  make_keys<E>(x, columns, 1, flip, best);
  for (int64_t i = 1; i < a.n; ++i) {
    const Raw* p = x + i * a.inner;
    for (int64_t c = 0; c < columns; ++c) {
      const K key = KeyOf<E>::key(p[c]) ^ flip;
      at[c] = key > best[c] ? static_cast<K>(i) : at[c];
      best[c] = key > best[c] ? key : best[c];
    }
  }
  for (int64_t c = 0; c < columns; ++c) write_row<E>(a, row + c, [&](int64_t) { return at[c]; });
}

void top_k(const TopKArgs& a, int64_t begin, int64_t end, std::byte* scratch) {
  visit_elem(a.type, [&]<Elem E>() {
    for (int64_t row = begin; row < end;) {
      if (a.k == 1 && a.inner > 1) {
        const int64_t columns = std::min({end - row, a.inner - row % a.inner, kChunk});
        top_1_columns<E>(a, row, columns);
        row += columns;
      } else {
        top_k_row<E>(a, row++, scratch);
      }
    }
  });
}

}  // namespace
}  // namespace tc::kernels
