#include "tc/backend/cpu/plan/placement.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace tc::cpu {
namespace {

// A whole takes memory from its first part on, up to its last one. More than this share of what they all take otherwise
// is not worth it: those that take it longest are done without then, as many as so many attempts find out.
constexpr double kMostGrowth = 1.1;
constexpr int kMoreAttempts = 4;

// Memory that is taken: disjoint ranges in order, which touch nowhere.
class Ranges {
 public:
  void add(size_t begin, size_t end) {
    const auto first = std::lower_bound(ranges_.begin(), ranges_.end(), begin,
                                        [](const Range& r, size_t at) { return r.second < at; });
    auto last = first;
    for (; last != ranges_.end() && last->first <= end; ++last)
      begin = std::min(begin, last->first), end = std::max(end, last->second);
    if (first == last) {
      ranges_.emplace(first, begin, end);
      return;
    }
    *first = {begin, end};
    ranges_.erase(first + 1, last);
  }
  // The end of the range that lies in the way of [begin, end), or `begin`.
  size_t past(size_t begin, size_t end) const {
    const auto r = std::upper_bound(ranges_.begin(), ranges_.end(), begin,
                                    [](size_t at, const Range& range) { return at < range.second; });
    return r != ranges_.end() && r->first < end ? r->second : begin;
  }

 private:
  using Range = std::pair<size_t, size_t>;
  std::vector<Range> ranges_;
};

// What memory is taken when: a segment tree over the steps (de Berg et al., "Computational Geometry", chapter 10). A
// block is kept by the fewest nodes that make up its lifetime. Large blocks are placed first and lie close together, so
// that a node has few ranges however many blocks there are.
class ByTime {
 public:
  explicit ByTime(int steps) {
    while (leaves_ < static_cast<size_t>(steps)) leaves_ *= 2;
    nodes_.resize(2 * leaves_);
  }

  // The lowest offset that is free while the block lives.
  size_t lowest(const PlacedBlock& block) {
    beside_.clear();
    visit(
        block, [&](Node& n) { beside_.push_back(&n.whole); }, [&](Node& n) { beside_.push_back(&n.any); });
    size_t offset = 0;
    for (size_t quiet = 0, i = 0; quiet < beside_.size(); i = (i + 1) % beside_.size()) {
      const size_t past = beside_[i]->past(offset, offset + block.bytes);
      quiet = past == offset ? quiet + 1 : 0;
      offset = past;
    }
    return offset;
  }
  void add(const PlacedBlock& block) {
    const size_t begin = block.offset, end = begin + block.bytes;
    visit(
        block, [&](Node& n) { n.any.add(begin, end); },
        [&](Node& n) {
          n.any.add(begin, end);
          n.whole.add(begin, end);
        });
  }

 private:
  struct Node {
    Ranges whole;  // of blocks that live through all steps of the node, but not through those of the node above
    Ranges any;    // of those and the ones of nodes below
  };
  // partly(node) for the nodes above those that make up the lifetime, fully(node) for these.
  template <class Partly, class Fully>
  void visit(const PlacedBlock& block, const Partly& partly, const Fully& fully) {
    const auto first = static_cast<size_t>(std::max(block.first, 0)),
               last = static_cast<size_t>(std::max(block.last, 0));
    const auto below = [&](auto&& self, size_t node, size_t begin, size_t steps) -> void {
      if (last < begin || begin + steps <= first) return;
      if (first <= begin && begin + steps - 1 <= last) return fully(nodes_[node]);
      partly(nodes_[node]);
      self(self, 2 * node, begin, steps / 2);
      self(self, 2 * node + 1, begin + steps / 2, steps / 2);
    };
    below(below, 1, 0, leaves_);
  }

  size_t leaves_ = 1;
  std::vector<Node> nodes_;
  std::vector<const Ranges*> beside_;
};

size_t place_greedily(std::vector<PlacedBlock>& blocks) {
  std::vector<size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return blocks[a].bytes > blocks[b].bytes; });
  int steps = 1;
  for (const PlacedBlock& b : blocks) steps = std::max(steps, b.last + 1);
  size_t total = 0;
  ByTime placed(steps);
  for (const size_t i : order) {
    PlacedBlock& block = blocks[i];
    block.offset = block.bytes ? placed.lowest(block) : 0;
    total = std::max(total, block.offset + block.bytes);
    if (block.bytes) placed.add(block);
  }
  return total;
}

// Blocks whose distances from each other are settled.
class Groups {
 public:
  // `joints` in order_of_parts.
  Groups(std::span<const PlacedBlock> blocks, std::span<const JointBlocks> joints)
      : blocks_(blocks), joints_(joints), root_(blocks.size()), at_(blocks.size()), members_(blocks.size()) {
    std::iota(root_.begin(), root_.end(), size_t{0});
    for (size_t b = 0; b < blocks.size(); ++b) members_[b] = {b};
  }

  static bool order_of_parts(const JointBlocks& a, const JointBlocks& b) {
    return std::tie(a.part, a.whole, a.offset) < std::tie(b.part, b.whole, b.offset);
  }

  // Settles the distance of a part from its whole, unless others forbid it.
  void join(const JointBlocks& joint) {
    auto from = static_cast<size_t>(joint.part), to = static_cast<size_t>(joint.whole);
    if (root_[from] == root_[to]) return;
    int64_t moved = at_[to] + static_cast<int64_t>(joint.offset) - at_[from];
    if (members_[root_[from]].size() > members_[root_[to]].size()) std::swap(from, to), moved = -moved;
    const size_t old_root = root_[from], root = root_[to];
    for (const size_t a : members_[old_root])
      if (!fits(a, at_[a] + moved, root)) return;
    if (members_[root].size() == 1) enter(to);
    for (const size_t a : members_[old_root]) {
      root_[a] = root, at_[a] += moved;
      enter(a);
    }
    members_[root].insert(members_[root].end(), members_[old_root].begin(), members_[old_root].end());
    members_[old_root].clear();
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
  // Whether block a may lie at `at` in the group: apart from its members, or at another time, or as a part or whole.
  bool fits(size_t a, int64_t at, size_t root) const {
    const int64_t end = at + static_cast<int64_t>(blocks_[a].bytes);
    const auto beside = [&](size_t b) {
      return at >= at_[b] + static_cast<int64_t>(blocks_[b].bytes) || end <= at_[b] || may_overlap(a, at - at_[b], b);
    };
    const std::vector<size_t>& members = members_[root];
    if (members.size() == 1) return beside(members[0]);
    for (int level = 0; level < kLevels; ++level) {
      if (!(levels_ >> level & 1)) continue;
      // A cell has the blocks that begin in it, and they are not longer than it.
      const int64_t first = (at >> level) - 1, last = end >> level;
      if (last - first >= static_cast<int64_t>(members.size()))
        return std::all_of(members.begin(), members.end(), beside);
      for (int64_t c = first; c <= last; ++c)
        if (const auto it = cells_.find({root, level, c}); it != cells_.end())
          if (!std::all_of(it->second.begin(), it->second.end(), beside)) return false;
    }
    return true;
  }
  bool may_overlap(size_t a, int64_t offset, size_t b) const {
    const PlacedBlock &x = blocks_[a], &y = blocks_[b];
    if (x.last < y.first || y.last < x.first) return true;
    const auto is_part = [&](size_t part, size_t whole, int64_t at) {
      return at >= 0 &&
             std::binary_search(joints_.begin(), joints_.end(),
                                JointBlocks{static_cast<int>(part), static_cast<int>(whole), static_cast<size_t>(at)},
                                order_of_parts);
    };
    return is_part(a, b, offset) || is_part(b, a, -offset);
  }
  void enter(size_t block) {
    const auto level = static_cast<int>(std::bit_width(blocks_[block].bytes));
    levels_ |= uint64_t{1} << level;
    cells_[{root_[block], level, at_[block] >> level}].push_back(block);
  }

  std::span<const PlacedBlock> blocks_;
  std::span<const JointBlocks> joints_;
  std::vector<size_t> root_;
  std::vector<int64_t> at_;  // within the group
  std::vector<std::vector<size_t>> members_;
  // The members of groups of several, by size and place: 2^level bytes are more than those of a level have. Members
  // that went to another group are left in the cells of the one before, which nobody looks up again.
  static constexpr int kLevels = 64;
  struct Cell {
    size_t root;
    int level;
    int64_t place;
    bool operator==(const Cell&) const = default;
  };
  struct Hash {
    size_t operator()(const Cell& c) const {
      return (c.root * 31 + static_cast<size_t>(c.level)) * 0x9E3779B97F4A7C15 +
             static_cast<size_t>(c.place) * 0xBF58476D1CE4E5B9;
    }
  };
  std::unordered_map<Cell, std::vector<size_t>, Hash> cells_;
  uint64_t levels_ = 0;  // that any cell has
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
  std::vector<JointBlocks> by_part(joints.begin(), joints.end());
  std::sort(by_part.begin(), by_part.end(), Groups::order_of_parts);
  size_t total = apart, kept = 0, too_many = joints.size() + 1;
  std::vector<PlacedBlock> best = blocks;
  for (int attempt = 0; attempt <= kMoreAttempts && too_many - kept > 1; ++attempt) {
    const size_t count = attempt == 0 ? joints.size() : (kept + too_many) / 2;
    Groups groups(blocks, by_part);
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
