// What an op is. One struct per op (in ops/<family>.h) carries `facts`, optionally `Attrs`, and `infer`; further facts
// are optional static members that OpInfo picks up by name:
//
//   struct Relu : ElementwiseUnary {
//     static constexpr OpFacts facts{"relu", {"Relu", 6}, "x:T -> y:T", {{'T', dtypes::numeric}}, "max(x, 0)"};
//   };
//
// Everything generic (text, import, export, verification, documentation, tests) derives from these.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tc/ir/attrs.h"
#include "tc/ir/dtype.h"

namespace tc {

class Node;
class Value;
class Graph;
class InferContext;
class GradContext;
class JvpContext;

enum class Family : uint8_t {
#define TC_FAMILY(name) name,
#include "tc/ir/families.def"
#undef TC_FAMILY
};
enum class OpId : uint16_t {
#define TC_OP(family, Name) Name,
#include "tc/ir/ops.def"
#undef TC_OP
};
inline constexpr int kNumOps = 0
#define TC_OP(family, Name) +1
#include "tc/ir/ops.def"
#undef TC_OP
    ;
inline constexpr int kNumFamilies = 0
#define TC_FAMILY(name) +1
#include "tc/ir/families.def"
#undef TC_FAMILY
    ;

// An operand or result of a signature.
struct Slot {
  std::string_view name;
  char variable = 0;         // 'T': one element type shared by all slots with the same letter; 0: see fixed/any
  bool any = false;          // a value of any type (sequence, optional, ...)
  DType fixed = DType::f32;  // when variable is 0 and !any
  bool optional = false;
  bool variadic = false;  // the last operand or result: zero or more
};

// "x:T, w:T, b:T? -> y:T": operands, results; each `name:type` with type = an upper-case letter (constrained by
// OpFacts::types), an element type's spelling, or `any`; suffix `?` optional, `*` variadic (heterogeneous types if the
// letter is `V`). Parsed at compile time: a malformed one does not compile.
struct Signature {
  static constexpr int kMax = 16;
  std::array<Slot, kMax> operands{}, results{};
  int num_operands = 0, num_results = 0;

  consteval Signature(const char* text) {
    std::string_view s(text);
    bool in_results = false;
    while (true) {
      while (!s.empty() && (s[0] == ' ' || s[0] == ',')) s.remove_prefix(1);
      if (s.empty()) break;
      if (s[0] == '-') {
        if (s.size() < 2 || s[1] != '>' || in_results) throw "malformed '->'";
        in_results = true;
        s.remove_prefix(2);
        continue;
      }
      const size_t colon = s.find(':');
      if (colon == s.npos) throw "a slot needs a type";
      size_t end = colon + 1;
      while (end < s.size() && s[end] != ',' && s[end] != ' ' && s[end] != '-') ++end;
      Slot slot;
      slot.name = s.substr(0, colon);
      std::string_view type = s.substr(colon + 1, end - colon - 1);
      if (type.ends_with('?')) slot.optional = true, type.remove_suffix(1);
      if (type.ends_with('*')) slot.variadic = true, type.remove_suffix(1);
      if (type == "any")
        slot.any = true;
      else if (type.size() == 1 && type[0] >= 'A' && type[0] <= 'Z')
        slot.variable = type[0];
      else
        slot.fixed = parse_dtype(type);
      auto& list = in_results ? results : operands;
      int& count = in_results ? num_results : num_operands;
      if (count == kMax) throw "too many slots";
      list[static_cast<size_t>(count++)] = slot;
      s.remove_prefix(end);
    }
    if (!in_results) throw "a signature needs '->'";
  }

  constexpr bool variadic_operands() const {
    return num_operands && operands[static_cast<size_t>(num_operands - 1)].variadic;
  }
  constexpr bool variadic_results() const {
    return num_results && results[static_cast<size_t>(num_results - 1)].variadic;
  }
  // The slot of operand i (the variadic one repeats).
  constexpr const Slot& operand(int i) const {
    return operands[static_cast<size_t>(i < num_operands ? i : num_operands - 1)];
  }
  constexpr const Slot& result(int i) const {
    return results[static_cast<size_t>(i < num_results ? i : num_results - 1)];
  }
  constexpr int min_operands() const { return minimum(operands, num_operands); }
  constexpr int min_results() const { return minimum(results, num_results); }

 private:
  static constexpr int minimum(const std::array<Slot, kMax>& slots, int n) {
    int least = 0;
    for (int i = 0; i < n; ++i)
      if (!slots[static_cast<size_t>(i)].optional && !slots[static_cast<size_t>(i)].variadic) least = i + 1;
    return least;
  }
  static consteval DType parse_dtype(std::string_view s) {
#define TC_DTYPE(id, spelling, storage, bits, kind, onnx, numpy) \
  if (s == spelling) return DType::id;
#include "tc/ir/dtype.def"
#undef TC_DTYPE
    throw "unknown element type";
  }
};

struct TypeVariable {
  char letter = 0;
  DTypeSet set;
};

// How an operator is spelled in ONNX; an empty name means that ONNX has no such operator.
struct OnnxName {
  std::string_view name;
  int since = 0;
  std::string_view domain = "";
};

struct OpFacts {
  std::string_view name;  // IR spelling
  OnnxName onnx;
  Signature signature;
  std::array<TypeVariable, 5> types{};
  std::string_view doc;

  constexpr DTypeSet set_of(char letter) const {
    for (const auto& t : types)
      if (t.letter == letter) return t.set;
    return dtypes::all;
  }
};

// Properties that passes ask for; static constexpr members of the op struct, all false by default.
struct OpTraits {
  bool commutes = false;          // operands 0 and 1 may be exchanged
  bool elementwise = false;       // result elements depend on the operands' elements at the same (broadcast) place only
  bool nondeterministic = false;  // two evaluations may differ (random numbers)
  bool effects = false;           // must run even when unused (checks)
  bool piecewise_constant = false;  // the gradient is zero wherever there is one
};

class Rewrite;
struct OpInfo {
  OpId id;
  Family family;
  const OpFacts* facts;
  AttrsInfo attrs;
  OpTraits traits;
  int regions;  // number of regions, -1 when it varies
  void (*infer)(InferContext&);
  // Rewrites the node into simpler ops; null when the op is primitive.
  std::vector<Value*> (*decompose)(class Builder&, const Node&);
  // Gives the operands their gradients (ir/grad.h); null when the op has none of its own: it goes by `decompose` then.
  void (*grad)(GradContext&);
  // Forward mode of ops with regions, whose gradients cannot be transposed node by node; null for all others.
  void (*jvp)(JvpContext&);

  std::string_view name() const { return facts->name; }
};

const OpInfo& info(OpId id);
const OpInfo* find_op(std::string_view name);
// All ops in the order of ops.def.
const std::vector<OpInfo>& all_ops();
std::string_view to_string(Family f);
std::ostream& operator<<(std::ostream& out, OpId id);

template <class Op>
struct OpTag {
  using type = Op;
};
template <class Op>
inline constexpr OpId id_of = [] {
  static_assert(!sizeof(Op), "not an op of ops.def");
  return OpId();
}();
#define TC_OP(family, Name) \
  struct Name;              \
  template <>               \
  inline constexpr OpId id_of<Name> = OpId::Name;
#include "tc/ir/ops.def"
#undef TC_OP

template <class Op>
struct AttrsOf {
  using type = NoAttrs;
};
template <class Op>
requires requires {
  typename Op::Attrs;
}
struct AttrsOf<Op> {
  using type = typename Op::Attrs;
};
template <class Op>
using attrs_t = typename AttrsOf<Op>::type;

// The attributes of an op as a node holds them. Defined in op.cc for those of every op.
template <class A>
std::shared_ptr<const void> share_attrs(A attrs);

}  // namespace tc
