// Ensembles of decision trees over rows of features.
//
// A step takes no branch: the next node is `left`, or the one behind it where the answer is no. Eight ways are followed
// at a time, those of eight rows through a tree, or of a row through eight trees, so that one's loads hide the others'.
// A way that has reached its leaf stays there.
//
// Sums are taken in f64 in the order of the trees, whatever the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tc/kernels/elem.h"

namespace tc::kernels {

class Team;

inline constexpr int kTreeLanes = 8;

// x[feature] <= value leads to `left`, else to the node behind it. Nodes are counted in kTreeUnit<T> units of 8 bytes,
// which an address takes as they are.
template <class T>
struct TreeNode {
  T value = 0;                // of a leaf NaN: no row passes, and the node behind `left` is the leaf
  std::uint32_t feature = 0;  // times kTreeLanes, as a block of rows lies in memory
  std::uint32_t left = 0;
  std::uint32_t votes = 0;  // a leaf's first one, they end where those of the next node begin; and flags
};
template <class T>
inline constexpr std::uint32_t kTreeUnit = sizeof(TreeNode<T>) / 8;
inline constexpr std::uint32_t kTreeNanIsYes = 1u << 31;
inline constexpr std::uint32_t kTreeEqual = 1u << 30;  // the test is x == value
inline constexpr std::uint32_t kTreeFlags = kTreeNanIsYes | kTreeEqual;
inline constexpr std::int64_t kTreeMaxFeatures = UINT32_MAX / kTreeLanes;

struct TreeVote {
  std::int64_t target;
  double weight;
};

enum class TreeFold : std::uint8_t { sum, min, max };

struct TreeArgs {
  bool wide = false;            // nodes of f64, else of f32
  std::uint32_t flags = 0;      // of any node
  const void* nodes = nullptr;  // and one more behind the last
  const TreeVote* votes = nullptr;
  // Of each tree, and of some node and 0 up to a whole number of lanes.
  const std::uint32_t* roots = nullptr;
  const std::int32_t* depths = nullptr;  // steps to the deepest leaf
  std::int64_t trees = 0, targets = 0;
  double steps = 0;  // the sum of the depths
  TreeFold fold = TreeFold::sum;

  Elem type = Elem::f32;  // of x: f32 where nodes are; f64, i32 or i64 for those of f64
  const void* x = nullptr;
  std::int64_t rows = 0, features = 0;
  std::byte* scratch = nullptr;
  // Takes the scores [rows, targets] of rows [first, first + rows), 0 where no leaf had a say, and whether one had.
  // Called from any thread, for each row once.
  void (*finish)(const void* context, std::int64_t first, std::int64_t rows, double* scores,
                 std::uint8_t* has) = nullptr;
  const void* context = nullptr;
};

std::size_t tree_scratch_bytes(const TreeArgs& args, int threads);
void trees(Team& team, const TreeArgs& args);

}  // namespace tc::kernels
