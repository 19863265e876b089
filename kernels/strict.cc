#include "tc/kernels/strict.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tc::kernels {
namespace {

// Without rows that fewer bits are for, there is one form of weights.
template <Tier kTier>
GemmTraits one_form_traits() {
  GemmTraits t = table(kTier).gemm.traits.fn();
  t.few_rows = 0;
  return t;
}
template <Tier kTier>
GemmTraits strict_traits() {
  GemmTraits t = one_form_traits<kTier>();
  t.strassen_cost = 0;
  return t;
}

// AMX multiplies bf16: what it has for f32 is that of the tier below.
template <Tier kTier>
Table strict_table() {
  constexpr Tier kPlain = std::min(kTier, Tier::avx512);
  Table t = table(kTier);
  const Table& plain = table(kPlain);
  t.gemm = plain.gemm, t.conv = plain.conv, t.attention = plain.attention, t.rnn = plain.rnn;
  t.gemm.traits.fn = strict_traits<kPlain>;
  for (int i = 0; i < kConvAlgorithms; ++i)
    if (kConvFacts[i].winograd_outputs > 0) t.conv.tiles[i] = {};
  return t;
}
template <Tier kTier>
Table one_form_table() {
  Table t = table(kTier);
  t.gemm.traits.fn = one_form_traits<kTier>;
  return t;
}

// Tables of machines that lack a tier are made, too: their functions are only called once they run.
template <int... kTiers>
const Table& of_form(Tier tier, TableForm form, std::integer_sequence<int, kTiers...>) {
  static const std::array<Table, sizeof...(kTiers)> one_form{one_form_table<static_cast<Tier>(kTiers)>()...},
      strict{strict_table<static_cast<Tier>(kTiers)>()...};
  return (form == TableForm::strict ? strict : one_form)[static_cast<size_t>(tier)];
}

}  // namespace

const Table& table(Tier tier, TableForm form) {
  if (form == TableForm::fast) return table(tier);
  return of_form(tier, form, std::make_integer_sequence<int, kTierCount>());
}

}  // namespace tc::kernels
