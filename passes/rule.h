// Rewrite rules as values: `{name, exactness, pattern, build}`. `build` sees what the pattern bound through a Rewrite,
// makes detached nodes, and returns the replacement of the root's results, or says why it declines. It never changes
// the graph: the driver commits what it returned.
//
//   {"max-zero-is-relu", exact, pat<Max>(x, 0.0), [](Rewrite& r) -> Patch { return r.make<Relu>({r[x]}); }},
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tc/ir/module.h"
#include "tc/passes/pattern.h"

namespace tc {

// What a rewrite may do to numbers, from strict to loose. It sets the tolerance of value checks.
enum class Contract : uint8_t {
  exact,          // the same bits (zeros of either sign are one value, NaNs are one value)
  same_rounding,  // the same real function and order of accumulation; a rounding may be saved or added: a few ulp
  reassociates,   // sums or products in another order: an error that grows with the number of terms
  approximate,    // within `bound`, relative to the largest magnitude of the result
};
struct Exactness {
  Contract contract = Contract::exact;
  double bound = 0;
};
inline constexpr Exactness exact{Contract::exact};
inline constexpr Exactness same_rounding{Contract::same_rounding};
inline constexpr Exactness reassociates{Contract::reassociates};
constexpr Exactness approximate(double bound) {
  return {Contract::approximate, bound};
}
std::string to_string(const Exactness& e);

// The replacement of each result of the root (null keeps an unused one), or the reason for declining (a string
// literal).
struct Patch {
  Patch(Value* v) : values{v} {}
  Patch(std::vector<Value*> v) : values(std::move(v)) {}
  static Patch decline(const char* why) {
    Patch p(std::vector<Value*>{});
    p.miss = why;
    return p;
  }
  std::vector<Value*> values;
  const char* miss = nullptr;
  bool same_types = false;  // old and new value are one by definition, however their types are spelled
};

// Budgets that builders ask about.
struct RuleLimits {
  int64_t fold_bytes = int64_t{1} << 20;     // of one folded result
  int64_t weight_bytes = int64_t{64} << 20;  // of a weight that is transformed at compile time
  int64_t fold_work = int64_t{1} << 24;      // elements read to fold one node
};

class Rewrite {
 public:
  Rewrite(Node& root, const Match& m, const RuleLimits& l) : limits(l), root_(root), match_(m) {}
  ~Rewrite() { drop(); }
  Rewrite(const Rewrite&) = delete;

  const RuleLimits& limits;

  Node* root() const { return &root_; }
  Module& module() const { return root_.graph()->module(); }
  Value* operator[](const Any& c) const { return match_.value(&c); }
  template <class... Ops>
  Value* operator[](const As<Ops...>& c) const {
    return match_.value(&c);
  }
  template <class... Ops>
  Node* node(const As<Ops...>& c) const {
    return match_.value(&c)->def();
  }
  template <class Op>
  const attrs_t<Op>& attrs(const As<Op>& c) const {
    return node(c)->template attrs<Op>();
  }
  template <class Op>
  const attrs_t<Op>& root_attrs() const {
    return root_.attrs<Op>();
  }
  const Tensor& tensor(const Any& c) const { return *match_.value(&c)->constant(); }
  double number(const Any& c) const;  // of a scalar capture

  // Nothing but the matched tree uses the value; uses by nodes made here do not count.
  template <class... Ops>
  bool single_use(const As<Ops...>& c) const {
    return single_use(match_.value(&c));
  }
  bool single_use(const Value* v) const;
  // Elements of a small integer tensor, when all are known.
  std::optional<std::vector<int64_t>> ints(const Value* v) const;

  template <class Op>
  Value* make(std::vector<Value*> operands, attrs_t<Op> attrs = {}) {
    return make_n<Op>(std::move(operands), std::move(attrs), 1)->result(0);
  }
  template <class Op>
  Node* make_n(std::vector<Value*> operands, attrs_t<Op> attrs, int num_results) {
    return node(id_of<Op>, operands, std::make_shared<attrs_t<Op>>(std::move(attrs)), num_results);
  }
  Node* node(OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs, int num_results,
             std::vector<std::unique_ptr<Graph>> regions = {});
  Value* constant(Tensor t);
  // A scalar of the element type.
  Value* scalar_like(DType t, double value);
  Value* ints(const std::vector<int64_t>& values);

  // The root's result is this value by definition of the ops: its type need not be proven to stay.
  static Patch same(Value* v) {
    Patch p(v);
    p.same_types = true;
    return p;
  }
  static Patch miss(const char* why) { return Patch::decline(why); }

  // What the driver takes over.
  std::vector<std::unique_ptr<Node>> take() { return std::move(made_); }
  const std::vector<Node*>& inner() const { return match_.inner(); }

 private:
  void drop();
  Node& root_;
  const Match& match_;
  std::vector<std::unique_ptr<Node>> made_;
};

struct Rule {
  std::string_view name;  // a small sentence in kebab-case
  Exactness exactness;
  Pattern pattern;
  Patch (*build)(Rewrite&);  // null: a pass does this by itself, and the row names it and its contract
};

// Provably the same type: element type, rank and every extent.
bool same_type(const Value* a, const Value* b);

}  // namespace tc
