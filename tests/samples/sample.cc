#include "tests/samples/sample.h"

#include "tc/ir/eval/wide.h"

namespace tc {

Tensor SampleGraph::random(DType t, Extents extents, double low, double high) {
  Tensor out(t, std::move(extents));
  const auto n = static_cast<size_t>(out.size());
  switch (kind(t)) {
    case DTypeKind::floating: {
      std::vector<double> v(n);
      for (auto& x : v) x = std::uniform_real_distribution<double>(low, high)(rng_);
      narrow(v, out);
      break;
    }
    case DTypeKind::complex: {
      std::vector<std::complex<double>> v(n);
      std::uniform_real_distribution<double> uniform(low, high);
      for (auto& x : v) x = {uniform(rng_), uniform(rng_)};
      narrow(v, out);
      break;
    }
    case DTypeKind::string: {
      std::vector<std::string> v(n);
      for (auto& x : v) x = std::string(1, static_cast<char>('a' + rng_() % 26)) + std::to_string(rng_() % 100);
      narrow(v, out);
      break;
    }
    case DTypeKind::boolean: {
      std::vector<int64_t> v(n);
      for (auto& x : v) x = static_cast<int64_t>(rng_() % 2);
      narrow(v, out);
      break;
    }
    case DTypeKind::signed_int:
    case DTypeKind::unsigned_int: {
      if (kind(t) == DTypeKind::unsigned_int) low = std::max(low, 0.0);
      std::vector<int64_t> v(n);
      for (auto& x : v)
        x = std::uniform_int_distribution<int64_t>(static_cast<int64_t>(low), static_cast<int64_t>(high))(rng_);
      narrow(v, out);
      break;
    }
  }
  return out;
}

const std::vector<Sample>& all_samples() {
  static const std::vector<Sample> samples = [] {
    std::vector<Sample> s;
#define TC_FAMILY(name) samples_##name(s);
#include "tc/ir/families.def"
#undef TC_FAMILY
    return s;
  }();
  return samples;
}

}  // namespace tc
