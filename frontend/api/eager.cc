#include "tc/frontend/api/eager.h"

#include <bit>
#include <list>
#include <unordered_map>

#include "tc/frontend/dsl/tracer.h"
#include "tc/ir/builder.h"

namespace tc {
namespace {

// Elements of integer operands that an op is compiled for when the ranks of its results hang on them.
constexpr int64_t kMaxFixed = 64;
constexpr size_t kMaxKept = 512;

// Appends what tells one attribute from another.
void describe(std::string& key, const AttrValue& value) {
  std::visit(
      [&]<class T>(const T& x) {
        const auto list = [&](const auto& items, const auto& item) {
          key += cat(items.size(), ":");
          for (const auto& e : items) key += cat(item(e), ",");
        };
        const auto itself = [](const auto& e) { return e; };
        const auto bits = [](double e) { return std::bit_cast<uint64_t>(e); };
        const auto counted = [](const std::string& e) { return cat(e.size(), ":", e); };
        if constexpr (std::is_same_v<T, std::monostate>)
          key += "_";
        else if constexpr (std::is_same_v<T, double>)
          key += cat(bits(x));
        else if constexpr (std::is_same_v<T, std::string>)
          key += counted(x);
        else if constexpr (std::is_same_v<T, std::vector<int64_t>>)
          list(x, itself);
        else if constexpr (std::is_same_v<T, std::vector<double>>)
          list(x, bits);
        else if constexpr (std::is_same_v<T, std::vector<std::string>>)
          list(x, counted);
        else if constexpr (std::is_same_v<T, Dims>)
          list(x, [](const Dim& d) { return d.str(); });
        else if constexpr (!std::is_same_v<T, Tensor>)
          key += cat(x);
        else if (!x.defined())
          key += "_";
        else if (x.dtype() == DType::str)
          list(x.template span<std::string>(), counted);
        else
          key.append(cat(x.type(), " ")).append(static_cast<const char*>(x.data()), x.bytes());
      },
      value);
}

// Compiled programs by a description; those used last stay.
class Kept {
 public:
  struct Entry {
    std::string key;
    std::shared_ptr<const Module> program;
    Compiled compiled;
  };
  template <class Make>
  const Compiled& get(const std::string& key, Make make, const CompilerOptions& options) {
    if (const auto it = places_.find(key); it != places_.end()) {
      list_.splice(list_.begin(), list_, it->second);
      return it->second->compiled;
    }
    std::shared_ptr<const Module> program = make();
    Compiled compiled = compile(Function(program), options);
    list_.push_front({key, std::move(program), std::move(compiled)});
    places_[key] = list_.begin();
    if (list_.size() > kMaxKept) {
      places_.erase(list_.back().key);
      list_.pop_back();
    }
    return list_.front().compiled;
  }
  size_t size() const { return list_.size(); }

 private:
  std::list<Entry> list_;
  std::unordered_map<std::string, std::list<Entry>::iterator> places_;
};

class Machine : public dsl::Evaluator {
 public:
  explicit Machine(const CompilerOptions& options) : options_(options) {}

  std::vector<Tensor> run(const Node& node) override {
    std::vector<Tensor> operands;
    for (const Value* v : node.operands()) operands.push_back(v ? *v->constant() : Tensor());
    // The bodies of loops hold what they captured: such a program is not met twice.
    if (node.num_regions()) {
      const auto program = program_of(node, operands, false);
      return compile(Function(program), options_)(inputs_of(operands, false));
    }
    bool fixed = false;
    std::string key = described(node, operands, fixed);
    if (const auto it = fixed_.find(key); it != fixed_.end()) {
      fixed = it->second;
    } else {
      const auto program = program_of(node, operands, false);
      for (const Value* v : program->main().outputs()) fixed = fixed || !v->type().is_tensor() || !v->shape().ranked();
      if (fixed_.size() > 8 * kMaxKept) fixed_.clear();
      fixed_[key] = fixed;
    }
    if (fixed) key = described(node, operands, fixed);
    return kept_.get(
        key, [&] { return program_of(node, operands, fixed); }, options_)(inputs_of(operands, fixed));
  }

  // What is kept holds its program, so that no other one has the address.
  std::vector<Tensor> run(const std::shared_ptr<const Module>& program, std::vector<Tensor> inputs) override {
    return kept_.get(
        cat("program ", program.get()), [&] { return program; }, options_)(inputs);
  }

  size_t size() const { return kept_.size(); }

 private:
  static bool is_fixed(const Tensor& t, bool fixed) {
    return fixed && t.defined() && t.rank() <= 1 && t.size() <= kMaxFixed && dtypes::ints.has(t.dtype());
  }

  static std::vector<Tensor> inputs_of(const std::vector<Tensor>& operands, bool fixed) {
    std::vector<Tensor> inputs;
    for (const Tensor& t : operands)
      if (t.defined() && !is_fixed(t, fixed)) inputs.push_back(t);
    return inputs;
  }

  // A program of the node alone. Operands are inputs, or constants where they are fixed.
  static std::shared_ptr<const Module> program_of(const Node& node, const std::vector<Tensor>& operands, bool fixed) {
    auto module = std::make_shared<Module>();
    module->reserve_symbols(node.graph()->module().next_symbol());
    for (const Graph* f : call_order(node.graph()->module())) {
      Graph& to = module->add_function(f->name());
      std::vector<std::pair<Value*, Value*>> map;
      for (Value* v : f->inputs()) map.emplace_back(v, to.add_input(v->type(), v->name()));
      to.set_outputs(clone_into(*f, to, nullptr, std::move(map)));
    }
    Graph& g = module->main();
    Builder b(g);
    std::vector<Value*> values;
    for (const Tensor& t : operands)
      values.push_back(!t.defined()         ? nullptr
                       : is_fixed(t, fixed) ? b.constant(t)
                                            : g.add_input(t.type(), cat("x", g.num_inputs())));
    std::vector<std::unique_ptr<Graph>> regions;
    for (int i = 0; i < node.num_regions(); ++i) regions.push_back(clone(node.region(i), *module));
    b.set_location(node.location());
    const Node* copy = b.node(node.op(), values, node.raw_attrs(), node.num_results(), std::move(regions));
    std::vector<Value*> results;
    for (int j = 0; j < copy->num_results(); ++j) results.push_back(copy->result(j));
    g.set_outputs(results);
    return module;
  }

  static std::string described(const Node& node, const std::vector<Tensor>& operands, bool fixed) {
    std::string key = cat(node.op(), " ", node.num_results());
    const AttrsInfo& attrs = node.info().attrs;
    for (size_t i = 0; i < attrs.fields.size(); ++i) {
      key += "; ";
      describe(key, attrs.get(node.raw_attrs().get(), i));
    }
    for (const Tensor& t : operands) {
      key += t.defined() ? cat(", ", t.type()) : ", _";
      if (!is_fixed(t, fixed)) continue;
      for (const int64_t v : to_i64(t)) key += cat(" ", v);
    }
    return key;
  }

  CompilerOptions options_;
  Kept kept_;
  std::unordered_map<std::string, bool> fixed_;  // by description: are integer operands part of it?
};

}  // namespace

struct Eager::State {
  std::shared_ptr<Machine> machine;
  std::shared_ptr<dsl::Tracer> tracer;
  dsl::Tracer::Activation active;
  explicit State(const CompilerOptions& options)
      : machine(std::make_shared<Machine>(options)),
        tracer(std::make_shared<dsl::Tracer>("eager", machine)),
        active(*tracer) {}
};

Eager::Eager(const CompilerOptions& options) : state_(std::make_unique<State>(options)) {}
Eager::~Eager() = default;
size_t Eager::compiled() const {
  return state_->machine->size();
}

}  // namespace tc
