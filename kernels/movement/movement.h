// Moving elements without computing: strided copies, padding, gathering, scattering.
//
// Kernels know the size of an element (1, 2, 4, 8 or 16 bytes), not its type. Pointers need no alignment. Sources and
// targets do not overlap. Transpose, slice, flip, expand, concat, split, tile and fill are strided copies: copy_box.
#pragma once

#include <cstdint>
#include <span>

#include "tc/kernels/elem.h"
#include "tc/kernels/elementwise/strip.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/status.h"
#include "tc/kernels/tier.h"

namespace tc::kernels {

// dst[sum i_d * dst_stride[d]] = src[sum i_d * src_stride[d]] for all i_d < extent[d]. Strides count elements; those of
// the source may be zero (broadcast) or negative.
struct CopyArgs {
  int elem_size = 4;
  int rank = 0;
  std::int64_t extent[kMaxRank] = {};
  const void* src = nullptr;
  std::int64_t src_stride[kMaxRank] = {};
  void* dst = nullptr;
  std::int64_t dst_stride[kMaxRank] = {};
};

struct MoveTable;

// Sorts and merges dimensions, picks rows or transposition, and runs in tiles.
void copy_box(const MoveTable& table, Team& team, const CopyArgs& args);

enum class PadMode : std::uint8_t { constant, edge, reflect, wrap };

// Pads a dense tensor; negative amounts crop, which comes first. reflect leaves the edge element out, and works for
// amounts of any size. Other modes than constant need kept >= 1 in every dimension that is padded.
struct PadArgs {
  int elem_size = 4;
  PadMode mode = PadMode::constant;
  int rank = 0;
  std::int64_t extent[kMaxRank] = {};  // of the source
  std::int64_t before[kMaxRank] = {}, after[kMaxRank] = {};
  std::int64_t point = 1;  // elements side by side that one of the last dimension stands for
  const void* src = nullptr;
  void* dst = nullptr;
  const void* value = nullptr;  // one element; constant mode

  std::int64_t out_extent(int d) const { return extent[d] + before[d] + after[d]; }
  // What is cropped at the beginning, is left, and is padded before it.
  std::int64_t cropped(int d) const { return before[d] < 0 ? -before[d] : 0; }
  std::int64_t kept(int d) const { return extent[d] - cropped(d) + (after[d] < 0 ? after[d] : 0); }
  std::int64_t padded(int d) const { return before[d] < 0 ? 0 : before[d]; }
};
void pad(const MoveTable& table, Team& team, const PadArgs& args);

// Indices are i32 or i64; negative ones count from the end. An index outside [-n, n) fails with kIndexOutOfRange at its
// position in the index tensor, the lowest such position.
struct IndexView {
  const void* data = nullptr;
  bool wide = true;  // i64, else i32
};

// out[o, k, i] = data[o, index[k], i], all dense: data [outer, n, inner], out [outer, count, inner].
struct GatherArgs {
  int elem_size = 4;
  const void* data = nullptr;
  void* out = nullptr;
  IndexView index;
  std::int64_t outer = 1, n = 0, inner = 1, count = 0;
};
Status gather(const MoveTable& table, Team& team, const GatherArgs& args);

// out[i] = data[i with i[axis] = index[i]]; out and index are dense of shape `extent`, data is dense of `data_extent`.
struct GatherElementsArgs {
  int elem_size = 4;
  const void* data = nullptr;
  void* out = nullptr;
  IndexView index;
  int rank = 1;
  int axis = 0;
  std::int64_t extent[kMaxRank] = {}, data_extent[kMaxRank] = {};
};
Status gather_elements(const MoveTable& table, Team& team, const GatherElementsArgs& args);

// How what is scattered joins what is there: it replaces it, or both are combined as `type` (f32, f64, i32 or i64,
// whose sums and products wrap around; NaN wins maxima and minima).
enum class ScatterOp : std::uint8_t { none, add, mul, max, min };
bool scatter_supports(ScatterOp op, Elem type);

// data[i with i[axis] = index[i]] joined with updates[i]; updates and index are dense of shape `extent`, data is dense
// of `data_extent`, nowhere smaller but along the axis. Updates of one place come in their order. Checks all indices
// before it writes anything.
struct ScatterElementsArgs {
  int elem_size = 4;
  ScatterOp op = ScatterOp::none;
  Elem type = Elem::f32;  // unless op is none
  void* data = nullptr;
  const void* updates = nullptr;
  IndexView index;
  int rank = 1;
  int axis = 0;
  std::int64_t extent[kMaxRank] = {}, data_extent[kMaxRank] = {};
};
Status scatter_elements(const MoveTable& table, Team& team, const ScatterElementsArgs& args);

// Tuples of `depth` indices each name a slice of `inner` contiguous elements: index [batch, count, depth], dense;
// slices [batch, count, inner], dense; data [batch, extent[0], .., extent[depth - 1], inner], dense. A bad index is
// reported at its position in the index tensor.
struct SliceArgs {
  int elem_size = 4;
  void* data = nullptr;    // read by gather_nd, written by scatter_nd
  void* slices = nullptr;  // written by gather_nd, read by scatter_nd
  IndexView index;
  std::int64_t batch = 1, count = 0, inner = 1;
  int depth = 1;
  std::int64_t extent[kMaxRank] = {};
  ScatterOp op = ScatterOp::none;  // of scatter_nd
  Elem type = Elem::f32;           // unless op is none
};
Status gather_nd(const MoveTable& table, Team& team, const SliceArgs& args);
// Overwrites or combines slices of data, in the order of the tuples: of several for one place the last wins. Checks all
// indices before it writes anything.
Status scatter_nd(const MoveTable& table, Team& team, const SliceArgs& args);

// out[i] = from + i * step, of f32, f64, i32 or i64; reals are rounded once, integers wrap.
struct RangeArgs {
  Elem type = Elem::f32;
  const void* from = nullptr;
  const void* step = nullptr;
  void* out = nullptr;
  std::int64_t count = 0;
};
void range(const MoveTable& table, Team& team, const RangeArgs& args);

struct MoveTable {
  // Units [begin, end) of all dimensions but the last; rows along the last one.
  Slot<void(const CopyArgs& args, std::int64_t begin, std::int64_t end)> copy_rows;
  // Units [begin, end) of all dimensions but the last two. src_stride[rank - 2] and dst_stride[rank - 1] are 1.
  Slot<void(const CopyArgs& args, std::int64_t begin, std::int64_t end)> transpose;
  // Rows [begin, end) of the output.
  Slot<void(const PadArgs& args, std::int64_t begin, std::int64_t end)> pad;
  // Slices [begin, end) of outer x count.
  Slot<Status(const GatherArgs& args, std::int64_t begin, std::int64_t end)> gather;
  // Columns [col0, col1) of rows [row0, row1) of the output; rows lie along its last dimension.
  Slot<Status(const GatherElementsArgs& args, std::int64_t row0, std::int64_t row1, std::int64_t col0,
              std::int64_t col1)>
      gather_elements;
  // The first of the indices [begin, end) that is none of n elements.
  Slot<Status(const IndexView& index, std::int64_t n, std::int64_t begin, std::int64_t end)> check_indices;
  // Columns [col0, col1) of rows [row0, row1) of the indices.
  Slot<void(const ScatterElementsArgs& args, std::int64_t row0, std::int64_t row1, std::int64_t col0,
            std::int64_t col1)>
      scatter_elements;
  // Elements [first, last) of every slice.
  Slot<void(const SliceArgs& args, std::int64_t first, std::int64_t last)> scatter_nd;
  // Slices [begin, end) of batch x count.
  Slot<Status(const SliceArgs& args, std::int64_t begin, std::int64_t end)> gather_nd;
  // Elements [begin, end).
  Slot<void(const RangeArgs& args, std::int64_t begin, std::int64_t end)> range;
};

}  // namespace tc::kernels
