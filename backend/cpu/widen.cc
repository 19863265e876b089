#include "tc/backend/cpu/widen.h"

#include <unordered_map>

#include "tc/ir/builder.h"
#include "tc/ir/eval/move.h"

namespace tc::cpu {
namespace {

bool narrow(const Value* v) {
  return v && v->type().is_tensor() && (v->dtype() == DType::f16 || v->dtype() == DType::bf16);
}

bool wants_f32(const Node& n) {
  switch (n.info().family) {
    case Family::matmul:
    case Family::conv:
    case Family::pool:
    case Family::norm:
    case Family::softmax:
    case Family::attention:
    case Family::reduce:
      break;
    default:
      if (!n.is<Resize>()) return false;
  }
  return n.num_regions() == 0 && n.num_operands() > 0 && narrow(n.operand(0)) && has_kernels(n.op());
}

class Widening {
 public:
  void run(const Graph& graph) {
    std::vector<Node*> nodes;
    walk(graph, [&](Node& n) {
      if (wants_f32(n)) nodes.push_back(&n);
    });
    for (Node* n : nodes) widen(*n);
  }

 private:
  void widen(Node& n) {
    Builder b(*n.graph(), &n);
    b.set_location(n.location());
    std::vector<Value*> operands = n.operands();
    for (Value*& v : operands)
      if (narrow(v)) v = widened(b, v);
    const Node* wide = b.node(n.op(), operands, n.raw_attrs(), n.num_results());
    for (int j = 0; j < n.num_results(); ++j) {
      Value *was = n.result(j), *now = wide->result(j);
      if (now->dtype() != was->dtype()) {
        // Extents that only the running value tells keep their names.
        now->set_type(Type::tensor(now->dtype(), was->shape()));
        now = b.make<Cast>({now}, {.to = was->dtype()});
      }
      now->set_type(was->type());
      now->set_name(was->name());
      was->replace_all_uses_with(now);
    }
    n.graph()->erase(&n);
  }

  Value* widened(Builder& b, Value* v) {
    const Tensor* t = v->constant();
    if (!t) return b.make<Cast>({v}, {.to = DType::f32});
    Tensor& wide = constants_[v];
    if (!wide.defined()) wide = converted(*t, DType::f32);
    return b.constant(wide);
  }

  std::unordered_map<const Value*, Tensor> constants_;
};

}  // namespace

void compute_in_f32(Module& module) {
  Widening widening;
  for (const auto& f : module.functions()) widening.run(*f);
  widening.run(module.main());
}

}  // namespace tc::cpu
