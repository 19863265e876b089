#include "tc/frontend/dsl/sequence.h"

#include "tc/frontend/dsl/dsl.h"
#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/ops/attention.h"
#include "tc/ir/ops/conv.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/ops/sequence.h"
#include "tc/ir/ops/text.h"

namespace tc {

using namespace dsl;

namespace {

Var place_operand(const Arg& a) {
  return a.absent() ? Var() : astype(operand(a, Domain::integer), i64);
}

}  // namespace

Var sequence(const Args& elements) {
  const Site site("sequence", location_of(elements));
  if (elements.empty()) refuse(ErrorCode::bad_argument, "there are no elements", {"tc::sequence_empty has none"});
  return make<SequenceConstruct>(promoted(elements));
}
Var sequence_empty(DType dtype, Location at) {
  const Site site("sequence_empty", at);
  return make<SequenceEmpty>({}, {.dtype = dtype});
}
Var sequence_at(Arg sequence, Arg place) {
  const Site site("sequence_at", sequence.at());
  return make<SequenceAt>({operand(sequence), place_operand(place)});
}
Var sequence_insert(Arg sequence, Arg element, Arg place) {
  const Site site("sequence_insert", sequence.at());
  return make<SequenceInsert>({operand(sequence), operand(element), place_operand(place)});
}
Var sequence_erase(Arg sequence, Arg place) {
  const Site site("sequence_erase", sequence.at());
  return make<SequenceErase>({operand(sequence), place_operand(place)});
}
Var sequence_length(Arg sequence) {
  const Site site("sequence_length", sequence.at());
  return make<SequenceLength>({operand(sequence)});
}
Var split_to_sequence(Arg x, SplitToSequenceOptions options) {
  const Site site("split_to_sequence", x.at());
  const Var v = operand(x);
  return make<SplitToSequence>({v, place_operand(options.split)},
                               {.axis = axis_of(options.axis, v.rank()), .keepdims = options.keepdims});
}
Var concat_from_sequence(Arg sequence, ConcatFromSequenceOptions options) {
  const Site site("concat_from_sequence", sequence.at());
  return make<ConcatFromSequence>({operand(sequence)}, {.axis = options.axis, .new_axis = options.new_axis});
}

Var optional_of(Arg x) {
  const Site site("optional_of", x.at());
  return make<Optional>({operand(x)});
}
Var optional_has_element(Arg x) {
  const Site site("optional_has_element", x.at());
  return make<OptionalHasElement>({operand(x)});
}
Var optional_get_element(Arg x) {
  const Site site("optional_get_element", x.at());
  return make<OptionalGetElement>({operand(x)});
}

Var string_concat(Arg a, Arg b) {
  const Site site("string_concat", a.at());
  return make<StringConcat>({operand(a), operand(b)});
}
StringSplitResult string_split(Arg x, StringSplitOptions options) {
  const Site site("string_split", x.at());
  StringSplit::Attrs attrs;
  if (!options.delimiter.empty()) attrs.delimiter = options.delimiter;
  attrs.maxsplit = options.max_splits;
  const std::vector<Var> r = make_n<StringSplit>({operand(x)}, std::move(attrs), 2);
  return {r[0], r[1]};
}
Var string_normalizer(Arg x, StringNormalizerOptions options) {
  const Site site("string_normalizer", x.at());
  return make<StringNormalizer>({operand(x)}, {.case_change_action = static_cast<CaseChange>(options.letters),
                                               .is_case_sensitive = options.case_sensitive,
                                               .locale = {},
                                               .stopwords = std::move(options.stopwords)});
}
Var regex_full_match(Arg x, std::string pattern) {
  const Site site("regex_full_match", x.at());
  return make<RegexFullMatch>({operand(x)}, {.pattern = std::move(pattern)});
}

Var reverse_sequence(Arg x, Arg lengths, ReverseSequenceOptions options) {
  const Site site("reverse_sequence", x.at());
  const Var v = operand(x);
  return make<ReverseSequence>({v, place_operand(lengths)},
                               {.batch_axis = options.batch_axis, .time_axis = options.time_axis});
}
Var tensor_scatter(Arg cache, Arg update, TensorScatterOptions options) {
  const Site site("tensor_scatter", cache.at());
  const Var v = operand(cache);
  return make<TensorScatter>(
      {v, cast_to(operand_like(update, v.dtype()), v.dtype()), place_operand(options.places)},
      {.axis = options.axis, .mode = options.circular ? TensorScatterMode::circular : TensorScatterMode::linear});
}

StatefulResult linear_attention(Arg q, Arg k, Arg v, LinearAttentionOptions options) {
  const Site site("linear_attention", q.at());
  const std::vector<Var> qkv = promoted({q, k, v}, Domain::floating);
  const auto optional_like = [&](const Arg& a) { return a.absent() ? Var() : operand_like(a, qkv[0].dtype()); };
  LinearAttention::Attrs attrs;
  attrs.kv_num_heads = options.kv_heads, attrs.q_num_heads = options.q_heads;
  attrs.scale = attribute(options.scale);
  attrs.update_rule = static_cast<UpdateRule>(options.rule);
  const std::vector<Var> r = make_n<LinearAttention>({qkv[0], qkv[1], qkv[2], optional_like(options.past_state),
                                                      optional_like(options.decay), optional_like(options.beta)},
                                                     std::move(attrs), 2);
  return {r[0], r[1]};
}

StatefulResult causal_conv_with_state(Arg x, Arg w, CausalConvOptions options) {
  const Site site("causal_conv_with_state", x.at());
  const auto [v, k] = promoted(x, w, Domain::floating);
  const DType t = v.dtype();
  const auto optional_like = [t](const Arg& a) { return a.absent() ? Var() : operand_like(a, t); };
  const std::vector<Var> r =
      make_n<CausalConvWithState>({v, k, optional_like(options.bias), optional_like(options.past_state)},
                                  {.activation = options.silu ? ConvActivation::silu : ConvActivation::none}, 2);
  return {r[0], r[1]};
}

}  // namespace tc
