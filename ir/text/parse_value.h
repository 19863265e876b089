// Parts of the textual IR: extents, types, tensors, attribute values.
#pragma once

#include <unordered_map>

#include "tc/ir/attrs.h"
#include "tc/ir/text/lexer.h"

namespace tc::text {

// Tensors by label, and how many bytes may still be made from nothing (zeros, random numbers, one repeated number).
struct Resources {
  std::unordered_map<std::string, Tensor> tensors;  // by Label::key
  std::unordered_map<std::string, std::string> names;
  size_t budget = 0;
};

Dim parse_dim(Lexer& in, int depth = 0);
Type parse_type(Lexer& in, int depth = 0);

// Whether a literal without its type, or a reference to a resource, comes next.
bool at_literal(const Lexer& in);
// The type behind the literal that comes next, which is not consumed.
Type type_after_literal(Lexer& in);
// dense<...>, zeros, random(seed), random(seed, scale) or hex"...", of the type.
Tensor parse_literal(Lexer& in, const Type& type, size_t type_offset, Resources& resources);
// @label, a literal of type `*type` when that is known, or a type and a literal.
Tensor parse_tensor(Lexer& in, const Type* type, Resources& resources);

AttrValue parse_attribute(Lexer& in, const FieldInfo& field, Resources& resources);

}  // namespace tc::text
