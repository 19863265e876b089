#include "tc/kernels/movement/movement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "guard.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::kEdges;
using testing::machine_tiers;
using testing::Random;

using Dims = std::vector<std::int64_t>;
constexpr int kSizes[] = {1, 2, 4, 8, 16};

std::int64_t product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}
Dims dense_strides(const Dims& dims) {
  Dims stride(dims.size());
  std::int64_t step = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {
    stride[d] = step;
    step *= dims[d];
  }
  return stride;
}

class Movement : public ::testing::TestWithParam<Tier> {
 protected:
  const MoveTable& kernels() const { return table(GetParam()).move; }

  GuardedBuffer<std::uint8_t> random_bytes(std::int64_t count, Edge edge) {
    GuardedBuffer<std::uint8_t> out(static_cast<std::size_t>(count), edge);
    for (std::uint8_t& b : out) b = static_cast<std::uint8_t>(random_.bits());
    return out;
  }

  // Copies between buffers that just hold what the strides reach, and compares element by element.
  void check_copy(Team& team, int size, const Dims& extent, const Dims& src_stride, const Dims& dst_stride, Edge edge) {
    std::int64_t src_low = 0, src_high = 0, dst_high = 0;
    for (std::size_t d = 0; d < extent.size(); ++d) {
      (src_stride[d] < 0 ? src_low : src_high) += src_stride[d] * (extent[d] - 1);
      dst_high += dst_stride[d] * (extent[d] - 1);
    }
    GuardedBuffer<std::uint8_t> src = random_bytes((src_high - src_low + 1) * size, edge);
    GuardedBuffer<std::uint8_t> dst = random_bytes((dst_high + 1) * size, edge);
    std::vector<std::uint8_t> want(dst.begin(), dst.end());
    CopyArgs args;
    args.elem_size = size;
    args.rank = static_cast<int>(extent.size());
    args.src = src.data() - src_low * size;
    args.dst = dst.data();
    for (std::size_t d = 0; d < extent.size(); ++d) {
      args.extent[d] = extent[d];
      args.src_stride[d] = src_stride[d];
      args.dst_stride[d] = dst_stride[d];
    }
    copy_box(kernels(), team, args);
    for (std::int64_t flat = 0; flat < product(extent); ++flat) {
      std::int64_t rest = flat, from = -src_low, to = 0;
      for (std::size_t d = extent.size(); d-- > 0;) {
        from += rest % extent[d] * src_stride[d];
        to += rest % extent[d] * dst_stride[d];
        rest /= extent[d];
      }
      std::memcpy(want.data() + to * size, src.data() + from * size, static_cast<std::size_t>(size));
    }
    ASSERT_TRUE(std::equal(want.begin(), want.end(), dst.begin())) << "size " << size << " rank " << extent.size();
  }

  Random random_{31};
};

TEST_P(Movement, EveryPermutation) {
  Team team(2);
  for (const Dims& shape :
       {Dims{5}, Dims{3, 70}, Dims{33, 17}, Dims{2, 5, 19}, Dims{3, 1, 4, 21}, Dims{2, 20, 3, 18}}) {
    Dims order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    const Dims strides = dense_strides(shape);
    do {
      Dims extent, src;
      for (const std::int64_t d : order) {
        extent.push_back(shape[static_cast<std::size_t>(d)]);
        src.push_back(strides[static_cast<std::size_t>(d)]);
      }
      for (const int size : kSizes) check_copy(team, size, extent, src, dense_strides(extent), kEdges[size % 2]);
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_P(Movement, TransposesOfEverySizeBetweenGuardPages) {
  Team team(1);
  for (const Edge edge : kEdges) {
    for (std::int64_t m = 1; m <= 34; ++m) {
      for (std::int64_t n = 1; n <= 34; ++n) {
        check_copy(team, 4, {n, m}, {1, n}, {m, 1}, edge);
        check_copy(team, 2, {n, m}, {1, n + 1}, {m + 2, 1}, edge);
        for (const int size : {1, 2, 8}) check_copy(team, size, {n, m}, {1, n}, {m, 1}, edge);
      }
    }
    for (const int size : {1, 2, 8}) check_copy(team, size, {83, 130}, {1, 83}, {131, 1}, edge);
  }
}

TEST_P(Movement, SlicesFlipsAndBroadcasts) {
  Team team(2);
  for (const int size : kSizes) {
    for (const Edge edge : kEdges) {
      for (std::int64_t n = 1; n <= 40; ++n) check_copy(team, size, {3, n}, {n + 3, 1}, {n + 1, 1}, edge);
      check_copy(team, size, {4, 7, 5}, {35, -5, 1}, {35, 5, 1}, edge);
      check_copy(team, size, {4, 37}, {37, -1}, {37, 1}, edge);
      for (std::int64_t step = 2; step <= 5; ++step)
        for (const std::int64_t n : {1, 8, 37, 131}) check_copy(team, size, {4, n}, {700, step}, {n, 1}, edge);
      check_copy(team, size, {4, 9, 6}, {0, 1, 0}, {54, 6, 1}, edge);
      check_copy(team, size, {50, 21}, {0, 0}, {21, 1}, edge);
      check_copy(team, size, {6, 1, 5}, {5, 9, 1}, {11, 3, 2}, edge);
      check_copy(team, size, {}, {}, {}, edge);
    }
  }
}

TEST_P(Movement, LargeBoxesInManyTiles) {
  Team team(3);
  check_copy(team, 4, {400000}, {1}, {1}, Edge::kBack);
  check_copy(team, 4, {700, 513}, {1, 700}, {513, 1}, Edge::kBack);
  check_copy(team, 8, {3, 200, 333}, {200 * 333, 1, 200}, {200 * 333, 333, 1}, Edge::kBack);
  check_copy(team, 1, {100000, 3}, {3, 1}, {5, 1}, Edge::kFront);
}

std::int64_t pad_source(PadMode mode, std::int64_t i, std::int64_t n) {
  if (i >= 0 && i < n) return i;
  if (mode == PadMode::constant) return -1;
  if (mode == PadMode::edge) return std::clamp<std::int64_t>(i, 0, n - 1);
  if (mode == PadMode::wrap) return ((i % n) + n) % n;
  while (i < 0 || i >= n) i = n == 1 ? 0 : i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

TEST_P(Movement, Pad) {
  Team team(2);
  struct Case {
    Dims extent, before, after;
  };
  const Case cases[] = {{{5}, {3}, {4}},
                        {{4, 17}, {1, 2}, {2, 5}},
                        {{3, 4, 6}, {2, 0, 3}, {1, 3, 9}},
                        {{5, 8}, {-1, 2}, {1, -3}},
                        {{2, 3, 4, 5}, {0, 0, 1, 1}, {0, 0, 1, 1}},
                        {{1, 6}, {2, -7}, {0, 4}},
                        {{2, 3, 4, 5}, {0, 2, 1, 0}, {0, 1, 3, 0}},
                        {{3, 40, 2}, {1, 30, 0}, {0, 70, 0}},
                        {{2, 5, 3, 30}, {0, 2, 0, 0}, {0, 1, 0, 0}},
                        {{2, 5, 3, 100}, {1, -2, 0, 0}, {0, 1, 0, 0}},
                        {{4, 7}, {-2, 3}, {3, -4}},
                        {{6, 5, 16}, {4, -3, 0}, {-3, 2, 0}}};
  for (const Case& c : cases) {
    for (const PadMode mode : {PadMode::constant, PadMode::edge, PadMode::reflect, PadMode::wrap}) {
      for (const int size : kSizes) {
        PadArgs args;
        args.elem_size = size;
        args.mode = mode;
        args.rank = static_cast<int>(c.extent.size());
        Dims out;
        for (std::size_t d = 0; d < c.extent.size(); ++d) {
          args.extent[d] = c.extent[d];
          args.before[d] = c.before[d];
          args.after[d] = c.after[d];
          out.push_back(args.out_extent(static_cast<int>(d)));
          if (mode != PadMode::constant && args.kept(static_cast<int>(d)) < 1) out[0] = 0;  // nothing to pad with
        }
        if (product(out) == 0) continue;
        GuardedBuffer<std::uint8_t> src = random_bytes(product(c.extent) * size, Edge::kBack);
        GuardedBuffer<std::uint8_t> value = random_bytes(size, Edge::kFront);
        GuardedBuffer<std::uint8_t> dst = random_bytes(product(out) * size, Edge::kBack);
        args.src = src.data();
        args.dst = dst.data();
        args.value = value.data();
        pad(kernels(), team, args);
        const Dims strides = dense_strides(c.extent);
        for (std::int64_t flat = 0; flat < product(out); ++flat) {
          std::int64_t rest = flat, from = 0;
          bool outside = false;
          for (std::size_t d = out.size(); d-- > 0;) {
            // What is left after cropping is padded.
            const std::int64_t low = std::max<std::int64_t>(0, -c.before[d]);
            const std::int64_t kept = c.extent[d] - low + std::min<std::int64_t>(0, c.after[d]);
            const std::int64_t at = pad_source(mode, rest % out[d] - std::max<std::int64_t>(0, c.before[d]), kept);
            outside |= at < 0;
            from += (low + at) * strides[d];
            rest /= out[d];
          }
          const std::uint8_t* want = outside ? value.data() : src.data() + from * size;
          ASSERT_EQ(std::memcmp(dst.data() + flat * size, want, static_cast<std::size_t>(size)), 0)
              << "mode " << static_cast<int>(mode) << " at " << flat;
        }
      }
    }
  }
}

TEST_P(Movement, Gather) {
  Team team(2);
  for (const int size : kSizes) {
    for (const std::int64_t inner : {0, 1, 2, 3, 40}) {
      const std::int64_t outer = 3, n = 11, count = 29;
      GuardedBuffer<std::uint8_t> data = random_bytes(outer * n * inner * size, Edge::kBack);
      GuardedBuffer<std::uint8_t> out = random_bytes(outer * count * inner * size, Edge::kFront);
      GuardedBuffer<std::int32_t> index(static_cast<std::size_t>(count));
      for (std::int32_t& i : index) i = static_cast<std::int32_t>(random_.integer(-n, n - 1));
      GatherArgs args{.elem_size = size,
                      .data = data.data(),
                      .out = out.data(),
                      .index = {index.data(), false},
                      .outer = outer,
                      .n = n,
                      .inner = inner,
                      .count = count};
      ASSERT_TRUE(gather(kernels(), team, args).ok());
      const std::int64_t slice = inner * size;
      for (std::int64_t i = 0; i < outer * count; ++i) {
        const std::int64_t at = index.data()[i % count];
        const std::int64_t from = i / count * n + (at < 0 ? at + n : at);
        ASSERT_TRUE(std::equal(out.data() + i * slice, out.data() + (i + 1) * slice, data.data() + from * slice));
      }
      index[17] = 11;
      index[23] = -12;
      const Status status = gather(kernels(), team, args);
      EXPECT_EQ(status.code, StatusCode::kIndexOutOfRange);
      EXPECT_EQ(status.at, 17);
    }
  }
}

TEST_P(Movement, GatherElements) {
  Team team(2);
  const Dims data_shape = {4, 5, 6}, shape = {3, 5, 2};
  const Dims strides = dense_strides(data_shape);
  for (const int size : kSizes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t n = data_shape[axis];
      GuardedBuffer<std::uint8_t> data = random_bytes(product(data_shape) * size, Edge::kBack);
      GuardedBuffer<std::uint8_t> out = random_bytes(product(shape) * size, Edge::kBack);
      GuardedBuffer<std::int64_t> index(static_cast<std::size_t>(product(shape)));
      for (std::int64_t& i : index) i = random_.integer(-n, n - 1);
      GatherElementsArgs args{.elem_size = size,
                              .data = data.data(),
                              .out = out.data(),
                              .index = {index.data(), true},
                              .rank = 3,
                              .axis = static_cast<int>(axis)};
      std::copy(shape.begin(), shape.end(), args.extent);
      std::copy(data_shape.begin(), data_shape.end(), args.data_extent);
      ASSERT_TRUE(gather_elements(kernels(), team, args).ok());
      for (std::int64_t flat = 0; flat < product(shape); ++flat) {
        std::int64_t rest = flat, from = 0;
        for (std::size_t d = 3; d-- > 0;) {
          std::int64_t at = rest % shape[d];
          if (d == axis) at = index.data()[flat] < 0 ? index.data()[flat] + n : index.data()[flat];
          from += at * strides[d];
          rest /= shape[d];
        }
        ASSERT_EQ(std::memcmp(out.data() + flat * size, data.data() + from * size, static_cast<std::size_t>(size)), 0);
      }
      index[9] = n;
      EXPECT_EQ(gather_elements(kernels(), team, args).at, 9);
    }
  }
}

TEST_P(Movement, GatherAndScatterOfSlices) {
  Team team(2);
  const std::int64_t batch = 2, count = 7, inner = 3;
  for (const int size : kSizes) {
    const std::int64_t slice = inner * size;
    GuardedBuffer<std::uint8_t> data = random_bytes(batch * 4 * 5 * slice, Edge::kBack);
    GuardedBuffer<std::uint8_t> slices = random_bytes(batch * count * slice, Edge::kBack);
    GuardedBuffer<std::int64_t> index(static_cast<std::size_t>(batch * count * 2));
    for (std::size_t i = 0; i < index.size(); ++i)
      index[i] = i % 2 == 0 ? random_.integer(-4, 3) : random_.integer(-5, 4);
    SliceArgs args{.elem_size = size,
                   .data = data.data(),
                   .slices = slices.data(),
                   .index = {index.data(), true},
                   .batch = batch,
                   .count = count,
                   .inner = inner,
                   .depth = 2,
                   .extent = {4, 5}};
    ASSERT_TRUE(gather_nd(kernels(), team, args).ok());
    const auto place = [&](std::int64_t i) {
      const std::int64_t a = index.data()[2 * i], b = index.data()[2 * i + 1];
      return ((i / count * 4 + (a < 0 ? a + 4 : a)) * 5 + (b < 0 ? b + 5 : b)) * slice;
    };
    for (std::int64_t i = 0; i < batch * count; ++i) {
      ASSERT_EQ(std::memcmp(slices.data() + i * slice, data.data() + place(i), static_cast<std::size_t>(slice)), 0);
    }
    for (std::uint8_t& b : slices) b = static_cast<std::uint8_t>(random_.bits());
    std::vector<std::uint8_t> want(data.begin(), data.end());
    for (std::int64_t i = 0; i < batch * count; ++i) {
      std::memcpy(want.data() + place(i), slices.data() + i * slice, static_cast<std::size_t>(slice));
    }
    ASSERT_TRUE(scatter_nd(kernels(), team, args).ok());
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin()));
    index[5] = 5;
    EXPECT_EQ(gather_nd(kernels(), team, args).at, 5);
    EXPECT_EQ(scatter_nd(kernels(), team, args).at, 5);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin())) << "a failing scatter writes nothing";
  }
}

// Each element on its own, in order.
template <class T>
void check_scatter(const MoveTable& table, ScatterOp op, Elem type, int axis, Edge edge) {
  constexpr std::int64_t kData[] = {3, 4, 70}, kExtent[] = {2, 3, 65};
  Random random(static_cast<std::uint64_t>(axis) + 1);
  std::int64_t extent[3], total = 1;
  for (int d = 0; d < 3; ++d) total *= extent[d] = d == axis ? 2 * kData[d] + 1 : kExtent[d];
  std::vector<T> values(3 * 4 * 70), with(static_cast<std::size_t>(total));
  for (T& v : values) v = static_cast<T>(random.integer(-9, 9));
  for (T& v : with) v = static_cast<T>(random.integer(-9, 9));
  std::vector<std::int64_t> at(static_cast<std::size_t>(total));
  for (auto& i : at) i = random.integer(-kData[axis], kData[axis] - 1);
  std::vector<T> want = values;
  for (std::int64_t i = 0; i < total; ++i) {
    std::int64_t place[] = {i / extent[2] / extent[1], i / extent[2] % extent[1], i % extent[2]};
    const auto k = static_cast<std::size_t>(i);
    place[axis] = at[k] < 0 ? at[k] + kData[axis] : at[k];
    T& to = want[static_cast<std::size_t>((place[0] * kData[1] + place[1]) * kData[2] + place[2])];
    to = op == ScatterOp::none  ? with[k]
         : op == ScatterOp::add ? static_cast<T>(to + with[k])
         : op == ScatterOp::mul ? static_cast<T>(to * with[k])
         : op == ScatterOp::max ? std::max(to, with[k])
                                : std::min(to, with[k]);
  }
  for (const int threads : {1, 2}) {
    Team team(threads);
    GuardedBuffer<T> data(values, edge), updates(with, edge);
    GuardedBuffer<std::int64_t> index(at, edge);
    ScatterElementsArgs args;
    args.elem_size = sizeof(T);
    args.op = op, args.type = type;
    args.data = data.data(), args.updates = updates.data(), args.index.data = index.data();
    args.rank = 3, args.axis = axis;
    std::copy(extent, extent + 3, args.extent);
    std::copy(kData, kData + 3, args.data_extent);
    ASSERT_TRUE(scatter_elements(table, team, args).ok());
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin())) << "axis " << axis;
    index[17] = kData[axis];
    EXPECT_EQ(scatter_elements(table, team, args).at, 17);
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin())) << "a failing scatter writes nothing";
  }
}

TEST_P(Movement, ScattersElements) {
  for (const Edge edge : kEdges)
    for (int axis = 0; axis < 3; ++axis) {
      check_scatter<std::uint8_t>(kernels(), ScatterOp::none, Elem::u8, axis, edge);
      check_scatter<std::uint16_t>(kernels(), ScatterOp::none, Elem::f16, axis, edge);
      for (const ScatterOp op : {ScatterOp::none, ScatterOp::add, ScatterOp::mul, ScatterOp::max, ScatterOp::min}) {
        check_scatter<float>(kernels(), op, Elem::f32, axis, edge);
        check_scatter<double>(kernels(), op, Elem::f64, axis, edge);
        check_scatter<std::int32_t>(kernels(), op, Elem::i32, axis, edge);
        check_scatter<std::int64_t>(kernels(), op, Elem::i64, axis, edge);
      }
    }
}

template <class T>
void check_slices(const MoveTable& table, ScatterOp op, Elem type, std::int64_t inner, Edge edge) {
  constexpr std::int64_t kRows = 5, kColumns = 3, kTuples = 40;
  Random random(static_cast<std::uint64_t>(inner));
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  GuardedBuffer<T> data(count(kRows * kColumns * inner), edge), slices(count(kTuples * inner), edge);
  for (T& v : data) v = static_cast<T>(random.integer(-2, 2));
  for (T& v : slices) v = static_cast<T>(random.integer(-2, 2));
  std::vector<T> want(data.begin(), data.end());
  for (const bool wide : {true, false}) {
    GuardedBuffer<std::int64_t> index(count(2 * kTuples), edge);
    GuardedBuffer<std::int32_t> narrow(index.size(), edge);
    for (std::int64_t i = 0; i < kTuples; ++i) {
      index[count(2 * i)] = random.integer(-kRows, kRows - 1);
      index[count(2 * i + 1)] = random.integer(-kColumns, kColumns - 1);
    }
    for (std::size_t i = 0; i < index.size(); ++i) narrow[i] = static_cast<std::int32_t>(index[i]);
    for (std::int64_t i = 0; i < kTuples; ++i) {
      const std::int64_t row = index[count(2 * i)], column = index[count(2 * i + 1)];
      const std::int64_t place = (row + (row < 0 ? kRows : 0)) * kColumns + column + (column < 0 ? kColumns : 0);
      for (std::int64_t k = 0; k < inner; ++k) {
        T& to = want[count(place * inner + k)];
        const T with = slices[count(i * inner + k)];
        to = op == ScatterOp::none  ? with
             : op == ScatterOp::add ? static_cast<T>(to + with)
             : op == ScatterOp::mul ? static_cast<T>(to * with)
             : op == ScatterOp::max ? std::max(to, with)
                                    : std::min(to, with);
      }
    }
    SliceArgs args;
    args.elem_size = sizeof(T), args.op = op, args.type = type;
    args.data = data.data(), args.slices = slices.data();
    args.index = {wide ? static_cast<const void*>(index.data()) : narrow.data(), wide};
    args.count = kTuples, args.inner = inner, args.depth = 2, args.extent[0] = kRows, args.extent[1] = kColumns;
    Team team(2);
    ASSERT_TRUE(scatter_nd(table, team, args).ok());
    EXPECT_TRUE(std::equal(want.begin(), want.end(), data.begin())) << "slices of " << inner;
  }
}

TEST_P(Movement, ScattersSlices) {
  for (const Edge edge : kEdges)
    for (const std::int64_t inner : {1, 3, 100, 3000}) {
      check_slices<std::uint8_t>(kernels(), ScatterOp::none, Elem::u8, inner, edge);
      check_slices<std::uint16_t>(kernels(), ScatterOp::none, Elem::f16, inner, edge);
      for (const ScatterOp op : {ScatterOp::none, ScatterOp::add, ScatterOp::max, ScatterOp::min}) {
        check_slices<float>(kernels(), op, Elem::f32, inner, edge);
        check_slices<double>(kernels(), op, Elem::f64, inner, edge);
        check_slices<std::int32_t>(kernels(), op, Elem::i32, inner, edge);
        check_slices<std::int64_t>(kernels(), op, Elem::i64, inner, edge);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Tiers, Movement, ::testing::ValuesIn(machine_tiers()),
                         [](const auto& tier) { return std::string(tier_name(tier.param)); });

}  // namespace
}  // namespace tc::kernels
