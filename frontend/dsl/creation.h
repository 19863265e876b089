// Tensors from nothing. Results are f32 unless the arguments or `dtype` say otherwise. Shapes may hold symbols of
// values that are there (zeros({x.dim(0), 3})) and scalars that the program computes.
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc {

struct TypeOptions {
  std::optional<DType> dtype = {};
};

// A number or host tensor as a constant; a Var as it is, converted when `dtype` is given.
Var asarray(Arg x, TypeOptions options = {});

// start, start + step, ... below stop. i64 when all arguments are integers.
Var arange(Arg stop, TypeOptions options = {});
Var arange(Arg start, Arg stop, TypeOptions options = {});
Var arange(Arg start, Arg stop, Arg step, TypeOptions options = {});

struct LinspaceOptions {
  std::optional<DType> dtype = {};
  bool endpoint = true;
};
// `num` evenly spaced numbers from start to stop.
Var linspace(Arg start, Arg stop, int64_t num, LinspaceOptions options = {});

Var empty(ShapeArg shape, TypeOptions options = {}, Location at = Location::current());  // zeros
Var full(ShapeArg shape, Arg value, TypeOptions options = {});
Var ones(ShapeArg shape, TypeOptions options = {}, Location at = Location::current());
Var zeros(ShapeArg shape, TypeOptions options = {}, Location at = Location::current());
Var empty_like(Arg x, TypeOptions options = {});
Var full_like(Arg x, Arg value, TypeOptions options = {});
Var ones_like(Arg x, TypeOptions options = {});
Var zeros_like(Arg x, TypeOptions options = {});

struct EyeOptions {
  std::optional<Extent> columns = {};  // as many as rows
  int64_t k = 0;                       // the diagonal
  std::optional<DType> dtype = {};
};
Var eye(Extent rows, EyeOptions options = {}, Location at = Location::current());

struct DiagonalOptions {
  int64_t k = 0;  // the diagonal: above the main one when positive
};
// The lower or upper triangle of the last two axes, zeros elsewhere.
Var tril(Arg x, DiagonalOptions options = {});
Var triu(Arg x, DiagonalOptions options = {});

enum class MeshIndexing : uint8_t { xy, ij };
struct MeshgridOptions {
  MeshIndexing indexing = MeshIndexing::xy;
};
// Coordinate tensors of a grid from its rank-1 axes.
[[nodiscard]] std::vector<Var> meshgrid(const Args& axes, MeshgridOptions options = {});

// The extents as i64[rank].
Var shape_of(Arg x);

}  // namespace tc
