// Values that are no single tensor: sequences, optional values, strings; and steps of sequences that lie in tensors.
#pragma once

#include "tc/frontend/dsl/nn.h"

namespace tc {

// A sequence is a Var, too. Its elements are tensors of one element type; places count from the end where negative.
Var sequence(const Args& elements);
Var sequence_empty(DType dtype = f32, Location at = Location::current());
Var sequence_at(Arg sequence, Arg place);
Var sequence_insert(Arg sequence, Arg element, Arg place = {});  // in front of a place, or at the end
Var sequence_erase(Arg sequence, Arg place = {});                // the last one
Var sequence_length(Arg sequence);
struct SplitToSequenceOptions {
  Arg split = {};  // the extent of all parts, or of each; {}: 1
  int64_t axis = 0;
  bool keepdims = true;  // of parts of 1
};
Var split_to_sequence(Arg x, SplitToSequenceOptions options = {});
struct ConcatFromSequenceOptions {
  int64_t axis = 0;
  bool new_axis = false;
};
Var concat_from_sequence(Arg sequence, ConcatFromSequenceOptions options = {});
Var optional_of(Arg x);  // an optional value that is there
Var optional_has_element(Arg x);
Var optional_get_element(Arg x);

Var string_concat(Arg a, Arg b);
struct StringSplitOptions {
  std::string delimiter = {};  // empty: white space
  std::optional<int64_t> max_splits = {};
};
struct [[nodiscard]] StringSplitResult {
  Var parts, counts;  // along a new last axis, padded with empty strings
};
StringSplitResult string_split(Arg x, StringSplitOptions options = {});
enum class Letters : uint8_t { as_they_are, lower, upper };
struct StringNormalizerOptions {
  Letters letters = Letters::as_they_are;
  std::vector<std::string> stopwords = {};  // go
  bool case_sensitive = false;              // of the comparison with them
};
Var string_normalizer(Arg x, StringNormalizerOptions options = {});
Var regex_full_match(Arg x, std::string pattern);  // RE2's syntax

struct ReverseSequenceOptions {
  int64_t batch_axis = 1, time_axis = 0;
};
Var reverse_sequence(Arg x, Arg lengths, ReverseSequenceOptions options = {});  // the first steps of each
struct TensorScatterOptions {
  Arg places = {};  // [batch]: where each update begins; {}: 0
  int64_t axis = -2;
  bool circular = false;
};
Var tensor_scatter(Arg cache, Arg update, TensorScatterOptions options = {});

enum class StateUpdate : uint8_t { linear, gated, delta, gated_delta };
struct LinearAttentionOptions {
  StateUpdate rule = StateUpdate::gated_delta;
  int64_t q_heads = 1, kv_heads = 1;
  double scale = 0;  // 0: 1 / sqrt(head size)
  Arg past_state = {}, decay = {}, beta = {};
};
struct [[nodiscard]] StatefulResult {
  Var y, state;
};
StatefulResult linear_attention(Arg q, Arg k, Arg v, LinearAttentionOptions options = {});
struct CausalConvOptions {
  Arg bias = {}, past_state = {};  // the last k - 1 columns of what came before
  bool silu = false;
};
// Depthwise along the last axis of x [batch, channels, length]; w is [channels, 1, k].
StatefulResult causal_conv_with_state(Arg x, Arg w, CausalConvOptions options = {});

}  // namespace tc
