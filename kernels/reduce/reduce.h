// Reductions over any set of dimensions of a strided tensor, arg-max and arg-min, and running sums.
//
// The order of summation depends on shapes alone: lanes and blocks of a few thousand elements, which also keeps the
// error of long sums near that of pairwise summation. Reals propagate NaN; empty reductions give the neutral element.
#pragma once

#include <cstdint>

#include "tc/kernels/elem.h"
#include "tc/kernels/elementwise/strip.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

enum class ReduceOp : std::uint8_t { sum, mean, prod, max, min, sum_square, l1, l2, log_sum, log_sum_exp };
inline constexpr int kReduceOpCount = 10;
const char* reduce_op_name(ReduceOp op);

// f32 and f64 have every operation; i32 and i64 have sum, prod, max, min, sum_square, l1, and mean, which truncates;
// u8, i8 and boolean have max and min.
bool reduce_supports(ReduceOp op, Elem type);

struct ReduceArgs {
  ReduceOp op = ReduceOp::sum;
  Elem type = Elem::f32;
  const void* input = nullptr;
  void* output = nullptr;  // same type, dense over the kept dimensions
  int kept_rank = 0;
  int reduced_rank = 0;
  // Outermost first; strides of the input in elements.
  std::int64_t kept_extent[kMaxRank] = {}, kept_stride[kMaxRank] = {};
  std::int64_t reduced_extent[kMaxRank] = {}, reduced_stride[kMaxRank] = {};

  std::int64_t kept() const;
  std::int64_t reduced() const;
  // Whether neighbouring results come from neighbours in the input: columns.
  bool kept_adjoin() const { return kept_rank > 0 && kept_stride[kept_rank - 1] == 1; }
};

// Splits the dimensions of a tensor by `axes` (bit d: dimension d is reduced) and merges what is dense.
// Sets ranks, extents and strides only.
void set_axes(ReduceArgs& args, int rank, const std::int64_t* extent, const std::int64_t* stride, std::uint32_t axes);

void reduce(const struct ReduceTable& table, Team& team, const ReduceArgs& args);

// The position of the largest (smallest) element along the middle dimension of a dense [outer, n, inner] tensor,
// written to a dense [outer, inner] one. NaN counts as the largest and as the smallest. n >= 1.
struct ArgReduceArgs {
  Elem type = Elem::f32;  // f32, f64, i32, i64, u8 or i8
  const void* input = nullptr;
  std::int64_t* output = nullptr;
  std::int64_t outer = 1, n = 1, inner = 1;
  bool smallest = false;
  bool last = false;  // of equals, the last one
};
void arg_reduce(const ReduceTable& table, Team& team, const ArgReduceArgs& args);

// Running sums or products along the middle dimension of a dense [outer, n, inner] tensor; in place is fine.
struct CumulateArgs {
  Elem type = Elem::f32;  // f32, f64, i32 or i64
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t outer = 1, n = 1, inner = 1;
  bool exclusive = false;
  bool reverse = false;
  bool product = false;
};
void cumulate(const ReduceTable& table, Team& team, const CumulateArgs& args);

struct ReduceTable {
  // Accumulates kept elements [begin, end) over [first, last) of the outermost reduced dimension, and all of the
  // others, into acc[0 .. end - begin), without the final step (division, root, logarithm).
  Slot<void(const ReduceArgs& args, std::int64_t begin, std::int64_t end, std::int64_t first, std::int64_t last,
            void* acc)>
      accumulate;
  // The final step on n accumulators.
  Slot<void(const ReduceArgs& args, void* acc, std::int64_t n)> finish;
  // Whole results of f32 or f64 for kept elements [begin, end).
  Slot<void(const ReduceArgs& args, std::int64_t begin, std::int64_t end)> log_sum_exp;
  // Results [begin, end) of outer x inner.
  Slot<void(const ArgReduceArgs& args, std::int64_t begin, std::int64_t end)> arg_reduce;
  // Lines [begin, end) of outer x inner.
  Slot<void(const CumulateArgs& args, std::int64_t begin, std::int64_t end)> cumulate;
};

}  // namespace tc::kernels
