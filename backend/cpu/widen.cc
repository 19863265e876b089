#include "tc/backend/cpu/widen.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "tc/backend/cpu/bind_quant.h"
#include "tc/backend/cpu/bind_rnn.h"
#include "tc/backend/cpu/lower.h"
#include "tc/ir/eval/move.h"

namespace tc::cpu {
namespace {

std::optional<DType> dtype_of(const Value* v) {
  return v && v->type().is_tensor() ? std::optional(v->dtype()) : std::nullopt;
}

bool narrow_float(const Value* v) {
  const auto t = dtype_of(v);
  return t == DType::f16 || t == DType::bf16;
}

// Would the node run on the reference body, although it decomposes into what has kernels? Those of attention and
// recurrent networks are of f32 alone, the latter's without bounds or functions of their own.
bool decomposes(const Node& n) {
  if (has_lowering(n.op())) return true;
  if (!n.info().decompose || n.num_regions() || n.info().traits.nondeterministic || n.info().family == Family::fused)
    return false;
  if (!has_kernels(n.op())) return true;
  if (n.info().family == Family::rnn && rnn_refusal(n)) return true;
  // Constants with constant scales are folded, or stay as they are for the products that they go to.
  if (n.is<QuantizeLinear>() || n.is<DequantizeLinear>())
    return linear_refusal(n) && !(n.operand(0)->constant() && n.operand(1)->constant());
  // A softmax or values of another precision round where the reference body does not.
  if (n.is<Attention>() && (n.attrs<Attention>().softmax_precision.value_or(DType::f64) != DType::f64 ||
                            dtype_of(n.operand(2)) != DType::f64))
    return false;
  return n.num_operands() > 0 && dtype_of(n.operand(0)) == DType::f64 &&
         (n.info().family == Family::attention || n.info().family == Family::rnn);
}

// The element type that kernels of the node take instead of its operands', if another one.
std::optional<DType> wider(const Node& n) {
  if (n.num_regions() || n.num_operands() == 0) return std::nullopt;
  const auto t = dtype_of(n.operand(0));
  // The type of scales is what quotients are rounded to.
  if (n.is<QuantizeLinear>() || n.is<DequantizeLinear>()) return std::nullopt;
  if (narrow_float(n.operand(0))) {
    if (decomposes(n)) return DType::f32;
    if (!has_kernels(n.op())) return std::nullopt;
    switch (n.info().family) {
      case Family::matmul:
      case Family::conv:
      case Family::pool:
      case Family::norm:
      case Family::softmax:
      case Family::attention:
      case Family::rnn:
      case Family::reduce:
      case Family::signal:
        return DType::f32;
      default:
        return n.is<Resize>() ? std::optional(DType::f32) : std::nullopt;
    }
  }
  // Between two bytes lies no other than bytes; a cubic curve leaves their range, and wraps.
  if (n.is<Resize>() && n.attrs<Resize>().coordinates != ResizeCoordinates::tf_crop_and_resize) {
    const ResizeMode mode = n.attrs<Resize>().mode;
    const bool byte = t == DType::u8 || t == DType::i8;
    if (mode == ResizeMode::nearest ? byte || t == DType::boolean || t == DType::u16 || t == DType::i16
                                    : mode == ResizeMode::linear && byte)
      return DType::f32;
  }
  return std::nullopt;
}

// Ops that give what lies near to the result for what lies near to their operands.
bool is_smooth(const Node& n) {
  return n.info().family == Family::elementwise && n.num_results() == 1 && narrow_float(n.result(0)) && !n.is<Cast>() &&
         !n.is<BitCast>() && !n.is<Floor>() && !n.is<Ceil>() && !n.is<Round>() && !n.is<Sign>() && !n.is<Mod>() &&
         !n.is<Dropout>();
}

// Ops that move elements of any type; the numbers of a range are counted from its operands.
bool is_movement(const Node& n) {
  return n.info().family == Family::movement && narrow_float(n.result(0)) && !n.is<Range>();
}

class Widening {
 public:
  explicit Widening(bool keeps_precision) : keeps_precision_(keeps_precision) {}

  void run(const Graph& graph) {
    std::vector<Node*> nodes;
    walk(graph, [&](Node& n) { nodes.push_back(&n); });
    for (Node* n : nodes) {
      if (const auto to = wider(*n))
        widen(*n, *to);
      else if (follows(*n))
        widen(*n, DType::f32);
      else if (Value* wide = n->is<Cast>() ? kept(n->operand(0)) : nullptr; wide && n->result(0)->dtype() == DType::f32)
        n->result(0)->replace_all_uses_with(wide);
    }
  }

 private:
  // Does the node go on in f32 from operands that were about to be rounded? What only moves elements does where all of
  // them come from there: a cache that is longer than what is appended to it stays as it is.
  bool follows(const Node& n) const {
    if (!is_smooth(n) && !is_movement(n)) return false;
    const auto wide = [&](const Value* v) { return kept(v) != nullptr; };
    const auto near = [&](const Value* v) {
      return !narrow_float(v) || kept(v) || v->constant() || (v->def() && v->def()->is<Cast>());
    };
    const auto& operands = n.operands();
    return std::any_of(operands.begin(), operands.end(), wide) &&
           (is_smooth(n) || std::all_of(operands.begin(), operands.end(), near));
  }

  void widen(Node& n, DType to) {
    // All operands of the kind of the first: both narrow floats, or the very type.
    const DType first = (n.is<Where>() ? n.result(0) : n.operand(0))->dtype();
    const auto narrow = [&](const Value* v) { return dtype_of(v) == first || (to == DType::f32 && narrow_float(v)); };
    Builder b(*n.graph(), &n);
    b.set_location(n.location());
    std::vector<Value*> operands = n.operands();
    for (Value*& v : operands)
      if (narrow(v)) v = widened(b, v, to);
    const Node* wide = b.node(n.op(), operands, n.raw_attrs(), n.num_results());
    for (int j = 0; j < n.num_results(); ++j) {
      Value *was = n.result(j), *now = wide->result(j);
      if (now->dtype() != was->dtype()) {
        // Extents that only the running value tells keep their names.
        now->set_type(Type::tensor(now->dtype(), was->shape()));
        // The fraction is cut off: what is a whole number, as where all pixels are the same, must not have got less.
        if (n.is<Resize>() && n.attrs<Resize>().mode == ResizeMode::linear && kind(was->dtype()) != DTypeKind::floating)
          now = b.make<Mul>({now, b.scalar<float>(1 + 0x1p-20F)});
        Value* rounded = b.make<Cast>({now}, {.to = was->dtype()});
        if (keeps_precision_ && narrow_float(was)) wide_[rounded] = now;
        now = rounded;
      }
      now->set_type(was->type());
      now->set_name(was->name());
      was->replace_all_uses_with(now);
    }
    n.graph()->erase(&n);
  }

  Value* widened(Builder& b, Value* v, DType to) {
    if (Value* wide = kept(v)) return wide;
    const Tensor* t = v->constant();
    if (!t) return b.make<Cast>({v}, {.to = to});
    Tensor& wide = constants_[v];
    if (!wide.defined()) {
      wide = converted(*t, to);
      t->give_back_pages();
    }
    return b.constant(wide);
  }

  // What a value was rounded from by a conversion put here, or null.
  Value* kept(const Value* v) const {
    const auto it = wide_.find(v);
    return it == wide_.end() ? nullptr : it->second;
  }

  bool keeps_precision_;
  std::unordered_map<const Value*, Tensor> constants_;
  std::unordered_map<const Value*, Value*> wide_;
};

void decompose(Node& n) {
  Builder b(*n.graph(), &n);
  b.set_location(n.location());
  std::vector<Value*> values;
  try {
    values = has_lowering(n.op()) ? lowered(b, n) : n.info().decompose(b, n);
    if (values.empty()) return;
  } catch (const Error&) {
    return;  // a rank or extent that is not known: what has been built is dead
  }
  for (int j = 0; j < n.num_results(); ++j) {
    Value *was = n.result(j), *now = values[static_cast<size_t>(j)];
    if (was->unused()) continue;
    // Extents that only the running value tells keep their names.
    const auto operands = n.operands();
    if (now->def() && std::find(operands.begin(), operands.end(), now) == operands.end() && !now->constant())
      now->set_type(was->type());
    was->replace_all_uses_with(now);
  }
  n.graph()->erase(&n);
}

}  // namespace

void decompose_for_kernels(Module& module) {
  std::vector<Node*> nodes;
  const auto collect = [&](const Graph& graph) {
    walk(graph, [&](Node& n) {
      if (decomposes(n)) nodes.push_back(&n);
    });
  };
  for (const auto& f : module.functions()) collect(*f);
  collect(module.main());
  for (Node* n : nodes) decompose(*n);
}

void widen_for_kernels(Module& module, bool keeps_precision) {
  Widening widening(keeps_precision);
  for (const auto& f : module.functions()) widening.run(*f);
  widening.run(module.main());
}

}  // namespace tc::cpu
