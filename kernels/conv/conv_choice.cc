#include <algorithm>

#include "tc/kernels/conv/conv_shapes.h"

namespace tc::kernels {
namespace {

constexpr ConvAlgorithm algorithm_at(int i) {
  return static_cast<ConvAlgorithm>(i);
}

const char* declined(const ConvQuery& q, ConvAlgorithm a) {
  const ConvRow& row = conv_row(a);
  if (row.constant_weights && !q.constant_weights) return "weights are not constant";
  return row.declines(a, q);
}
bool competes(const ConvQuery& q, ConvAlgorithm a) {
  return conv_refusal(q, a) == nullptr && declined(q, a) == nullptr;
}

// Up to half a megabyte of weights stay in L2 from run to run: 16 to 32 channels at 14 x 14 want Winograd.
constexpr double kCachedWeights = 128 * 1024;
}  // namespace

double weight_cost(const ConvTable& kernels, double floats) {
  return kernels.traits.fn().weight_price * std::max(0.0, floats - kCachedWeights);
}

const char* declines_blocked(ConvAlgorithm, const ConvQuery& q) {
  if (is_first_layer(q.shape)) return "blocks would be mostly padding";
  return q.shape.ic >= kChannelBlock && q.shape.oc >= kChannelBlock ? nullptr : "fewer channels than a block has";
}

const char* conv_refusal(const ConvQuery& q, ConvAlgorithm a) {
  if (q.kernels.tile(a).fn == nullptr) return "no kernel of this machine and precision";
  const ConvRow& row = conv_row(a);
  if (row.needs_pads && !q.padded) return "only a run tells its pads";
  return row.refuses(a, row.needs_pads ? *q.padded : q.shape);
}

ConvAlgorithm conv_choice(const ConvQuery& q) {
  const ConvAlgorithm any = ConvAlgorithm::im2col;
  ConvAlgorithm best = any;
  double least = 0;
  bool found = false;
  for (int i = 0; i < kConvAlgorithms; ++i) {
    const ConvAlgorithm a = algorithm_at(i);
    if (!competes(q, a)) continue;
    if (conv_row(a).special) return a;
    // Of equal costs plain results win: nobody has to reorder them.
    const double cost = conv_row(a).cost(a, q);
    if (!found || cost < least || (cost == least && !conv_gives_blocked(a))) best = a, least = cost, found = true;
  }
  for (int i = 0; q.plain && i < kConvAlgorithms; ++i) {
    const ConvAlgorithm a = algorithm_at(i);
    const ConvRow& row = conv_row(a);
    if (row.stays == nullptr || conv_refusal(q, a) != nullptr || (row.constant_weights && !q.constant_weights))
      continue;
    if (row.stays(q, best) == nullptr) return a;
  }
  return best;
}

std::vector<ConvCandidate> conv_candidates(const ConvQuery& q) {
  // Of AVX-512, which costs count in.
  constexpr double kNsPerMultiplyAdd = 0.01;
  const ConvAlgorithm chosen = conv_choice(q);
  std::vector<ConvCandidate> all;
  for (int i = 0; i < kConvAlgorithms; ++i) {
    ConvCandidate c{algorithm_at(i)};
    c.refused = conv_refusal(q, c.algorithm);
    if (c.refused == nullptr) {
      if (c.algorithm != chosen) c.declined = declined(q, c.algorithm);
      c.ns = kNsPerMultiplyAdd * conv_row(c.algorithm).cost(c.algorithm, q);
    }
    all.push_back(c);
  }
  return all;
}

std::optional<ConvAlgorithm> conv_algorithm(std::string_view name) {
  for (int i = 0; i < kConvAlgorithms; ++i)
    if (kConvFacts[i].name == name) return algorithm_at(i);
  return {};
}

}  // namespace tc::kernels
