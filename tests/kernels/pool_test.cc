// Pooling of every tier and layout against double precision, on buffers that end at guard pages.
#include "tc/kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <cmath>

#include "guard.h"
#include "tc/kernels/parallel.h"
#include "tc/kernels/table.h"

namespace tc::kernels {
namespace {

using testing::Edge;
using testing::GuardedBuffer;
using testing::Random;

size_t count(int64_t v) {
  return static_cast<size_t>(v);
}
int64_t volume(const int64_t (&v)[3]) {
  return v[0] * v[1] * v[2];
}

// lanes: 1, or 16 interleaved ones.
std::vector<double> reference(const PoolArgs& g, int64_t lanes) {
  const PoolShape& s = g.shape;
  std::vector<double> y;
  for (int64_t plane = 0; plane < s.planes; ++plane) {
    for (int64_t o = 0; o < volume(s.out); ++o) {
      const int64_t at[3] = {o / s.out[2] / s.out[1], o / s.out[2] % s.out[1], o % s.out[2]};
      for (int64_t lane = 0; lane < lanes; ++lane) {
        double sum = 0, best = -INFINITY;
        int64_t inside = 0, padded = 0;
        for (int64_t t = 0; t < volume(s.kernel); ++t) {
          const int64_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
          bool in = true, in_padded = true;
          int64_t from = plane;
          for (int a = 0; a < 3; ++a) {
            const int64_t c = at[a] * s.stride[a] + k[a] * s.dilation[a] - s.pad[a];
            in = in && c >= 0 && c < s.in[a];
            in_padded = in_padded && c < s.in[a] + s.pad_end[a];
            from = from * s.in[a] + c;
          }
          padded += in_padded;
          if (!in) continue;
          ++inside;
          const double v = double{g.x[from * lanes + lane]};
          sum += v;
          best = std::isnan(best) || best > v ? best : v;
        }
        const int64_t taps = g.count_include_pad ? padded : inside;
        y.push_back(g.kind == PoolKind::max ? best : sum / static_cast<double>(taps));
      }
    }
  }
  return y;
}

void check(const PoolShape& shape) {
  Team one(1);
  for (const Tier tier : testing::machine_tiers()) {
    for (const Edge edge : testing::kEdges) {
      for (const bool blocked : {false, true}) {
        for (const PoolKind kind : {PoolKind::max, PoolKind::average}) {
          for (const bool include : {false, true}) {
            SCOPED_TRACE(std::string(tier_name(tier)) + " width " + std::to_string(shape.in[2]) + " kernel " +
                         std::to_string(shape.kernel[2]) + " stride " + std::to_string(shape.stride[2]) + " pad " +
                         std::to_string(shape.pad[2]) + (blocked ? " blocked" : ""));
            const int64_t lanes = blocked ? 16 : 1;
            Random random(3);
            GuardedBuffer<float> x(random.floats(count(shape.planes * volume(shape.in) * lanes)), edge);
            GuardedBuffer<float> y(count(shape.planes * volume(shape.out) * lanes), edge);
            PoolArgs g;
            g.shape = shape;
            g.shape.blocked = blocked;
            g.kind = kind;
            g.count_include_pad = include;
            g.x = x.data(), g.y = y.data();
            pool(one, table(tier).pool, g);
            const std::vector<double> truth = reference(g, lanes);
            ASSERT_EQ(truth.size(), y.size());
            for (size_t i = 0; i < truth.size(); ++i) {
              if (std::isnan(truth[i])) {
                ASSERT_TRUE(std::isnan(y[i])) << i;
              } else if (std::isinf(truth[i])) {
                ASSERT_EQ(double{y[i]}, truth[i]) << i;
              } else {
                ASSERT_NEAR(y[i], truth[i], 2e-6) << i;
              }
            }
          }
        }
      }
    }
  }
}

// Of other element types, in plain layout.
// Maxima of a tensor in blocks of 16 channels are those of the plain one.
template <class T>
void check_blocked_bytes(Team& team, const PoolTable& table, PoolAnyArgs g, std::span<const T> x,
                         std::span<const T> y) {
  constexpr size_t kBlock = 16;
  const auto channels = static_cast<size_t>(g.shape.planes), blocks = (channels + kBlock - 1) / kBlock;
  const size_t in = x.size() / channels, out = y.size() / channels;
  GuardedBuffer<T> from(blocks * in * kBlock, Edge::kBack), to(blocks * out * kBlock, Edge::kBack);
  const auto place = [](size_t c, size_t i, size_t pixels) { return (c / kBlock * pixels + i) * kBlock + c % kBlock; };
  for (size_t c = 0; c < channels; ++c)
    for (size_t i = 0; i < in; ++i) from[place(c, i, in)] = x[c * in + i];
  g.shape.blocked = true, g.shape.planes = static_cast<int64_t>(blocks);
  g.x = from.data(), g.y = to.data();
  pool(team, table, g);
  for (size_t c = 0; c < channels; ++c)
    for (size_t i = 0; i < out; ++i) ASSERT_EQ(to[place(c, i, out)], y[c * out + i]) << c << ", " << i;
}

template <class T>
void check_any(const PoolShape& shape, Elem type) {
  for (const Tier tier : testing::machine_tiers())
    for (const Edge edge : testing::kEdges)
      for (const PoolKind kind : {PoolKind::max, PoolKind::average}) {
        if (kind == PoolKind::average && std::is_integral_v<T>) continue;
        for (const bool include : {false, true}) {
          SCOPED_TRACE(std::string(tier_name(tier)) + " " + elem_name(type) + " width " + std::to_string(shape.in[2]) +
                       " kernel " + std::to_string(shape.kernel[2]) + " stride " + std::to_string(shape.stride[2]));
          Team two(2);
          Random random(3);
          std::vector<T> values(count(shape.planes * volume(shape.in)));
          std::vector<float> as_floats;  // the same numbers
          for (T& v : values) {
            v = static_cast<T>(random.integer(std::is_unsigned_v<T> ? 0 : -100, 100));
            as_floats.push_back(static_cast<float>(v));
          }
          GuardedBuffer<T> x(values, edge), y(count(shape.planes * volume(shape.out)), edge), again(y.size(), edge);
          GuardedBuffer<int64_t> places(y.size(), edge);
          PoolAnyArgs g{shape, kind, include, type, x.data(), y.data()};
          pool(two, table(tier).pool, g);
          const std::vector<double> truth =
              reference({.shape = shape, .kind = kind, .count_include_pad = include, .x = as_floats.data()}, 1);
          for (size_t i = 0; i < truth.size(); ++i) {
            if (std::isnan(truth[i])) {
              ASSERT_TRUE(std::isnan(static_cast<double>(y[i]))) << i;
            } else if (std::isinf(truth[i])) {
              ASSERT_EQ(y[i], std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : static_cast<T>(truth[i])) << i;
            } else {
              ASSERT_NEAR(static_cast<double>(y[i]), truth[i], 1e-13) << i;
            }
          }
          if (kind == PoolKind::average) continue;
          if (sizeof(T) == 1) check_blocked_bytes(two, table(tier).pool, g, x.span(), y.span());
          g.y = again.data(), g.places = places.data();
          pool(two, table(tier).pool, g);
          for (size_t i = 0; i < y.size(); ++i) {
            ASSERT_EQ(again[i], y[i]) << i;
            if (places[i] >= 0) {
              ASSERT_EQ(x[count(places[i])], y[i]) << i;
            }
            ASSERT_EQ(places[i] < 0, std::isinf(truth[i])) << i;
          }
        }
      }
}

PoolShape shape_2d(int64_t h, int64_t w, int64_t k, int64_t stride, int64_t pad, int64_t dilation, bool ceil_mode) {
  PoolShape s;
  s.planes = 3;
  s.in[1] = h, s.in[2] = w;
  for (const int a : {1, 2}) {
    s.kernel[a] = k, s.stride[a] = stride, s.dilation[a] = dilation, s.pad[a] = s.pad_end[a] = pad;
    const int64_t room = s.in[a] + 2 * pad - (k - 1) * dilation - 1;
    s.out[a] = room < 0 ? 0 : (ceil_mode ? (room + stride - 1) / stride : room / stride) + 1;
  }
  return s;
}

void check_other_types(const PoolShape& shape) {
  check_any<double>(shape, Elem::f64);
  check_any<uint8_t>(shape, Elem::u8);
  check_any<int8_t>(shape, Elem::i8);
}

TEST(Pool, OtherTypes) {
  for (int64_t w = 1; w <= 40; w += w < 20 ? 1 : 7)
    for (const int64_t k : {1, 2, 3})
      for (const int64_t stride : {1, 2, 3}) check_other_types(shape_2d(5, w, k, stride, k / 2, 1, w % 2 == 0));
  check_other_types(shape_2d(11, 150, 3, 1, 0, 2, false));
  check_other_types(shape_2d(11, 50, 3, 2, 2, 2, true));
  PoolShape s = shape_2d(6, 7, 2, 1, 0, 1, false);
  s.in[0] = 4, s.kernel[0] = 3, s.pad[0] = s.pad_end[0] = 2, s.out[0] = 6;
  check_other_types(s);
  // Wider than a line.
  check_other_types(shape_2d(3, 300, 3, 1, 1, 1, false));
  check_other_types(shape_2d(3, 600, 3, 290, 1, 1, true));
  s = shape_2d(1, 900, 1, 1, 0, 1, false);
  s.kernel[2] = 300, s.stride[2] = 120, s.pad[2] = s.pad_end[2] = 310;
  s.out[2] = (1520 - 300) / 120 + 1;
  check_other_types(s);
}

TEST(Pool, EveryWidthStrideAndPad) {
  for (int64_t w = 1; w <= 40; ++w) {
    for (const int64_t k : {1, 2, 3}) {
      for (const int64_t stride : {1, 2, 3}) check(shape_2d(5, w, k, stride, k / 2, 1, w % 2 == 0));
    }
  }
  check(shape_2d(11, 50, 3, 1, 0, 2, false));
  check(shape_2d(11, 50, 3, 2, 2, 2, true));
}

// Blocks of small planes, and those that no block takes.
TEST(Pool, ManyPlanes) {
  for (const int64_t w : {1, 7, 10, 17, 28})
    for (const int64_t k : {2, 3})
      for (const int64_t stride : {1, 2}) {
        PoolShape s = shape_2d(w, w, k, stride, k / 2, 1, w % 2 == 0);
        s.planes = 18;
        check(s);
      }
  PoolShape s = shape_2d(6, 20, 3, 2, 1, 1, false);
  s.in[0] = 5, s.kernel[0] = 2, s.stride[0] = 2, s.pad[0] = 1, s.pad_end[0] = 0, s.out[0] = 3, s.planes = 18;
  check(s);
}

TEST(Pool, WideLinesAndWindows) {
  for (const int64_t stride : {1, 2, 3, 150}) check(shape_2d(2, 5000, 3, stride, 1, 1, true));
  PoolShape s = shape_2d(1, 5000, 1, 1, 0, 1, false);
  for (const int64_t kernel : {700, 2048, 2500}) {
    s.kernel[2] = kernel, s.stride[2] = 120, s.pad[2] = s.pad_end[2] = 300;
    s.out[2] = (5600 - kernel) / 120 + 1;
    check(s);
  }
  s.stride[2] = 2100, s.kernel[2] = 2, s.out[2] = 5598 / 2100 + 1;
  check(s);
}

TEST(Pool, OneAndThreeAxes) {
  PoolShape s = shape_2d(6, 20, 3, 2, 1, 1, false);
  s.in[0] = 5, s.kernel[0] = 2, s.stride[0] = 2, s.pad[0] = 1, s.pad_end[0] = 0, s.out[0] = 3;
  check(s);
  s = shape_2d(1, 100, 1, 1, 0, 1, false);
  s.kernel[2] = 5, s.out[2] = 96;
  check(s);
}

// Few different values, so that maxima tie.
void check_places(const PoolShape& shape) {
  Team one(1);
  for (const Tier tier : testing::machine_tiers()) {
    for (const Edge edge : testing::kEdges) {
      SCOPED_TRACE(std::string(tier_name(tier)) + " width " + std::to_string(shape.in[2]) + " kernel " +
                   std::to_string(shape.kernel[2]) + " stride " + std::to_string(shape.stride[2]));
      Random random(4);
      std::vector<float> values = random.floats(count(shape.planes * volume(shape.in)));
      for (size_t i = 0; i < values.size(); ++i) values[i] = i % 13 == 5 ? std::nanf("") : std::round(2 * values[i]);
      GuardedBuffer<float> x(values, edge), y(count(shape.planes * volume(shape.out)), edge);
      GuardedBuffer<int64_t> places(y.size(), edge);
      PoolArgs g;
      g.shape = shape;
      g.x = x.data(), g.y = y.data(), g.places = places.data();
      pool(one, table(tier).pool, g);
      const PoolShape& s = shape;
      for (size_t i = 0; i < y.size(); ++i) {
        const int64_t o = static_cast<int64_t>(i) % volume(s.out), plane = static_cast<int64_t>(i) / volume(s.out);
        const int64_t at[3] = {o / s.out[2] / s.out[1], o / s.out[2] % s.out[1], o % s.out[2]};
        float best = -INFINITY;
        int64_t place = -1;
        for (int64_t t = 0; t < volume(s.kernel); ++t) {
          const int64_t k[3] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
          int64_t from = plane;
          bool in = true;
          for (int a = 0; a < 3; ++a) {
            const int64_t c = at[a] * s.stride[a] + k[a] * s.dilation[a] - s.pad[a];
            in = in && c >= 0 && c < s.in[a];
            from = from * s.in[a] + c;
          }
          if (!in) continue;
          const float v = x[count(from)];
          if (place < 0 || v > best || (std::isnan(v) && !std::isnan(best))) best = v, place = from;
        }
        ASSERT_EQ(places[i], place) << i;
        ASSERT_TRUE(y[i] == best || (std::isnan(y[i]) && std::isnan(best))) << i;
      }
    }
  }
}

TEST(Pool, PlacesOfMaxima) {
  for (int64_t w = 1; w <= 40; ++w)
    for (const int64_t k : {1, 2, 3})
      for (const int64_t stride : {1, 2, 3}) check_places(shape_2d(5, w, k, stride, k / 2, 1, w % 2 == 0));
  check_places(shape_2d(11, 50, 3, 2, 2, 2, true));
  check_places(shape_2d(4, 4, 1, 1, 2, 1, false));  // windows of nothing but padding
  PoolShape s = shape_2d(6, 20, 3, 2, 1, 1, false);
  s.in[0] = 5, s.kernel[0] = 2, s.stride[0] = 2, s.pad[0] = 1, s.pad_end[0] = 0, s.out[0] = 3;
  check_places(s);
}

TEST(Pool, ManyTilesAndThreads) {
  Team three(3);
  for (const Tier tier : testing::machine_tiers()) {
    for (const bool blocked : {false, true}) {
      PoolArgs g;
      g.shape = shape_2d(200, 210, 3, 1, 1, 1, false);
      g.shape.blocked = blocked;
      const int64_t lanes = blocked ? 16 : 1;
      Random random(3);
      const std::vector<float> x = random.floats(count(g.shape.planes * volume(g.shape.in) * lanes));
      std::vector<float> y(count(g.shape.planes * volume(g.shape.out) * lanes));
      g.x = x.data(), g.y = y.data();
      pool(three, table(tier).pool, g);
      const std::vector<double> truth = reference(g, lanes);
      for (size_t i = 0; i < truth.size(); ++i) ASSERT_EQ(double{y[i]}, truth[i]) << i;
    }
  }
}

TEST(Pool, NanWinsMaximum) {
  Team one(1);
  for (const Tier tier : testing::machine_tiers()) {
    for (const bool blocked : {false, true}) {
      for (const int64_t where : {0, 1, 2}) {
        const int64_t lanes = blocked ? 16 : 1;
        std::vector<float> x(count(3 * 40 * lanes), 1.0f);
        for (int64_t i = 0; i < 40 * lanes; ++i) x[count(where * 40 * lanes + i)] = std::nanf("");
        std::vector<float> y(count(40 * lanes));
        PoolArgs g;
        g.shape.in[1] = 3, g.shape.in[2] = g.shape.out[2] = 40, g.shape.kernel[1] = 3;
        g.shape.blocked = blocked;
        g.x = x.data(), g.y = y.data();
        pool(one, table(tier).pool, g);
        for (const float v : y) ASSERT_TRUE(std::isnan(v));
        std::vector<float> all(count(lanes));
        global_pool(one, table(tier).pool, PoolKind::max, blocked, x.data(), 1, 120, all.data());
        for (const float v : all) ASSERT_TRUE(std::isnan(v));
      }
    }
  }
}

template <class T>
void check_fold(const PoolShape& s, Edge edge) {
  const int64_t windows = s.out[0] * s.out[1] * s.out[2], taps = s.kernel[0] * s.kernel[1] * s.kernel[2];
  const int64_t pixels = s.in[0] * s.in[1] * s.in[2];
  Random random(4);
  GuardedBuffer<T> x(count(s.planes * taps * windows), edge), y(count(s.planes * pixels), edge);
  for (T& v : x) v = static_cast<T>(random.integer(-9, 9));
  std::vector<T> truth(y.size());
  size_t at = 0;
  for (int64_t p = 0; p < s.planes; ++p)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t o = 0; o < windows; ++o, ++at) {
        const int64_t tap[] = {t / s.kernel[2] / s.kernel[1], t / s.kernel[2] % s.kernel[1], t % s.kernel[2]};
        const int64_t window[] = {o / s.out[2] / s.out[1], o / s.out[2] % s.out[1], o % s.out[2]};
        int64_t place = p;
        bool inside = true;
        for (int a = 0; a < 3; ++a) {
          const int64_t i = window[a] * s.stride[a] - s.pad[a] + tap[a] * s.dilation[a];
          inside = inside && i >= 0 && i < s.in[a];
          place = place * s.in[a] + i;
        }
        if (inside) truth[count(place)] += x[at];
      }
  Team two(2);
  for (const Tier tier : testing::machine_tiers()) {
    std::fill(y.begin(), y.end(), T{7});
    fold_windows(two, table(tier).pool, {s, sizeof(T) == 8 ? Elem::f64 : Elem::f32, x.data(), y.data()});
    for (size_t i = 0; i < truth.size(); ++i) ASSERT_EQ(y[i], truth[i]) << tier_name(tier) << " at " << i;
  }
}

TEST(Pool, FoldsWindows) {
  for (const Edge edge : testing::kEdges)
    for (int64_t width = 1; width <= 40; ++width)
      for (const int64_t stride : {1, 2, 3})
        for (const int64_t dilation : {1, 2}) {
          PoolShape s;
          s.planes = 2;
          s.kernel[0] = 2, s.kernel[1] = s.kernel[2] = 3;
          s.in[0] = 3, s.in[1] = 4, s.in[2] = width;
          bool fits = true;
          for (int a = 0; a < 3; ++a) {
            s.stride[a] = stride, s.dilation[a] = dilation, s.pad[a] = a, s.pad_end[a] = 2;
            const int64_t room = s.in[a] + s.pad[a] + s.pad_end[a] - (s.kernel[a] - 1) * dilation - 1;
            fits = fits && room >= 0;
            s.out[a] = room / stride + 1;
          }
          if (!fits) continue;
          check_fold<float>(s, edge);
          check_fold<double>(s, edge);
        }
}

TEST(GlobalPool, EveryTail) {
  Team three(3);
  for (const Tier tier : testing::machine_tiers()) {
    for (const bool blocked : {false, true}) {
      for (const Edge edge : testing::kEdges) {
        for (int64_t pixels = 1; pixels <= 140; ++pixels) {
          const int64_t lanes = blocked ? 16 : 1;
          Random random(9);
          GuardedBuffer<float> x(random.floats(count(5 * pixels * lanes), -3, -1), edge);
          GuardedBuffer<float> y(count(5 * lanes), edge);
          for (const PoolKind kind : {PoolKind::max, PoolKind::average}) {
            global_pool(three, table(tier).pool, kind, blocked, x.data(), 5, pixels, y.data());
            for (int64_t i = 0; i < 5 * lanes; ++i) {
              double sum = 0, best = -INFINITY;
              for (int64_t p = 0; p < pixels; ++p) {
                const double v = double{x[count(((i / lanes) * pixels + p) * lanes + i % lanes)]};
                sum += v;
                best = std::fmax(best, v);
              }
              const double truth = kind == PoolKind::max ? best : sum / static_cast<double>(pixels);
              ASSERT_NEAR(y[count(i)], truth, kind == PoolKind::max ? 0 : 3e-6) << tier_name(tier) << " " << pixels;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tc::kernels
