// What looks for elements: the largest ones of rows, boxes that do not overlap better ones, elements that are not zero.
//
// Results do not depend on the number of threads. Equal values keep the order in which they stand; NaN is above every
// other value and equal to itself, zeros of both signs are equal.
#pragma once
#include <cstddef>
#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

class Team;

// The k largest (smallest) elements along the middle dimension of a dense [outer, n, inner] tensor, best first, and
// where they stand. 0 <= k <= n <= kMaxSearch.
inline constexpr int64_t kMaxSearch = INT32_MAX;
struct TopKArgs {
  Elem type = Elem::f32;
  bool largest = true;
  int64_t outer = 1, n = 0, inner = 1, k = 0;
  const void* x = nullptr;
  void* values = nullptr;      // null when nobody wants them
  int64_t* indices = nullptr;  // null when nobody wants them
  std::byte* scratch = nullptr;
};
size_t top_k_scratch(const TopKArgs& args, int threads);
void top_k(Team& team, const struct SearchTable& table, const TopKArgs& args);

// Non-maximum suppression: for each batch and class the boxes of best score, of which none overlaps a better one by
// more than `iou` (intersection over union). At most `most` per class, with scores above `least`. Arithmetic is that of
// f32, unfused: decisions are those of the formula.
struct NmsArgs {
  bool centered = false;  // boxes are (x, y, width, height) about a centre; else two opposite corners (y, x, y, x)
  int64_t batches = 0, classes = 0, n = 0, most = 0;  // n <= kMaxSearch
  float iou = 0, least = 0;
  const float* boxes = nullptr;   // [batches, n, 4]
  const float* scores = nullptr;  // [batches, classes, n]
  std::byte* scratch = nullptr;
};
size_t nms_scratch(const NmsArgs& args, int threads);
// Finds the boxes and keeps them in scratch; their number.
int64_t nms(Team& team, const SearchTable& table, const NmsArgs& args);
// Writes (batch, class, box) of each, after nms.
void nms_write(const NmsArgs& args, int64_t* triples);

// Where elements are not zero. Elements have 1, 2, 4 or 8 bytes; of reals the sign bit does not count.
struct NonZeroArgs {
  int elem_size = 4;
  bool real = false;
  int rank = 0;
  const int64_t* extent = nullptr;  // rank of them
  const void* x = nullptr;
  std::byte* scratch = nullptr;
};
size_t non_zero_scratch(const NonZeroArgs& args);
// Counts them; what each tile has stays in scratch.
int64_t non_zero_count(Team& team, const SearchTable& table, const NonZeroArgs& args);
// Writes the indices, [rank, count], after non_zero_count.
void non_zero_write(Team& team, const SearchTable& table, const NonZeroArgs& args, int64_t count, int64_t* indices);

// The distinct ones of n <= kMaxSearch elements, in rising order or, unless `sorted`, as they appear: where each stands
// first, how often, and which one each element is.
struct UniqueArgs {
  Elem type = Elem::f32;
  bool sorted = true;
  int64_t n = 0;
  const void* x = nullptr;
  int64_t *first = nullptr, *counts = nullptr, *inverse = nullptr;  // room for n
  std::byte* scratch = nullptr;
};
size_t unique_scratch(const UniqueArgs& args);
int64_t unique(const SearchTable& table, const UniqueArgs& args);  // how many

// Boxes as structure of arrays, with what they cover.
struct NmsBoxes {
  float *y0, *x0, *y1, *x1, *area;
};
// Memory of one class: `ranks`, `best` and `spare` of n, `kept` of min(n, most).
struct NmsWork {
  uint64_t *ranks, *best, *spare;
  NmsBoxes kept;
};

struct SearchTable {
  // Rows [begin, end) of outer * inner, `scratch` a worker's own.
  Slot<void(const TopKArgs&, int64_t begin, int64_t end, std::byte* scratch)> top_k;
  // Boxes [begin, end) of all batches.
  Slot<void(const NmsArgs&, const NmsBoxes& boxes, int64_t begin, int64_t end)> nms_boxes;
  // The boxes of a batch that a class keeps, and how many.
  Slot<int64_t(const NmsArgs&, const NmsBoxes& boxes, const float* scores, const NmsWork&, int32_t* kept)> nms_class;
  // How many of n elements are not zero; where they are, counted from `from`.
  Slot<int64_t(const NonZeroArgs&, const void* x, int64_t n)> non_zero_count;
  Slot<int64_t(const NonZeroArgs&, const void* x, int64_t n, int64_t from, int64_t* at)> non_zero_find;
  // In rising order.
  Slot<int64_t(const UniqueArgs&)> unique;
};

}  // namespace tc::kernels
