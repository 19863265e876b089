#include "tc/frontend/dsl/random.h"

#include <array>
#include <optional>

#include "tc/frontend/dsl/creation.h"
#include "tc/frontend/dsl/elementwise.h"
#include "tc/frontend/dsl/index.h"
#include "tc/frontend/dsl/manipulation.h"
#include "tc/frontend/dsl/random_words.h"
#include "tc/frontend/dsl/reduce.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/draws.h"

namespace tc::random {

using namespace dsl;

namespace {

Var rotated(const Var& x, int by) {
  return (x << by) | (x >> (32 - by));
}

// Threefry2x32 of 20 rounds: the block of words that the key makes of the counter x.
Words threefry(const Var& key, Words x) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr int64_t kParity = 0x1BD11BDA;
  const Var k0 = key[0], k1 = key[1];
  const std::array<Var, 3> schedule = {k0, k1, k0 ^ k1 ^ kParity};
  x = {x.high + k0, x.low + k1};
  for (size_t group = 0; group < 5; ++group) {
    for (const int by : kRotations[group % 2]) {
      const Var sum = x.high + x.low;
      x = {sum, rotated(x.low, by) ^ sum};
    }
    const Var injected = schedule[(group + 2) % 3] + static_cast<int64_t>(group + 1);
    x = {x.high + schedule[(group + 1) % 3], x.low + injected};
  }
  return x;
}

// 0, 1, ... for the elements of a shape, as 64 bits in two words. The high one is a scalar where it is 0 for certain.
Words counters(const ShapeArg& shape) {
  const std::optional<Dims> dims = shape.dims();
  Arg size = int64_t{1};
  bool small = false;
  if (dims) {
    Dim product = 1;
    for (const Dim& d : *dims) product = product * d;
    small = product.is_const() && product.value() <= int64_t{1} << 32;
    size = product;
  } else {
    size = prod(shape_tensor(shape));
  }
  const Var index = arange(size, TypeOptions{.dtype = i64});
  const Var high = small ? asarray(0, {.dtype = u32}) : astype(astype(index, u64) >> 32, u32);
  return {high, astype(index, u32)};
}

// A scalar integer as two words.
Words words_of(const Arg& x) {
  const Var v = operand(x, Domain::integer);
  if (v.rank() != 0) refuse(ErrorCode::bad_shape, cat("the number is ", v.type(), ", expected a scalar"));
  if (v.dtype() != i64 && v.dtype() != u64) return {asarray(0, {.dtype = u32}), astype(v, u32)};
  return {astype(astype(v, u64) >> 32, u32), astype(v, u32)};
}

Words blocks(const Key& k, const ShapeArg& shape) {
  return threefry(checked(k), counters(shape));
}

}  // namespace

Var checked(const Key& k) {
  if (!k.data.defined()) refuse(ErrorCode::bad_argument, "the key is undefined");
  if (k.data.dtype() != u32) refuse(ErrorCode::bad_type, cat("the key is ", k.data.type(), ", expected u32[2]"));
  const Shape& s = k.data.type().shape();
  if (!s.ranked() || s.rank() != 1 || (s.is_static() && s.extents()[0] != 2))
    refuse(ErrorCode::bad_shape, cat("the key is ", k.data.type(), ", expected u32[2]"));
  return k.data;
}

Var marked(Var x, std::string_view name) {
  Tracer& tracer = Tracer::current();
  if (!tracer.eager()) tracer.use(x)->set_name(std::string(name));
  return x;
}

Words words(const Key& k, const ShapeArg& shape) {
  const Words w = blocks(k, shape);
  return {reshape(w.high, shape), reshape(w.low, shape)};
}

Words words_at(const Key& k, const Var& places) {
  return threefry(checked(k), {astype(astype(places, u64) >> 32, u32), astype(places, u32)});
}

Key key(Arg seed) {
  const Site site("random.key", seed.at());
  const Words w = words_of(seed);
  return {marked(stack({w.high, w.low}), draws::kKey)};
}

Key wrap_key_data(Arg data) {
  const Site site("random.wrap_key_data", data.at());
  return {checked({operand(data)})};
}

Var key_data(const Key& k, Location at) {
  const Site site("random.key_data", at);
  return checked(k);
}

Var split_data(const Key& k, Extent n, Location at) {
  const Site site("random.split_data", at);
  const Words w = blocks(k, {std::move(n)});
  return stack({w.high, w.low}, {.axis = 1});
}

std::vector<Key> split(const Key& k, int64_t n, Location at) {
  const Site site("random.split", at);
  if (n < 1) refuse(ErrorCode::bad_argument, cat(n, " keys"));
  const Var data = split_data(k, n);
  std::vector<Key> keys;
  for (int64_t i = 0; i < n; ++i) keys.push_back({marked(data[i], cat(draws::kSplit, i))});
  return keys;
}

Key fold_in(const Key& k, Arg data) {
  const Site site("random.fold_in", data.at());
  const Var low = marked(words_of(data).low, draws::kFoldedNumber);
  const Words w = threefry(checked(k), {asarray(0, {.dtype = u32}), low});
  return {marked(stack({w.high, w.low}), draws::kFolded)};
}

Var bits(const Key& k, ShapeArg shape, DType dtype, Location at) {
  const Site site("random.bits", at);
  if (dtype != u32 && dtype != u64) refuse(ErrorCode::bad_type, cat("bits of ", dtype, ", expected u32 or u64"));
  const Words w = blocks(k, shape);
  const Var joined = dtype == u32 ? w.high ^ w.low : (astype(w.high, u64) << 32) | astype(w.low, u64);
  return marked(reshape(joined, shape), draws::kBits);
}

}  // namespace tc::random
