#include "tc/ir/op.h"

#include <ostream>
#include <unordered_map>

#include "tc/ir/ops.h"

namespace tc {

template <class A>
std::shared_ptr<const void> share_attrs(A attrs) {
  return detail::share(new A(std::move(attrs)));
}

namespace {

// What is known of an op at compile time, and how to learn the rest.
struct Row {
  OpInfo info;
  void (*describe)(AttrsInfo&, const void* attrs);
};

template <class A>
std::shared_ptr<void> make_attrs() {
  return detail::share(new A());
}

template <class Op>
consteval Row row(Family family) {
  OpInfo i{id_of<Op>, family, &Op::facts, {&make_attrs<attrs_t<Op>>}, {}, 0, &Op::infer, nullptr, nullptr, nullptr};
  if constexpr (requires { Op::commutes; }) i.traits.commutes = Op::commutes;
  if constexpr (requires { Op::elementwise; }) i.traits.elementwise = Op::elementwise;
  if constexpr (requires { Op::nondeterministic; }) i.traits.nondeterministic = Op::nondeterministic;
  if constexpr (requires { Op::effects; }) i.traits.effects = Op::effects;
  if constexpr (requires { Op::piecewise_constant; }) i.traits.piecewise_constant = Op::piecewise_constant;
  if constexpr (requires { Op::regions; }) i.regions = Op::regions;
  if constexpr (requires { &Op::decompose; }) i.decompose = &Op::decompose;
  if constexpr (requires { &Op::grad; }) i.grad = &Op::grad;
  if constexpr (requires { &Op::jvp; }) i.jvp = &Op::jvp;
  return {i, &describe<attrs_t<Op>>};
}

constexpr Row kRows[] = {
#define TC_OP(family, Name) row<Name>(Family::family),
#include "tc/ir/ops.def"
#undef TC_OP
};

// Takes the address of share_attrs for every op, which makes the compiler emit them.
[[maybe_unused, gnu::used]] const void* const shared_attrs[] = {
#define TC_OP(family, Name) reinterpret_cast<const void*>(&share_attrs<attrs_t<Name>>),
#include "tc/ir/ops.def"
#undef TC_OP
};

}  // namespace

const std::vector<OpInfo>& all_ops() {
  static const auto table = [] {
    std::vector<OpInfo> ops;
    ops.reserve(std::size(kRows));
    for (const Row& r : kRows) {
      AttrsInfo& attrs = ops.emplace_back(r.info).attrs;
      r.describe(attrs, attrs.make().get());
    }
    return ops;
  }();
  return table;
}

const OpInfo& info(OpId id) {
  return all_ops()[static_cast<size_t>(id)];
}

const OpInfo* find_op(std::string_view name) {
  static const auto index = [] {
    std::unordered_map<std::string_view, const OpInfo*> m;
    for (const auto& op : all_ops()) TC_CHECK(m.emplace(op.name(), &op).second, "two ops named ", op.name());
    return m;
  }();
  const auto it = index.find(name);
  return it == index.end() ? nullptr : it->second;
}

std::string_view to_string(Family f) {
  switch (f) {
#define TC_FAMILY(name) \
  case Family::name:    \
    return #name;
#include "tc/ir/families.def"
#undef TC_FAMILY
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, OpId id) {
  return out << info(id).name();
}

}  // namespace tc
