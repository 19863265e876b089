#include "tc/backend/cpu/legalize/promote.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "tc/backend/cpu/bind/quant.h"
#include "tc/backend/cpu/bind/rnn.h"
#include "tc/backend/cpu/legalize/target.h"
#include "tc/ir/eval/move.h"

namespace tc::cpu {
namespace {

// A rounding that the reference makes is made, too; or it is left out, and what follows amplifies the difference.
const Rule kPromote{"promote-to-kernel-type", same_rounding, any_node(), nullptr};
const Rule kKeepPrecision{"keep-promoted-precision", approximate(0x1p-6), any_node(), nullptr};

std::optional<DType> dtype_of(const Value* v) {
  return v && v->type().is_tensor() ? std::optional(v->dtype()) : std::nullopt;
}

bool narrow_float(const Value* v) {
  const auto t = dtype_of(v);
  return t == DType::f16 || t == DType::bf16;
}

// The element type that kernels of the node take instead of its operands', if another one.
std::optional<DType> promoted_type(const Node& n) {
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

// One run over a module. What this class remembers of values is forgotten when the editor erases them.
class Promotion {
 public:
  Promotion(Module& module, Editor& editor, bool keeps_precision)
      : module_(module), editor_(editor), keeps_precision_(keeps_precision) {
    editor_.on_erase = [this](Node& n) {
      for (int j = 0; j < n.num_results(); ++j) wide_.erase(n.result(j)), constants_.erase(n.result(j));
    };
  }
  ~Promotion() { editor_.on_erase = nullptr; }

  void run() {
    // What an edit erases comes before the node that it is made for.
    for (Node* n : find_nodes(module_, [](const Node&) { return true; })) {
      if (const auto to = promoted_type(*n))
        promote(*n, *to);
      else if (follows(*n))
        promote(*n, DType::f32);
      else if (Value* wide = n->is<Cast>() ? kept(n->operand(0)) : nullptr; wide && n->result(0)->dtype() == DType::f32)
        commit(kKeepPrecision, {{}, {wide}}, *n);
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

  void promote(Node& n, DType to) {
    // All operands of the kind of the first: both narrow floats, or the very type.
    const DType first = (n.is<Where>() ? n.result(0) : n.operand(0))->dtype();
    const auto narrow = [&](const Value* v) { return dtype_of(v) == first || (to == DType::f32 && narrow_float(v)); };
    std::vector<Value*> operands = n.operands();
    const bool keeps = std::any_of(operands.begin(), operands.end(), [&](const Value* v) { return kept(v); });
    const Rule& rule = keeps ? kKeepPrecision : kPromote;
    if (!editor_.allows(rule.name, rule.exactness)) return;
    std::vector<std::pair<Value*, Value*>> rounded;  // {what was rounded, from what}
    Built built = build_detached(n, [&](Builder& b) {
      for (Value*& v : operands)
        if (narrow(v)) v = promoted(b, v, to);
      const Node* wide = b.node(n.op(), operands, n.raw_attrs(), n.num_results());
      std::vector<Value*> results;
      for (int j = 0; j < n.num_results(); ++j) {
        const Value* was = n.result(j);
        Value* now = wide->result(j);
        if (now->dtype() != was->dtype()) {
          // Extents that only the running value tells keep their names.
          now->set_type(Type::tensor(now->dtype(), was->shape()));
          // The fraction is cut off: what is a whole number, as where all pixels are the same, must not have got less.
          if (n.is<Resize>() && n.attrs<Resize>().mode == ResizeMode::linear &&
              kind(was->dtype()) != DTypeKind::floating)
            now = b.make<Mul>({now, b.scalar<float>(1 + 0x1p-20F)});
          Value* cast = b.make<Cast>({now}, {.to = was->dtype()});
          if (keeps_precision_ && narrow_float(was)) rounded.emplace_back(cast, now);
          now = cast;
        }
        results.push_back(now);
      }
      return results;
    });
    if (commit(rule, std::move(built), n))
      for (const auto& [cast, from] : rounded)
        if (!cast->unused()) wide_[cast] = from;
  }

  bool commit(const Rule& rule, Built built, Node& n) { return commit_built(editor_, rule, std::move(built), n); }

  Value* promoted(Builder& b, Value* v, DType to) {
    if (Value* wide = kept(v)) return wide;
    const Tensor* t = v->constant();
    if (!t) return b.make<Cast>({v}, {.to = to});
    Tensor& wide = constants_[v];
    if (!wide.defined()) {
      wide = converted(*t, to);
      t->discard_pages();
    }
    return b.constant(wide);
  }

  // What a value was rounded from by a conversion put here, or null.
  Value* kept(const Value* v) const {
    const auto it = wide_.find(v);
    return it == wide_.end() ? nullptr : it->second;
  }

  Module& module_;
  Editor& editor_;
  bool keeps_precision_;
  std::unordered_map<const Value*, Tensor> constants_;
  std::unordered_map<const Value*, Value*> wide_;
};

}  // namespace

std::span<const Rule> promotion_rules() {
  static const Rule kRules[] = {kPromote, kKeepPrecision};
  return kRules;
}

void promote_types(PassContext& ctx) {
  Promotion(ctx.module, ctx.editor, ctx.level > 0).run();
}

}  // namespace tc::cpu
