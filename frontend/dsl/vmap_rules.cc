#include "tc/frontend/dsl/vmap_rules.h"

#include <algorithm>

#include "tc/frontend/dsl/dsl.h"
#include "tc/ir/ops/elementwise.h"
#include "tc/ir/ops/gather.h"
#include "tc/ir/ops/matmul.h"
#include "tc/ir/ops/movement.h"
#include "tc/ir/ops/reduce.h"
#include "tc/ir/ops/search.h"
#include "tc/ir/ops/softmax.h"

namespace tc::dsl {
namespace {

using Result = std::optional<std::vector<Var>>;

// One node under its rule: its operands as they were for one element, and as they are.
class Rule {
 public:
  Rule(const Node& node, const std::vector<Batched>& operands) : node_(node), operands_(operands) {}
  Result apply() const;

 private:
  // Of one element.
  int rank(int operand) const { return node_.operand(operand)->shape().rank(); }
  int result_rank() const { return node_.result(0)->shape().rank(); }
  bool mapped(int operand) const { return operand < count() && operands_[static_cast<size_t>(operand)].mapped; }
  const Var& at(int operand) const { return operands_[static_cast<size_t>(operand)].value; }
  int count() const { return static_cast<int>(operands_.size()); }
  bool only_first_mapped() const {
    for (int i = 1; i < count(); ++i)
      if (mapped(i)) return false;
    return true;
  }
  bool ranked() const;
  // With so many axes besides that of the elements, as broadcasting would add them.
  Var aligned(int operand, int axes) const;
  std::vector<Var> emitted(const std::vector<Var>& operands, std::shared_ptr<const void> attrs) const;
  std::vector<Var> emitted(const std::vector<Var>& operands) const { return emitted(operands, node_.raw_attrs()); }
  // The axes that a constant operand lists, counted from 0 and behind the new one; nothing where it is no constant.
  std::optional<std::vector<int64_t>> moved_axes(int operand, int of_rank) const;
  template <class Op>
  Result along_axis() const;
  // Of data and indices of the same ranks, both mapped.
  template <class Op>
  Result along_axis_of_both() const;
  Result running() const;

  Result elementwise() const;
  Result matmul() const;
  Result reduction() const;
  Result transpose() const;
  Result reshape() const;
  Result axes_operand() const;
  Result expand() const;
  Result concat() const;
  Result slice() const;
  Result gather() const;

  const Node& node_;
  const std::vector<Batched>& operands_;
};

bool Rule::ranked() const {
  const auto has_rank = [](const Value* v) { return !v || (v->type().is_tensor() && v->shape().ranked()); };
  for (int i = 0; i < node_.num_operands(); ++i)
    if (!has_rank(node_.operand(i))) return false;
  for (int j = 0; j < node_.num_results(); ++j)
    if (!has_rank(node_.result(j))) return false;
  return true;
}

Var Rule::aligned(int operand, int axes) const {
  const Var& v = at(operand);
  if (!mapped(operand) || v.rank() - 1 >= axes) return v;
  std::vector<int64_t> added;
  for (int i = v.rank() - 1; i < axes; ++i) added.push_back(1 + static_cast<int64_t>(added.size()));
  return expand_dims(v, added);
}

std::vector<Var> Rule::emitted(const std::vector<Var>& operands, std::shared_ptr<const void> attrs) const {
  return Tracer::current().emit(node_.op(), operands, std::move(attrs), node_.num_results());
}

std::optional<std::vector<int64_t>> Rule::moved_axes(int operand, int of_rank) const {
  const Tensor* t = node_.operand(operand) ? node_.operand(operand)->constant() : nullptr;
  if (!t) return std::nullopt;
  std::vector<int64_t> axes;
  const auto add = [&](int64_t a) { axes.push_back((a < 0 ? a + of_rank : a) + 1); };
  if (t->dtype() == i32)
    for (const int32_t a : t->span<int32_t>()) add(a);
  else
    for (const int64_t a : t->span<int64_t>()) add(a);
  return axes;
}

Result Rule::elementwise() const {
  // Bounds of clip are scalars, whatever the tensor is.
  if (node_.is<Clip>() && !only_first_mapped()) return std::nullopt;
  std::vector<Var> list;
  for (int i = 0; i < count(); ++i) list.push_back(node_.operand(i) ? aligned(i, result_rank()) : Var());
  return emitted(list);
}

Result Rule::matmul() const {
  // Vectors lose their axis, which would be that of the elements.
  if (rank(0) < 2 || rank(1) < 2) return std::nullopt;
  const int axes = std::max(rank(0), rank(1));
  return emitted({aligned(0, axes), aligned(1, axes)});
}

Result Rule::reduction() const {
  if (!only_first_mapped()) return std::nullopt;
  const auto& attrs = *static_cast<const ReduceOp::Attrs*>(node_.raw_attrs().get());
  std::vector<int64_t> axes;
  if (node_.num_operands() > 1 && node_.operand(1)) {
    const auto given = moved_axes(1, rank(0));
    if (!given) return std::nullopt;
    axes = *given;
  }
  if (axes.empty()) {
    if (attrs.noop_with_empty_axes) return emitted({at(0)});
    for (int i = 0; i < rank(0); ++i) axes.push_back(i + 1);
  }
  // Of scalars there is nothing to reduce, but an op without axes would reduce the batch.
  if (axes.empty()) {
    auto none = attrs;
    none.noop_with_empty_axes = true;
    return emitted({at(0)}, std::make_shared<ReduceOp::Attrs>(none));
  }
  return emitted({at(0), ints(axes)});
}

Result Rule::transpose() const {
  std::vector<int64_t> perm = node_.attrs<Transpose>().perm;
  if (perm.empty())
    for (int i = rank(0); i-- > 0;) perm.push_back(i);
  for (int64_t& p : perm) ++p;
  perm.insert(perm.begin(), 0);
  return emitted({at(0)}, std::make_shared<Transpose::Attrs>(Transpose::Attrs{perm}));
}

Result Rule::reshape() const {
  if (!only_first_mapped()) return std::nullopt;
  const bool zeros_are_extents = node_.attrs<Reshape>().allow_zero;
  const Var elements = zeros_are_extents ? shape_tensor({at(0).dim(0)}) : ints({0});
  return emitted({at(0), make<Concat>({elements, at(1)}, {.axis = 0})});
}

// Squeeze and unsqueeze.
Result Rule::axes_operand() const {
  if (!only_first_mapped() || node_.num_operands() < 2) return std::nullopt;
  const auto axes = moved_axes(1, node_.is<Unsqueeze>() ? result_rank() : rank(0));
  return axes ? Result(emitted({at(0), ints(*axes)})) : std::nullopt;
}

Result Rule::expand() const {
  if (!only_first_mapped()) return std::nullopt;
  const Var x = aligned(0, result_rank());
  return emitted({x, make<Concat>({shape_tensor({x.dim(0)}), at(1)}, {.axis = 0})});
}

template <class Op>
Result Rule::along_axis() const {
  if (!only_first_mapped()) return std::nullopt;
  auto attrs = node_.attrs<Op>();
  attrs.axis = (attrs.axis < 0 ? attrs.axis + rank(0) : attrs.axis) + 1;
  std::vector<Var> list;
  for (int i = 0; i < count(); ++i) list.push_back(node_.operand(i) ? at(i) : Var());
  return emitted(list, std::make_shared<typename Op::Attrs>(std::move(attrs)));
}

template <class Op>
Result Rule::along_axis_of_both() const {
  if (!mapped(0) || !mapped(1)) return std::nullopt;
  auto attrs = node_.attrs<Op>();
  attrs.axis = (attrs.axis < 0 ? attrs.axis + rank(0) : attrs.axis) + 1;
  return emitted({at(0), at(1)}, std::make_shared<typename Op::Attrs>(std::move(attrs)));
}

Result Rule::running() const {
  const auto axis = moved_axes(1, rank(0));
  if (!only_first_mapped() || !axis || axis->size() != 1) return std::nullopt;
  return emitted({at(0), asarray((*axis)[0])});
}

Result Rule::concat() const {
  std::vector<Var> list;
  Dim elements;
  for (int i = 0; i < count(); ++i)
    if (mapped(i)) elements = at(i).dim(0);
  for (int i = 0; i < count(); ++i) {
    Var v = at(i);
    if (!mapped(i)) {
      Dims shape = v.shape();
      shape.insert(shape.begin(), elements);
      v = broadcast_to(v, shape);
    }
    list.push_back(v);
  }
  const int64_t axis = node_.attrs<Concat>().axis;
  return emitted(list, std::make_shared<Concat::Attrs>(Concat::Attrs{(axis < 0 ? axis + rank(0) : axis) + 1}));
}

Result Rule::slice() const {
  if (!only_first_mapped()) return std::nullopt;
  std::vector<int64_t> axes;
  if (node_.num_operands() > 3 && node_.operand(3)) {
    const auto given = moved_axes(3, rank(0));
    if (!given) return std::nullopt;
    axes = *given;
  } else {
    for (int i = 0; i < rank(0); ++i) axes.push_back(i + 1);
  }
  Var list = ints(axes);
  if (node_.operand(1)->dtype() == i32) list = astype(list, i32);
  std::vector<Var> operands = {at(0), at(1), at(2), list};
  if (count() > 4 && node_.operand(4)) operands.push_back(at(4));
  return emitted(operands);
}

Result Rule::gather() const {
  const int64_t given = node_.attrs<Gather>().axis, axis = given < 0 ? given + rank(0) : given;
  if (mapped(0) && mapped(1)) return std::nullopt;
  if (mapped(0)) return emitted({at(0), at(1)}, std::make_shared<Gather::Attrs>(Gather::Attrs{axis + 1}));
  // The axis of the elements is the first of the indices.
  const Var y = emitted({at(0), at(1)})[0];
  return std::vector<Var>{moveaxis(y, axis, 0)};
}

Result Rule::apply() const {
  if (!ranked() || node_.num_regions() || node_.info().traits.nondeterministic) return std::nullopt;
  if (node_.info().traits.elementwise) return elementwise();
  switch (node_.op()) {
#define TC_REDUCE(Name, ...) case OpId::Name:
#include "tc/ir/ops/reduce.def"
    return reduction();
    case OpId::ArgMax:
      return along_axis<ArgMax>();
    case OpId::ArgMin:
      return along_axis<ArgMin>();
    case OpId::CumSum:
    case OpId::CumProd:
      return running();
    case OpId::Identity:
    case OpId::StopGradient:
      return emitted({at(0)});
    case OpId::MatMul:
      return matmul();
    case OpId::Transpose:
      return transpose();
    case OpId::Reshape:
      return reshape();
    case OpId::Squeeze:
    case OpId::Unsqueeze:
      return axes_operand();
    case OpId::Expand:
      return expand();
    case OpId::Concat:
      return concat();
    case OpId::Slice:
      return slice();
    case OpId::Gather:
      return gather();
    case OpId::GatherElements:
      return along_axis_of_both<GatherElements>();
    case OpId::Softmax:
      return along_axis<Softmax>();
    case OpId::LogSoftmax:
      return along_axis<LogSoftmax>();
    case OpId::TopK:
      return along_axis<TopK>();
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<Var>> by_rule(const Node& node, const std::vector<Batched>& operands) {
  return Rule(node, operands).apply();
}

}  // namespace tc::dsl
