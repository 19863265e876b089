// Indices and places with NumPy's, JAX's and PyTensor's names. Results are i64. Indices of which it is said that they
// must be in range are checked: a native run that meets others stops (tc/frontend/dsl/check.h).
#pragma once

#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/reduce.h"

namespace tc {

// What an index out of range means: an error of the run, the remainder, or the nearest that is in range.
enum class OutOfRange : uint8_t { raise, wrap, clip };
struct OutOfRangeOptions {
  OutOfRange mode = OutOfRange::raise;
};
// Places in the flattened tensor as indices along each of its axes, and the reverse.
[[nodiscard]] std::vector<Var> unravel_index(Arg places, ShapeArg shape);
Var ravel_multi_index(const Args& indices, ShapeArg shape, OutOfRangeOptions options = {});

struct FillDiagonalOptions {
  int64_t offset = 0;  // of matrices: the diagonal above the main one when positive
  bool wrap = false;   // of tall matrices: begins again after each `columns` + 1 rows
};
// x with the elements whose indices are all equal replaced: by a scalar, or by the elements of a rank-1 value in turn.
Var fill_diagonal(Arg x, Arg value, FillDiagonalOptions options = {});

// Of each place, the element of choices[index]; all broadcast.
Var choose(Arg index, const Args& choices, OutOfRangeOptions options = {});
struct SelectOptions {
  Arg otherwise = 0;
};
// Of each place, the element of the first value whose condition holds.
Var select(const Args& conditions, const Args& values, SelectOptions options = {});
// The same, but the last condition that holds decides, and the result has the type of x; one more value than
// conditions is for where none holds, otherwise that is 0.
Var piecewise(Arg x, const Args& conditions, const Args& values);

Var argwhere(Arg x);                // [count, rank]: the indices of what is not 0
Var flatnonzero(Arg x);             // places in the flattened tensor
Var extract(Arg condition, Arg x);  // what is left of the flattened tensor
struct CompressOptions {
  std::optional<int64_t> axis = {};  // {}: of the flattened tensor
};
Var compress(Arg condition, Arg x, CompressOptions options = {});  // the slices where a rank-1 condition holds

// x with updates at the indices, which count along an axis as in take_along_axis. Of several updates of a place, one
// stays.
Var put_along_axis(Arg x, Arg indices, Arg values, TakeAlongOptions options = {});
// Rows of x in the order of each row of p; with `inverse`, where these orders send them.
struct PermuteRowOptions {
  bool inverse = false;
};
Var permute_row_elements(Arg x, Arg p, PermuteRowOptions options = {});

enum class Combine : uint8_t { replace, add, multiply, max, min };
struct GatherNdOptions {
  int64_t batch_dims = 0;
};
struct ScatterNdOptions {
  Combine reduction = Combine::replace;
};
struct ScatterElementsOptions {
  int64_t axis = 0;
  Combine reduction = Combine::replace;
};
// Tuples of indices lie along the last axis of `indices`, as ONNX has it.
Var gather_nd(Arg x, Arg indices, GatherNdOptions options = {});
Var scatter_nd(Arg x, Arg indices, Arg updates, ScatterNdOptions options = {});
Var scatter_elements(Arg x, Arg indices, Arg updates, ScatterElementsOptions options = {});

// Of the rows of x that have one segment number, which are the indices of the result. Segments without rows are 0, 1,
// the least and the largest number of the type.
Var segment_sum(Arg x, Arg segments, Extent count);
Var segment_prod(Arg x, Arg segments, Extent count);
Var segment_max(Arg x, Arg segments, Extent count);
Var segment_min(Arg x, Arg segments, Extent count);

Var diag(Arg x, DiagonalOptions options = {});      // of a vector the matrix, of a matrix the vector
Var diagflat(Arg x, DiagonalOptions options = {});  // the matrix of the flattened tensor
struct TriOptions {
  std::optional<Extent> columns = {};  // as many as rows
  int64_t k = 0;
  std::optional<DType> dtype = {};
};
Var tri(Extent rows, TriOptions options = {}, Location at = Location::current());  // ones on and below a diagonal
struct TriangleIndexOptions {
  int64_t k = 0;
  std::optional<Extent> columns = {};
};
// {rows, columns} of a triangle of a matrix.
[[nodiscard]] std::pair<Var, Var> tril_indices(Extent rows, TriangleIndexOptions options = {},
                                               Location at = Location::current());
[[nodiscard]] std::pair<Var, Var> triu_indices(Extent rows, TriangleIndexOptions options = {},
                                               Location at = Location::current());
// NumPy's mgrid[0:3, 1:9:2] is mgrid({slice(3), slice(1, 9, 2)}); ogrid's results broadcast against each other.
[[nodiscard]] std::vector<Var> mgrid(const std::vector<IndexRange>& ranges, Location at = Location::current());
[[nodiscard]] std::vector<Var> ogrid(const std::vector<IndexRange>& ranges, Location at = Location::current());

}  // namespace tc
