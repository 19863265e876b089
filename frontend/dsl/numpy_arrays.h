// Shapes, joins and sequences of numbers with NumPy's names.
#pragma once

#include "tc/frontend/dsl/manipulation.h"

namespace tc {

Var fliplr(Arg x);  // the second axis reversed
Var flipud(Arg x);  // the first
struct Rot90Options {
  int64_t k = 1;  // quarter turns from the first axis towards the second
  std::pair<int64_t, int64_t> axes = {0, 1};
};
Var rot90(Arg x, Rot90Options options = {});
Var swapaxes(Arg x, int64_t a, int64_t b);
Var transpose(Arg x);  // all axes in reverse
Var transpose(Arg x, std::vector<int64_t> axes);
Var flatten(Arg x, int64_t first, int64_t last = -1);  // axes first to last become one

// Along the first axis of vectors, else along the second; vertically; along the third.
Var hstack(const Args& args);
Var vstack(const Args& args);
Var dstack(const Args& args);
Var column_stack(const Args& args);  // vectors become columns
// n parts along an axis of fixed extent, the first ones one longer where it is no multiple of n.
[[nodiscard]] std::vector<Var> array_split(Arg x, int64_t n, SplitOptions options = {});

Var atleast_1d(Arg x);
Var atleast_2d(Arg x);  // a vector becomes a row
Var atleast_3d(Arg x);  // a vector [n] becomes [1, n, 1], a matrix [n, m] becomes [n, m, 1]
Dims broadcast_shapes(const std::vector<Dims>& shapes);  // Error bad_shape where they do not

struct InsertOptions {
  std::optional<int64_t> axis = {};  // {}: of the flattened tensor
};
Var append(Arg x, Arg values, InsertOptions options = {});
// In front of an index along the axis, values that broadcast to slices of x.
Var insert(Arg x, int64_t index, Arg values, InsertOptions options = {});
Var delete_(Arg x, int64_t index, InsertOptions options = {});  // without the slice at an index

struct LogspaceOptions {
  double base = 10;
  std::optional<DType> dtype = {};
  bool endpoint = true;
};
Var logspace(Arg start, Arg stop, int64_t num, LogspaceOptions options = {});  // powers of the base
struct GeomspaceOptions {
  std::optional<DType> dtype = {};
  bool endpoint = true;
};
Var geomspace(Arg start, Arg stop, int64_t num, GeomspaceOptions options = {});  // both ends of one sign
struct VanderOptions {
  std::optional<int64_t> columns = {};  // as many as elements
  bool increasing = false;
};
Var vander(Arg x, VanderOptions options = {});  // powers of a vector, the highest first

}  // namespace tc
