// Counting, searching and sets with NumPy's names.
#pragma once

#include "tc/frontend/dsl/reduce.h"

namespace tc {

struct BincountOptions {
  Arg weights = {};       // summed in place of counting
  int64_t minlength = 0;  // of the result, else as long as the largest element asks for
};
Var bincount(Arg x, BincountOptions options = {});  // of integers that are not negative
struct DigitizeOptions {
  bool right = false;  // bins hold their upper end in place of their lower one
};
// The bin of each element: how many of the monotonic edges come before it.
Var digitize(Arg x, Arg edges, DigitizeOptions options = {});
struct HistogramOptions {
  std::optional<std::pair<double, double>> range = {};  // from the least to the largest element
  Arg weights = {};
  bool density = false;  // of area 1
};
struct [[nodiscard]] HistogramResult {
  Var counts, edges;
};
// With so many bins of one width; the last one holds both of its ends. Elements outside the range do not count.
HistogramResult histogram(Arg x, int64_t bins = 10, HistogramOptions options = {});
struct HistogramEdgeOptions {
  Arg weights = {};
  bool density = false;
};
HistogramResult histogram_by_edges(Arg x, Arg edges, HistogramEdgeOptions options = {});

struct InterpolateOptions {
  Arg left = {}, right = {};          // outside the points, else their first and last value
  std::optional<double> period = {};  // of the places; the points may then be in any order
};
// At x, the straight lines between points (xp, fp) with ascending xp.
Var interp(Arg x, Arg xp, Arg fp, InterpolateOptions options = {});

struct IsinOptions {
  bool invert = false;
};
Var isin(Arg x, Arg test, IsinOptions options = {});
// Of flattened tensors as sets, ascending.
Var intersect1d(Arg a, Arg b);
Var setdiff1d(Arg a, Arg b);
Var setxor1d(Arg a, Arg b);
Var union1d(Arg a, Arg b);

struct PartitionOptions {
  int64_t axis = -1;
};
// The k-th element is where sorting would put it, smaller ones are before, larger ones behind it: tc sorts all.
Var partition(Arg x, int64_t k, PartitionOptions options = {});
Var argpartition(Arg x, int64_t k, PartitionOptions options = {});
struct LexsortOptions {
  int64_t axis = -1;
};
Var lexsort(const Args& keys, LexsortOptions options = {});  // the last key counts first

}  // namespace tc
