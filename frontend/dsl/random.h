// Random numbers that are a function of a key: the same key gives the same numbers in every run, on every machine, on
// any number of threads, and in an exported file in other runtimes. A key is used once; new ones come from split and
// fold_in.
//
//   const tc::random::Key key = tc::random::key(42);
//   const auto keys = tc::random::split(key);
//   tc::Var noise = tc::random::bits(keys[0], {"batch", 16});
//
// The generator is Threefry2x32 of 20 rounds (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011),
// of u32 sums, shifts and exclusive ors. Words are laid out as JAX lays them out with jax_threefry_partitionable, so
// that jax.random.key_data, split, fold_in and bits give the same ones.
//
// Errors: bad_type and bad_shape for a key that is not u32[2].
#pragma once

#include "tc/frontend/dsl/shape.h"

namespace tc::random {

struct Key {
  Var data;  // u32[2]
};

// Of a scalar integer: its high and low words. 32 bits and fewer have no high word.
Key key(Arg seed);
Key wrap_key_data(Arg data);
Var key_data(const Key& k, Location at = Location::current());

// New keys, which are independent of each other and of what else is drawn from k.
[[nodiscard]] std::vector<Key> split(const Key& k, int64_t n = 2, Location at = Location::current());
Var split_data(const Key& k, Extent n, Location at = Location::current());  // u32[n, 2]: for scan and map
Key fold_in(const Key& k, Arg data);  // one for each scalar integer, taken modulo 2^32

// Uniform words, u32 or u64.
Var bits(const Key& k, ShapeArg shape, DType dtype = u32, Location at = Location::current());

}  // namespace tc::random
