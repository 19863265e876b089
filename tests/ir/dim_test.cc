#include <gtest/gtest.h>

#include <random>

#include "tc/ir/diag.h"
#include "tc/ir/type.h"

namespace tc {
namespace {

Dim sym(const char* name) {
  return Dim::symbol(name);
}

TEST(Dim, NormalFormIsCanonical) {
  const Dim n = sym("N"), m = sym("M");
  EXPECT_EQ((n + m).str(), (m + n).str());
  EXPECT_EQ((n * m + Dim(3)).str(), "M*N+3");
  EXPECT_EQ(n + n, n * Dim(2));
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ(n - n, Dim(0));
  EXPECT_TRUE((n - n).is_const());
  EXPECT_EQ((Dim(0) - n * Dim(2) + Dim(5)).str(), "-2*N+5");
  EXPECT_EQ((n * Dim(0)).str(), "0");
}

TEST(Dim, SymbolsNamedLikeExpressionsAreNotThem) {
  const Dim odd = sym("N+1");
  EXPECT_NE(odd, sym("N") + Dim(1));
  EXPECT_EQ(odd.str(), "\"N+1\"");
  EXPECT_TRUE(odd.is_symbol());
  EXPECT_EQ(odd.symbol_name(), "N+1");
  const auto v = odd.eval([](const std::string& s) { return s == "N+1" ? std::optional<int64_t>(7) : std::nullopt; });
  EXPECT_EQ(v, 7);
  EXPECT_EQ(sym("?3").str(), "?3");
  EXPECT_EQ(sym("3").str(), "\"3\"");
}

TEST(Dim, DivisionRules) {
  const Dim n = sym("N"), m = sym("M");
  EXPECT_EQ(floordiv(n * Dim(4), Dim(2)), n * Dim(2));
  EXPECT_EQ(floordiv(n * Dim(4) + Dim(3), Dim(2)), n * Dim(2) + Dim(1));
  EXPECT_EQ(floordiv(n * m, m), n);
  EXPECT_EQ(floordiv(floordiv(n, Dim(2)), Dim(3)), floordiv(n, Dim(6)));
  EXPECT_EQ(floordiv(floordiv(n + Dim(1), Dim(2)) + Dim(1), Dim(2)), floordiv(n + Dim(3), Dim(4)));
  EXPECT_EQ(ceildiv(n * Dim(2), Dim(2)), n);
  EXPECT_EQ(mod(n, Dim(1)), Dim(0));
  EXPECT_THROW(floordiv(n, Dim(0)), Error);
  EXPECT_THROW(mod(Dim(3), Dim(0)), Error);
}

TEST(Dim, BroadcastAndExtremes) {
  const Dim n = sym("N"), m = sym("M");
  EXPECT_EQ(broadcast(n, Dim(1)), n);
  EXPECT_EQ(broadcast(Dim(1), n), n);
  EXPECT_EQ(broadcast(n, Dim(5)), Dim(5));
  EXPECT_EQ(broadcast(n, m), broadcast(m, n));
  EXPECT_EQ(broadcast(n, min(n, Dim(512))), n);
  EXPECT_EQ(broadcast(min(Dim(512), n), n), n);
  const Dim pieces = floordiv(n, Dim(4)) - Dim(2);  // not known to be above 0 but for being an extent
  EXPECT_EQ(broadcast(pieces, max(Dim(0), pieces)), pieces);
  EXPECT_EQ(broadcast(max(Dim(1), pieces), pieces), pieces);
  EXPECT_NE(broadcast(pieces, max(Dim(2), pieces)), pieces);
  EXPECT_NE(broadcast(pieces, max(Dim(0), pieces - Dim(1))), pieces);
  EXPECT_EQ(max(n + Dim(1), n), n + Dim(1));
  EXPECT_EQ(min(n + Dim(1), n), n);
  EXPECT_EQ(max(n, Dim(0)), n);
  EXPECT_EQ(max(n, m), max(m, n));
}

TEST(Dim, OverflowIsAnError) {
  const Dim big = INT64_MAX, small = INT64_MIN, n = sym("N");
  EXPECT_THROW(big + Dim(1), Error);
  EXPECT_THROW(big * Dim(2), Error);
  EXPECT_THROW(n * big + n, Error);
  EXPECT_THROW(floordiv(small, Dim(-1)), Error);
  EXPECT_EQ(mod(small, Dim(-1)), Dim(0));
  EXPECT_EQ(mod(small, Dim(3)), Dim(1));
  EXPECT_THROW(floordiv(n * small, Dim(-1)), Error);
  EXPECT_THROW(floordiv(n * small, n * Dim(-1)), Error);
}

TEST(Dim, HugeExpressionsCollapseAndStayEqual) {
  Dim sum = 0;
  for (int i = 0; i < 2000; ++i) sum += sym(("symbol_" + std::to_string(i)).c_str());
  EXPECT_LT(sum.str().size(), 8192u);
  Dim wide = 0;
  for (int i = 0; i < 150; ++i) wide += sym(("s" + std::to_string(i)).c_str());
  EXPECT_EQ(wide * wide, wide * wide);
  EXPECT_TRUE((wide * wide).is_symbol());
}

TEST(Dim, LowerBound) {
  const Dim n = sym("N");
  EXPECT_EQ((n + Dim(3)).lower_bound(), 3);
  EXPECT_EQ((n - Dim(3)).lower_bound(), -3);
  EXPECT_LT((Dim(3) - n).lower_bound(), -1000);
}

// A random expression, built twice: as a Dim with all its simplifications, and as the plain value under a binding.
struct Pair {
  Dim dim;
  std::vector<std::optional<int64_t>> values;  // one per binding; nothing: undefined there
};

TEST(Dim, SimplificationsKeepTheValue) {
  constexpr int kBindings = 12;
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const char* const kNames[] = {"A", "B", "C"};
  std::vector<std::map<std::string, int64_t>> bindings(kBindings);
  for (auto& b : bindings)
    for (const char* name : kNames) b[name] = pick(9);
  int compared = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<Pair> pool;
    for (const char* name : kNames) {
      Pair p{Dim::symbol(name), {}};
      for (auto& b : bindings) p.values.emplace_back(b[name]);
      pool.push_back(p);
    }
    for (int64_t c : {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{pick(20) - 10}})
      pool.push_back({Dim(c), std::vector<std::optional<int64_t>>(kBindings, c)});
    for (int step = 0; step < 6; ++step) {
      const Pair &a = pool[static_cast<size_t>(pick(static_cast<int>(pool.size())))],
                 &b = pool[static_cast<size_t>(pick(static_cast<int>(pool.size())))];
      const int op = pick(8);
      Pair r;
      const auto apply = [&](auto&& f) {
        for (int k = 0; k < kBindings; ++k) {
          const auto x = a.values[static_cast<size_t>(k)], y = b.values[static_cast<size_t>(k)];
          r.values.push_back(x && y ? f(*x, *y) : std::nullopt);
        }
      };
      using Maybe = std::optional<int64_t>;
      // Truth in wide floating point: |values| stay far below 2^53.
      const auto floor_of = [](int64_t x, int64_t y) {
        return static_cast<int64_t>(std::floor(static_cast<long double>(x) / static_cast<long double>(y)));
      };
      try {
        switch (op) {
          case 0:
            r.dim = a.dim + b.dim;
            apply([](int64_t x, int64_t y) -> Maybe { return x + y; });
            break;
          case 1:
            r.dim = a.dim - b.dim;
            apply([](int64_t x, int64_t y) -> Maybe { return x - y; });
            break;
          case 2:
            r.dim = a.dim * b.dim;
            apply([](int64_t x, int64_t y) -> Maybe { return x * y; });
            break;
          case 3:
            r.dim = floordiv(a.dim, b.dim);
            apply([&](int64_t x, int64_t y) -> Maybe { return y ? Maybe(floor_of(x, y)) : Maybe(); });
            break;
          case 4:
            r.dim = ceildiv(a.dim, b.dim);
            apply([&](int64_t x, int64_t y) -> Maybe { return y ? Maybe(-floor_of(-x, y)) : Maybe(); });
            break;
          case 5:
            r.dim = mod(a.dim, b.dim);
            apply([&](int64_t x, int64_t y) -> Maybe { return y ? Maybe(x - y * floor_of(x, y)) : Maybe(); });
            break;
          case 6:
            r.dim = max(a.dim, b.dim);
            apply([](int64_t x, int64_t y) -> Maybe { return std::max(x, y); });
            break;
          case 7:
            r.dim = min(a.dim, b.dim);
            apply([](int64_t x, int64_t y) -> Maybe { return std::min(x, y); });
            break;
        }
      } catch (const Error&) {
        continue;  // division by a constant zero
      }
      bool tame = true;
      for (const auto& v : r.values) tame = tame && (!v || std::abs(*v) < (int64_t{1} << 40));
      if (!tame) continue;
      for (int k = 0; k < kBindings; ++k) {
        const auto truth = r.values[static_cast<size_t>(k)];
        if (!truth) continue;
        auto& binding = bindings[static_cast<size_t>(k)];
        const auto lookup = [&](const std::string& s) { return Maybe(binding[s]); };
        const auto got = r.dim.eval(lookup);
        ASSERT_TRUE(got && *got == *truth)
            << "op " << op << " of " << a.dim << " and " << b.dim << " = " << r.dim << ": got "
            << (got ? std::to_string(*got) : "nothing") << ", expected " << *truth;
        ASSERT_GE(*truth, r.dim.lower_bound()) << r.dim;
        const Dim bound = r.dim.substitute([&](const std::string& s) { return std::optional<Dim>(binding[s]); });
        ASSERT_EQ(bound, Dim(*truth)) << r.dim;
        ++compared;
      }
      pool.push_back(std::move(r));
    }
  }
  EXPECT_GT(compared, 100000);
}

TEST(Shape, LimitsAndCount) {
  EXPECT_THROW(Shape(Dims(kMaxRank + 1, Dim(1))), Error);
  EXPECT_EQ((Shape{2, sym("N")}).count(), sym("N") * Dim(2));
  EXPECT_EQ((Shape{INT64_MAX, INT64_MAX, 0}).count(), Dim(0));
  EXPECT_FALSE(Shape().ranked());
}

TEST(Type, Compatibility) {
  const auto t = [](Shape s) { return Type::tensor(DType::f32, std::move(s)); };
  EXPECT_TRUE(compatible(t({sym("N"), 3}), t({4, 3})));
  EXPECT_FALSE(compatible(t({sym("N"), 3}), t({4, 5})));
  EXPECT_FALSE(compatible(t({3}), t({3, 3})));
  EXPECT_TRUE(compatible(t({}), t(Shape())));
  EXPECT_FALSE(compatible(t({3}), Type::tensor(DType::f64, {3})));
  EXPECT_TRUE(compatible(Type::sequence(t({3})), Type::sequence(t(Shape()))));
  EXPECT_FALSE(compatible(Type::sequence(t({3})), Type::optional(t({3}))));
  EXPECT_FALSE(compatible(Type(), t({3})));
  EXPECT_EQ(Type::map(DType::i64, Type::sequence(t({sym("N")}))).str(), "map<i64,seq<f32[N]>>");
}

}  // namespace
}  // namespace tc
