#include "tests/backend/onnx/peer_wrap.h"

#include "tc/ir/builder.h"
#include "tc/ir/eval/interp.h"

namespace tc::peers {
namespace {

// The type that stands for `t` outside; nothing when there is none.
std::optional<DType> outside(DType t) {
  if (dtypes::complex.has(t)) return std::nullopt;
  if (t == DType::bf16 || dtypes::f8.has(t) || t == DType::f4e2m1 || t == DType::f8e8m0) return DType::f32;
  if (dtypes::sub_byte.has(t)) return DType::i32;
  return t;
}

Tensor converted(const Tensor& t, DType to) {
  if (t.dtype() == to) return t;
  Module scratch;
  Builder b(scratch.main());
  Value* y = b.make<Cast>({b.constant(t)}, {.to = to});
  scratch.main().set_outputs(std::vector{y});
  return interpret(scratch, {})[0].tensor();
}

class Wrapper {
 public:
  std::optional<Wrapped> run(const Module& module, const std::vector<Datum>& inputs) {
    w_.module = clone(module);
    Graph& g = w_.module->main();
    const std::vector<Value*> old = g.inputs();
    for (size_t i = 0; i < old.size(); ++i) {
      Builder b(g, g.first());
      Value* v = input(b, inputs[i], old[i]->type(), cat("input", i));
      if (!v) return std::nullopt;
      old[i]->replace_all_uses_with(v);
    }
    for (size_t i = 0; i < old.size(); ++i) g.erase_input(0);
    const auto results = interpret(module, inputs);
    std::vector<Value*> outputs;
    Builder b(g, g.terminator());
    for (size_t i = 0; i < results.size(); ++i)
      if (!output(b, g.output(static_cast<int>(i)), results[i], cat("output", i), outputs)) return std::nullopt;
    g.output_names.clear();
    for (const auto& o : w_.outputs) g.output_names.push_back(o.name);
    g.donations.clear();
    g.set_outputs(outputs);
    return std::move(w_);
  }

 private:
  Value* input(Builder& b, const Datum& d, const Type& type, const std::string& name) {
    if (d.is_tensor()) {
      const Tensor& t = d.tensor();
      const auto to = outside(t.dtype());
      if (!to || !type.is_tensor()) return nullptr;
      w_.inputs.emplace_back(name, converted(t, *to));
      Value* v = b.graph().add_input(Type::tensor(*to, type.shape()), name);
      return *to == t.dtype() ? v : b.make<Cast>({v}, {.to = t.dtype()});
    }
    if (!d.is_sequence() || type.kind() != Type::Kind::sequence || !type.element().is_tensor()) return nullptr;
    if (d.items().empty()) return b.make<SequenceEmpty>({}, {type.element().dtype()});
    std::vector<Value*> items;
    for (size_t i = 0; i < d.items().size(); ++i) {
      items.push_back(input(b, d.items()[i], d.items()[i].tensor().type(), cat(name, "_", i)));
      if (!items.back()) return nullptr;
    }
    return b.make<SequenceConstruct>(items);
  }

  bool output(Builder& b, Value* v, const Datum& d, const std::string& name, std::vector<Value*>& outputs) {
    if (d.is_tensor() && v->type().is_tensor()) {
      const Tensor& t = d.tensor();
      const auto to = outside(t.dtype());
      if (!to) return false;
      w_.outputs.push_back({name, converted(t, *to), t.dtype()});
      outputs.push_back(*to == t.dtype() ? v : b.make<Cast>({v}, {.to = *to}));
      return true;
    }
    if (!d.is_sequence() || v->type().kind() != Type::Kind::sequence) return false;
    w_.outputs.push_back({name + "_length", Tensor::scalar(static_cast<int64_t>(d.items().size())), DType::i64});
    outputs.push_back(b.make<SequenceLength>({v}));
    for (size_t i = 0; i < d.items().size(); ++i) {
      if (!d.items()[i].is_tensor()) return false;
      Value* item = b.make<SequenceAt>({v, b.scalar(static_cast<int64_t>(i))});
      if (!output(b, item, d.items()[i], cat(name, "_", i), outputs)) return false;
    }
    return true;
  }

  Wrapped w_;
};

}  // namespace

std::optional<Wrapped> wrap(const Module& module, const std::vector<Datum>& inputs) {
  return Wrapper().run(module, inputs);
}

}  // namespace tc::peers
