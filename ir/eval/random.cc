#include "tc/ir/eval/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "tc/ir/eval/eval.h"

namespace tc {
namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// FNV-1a (Fowler, Noll, Vo).
uint64_t hash(const std::string& s) {
  uint64_t h = 0xcbf29ce484222325u;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

double to_unit(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

// The greatest number below `limit` of the tensor's element type.
double greatest_below(double limit, DType t) {
  Tensor one(t, {});
  for (double step = std::max(std::abs(limit), 0x1p-1000) * 0x1p-60;; step *= 2) {
    narrow(std::vector<double>{limit - step}, one);
    const double v = scalar_f64(one);
    if (v < limit) return v;
  }
}

void write_uniform(EvalContext& ctx, Extents extents, double low, double high, const std::optional<double>& seed) {
  Tensor& out = ctx.out(0, std::move(extents));
  std::vector<double> y(static_cast<size_t>(out.size()));
  random_stream(ctx, seed).uniform(y);
  // Rounding to the element type must not reach the end of the range.
  const double most = low < high ? std::max(low, greatest_below(high, out.dtype())) : low;
  for (double& v : y) v = std::min(low + (high - low) * v, most);
  narrow(y, out);
}

void write_normal(EvalContext& ctx, Extents extents, double mean, double scale, const std::optional<double>& seed) {
  Tensor& out = ctx.out(0, std::move(extents));
  std::vector<double> y(static_cast<size_t>(out.size()));
  random_stream(ctx, seed).normal(y);
  for (double& v : y) v = mean + scale * v;
  narrow(y, out);
}

}  // namespace

void RandomRun::start(uint64_t shared_seed, uint64_t run) {
  seed = run == 0 ? shared_seed : mix(shared_seed + mix(run));
  executions.clear();
}

uint64_t fresh_seed() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

RandomStream::Block RandomStream::block(uint64_t i) const {
  uint32_t c[4] = {static_cast<uint32_t>(i), static_cast<uint32_t>(i >> 32), static_cast<uint32_t>(execution_),
                   static_cast<uint32_t>(execution_ >> 32)};
  uint32_t k[2] = {static_cast<uint32_t>(key_), static_cast<uint32_t>(key_ >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{0xd2511f53u} * c[0], q = uint64_t{0xcd9e8d57u} * c[2];
    const uint32_t next[4] = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(q),
                              static_cast<uint32_t>(p >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p)};
    std::copy(next, next + 4, c);
    k[0] += 0x9e3779b9u;
    k[1] += 0xbb67ae85u;
  }
  return {uint64_t{c[1]} << 32 | c[0], uint64_t{c[3]} << 32 | c[2]};
}

void RandomStream::uniform(std::vector<double>& out) const {
  for (size_t i = 0; i < out.size(); i += 2) {
    const Block b = block(i / 2);
    out[i] = to_unit(b.low);
    if (i + 1 < out.size()) out[i + 1] = to_unit(b.high);
  }
}

void RandomStream::normal(std::vector<double>& out) const {
  for (size_t i = 0; i < out.size(); i += 2) {
    const Block b = block(i / 2);
    const double radius = std::sqrt(-2 * std::log1p(-to_unit(b.low)));
    const double angle = 2 * std::numbers::pi * to_unit(b.high);
    out[i] = radius * std::cos(angle);
    if (i + 1 < out.size()) out[i + 1] = radius * std::sin(angle);
  }
}

RandomStream random_stream(EvalContext& ctx, const std::optional<double>& seed) {
  const uint64_t place = hash(ctx.node().location());
  RandomRun* run = ctx.env().random;
  const uint64_t execution = run ? run->executions[place]++ : 0;
  const uint64_t own = seed ? std::bit_cast<uint64_t>(*seed) : (run ? run->seed : fresh_seed()) ^ mix(place);
  return {mix(own), execution};
}

template <>
void eval<RandomNormal>(EvalContext& ctx) {
  const auto& a = ctx.attrs<RandomNormal>();
  write_normal(ctx, a.shape, a.mean, a.scale, a.seed);
}

template <>
void eval<RandomNormalLike>(EvalContext& ctx) {
  const auto& a = ctx.attrs<RandomNormalLike>();
  write_normal(ctx, ctx.in(0).extents(), a.mean, a.scale, a.seed);
}

template <>
void eval<RandomUniform>(EvalContext& ctx) {
  const auto& a = ctx.attrs<RandomUniform>();
  write_uniform(ctx, a.shape, a.low, a.high, a.seed);
}

template <>
void eval<RandomUniformLike>(EvalContext& ctx) {
  const auto& a = ctx.attrs<RandomUniformLike>();
  write_uniform(ctx, ctx.in(0).extents(), a.low, a.high, a.seed);
}

template <>
void eval<Bernoulli>(EvalContext& ctx) {
  const auto p = ctx.read<double>(0);
  std::vector<double> y(p.size());
  random_stream(ctx, ctx.attrs<Bernoulli>().seed).uniform(y);
  for (size_t i = 0; i < y.size(); ++i) y[i] = y[i] < p[i];
  ctx.write(0, ctx.in(0).extents(), y);
}

template <>
void eval<Multinomial>(EvalContext& ctx) {
  const auto& a = ctx.attrs<Multinomial>();
  if (ctx.in(0).rank() != 2)
    ctx.fail(ErrorCode::bad_shape, "the log probabilities must have rank 2, got ", ctx.in(0).type());
  const int64_t rows = ctx.in(0).extent(0), classes = ctx.in(0).extent(1);
  Tensor& out = ctx.out(0, {rows, a.sample_size});
  if (out.size() == 0) return;
  const auto x = ctx.read<double>(0);
  std::vector<double> drawn(static_cast<size_t>(out.size())), sums(static_cast<size_t>(classes));
  random_stream(ctx, a.seed).uniform(drawn);
  std::vector<int64_t> y;
  y.reserve(drawn.size());
  for (int64_t r = 0; r < rows; ++r) {
    const double* row = x.data() + r * classes;
    const double most = classes ? *std::max_element(row, row + classes) : -INFINITY;
    double sum = 0;
    for (size_t c = 0; c < sums.size(); ++c) sums[c] = sum += std::exp(row[c] - most);
    if (!(sum > 0 && std::isfinite(sum)))
      ctx.fail(ErrorCode::bad_value, "row ", r, " has no class of nonzero and finite probability");
    const double most_drawn = std::nextafter(sum, 0.0);
    for (int64_t s = 0; s < a.sample_size; ++s) {
      const auto it = std::upper_bound(sums.begin(), sums.end(), std::min(drawn[y.size()] * sum, most_drawn));
      y.push_back(it - sums.begin());
    }
  }
  narrow(y, out);
}

}  // namespace tc
