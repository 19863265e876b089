// Keys and words of tc::random: known answers, JAX's layout, and what goes wrong.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "helpers.h"
#include "tc/ir/eval/interp.h"
#include "tc/kernels/cpu.h"

namespace tc {
namespace {

using Block = std::array<uint32_t, 2>;

// Threefry2x32-20 written down once more, of single words.
Block threefry(Block key, Block x) {
  constexpr int kBy[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t k[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += k[0], x[1] += k[1];
  for (uint32_t r = 0; r < 20; ++r) {
    x[0] += x[1];
    x[1] = (x[1] << kBy[r % 8]) | (x[1] >> (32 - kBy[r % 8]));
    x[1] ^= x[0];
    if (r % 4 != 3) continue;
    const uint32_t s = r / 4 + 1;
    x[0] += k[s % 3], x[1] += k[(s + 1) % 3] + s;
  }
  return x;
}

Tensor key_of(Block k) {
  return Tensor::of<uint32_t>({2}, {k[0], k[1]});
}

// The key is an input: nothing is known before the run.
template <class F>
Function of_key(F f) {
  return trace("f", {{"key", u32, {2}}}, [&](Var k) { return f(random::wrap_key_data(std::move(k))); });
}

template <class T>
std::vector<T> values(const Tensor& t) {
  return {t.span<T>().begin(), t.span<T>().end()};
}

constexpr Block kKey = {0x13198a2e, 0x03707344};

TEST(RandomWords, AreTheKnownAnswers) {
  EXPECT_EQ(threefry({0, 0}, {0, 0}), (Block{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry(kKey, {0x243f6a88, 0x85a308d3}), (Block{0xc4923a9c, 0x483df7a0}));
  const Function f = of_key([](const random::Key& k) { return random::bits(k, {1}, u64); });
  EXPECT_EQ(compile(f)({key_of({0, 0})})[0].span<uint64_t>()[0], 0x6b20015999ba4efeu);
}

TEST(RandomWords, AreCountedByTheFlatIndex) {
  const Function narrow = of_key([](const random::Key& k) { return random::bits(k, {3, 5}); });
  const Function wide = of_key([](const random::Key& k) { return random::bits(k, {3, 5}, u64); });
  const auto words = values<uint32_t>(compile(narrow)({key_of(kKey)})[0]);
  const auto pairs = values<uint64_t>(compile(wide)({key_of(kKey)})[0]);
  ASSERT_EQ(words.size(), 15u);
  for (uint32_t i = 0; i < 15; ++i) {
    const Block b = threefry(kKey, {0, i});
    EXPECT_EQ(words[i], b[0] ^ b[1]);
    EXPECT_EQ(pairs[i], (uint64_t{b[0]} << 32) | b[1]);
  }
}

TEST(RandomWords, AreTheSameWhateverRunsThem) {
  const Function f = of_key([](const random::Key& k) { return random::bits(k, {1000}, u64); });
  const auto want = values<uint64_t>(interpret(f.module(), {key_of(kKey)})[0].tensor());
  for (const std::string& isa : kernels::tier_names())
    for (const int threads : {1, 2})
      for (const int level : {0, 2})
        EXPECT_EQ(values<uint64_t>(compile(f, {.level = level, .threads = threads, .isa = isa})({key_of(kKey)})[0]),
                  want)
            << isa << ", level " << level << ", threads " << threads;
}

TEST(RandomWords, TakeSymbolicAndComputedShapes) {
  const Function f = trace("f", {{"key", u32, {2}}, {"x", f32, {"n", 2}}}, [](Var k, Var x) {
    const random::Key key = random::wrap_key_data(std::move(k));
    return std::vector<Var>{random::bits(key, x.shape()), random::bits(key, shape_of(x) + 1)};
  });
  const auto y = compile(f)({key_of(kKey), Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(y[0].extents(), (Extents{3, 2}));
  ASSERT_EQ(y[1].extents(), (Extents{4, 3}));
  for (uint32_t i = 0; i < 12; ++i) {
    const Block b = threefry(kKey, {0, i});
    if (i < 6) {
      EXPECT_EQ(y[0].span<uint32_t>()[i], b[0] ^ b[1]);
    }
    EXPECT_EQ(y[1].span<uint32_t>()[i], b[0] ^ b[1]);
  }
  const Function none = of_key([](const random::Key& k) { return random::bits(k, {0, 3}); });
  EXPECT_EQ(compile(none)({key_of(kKey)})[0].extents(), (Extents{0, 3}));
}

TEST(RandomKeys, AreTheSeedsWords) {
  const Function f = trace("f", {{"a", i64, {}}, {"b", i32, {}}}, [](Var a, Var b) {
    return std::vector<Var>{random::key(a).data, random::key(b).data, random::key(0x100000002).data,
                            random::key(-1).data};
  });
  const auto y = compile(f)({Tensor::of<int64_t>({}, {0x123456789abcdef0}), Tensor::of<int32_t>({}, {-2})});
  EXPECT_EQ(values<uint32_t>(y[0]), (std::vector<uint32_t>{0x12345678, 0x9abcdef0}));
  EXPECT_EQ(values<uint32_t>(y[1]), (std::vector<uint32_t>{0, 0xfffffffe}));
  EXPECT_EQ(values<uint32_t>(y[2]), (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(values<uint32_t>(y[3]), (std::vector<uint32_t>{0xffffffff, 0xffffffff}));
}

TEST(RandomKeys, SplitAndFoldAsInJax) {
  const Function f = of_key([](const random::Key& k) {
    const auto three = random::split(k, 3);
    return std::vector<Var>{random::split_data(k, 3), three[2].data, random::fold_in(k, 7).data,
                            random::fold_in(k, 0xffffffff).data};
  });
  // jax.random.split(jax.random.key(0)) begins with these.
  const auto zero = values<uint32_t>(compile(f)({key_of({0, 0})})[0]);
  EXPECT_EQ(std::vector<uint32_t>(zero.begin(), zero.begin() + 4),
            (std::vector<uint32_t>{1797259609, 2579123966, 928981903, 3453687069}));
  const auto y = compile(f)({key_of(kKey)});
  for (uint32_t i = 0; i < 3; ++i)
    for (uint32_t j = 0; j < 2; ++j) EXPECT_EQ(y[0].span<uint32_t>()[2 * i + j], threefry(kKey, {0, i})[j]);
  const auto is = [&](size_t output, Block b) {
    EXPECT_EQ(values<uint32_t>(y[output]), (std::vector<uint32_t>{b[0], b[1]}));
  };
  is(1, threefry(kKey, {0, 2}));
  is(2, threefry(kKey, {0, 7}));
  is(3, threefry(kKey, {0, 0xffffffff}));
}

TEST(RandomKeys, AreRefusedAtTheUsersLine) {
  const auto in_trace = [](DType t, std::vector<Extent> shape, auto f) {
    return what([&] { return trace("f", {{"x", t, shape}}, [&](Var x) { return f(x); }); });
  };
  const auto bits_of = [](Var x) { return random::bits({std::move(x)}, {3}); };
  const std::string here = "random_test.cc";
  EXPECT_TRUE(contains(in_trace(i32, {2}, bits_of), "bad-type"));
  EXPECT_TRUE(contains(in_trace(i32, {2}, bits_of), "expected u32[2]"));
  EXPECT_TRUE(contains(in_trace(i32, {2}, bits_of), here));
  EXPECT_TRUE(contains(in_trace(u32, {3}, bits_of), "bad-shape"));
  EXPECT_TRUE(contains(in_trace(u32, {3}, bits_of), here));
  EXPECT_TRUE(contains(in_trace(u32, {2, 2}, [](Var x) { return random::wrap_key_data(x).data; }), "bad-shape"));
  EXPECT_TRUE(contains(in_trace(f32, {}, [](Var x) { return random::key(x).data; }), "bad-type"));
  EXPECT_TRUE(contains(in_trace(i64, {1}, [](Var x) { return random::key(x).data; }), "expected a scalar"));
  EXPECT_TRUE(contains(in_trace(u32, {2}, [](Var x) { return random::bits({x}, {3}, f32); }), "expected u32 or u64"));
  EXPECT_TRUE(contains(in_trace(u32, {2}, [](Var x) { return random::bits({x}, {-3}); }), here));
  EXPECT_TRUE(contains(in_trace(u32, {2}, [](Var x) { return random::split({x}, 0)[0].data; }), "bad-argument"));
  EXPECT_TRUE(contains(in_trace(u32, {2}, [](Var) { return random::bits({}, {3}); }), "undefined"));
}

}  // namespace
}  // namespace tc
