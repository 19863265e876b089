#include "judge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <set>

#include "tc/backend/cpu/run/executable.h"
#include "tc/frontend/dsl/function.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/print.h"
#include "tc/tc.h"

namespace tc::fuzz {
namespace {

// What is rounded between nodes at one level is not at another: of narrow types a difference of equal numbers is not 0.
struct Errors {
  double relative, of_largest, absolute;
};

Errors tolerated(DType t) {
  if (t == DType::f64) return {1e-9, 1e-10, 1e-30};
  if (t == DType::f16) return {2e-2, 5e-3, 1e-2};
  if (t == DType::bf16) return {1e-1, 4e-2, 1e-1};
  return {1e-4, 2e-5, 1e-7};  // GELU is exact to within its largest values
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::vector<double> numbers(const Tensor& t) {
  return widen<double>(t);
}

// What differs between a tensor and its truth.
std::string judge_tensor(const Tensor& actual, const Tensor& plain, const Tensor& wide,
                         const std::vector<const Tensor*>& nudged, bool special, bool loosely) {
  if (actual.dtype() != plain.dtype()) return cat(actual.type(), " for ", plain.type());
  if (actual.extents() != plain.extents()) {
    for (const Tensor* n : nudged)
      if (n->extents() != plain.extents()) return "";
    if (wide.extents() != plain.extents()) return "";
    // Results of no steps and reductions of nothing have other extents there.
    if (loosely && actual.size() == 0 && plain.size() == 0) return "";
    return cat(actual.type(), " for ", plain.type());
  }
  if (plain.dtype() == DType::str) return actual.identical(plain) ? "" : "other strings";
  if (kind(plain.dtype()) == DTypeKind::complex) return "";
  const auto a = numbers(actual), p = numbers(plain);
  const bool as_shaped = wide.extents() == plain.extents();
  const auto w = as_shaped ? numbers(wide) : p;
  const bool floats = kind(plain.dtype()) == DTypeKind::floating;
  double largest = 0;
  for (const double x : p)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  const Errors e = tolerated(plain.dtype());
  for (size_t i = 0; i < a.size(); ++i) {
    if (same(a[i], p[i])) continue;
    // A number that hangs on a rounding error here is worth nothing.
    double slack = std::abs(w[i] - p[i]) * 8;
    bool shaky = !same(w[i], p[i]) && !(std::isfinite(w[i]) && std::isfinite(p[i]));
    for (const Tensor* n : nudged) {
      if (n->extents() != plain.extents()) return "";
      const double moved = widen<double>(*n)[i];
      if (same(moved, p[i])) continue;
      if (!floats || !std::isfinite(moved) || !std::isfinite(p[i])) shaky = true;
      slack += std::abs(moved - p[i]) * 4;
    }
    if (shaky || (!floats && !same(w[i], p[i]))) continue;
    if (special && (!floats || !std::isfinite(p[i]) || std::abs(a[i] - p[i]) < 1e-6)) continue;
    if (loosely && (std::isnan(p[i]) || std::isnan(a[i]))) continue;
    // A quotient of what is 0 but for a rounding.
    if (floats && std::isinf(p[i]) && std::abs(a[i]) > 1e12) continue;
    if (floats && std::abs(a[i] - p[i]) <= e.relative * std::abs(p[i]) + e.of_largest * largest + slack + e.absolute)
      continue;
    return cat("element ", i, " of ", plain.type(), " is ", a[i], ", expected ", p[i], " (in f64 ", w[i], ")");
  }
  return "";
}

std::string judge_datum(const Datum& actual, const Datum& plain, const Datum& wide,
                        const std::vector<const Datum*>& nudged, bool special, bool loosely) {
  if (!plain.is_tensor()) return "";
  if (!actual.is_tensor()) return "is no tensor";
  std::vector<const Tensor*> moved;
  for (const Datum* n : nudged) moved.push_back(&n->tensor());
  return judge_tensor(actual.tensor(), plain.tensor(), wide.tensor(), moved, special, loosely);
}

// Each float by about one part in a million.
std::vector<Datum> nudge(const std::vector<Datum>& inputs, double by) {
  std::vector<Datum> result;
  for (const Datum& d : inputs) {
    if (!d.is_tensor() || !dtypes::floats.has(d.tensor().dtype())) {
      result.push_back(d);
      continue;
    }
    const double step = d.tensor().dtype() == DType::f32 || d.tensor().dtype() == DType::f64 ? by : by * 2000;
    auto values = widen<double>(d.tensor());
    for (double& v : values) v = v == 0 ? step * 1e-3 : v * (1 + step);
    Tensor t(d.tensor().dtype(), d.tensor().extents());
    narrow(values, t);
    result.push_back(t);
  }
  return result;
}

// Constants are moved as inputs are.
std::unique_ptr<Module> nudged_module(const Module& module, double by) {
  auto copy = clone(module);
  walk(copy->main(), [&](Node& n) {
    if (!n.is<Constant>() || !dtypes::floats.has(n.result()->dtype())) return;
    auto attrs = n.attrs<Constant>();
    attrs.value = nudge({attrs.value}, by)[0].tensor();
    n.set_attrs(std::make_shared<attrs_t<Constant>>(attrs));
  });
  return copy;
}

std::string error_text(const std::exception& e) {
  return cat("fails: ", e.what());
}

}  // namespace

Truth truth_of(const Module& module, const std::vector<Datum>& inputs) {
  Truth t;
  InterpOptions plain, wide;
  plain.check_types = true;
  wide.widened = true;
  t.plain = interpret(module, inputs, plain);
  try {
    t.widened = interpret(module, inputs, wide);
  } catch (const Error&) {
    t.widened = t.plain;
  }
  for (const double by : {1e-6, -1e-6}) {
    try {
      t.nudged.push_back(interpret(*nudged_module(module, by), nudge(inputs, by)));
    } catch (const Error&) {
    }
  }
  return t;
}

std::string judge(const std::vector<Datum>& actual, const Truth& truth, bool loosely) {
  if (actual.size() != truth.plain.size()) return cat(actual.size(), " outputs");
  for (size_t i = 0; i < actual.size(); ++i) {
    std::vector<const Datum*> moved;
    for (const auto& n : truth.nudged) moved.push_back(&n[i]);
    const std::string d = judge_datum(actual[i], truth.plain[i], truth.widened[i], moved, truth.special, loosely);
    if (!d.empty()) return cat("output ", i, ": ", d);
  }
  return "";
}

std::string disagreement(const RandomGraph& graph) {
  std::array<Truth, kBindings> truth;
  for (size_t b = 0; b < kBindings; ++b) {
    try {
      truth[b] = truth_of(*graph.module, graph.inputs[b]);
      truth[b].special = graph.special;
    } catch (const std::exception& e) {
      return cat("the interpreter, extents ", b, ", ", error_text(e));
    }
  }
  // Infinities meet zeros, or each other, in another order: beside other images of a batch, in fast transforms, between
  // samples of a box.
  bool known = false;
  walk(graph.module->main(), [&](Node& n) {
    known = known || n.op() == OpId::ConvTranspose || n.op() == OpId::DFT || n.op() == OpId::RoiAlign;
  });
  if (known && graph.special) return "";
  const Function f(std::shared_ptr<const Module>(clone(*graph.module)));
  const auto runs = [&](const Function& program, const std::string& what, int level) -> std::string {
    try {
      const Compiled compiled = compile(program, {.level = level, .threads = 1});
      for (const size_t b : {size_t{0}, size_t{1}, size_t{0}, size_t{0}}) {
        const std::string d = judge(compiled.run(graph.inputs[b]), truth[b]);
        if (!d.empty()) return cat(what, ", level ", level, ", extents ", b, ", ", d);
      }
    } catch (const std::exception& e) {
      return cat(what, ", level ", level, ", ", error_text(e));
    }
    return "";
  };
  for (const int level : {0, 1, 2})
    if (std::string d = runs(f, "compiled", level); !d.empty()) return d;
  try {
    const auto bytes = std::make_shared<const std::string>(export_onnx_bytes(f, {.opset = 21}));
    return runs(load_onnx(bytes->data(), bytes->size(), bytes), "exported and read again", 2);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::unsupported) return cat("export or import ", error_text(e));
  } catch (const std::exception& e) {
    return cat("export or import ", error_text(e));
  }
  return "";
}

namespace {

// Inputs whose extents only a run tells, each its own.
std::unique_ptr<Module> loosened(const Module& module) {
  auto copy = clone(module);
  for (Value* v : copy->main().inputs()) {
    if (!v->type().is_tensor() || !v->shape().ranked()) continue;
    Dims dims;
    for (int i = 0; i < v->shape().rank(); ++i) dims.push_back(copy->fresh_symbol());
    v->set_type(Type::tensor(v->dtype(), Shape(dims)));
    v->clear_contents();
  }
  infer_types(copy->main());
  // Results of loops keep what was known of them before, by symbols that no input has any more.
  walk(copy->main(), [&](Node& n) {
    for (int j = 0; j < n.num_results(); ++j)
      if (const Type& t = n.result(j)->type(); t.is_tensor() && t.shape().ranked())
        for (const Dim& d : t.shape().dims())
          d.for_each_symbol([](const std::string& s) {
            if (!s.starts_with('?')) fail(ErrorCode::unsupported, "a symbol without an input");
          });
  });
  return copy;
}

std::vector<Datum> damaged(const std::vector<Datum>& inputs, Random& random) {
  std::vector<Datum> result = inputs;
  for (Datum& d : result) {
    if (!random.chance(2) || !d.is_tensor()) continue;
    Extents e = d.tensor().extents();
    if (!e.empty() && random.chance(2)) e[random.below(e.size())] += 1 + static_cast<int64_t>(random.below(2));
    d = random_tensor(d.tensor().dtype(), e, random, true);
  }
  return result;
}

}  // namespace

std::string unnamed_error(const RandomGraph& graph, Random& random) {
  std::unique_ptr<Module> module;
  try {
    module = loosened(*graph.module);
  } catch (const Error&) {
    return "";  // what is not known in advance is not accepted
  }
  const auto inputs = damaged(graph.inputs[0], random);
  const auto shown = [&] { return described({clone(*module), {inputs, {}}, true}); };
  if (std::getenv("TC_GRAPH_SHOW")) std::cerr << shown();
  std::string defect;
  const auto attempt = [&](const std::string& engine, const std::function<void()>& run) {
    try {
      run();
    } catch (const Error& e) {
      const Diagnostic& d = e.diagnostic();
      const bool named = d.location.starts_with("node") || d.code == ErrorCode::bad_input ||
                         std::any_of(d.context.begin(), d.context.end(),
                                     [](const std::string& c) { return c.find("node") != c.npos; });
      if (!named || d.code == ErrorCode::internal) defect = cat(engine, ": ", e.what());
    } catch (const std::exception& e) {
      defect = cat(engine, ", no tc::Error: ", e.what());
    }
  };
  attempt("the interpreter", [&] { interpret(*module, inputs); });
  for (const int level : {0, 1, 2})
    attempt(cat("level ", level), [&] {
      CompileOptions options;
      options.level = level;
      const auto executable = compile(clone(*module), options);
      executable->run(inputs, *executable->make_context(1));
    });
  return defect.empty() ? defect : cat(defect, "\n", shown());
}

RandomGraph copy_of(const RandomGraph& graph) {
  return {clone(*graph.module), graph.inputs, graph.special};
}

namespace {

void drop_unused(RandomGraph& g) {
  Graph& main = g.module->main();
  for (bool again = true; again;) {
    again = false;
    for (const auto& n : main.nodes()) {
      bool used = n->op() == OpId::Return;
      for (int j = 0; j < n->num_results(); ++j) used = used || !n->result(j)->unused();
      if (used) continue;
      main.erase(n.get());
      again = true;
      break;
    }
  }
  for (int i = main.num_inputs(); i-- > 0;)
    if (main.input(i)->unused()) {
      main.erase_input(i);
      for (auto& list : g.inputs) list.erase(list.begin() + i);
    }
}

// The graph with one output alone.
RandomGraph with_output(const RandomGraph& graph, int output) {
  RandomGraph g = copy_of(graph);
  Graph& main = g.module->main();
  const std::vector<Value*> one{main.output(output)};
  main.output_names = {"y"};
  main.donations.clear();
  main.set_outputs(one);
  drop_unused(g);
  return g;
}

// The graph that gives an operand of the node that makes the output.
std::optional<RandomGraph> with_operand(const RandomGraph& graph, int operand) {
  RandomGraph g = copy_of(graph);
  Graph& main = g.module->main();
  const Node* const node = main.output(0)->def();
  if (!node || !node->operand(operand) || !node->operand(operand)->type().is_tensor()) return std::nullopt;
  const std::vector<Value*> one{node->operand(operand)};
  main.set_outputs(one);
  drop_unused(g);
  return g;
}

// The graph in which the results of the node at `place` are inputs; none where that is not possible.
std::optional<RandomGraph> without_node(const RandomGraph& graph, size_t place) {
  RandomGraph g = copy_of(graph);
  Graph& main = g.module->main();
  auto it = main.nodes().begin();
  std::advance(it, static_cast<std::ptrdiff_t>(place));
  Node* const node = it->get();
  if (node->is<Constant>() || node->op() == OpId::Return) return std::nullopt;
  std::array<std::map<std::string, Datum>, kBindings> values;
  // Values are found by where their nodes stand: an interpreted copy reports them in order.
  for (size_t b = 0; b < kBindings; ++b) {
    InterpOptions options;
    options.observe = [&](const Node& n, const std::vector<Datum>& results) {
      if (&n == node)
        for (size_t j = 0; j < results.size(); ++j) values[b][cat(j)] = results[j];
    };
    interpret(*g.module, g.inputs[b], options);
  }
  for (int j = 0; j < node->num_results(); ++j) {
    Value* const v = node->result(j);
    if (v->unused()) continue;
    if (!v->type().is_tensor()) return std::nullopt;
    Shape shape = v->shape();
    if (shape.ranked())
      for (const Dim& d : shape.dims())
        if (!d.is_const() && !d.is_symbol()) return std::nullopt;
    Value* const in = main.add_input(v->type(), cat("v", place, "_", j));
    for (size_t b = 0; b < kBindings; ++b) g.inputs[b].push_back(values[b].at(cat(j)));
    v->replace_all_uses_with(in);
  }
  drop_unused(g);
  return g;
}

}  // namespace

RandomGraph reduced(const RandomGraph& graph, const std::function<bool(const RandomGraph&)>& fails) {
  const auto still = [&](const RandomGraph& g) {
    try {
      return fails(g);
    } catch (const std::exception&) {
      return false;
    }
  };
  RandomGraph best = copy_of(graph);
  for (int i = 0; best.module->main().num_outputs() > 1 && i < graph.module->main().num_outputs(); ++i)
    if (RandomGraph g = with_output(graph, i); still(g)) best = std::move(g);
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; best.module->main().num_outputs() == 1 && k < 8; ++k)
      if (auto g = with_operand(best, k); g && still(*g)) {
        best = std::move(*g);
        again = true;
        break;
      }
    if (again) continue;
    for (size_t i = 0; i < best.module->main().nodes().size(); ++i) {
      std::optional<RandomGraph> g;
      try {
        g = without_node(best, i);
      } catch (const std::exception&) {
      }
      if (!g || g->module->main().nodes().size() >= best.module->main().nodes().size() || !still(*g)) continue;
      best = std::move(*g);
      again = true;
      break;
    }
  }
  return best;
}

std::string described(const RandomGraph& graph) {
  std::string text = print(*graph.module);
  for (size_t b = 0; b < kBindings; ++b)
    for (size_t i = 0; i < graph.inputs[b].size(); ++i) {
      const Datum& d = graph.inputs[b][i];
      if (d.is_tensor() && d.tensor().size() <= 64) {
        std::ostringstream out;
        out << d.tensor();
        text += cat("extents ", b, ", input ", i, ": ", out.str(), "\n");
      }
    }
  return text;
}

}  // namespace tc::fuzz
