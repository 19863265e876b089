#include "tc/backend/cpu/placement.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace tc::cpu {
namespace {

// A whole takes memory from its first part on, up to its last one. More than this share of what they all take otherwise
// is not worth it: those that take it longest are done without then, as many as so many attempts find out.
constexpr double kMostGrowth = 1.1;
constexpr int kMoreAttempts = 4;

// Blocks that have their place, found again by when they live: most live for a few steps, and a block is compared with
// those of its time alone.
class ByTime {
 public:
  void add(const PlacedBlock& block) {
    for (size_t b = bucket(block.first); b <= bucket(block.last); ++b) {
      if (b >= buckets_.size()) buckets_.resize(b + 1);
      buckets_[b].push_back(&block);
    }
  }
  // Calls f for each block that lives while `block` does, for some more than once.
  template <class F>
  void each_beside(const PlacedBlock& block, const F& f) const {
    for (size_t b = bucket(block.first); b <= bucket(block.last) && b < buckets_.size(); ++b)
      for (const PlacedBlock* other : buckets_[b])
        if (other->first <= block.last && block.first <= other->last) f(*other);
  }

 private:
  static constexpr int kSteps = 16;  // of a bucket
  static size_t bucket(int step) { return static_cast<size_t>(std::max(step, 0) / kSteps); }
  std::vector<std::vector<const PlacedBlock*>> buckets_;
};

size_t place_greedily(std::vector<PlacedBlock>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  size_t total = 0;
  std::vector<std::pair<size_t, size_t>> taken;
  ByTime placed;
  for (const size_t i : order) {
    PlacedBlock& block = blocks[i];
    taken.clear();
    placed.each_beside(block,
                       [&](const PlacedBlock& other) { taken.emplace_back(other.offset, other.offset + other.bytes); });
    std::sort(taken.begin(), taken.end());
    size_t offset = 0;
    for (auto [begin, end] : taken) {
      if (begin >= offset + block.bytes) break;
      offset = std::max(offset, end);
    }
    block.offset = offset;
    total = std::max(total, offset + block.bytes);
    placed.add(block);
  }
  return total;
}

// Blocks whose distances from each other are settled.
class Groups {
 public:
  Groups(std::span<const PlacedBlock> blocks, std::span<const JointBlocks> joints)
      : blocks_(blocks), joints_(joints), root_(blocks.size()), at_(blocks.size()), members_(blocks.size()) {
    std::iota(root_.begin(), root_.end(), size_t{0});
    for (size_t b = 0; b < blocks.size(); ++b) members_[b] = {b};
  }

  // Settles the distance of a part from its whole, unless others forbid it.
  void join(const JointBlocks& joint) {
    const auto part = static_cast<size_t>(joint.part), whole = static_cast<size_t>(joint.whole);
    std::vector<size_t>&from = members_[root_[part]], &to = members_[root_[whole]];
    if (&from == &to) return;
    const int64_t moved = at_[whole] + static_cast<int64_t>(joint.offset) - at_[part];
    for (const size_t a : from)
      for (const size_t b : to)
        if (!fits(a, at_[a] + moved, b)) return;
    for (const size_t a : from) root_[a] = root_[whole], at_[a] += moved;
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  }

  size_t place(std::vector<PlacedBlock>& blocks) const {
    std::vector<PlacedBlock> groups;
    std::vector<int64_t> begins;
    for (const std::vector<size_t>& members : members_) {
      if (members.empty()) continue;
      const PlacedBlock& one = blocks_[members[0]];
      int64_t begin = at_[members[0]], end = begin;
      PlacedBlock group{0, one.first, one.last};
      for (const size_t m : members) {
        begin = std::min(begin, at_[m]), end = std::max(end, at_[m] + static_cast<int64_t>(blocks_[m].bytes));
        group.first = std::min(group.first, blocks_[m].first), group.last = std::max(group.last, blocks_[m].last);
      }
      group.bytes = static_cast<size_t>(end - begin);
      groups.push_back(group), begins.push_back(begin);
    }
    const size_t total = place_greedily(groups);
    size_t g = 0;
    for (const std::vector<size_t>& members : members_) {
      if (members.empty()) continue;
      for (const size_t m : members) blocks[m].offset = groups[g].offset + static_cast<size_t>(at_[m] - begins[g]);
      ++g;
    }
    return total;
  }

 private:
  // Whether block a may lie at `at` beside b: apart from it, or at another time, or as a part of it or its whole.
  bool fits(size_t a, int64_t at, size_t b) const {
    const PlacedBlock &x = blocks_[a], &y = blocks_[b];
    if (at + static_cast<int64_t>(x.bytes) <= at_[b] || at_[b] + static_cast<int64_t>(y.bytes) <= at) return true;
    if (x.last < y.first || y.last < x.first) return true;
    const auto is_part = [&](size_t part, size_t whole, int64_t offset) {
      return std::any_of(joints_.begin(), joints_.end(), [&](const JointBlocks& j) {
        return static_cast<size_t>(j.part) == part && static_cast<size_t>(j.whole) == whole &&
               static_cast<int64_t>(j.offset) == offset;
      });
    };
    return is_part(a, b, at - at_[b]) || is_part(b, a, at_[b] - at);
  }

  std::span<const PlacedBlock> blocks_;
  std::span<const JointBlocks> joints_;
  std::vector<size_t> root_;
  std::vector<int64_t> at_;  // within the group
  std::vector<std::vector<size_t>> members_;
};

}  // namespace

size_t place_blocks(std::vector<PlacedBlock>& blocks, std::span<const JointBlocks> joints) {
  const size_t apart = place_greedily(blocks);
  if (joints.empty()) return apart;
  const auto cost = [&](const JointBlocks& j) {
    const PlacedBlock &part = blocks[static_cast<size_t>(j.part)], &whole = blocks[static_cast<size_t>(j.whole)];
    return static_cast<double>(whole.bytes) * (std::max(part.last, whole.last) - std::min(part.first, whole.first));
  };
  std::vector<JointBlocks> by_cost(joints.begin(), joints.end());
  std::stable_sort(by_cost.begin(), by_cost.end(),
                   [&](const JointBlocks& a, const JointBlocks& b) { return cost(a) < cost(b); });
  size_t total = apart, kept = 0, too_many = joints.size() + 1;
  std::vector<PlacedBlock> best = blocks;
  for (int attempt = 0; attempt <= kMoreAttempts && too_many - kept > 1; ++attempt) {
    const size_t count = attempt == 0 ? joints.size() : (kept + too_many) / 2;
    Groups groups(blocks, joints);
    for (size_t j = 0; j < count; ++j) groups.join(by_cost[j]);
    std::vector<PlacedBlock> joined = blocks;
    const size_t bytes = groups.place(joined);
    if (static_cast<double>(bytes) > kMostGrowth * static_cast<double>(apart)) {
      too_many = count;
      continue;
    }
    total = bytes, kept = count, best = std::move(joined);
  }
  blocks = std::move(best);
  return total;
}

}  // namespace tc::cpu
