#include "tc/backend/onnx/draws.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/ir/draws.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/ops.h"
#include "tc/ir/shape_build.h"
#include "tc/passes/driver.h"

namespace tc::onnx {
namespace {

using Words = std::array<uint32_t, 2>;

bool standard(std::string_view name) {
  const std::string_view all[] = {draws::kNormal,  draws::kExponential, draws::kGumbel,
                                  draws::kLaplace, draws::kLogistic,    draws::kCauchy};
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}
bool drawn(std::string_view name) {
  return standard(name) || name == draws::kBits || name == draws::kUniform || name == draws::kOpen;
}

bool is_key(const Value* v) {
  return v && v->type().is_tensor() && v->dtype() == DType::u32 && v->shape().ranked() && v->shape().rank() == 1 &&
         v->shape()[0].is(2);
}

// A word of a key, taken out of it.
bool is_word(const Value* v) {
  if (v->dtype() != DType::u32 || !v->shape().ranked()) return false;
  return v->shape().rank() == 0 || (v->shape().rank() == 1 && v->shape()[0].is(1));
}

// How a key comes about: for JavaScript, and for people.
struct KeyRecipe {
  std::string script, path;
};

class Draws {
 public:
  Draws(Module& module, const ExportOptions& options, ExportReport& report)
      : module_(module), main_(module.main()), options_(options), report_(report) {}

  void run() {
    if (options_.random == ExportRandom::keys) return open_keys();
    std::vector<Value*> found;
    for_each_graph(module_, [&](Graph& g) {
      walk(g, [&](Node& n) {
        for (int j = 0; j < n.num_results(); ++j)
          if (drawn(n.result(j)->name()) && !n.result(j)->constant()) found.push_back(n.result(j));
      });
    });
    std::vector<const Value*> inputs_before;
    for (const Value* v : main_.inputs())
      if (!v->unused()) inputs_before.push_back(v);
    // Standard numbers before those that they are made of.
    for (auto v = found.rbegin(); v != found.rend(); ++v)
      if (!covered_.count(*v)) place(**v);
    if (lifted_.empty() && !changed_) return;
    PipelineReport rewrites;
    const EditLimits limits;
    Editor editor(rewrites, limits, nullptr);
    eliminate_dead(module_, editor);
    drop_inputs(inputs_before);
    if (!lifted_.empty()) report_.draws_script = draws_script(lifted_);
  }

 private:
  // --- Constant keys as inputs with defaults

  void open_keys() {
    std::vector<Value*> keys;
    for (const auto& n : main_.nodes())
      for (int j = 0; j < n->num_results(); ++j)
        if (n->result(j)->name() == draws::kKey && is_key(n->result(j))) keys.push_back(n->result(j));
    for (Value* key : keys) {
      const auto words = known(key);
      if (!words) continue;
      const std::string name = unique(std::string(draws::kKey));
      Builder b(main_, key->def()->next());
      b.set_location(key->def()->location());
      Value* p = b.make<Parameter>({}, {name, *words});
      p->set_name(name);
      key->replace_all_uses_with(p);
      key->set_name({});
      note(*p, "random.key", cat("the constant key became the input '", name, "' with a default"));
    }
  }

  // --- Draws elsewhere

  void place(Value& v) {
    const Value* open = standard(v.name()) ? nearest_open(&v) : nullptr;
    const Value* key = key_of(open ? open : &v);
    std::string reason = "its key is not found";
    if (key && options_.random == ExportRandom::inputs) reason = lift(v, open, *key);
    if (key && options_.random == ExportRandom::onnx) reason = by_operator(v, *key);
    if (reason.empty()) {
      if (open) covered_.insert(open);
      return;
    }
    // What a standard number is made of is tried next.
    if (!standard(v.name())) note(v, std::string(v.name()), cat("stays a generator: ", reason));
  }

  std::string lift(Value& v, const Value* open, const Value& key) {
    if (v.graph() != &main_) return "it is drawn in a loop, a branch or a function";
    const auto recipe = recipe_of(&key);
    if (!recipe) return "its key is the program's own computation";
    LiftedDraw d;
    for (const Dim& extent : v.shape().dims()) {
      d.extents.push_back(script_of_extent(extent, main_));
      if (d.extents.back().empty()) return "its shape does not follow from those of inputs";
    }
    d.sampler = std::string(v.name());
    d.dtype = v.dtype();
    if (open) {
      d.function = cat(d.sampler.substr(d.sampler.find('.') + 1), "_", info(d.dtype).name);
      d.definition = script_of_function(d.function, &v, open);
      if (d.definition.empty()) return "it is made of other operators than a script has";
    }
    d.input = unique(d.sampler);
    d.key = recipe->script;
    report_.draws.push_back({d.input, d.sampler, v.type().str(), recipe->path});
    note(v, d.sampler, cat("became the input '", d.input, "', ", v.type(), " of the key ", recipe->path));
    v.set_name({});
    v.replace_all_uses_with(main_.add_input(v.type(), d.input));
    lifted_.push_back(std::move(d));
    return {};
  }

  std::string by_operator(Value& v, const Value& key) {
    const std::string name = v.name();
    const bool normal = name == draws::kNormal;
    if (!normal && name != draws::kUniform && name != draws::kOpen) return "ONNX has no such operator";
    Builder b(*v.graph(), v.def());
    b.set_location(v.def()->location());
    std::vector<int64_t> fixed;
    std::vector<Value*> parts;
    for (const Dim& d : v.shape().dims()) {
      if (d.is_const()) fixed.push_back(d.value());
      Value* part = d.is_const() ? b.ints({d.value()}) : extent_of_symbol(b, d);
      if (!part) return "its shape does not follow from those of inputs";
      parts.push_back(part);
    }
    std::optional<double> seed;
    if (const auto words = known(&key)) {
      const auto w = words->span<uint32_t>();
      seed = static_cast<double>((w[0] ^ w[1]) & 0xffffff);
    }
    const double step = name != draws::kOpen ? 0 : v.dtype() == DType::f32 ? 0x1p-24 : 0x1p-53;
    Value* made = nullptr;
    if (fixed.size() == parts.size()) {
      made = normal ? b.make<RandomNormal>({}, {{0, 1}, v.dtype(), seed, fixed})
                    : b.make<RandomUniform>({}, {{step, 1}, v.dtype(), seed, fixed});
    } else {
      Value* like = b.make<ConstantOfShape>({join_extents(b, parts)}, {scalar_vector(v.dtype())});
      made = normal ? b.make<RandomNormalLike>({like}, {{0, 1}, v.dtype(), seed})
                    : b.make<RandomUniformLike>({like}, {{step, 1}, v.dtype(), seed});
    }
    note(v, name, "drawn by ONNX's own operator, whose numbers are each runtime's");
    v.set_name({});
    v.replace_all_uses_with(made);
    changed_ = true;
    return {};
  }

  static Tensor scalar_vector(DType t) {
    return t == DType::f32 ? Tensor::of<float>({1}, {0.f}) : Tensor::of<double>({1}, {0.0});
  }

  Value* extent_of_symbol(Builder& b, const Dim& d) {
    for (Value* in : main_.inputs()) {
      if (!in->type().is_tensor() || !in->shape().ranked()) continue;
      for (int axis = 0; axis < in->shape().rank(); ++axis)
        if (in->shape()[axis] == d) return extent_of(b, in, axis);
    }
    return nullptr;
  }

  void drop_inputs(const std::vector<const Value*>& used_before) {
    for (int i = main_.num_inputs(); i-- > 0;) {
      const Value* v = main_.input(i);
      if (!v->unused() || std::find(used_before.begin(), used_before.end(), v) == used_before.end()) continue;
      report_.changes.push_back({{}, "random", cat("the input '", v->name(), "' is left out, as nothing reads it")});
      main_.erase_input(i);
      for (auto& [output, input] : main_.donations)
        if (input > i) --input;
    }
  }

  // --- What a draw is made of

  // Through the defining nodes, of what `follow` admits, to the first value that `wanted` accepts.
  template <class Follow, class Wanted>
  static const Value* search(const Value* from, const Follow& follow, const Wanted& wanted) {
    std::deque<const Value*> queue = {from};
    std::unordered_set<const Value*> seen = {from};
    while (!queue.empty()) {
      const Value* v = queue.front();
      queue.pop_front();
      if (!v->def()) continue;
      for (Value* o : v->def()->operands()) {
        if (!o || !seen.insert(o).second) continue;
        if (wanted(*v, *o)) return o;
        if (follow(*o)) queue.push_back(o);
      }
    }
    return nullptr;
  }

  static const Value* nearest_open(const Value* v) {
    return search(
        v, [](const Value&) { return true; }, [](const Value&, const Value& o) { return o.name() == draws::kOpen; });
  }

  // Counters are i64, and those of places may lead to other draws.
  static const Value* key_of(const Value* v) {
    const auto follow = [](const Value& o) {
      return o.type().is_tensor() && o.name() != draws::kFoldedNumber &&
             (o.dtype() == DType::u32 || o.dtype() == DType::u64 || o.dtype() == DType::f32 || o.dtype() == DType::f64);
    };
    return search(v, follow, [](const Value& user, const Value& o) { return is_key(&o) && is_word(&user); });
  }

  // Of a scalar that is a constant or an input.
  std::string script_of_number(const Value* v) {
    if (const auto t = known(v))
      return std::to_string(t->dtype() == DType::u32 ? t->span<uint32_t>()[0] : to_i64(*t)[0]);
    const auto any = [](const Value&) { return true; };
    const Value* in = !v->def() ? v : search(v, any, [](const Value&, const Value& o) { return !o.def(); });
    if (!in || in->graph() != &main_ || !in->type().is_tensor() || !dtypes::ints.has(in->dtype())) return {};
    if (!in->shape().ranked() || in->shape().rank() != 0) return {};
    // Conversions alone lie between.
    for (const Value* at = v; at != in; at = at->def()->operand(0))
      if (!at->def()->is<Cast>() || at->def()->num_operands() != 1) return {};
    return cat("given[", script_string(in->name()), "].data[0]");
  }

  std::optional<KeyRecipe> recipe_of(const Value* key) {
    if (const auto it = recipes_.find(key); it != recipes_.end()) return it->second;
    auto recipe = make_recipe(key);
    recipes_.emplace(key, recipe);
    return recipe;
  }

  std::optional<KeyRecipe> make_recipe(const Value* key) {
    if (!key->def()) {
      if (key->graph() != &main_) return std::nullopt;
      return KeyRecipe{cat("given[", script_string(key->name()), "].data"), key->name()};
    }
    if (const auto words = known(key)) {
      const auto w = words->span<uint32_t>();
      return KeyRecipe{cat("[", w[0], ", ", w[1], "]"), cat("[", w[0], ", ", w[1], "]")};
    }
    if (key->name() == draws::kKey) {
      const auto any = [](const Value&) { return true; };
      const Value* seed = search(key, any, [](const Value&, const Value& o) {
        return !o.def() && o.type().is_tensor() && dtypes::ints.has(o.dtype());
      });
      const std::string number = seed ? script_of_number(seed) : "";
      if (number.empty()) return std::nullopt;
      const bool wide = seed->dtype() == DType::i64 || seed->dtype() == DType::u64;
      return KeyRecipe{cat(wide ? "wideKey(" : "narrowKey(", number, ")"), cat("key(", seed->name(), ")")};
    }
    const Value* base = key_of(key);
    const auto recipe = base ? recipe_of(base) : std::nullopt;
    if (!recipe) return std::nullopt;
    if (key->name().starts_with(draws::kSplit)) {
      const std::string i = key->name().substr(draws::kSplit.size());
      return KeyRecipe{cat("block(", recipe->script, ", 0, ", i, ")"), cat(recipe->path, ".split[", i, "]")};
    }
    if (key->name() != draws::kFolded) return std::nullopt;
    const auto narrow = [](const Value& o) { return o.type().is_tensor() && o.dtype() == DType::u32; };
    const Value* number =
        search(key, narrow, [](const Value&, const Value& o) { return o.name() == draws::kFoldedNumber; });
    const std::string script = number ? script_of_number(number) : "";
    if (script.empty()) return std::nullopt;
    return KeyRecipe{cat("block(", recipe->script, ", 0, low(", script, "))"),
                     cat(recipe->path, ".fold_in(", number->constant() || known(number) ? script : "an input", ")")};
  }

  // The value where nothing but constants decides it, of the main graph.
  std::optional<Tensor> known(const Value* v) {
    if (const Tensor* t = v->constant()) return *t;
    std::vector<const Value*> open = {v};
    std::unordered_set<const Node*> needed;
    while (!open.empty()) {
      const Node* n = open.back()->def();
      open.pop_back();
      if (!n || n->graph() != &main_ || n->num_regions() || n->is<Parameter>() || n->is<Call>() || has_effects(*n) ||
          n->info().traits.nondeterministic)
        return std::nullopt;
      if (!needed.insert(n).second) continue;
      for (const Value* o : n->operands())
        if (o) open.push_back(o);
    }
    EvalEnv env;
    for (const auto& n : main_.nodes()) {
      if (!needed.count(n.get()) || values_.count(n->result())) continue;
      std::vector<Datum> operands;
      for (const Value* o : n->operands()) operands.push_back(o ? values_.at(o) : Datum());
      auto results = eval_node(*n, operands, env);
      for (int j = 0; j < n->num_results(); ++j) values_[n->result(j)] = std::move(results[static_cast<size_t>(j)]);
    }
    return values_.at(v).tensor();
  }

  std::string unique(const std::string& wanted) {
    std::set<std::string> taken(made_.begin(), made_.end());
    for (const Value* v : main_.inputs()) taken.insert(v->name());
    std::string name = wanted;
    for (int i = 1; taken.count(name); ++i) name = cat(wanted, ".", i);
    made_.push_back(name);
    return name;
  }

  void note(const Value& v, std::string what, std::string text) {
    report_.changes.push_back({v.def() ? v.def()->location() : std::string(), std::move(what), std::move(text)});
  }

  Module& module_;
  Graph& main_;
  const ExportOptions& options_;
  ExportReport& report_;
  std::vector<LiftedDraw> lifted_;
  std::unordered_set<const Value*> covered_;
  std::unordered_map<const Value*, std::optional<KeyRecipe>> recipes_;
  std::unordered_map<const Value*, Datum> values_;
  std::vector<std::string> made_;
  bool changed_ = false;
};

}  // namespace

void place_draws(Module& module, const ExportOptions& options, ExportReport& report) {
  if (options.random != ExportRandom::generator) Draws(module, options, report).run();
}

void write_draws_script(const ExportReport& report, const std::string& model) {
  if (report.draws_script.empty()) return;
  AtomicFile file(draws_script_path(model));
  file.write(report.draws_script.data(), report.draws_script.size());
  file.commit();
}

std::string draws_script_path(const std::string& model) {
  return (model.ends_with(".onnx") ? model.substr(0, model.size() - 5) : model) + ".draws.mjs";
}

}  // namespace tc::onnx
