#include "tc/backend/onnx/legalize.h"

#include <algorithm>
#include <set>

#include "tc/backend/onnx/export_rows.h"
#include "tc/backend/onnx/reals.h"
#include "tc/ir/eval/eval.h"
#include "tc/ir/text/print.h"
#include "tc/passes/import/import.h"

namespace tc::onnx {
namespace {

constexpr size_t kMaxFindings = 50;
// Rewrites per node of the program, beyond which they are taken to go in a circle.
constexpr int64_t kRewritesPerNode = 200;

struct Wider {
  DType type;
  bool lossy;  // some values change
};

// Types to compute in instead of `t`, best first. Integers wrap when they are cast back, as they would have.
std::vector<Wider> wider_types(DType t) {
  const auto exactly = [](std::initializer_list<DType> list) {
    std::vector<Wider> result;
    for (DType w : list) result.push_back({w, false});
    return result;
  };
  switch (t) {
    case DType::boolean:
      return exactly({DType::u8, DType::i32, DType::i64, DType::f32});
    case DType::i8:
    case DType::i16:
    case DType::i4:
    case DType::i2:
      return exactly({DType::i32, DType::i64, DType::f32});
    case DType::u8:
    case DType::u16:
    case DType::u4:
    case DType::u2:
      return exactly({DType::i32, DType::u32, DType::i64, DType::u64, DType::f32});
    case DType::i32:
      return exactly({DType::i64, DType::f64});
    case DType::u32:
      return exactly({DType::i64, DType::u64, DType::f64});
    case DType::i64:
    case DType::u64:
      return {{DType::f64, true}};
    case DType::f16:
    case DType::bf16:
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f4e2m1:
    case DType::f8e8m0:
      return exactly({DType::f32, DType::f64});
    case DType::f32:
      return exactly({DType::f64});
    case DType::f64:
      return {{DType::f32, true}};
    case DType::str:
    case DType::c64:
    case DType::c128:
      break;
  }
  return {};
}

Tensor cast_tensor(const Tensor& t, DType to) {
  Module scratch;
  Builder b(scratch.main());
  Value* x = b.constant(t);
  Node* n = b.make_n<Cast>({x}, {.to = to}, 1);
  EvalEnv env;
  const Datum operand(t);
  return eval_node(*n, {&operand, 1}, env)[0].tensor();
}

// An error met while a node is rewritten is the node's.
Error located_at(const Error& e, const Node& n) {
  Diagnostic d = e.diagnostic();
  if (d.location.empty()) d.location = cat(n.info().name(), " at ", n.location());
  return Error(std::move(d));
}

// What decides which kernel a node asks a runtime for.
using Kind = std::pair<OpId, DType>;
Kind kind_of(const Node& n) {
  const bool typed = n.num_results() && n.result(0)->type().is_tensor();
  return {n.op(), typed ? n.result(0)->dtype() : DType::boolean};
}

class Legalizer {
 public:
  Legalizer(Module& module, const Dialect& dialect, const ExportOptions& options)
      : module_(module), dialect_(dialect), options_(options), editor_(report_, limits_, nullptr) {
    editor_.on_erase = [this](Node& n) {
      for (Node** cursor : cursors_)
        if (*cursor == &n) *cursor = n.prev();
    };
  }

  ExportReport run() {
    if (options_.functions == ExportFunctions::inlined) {
      PassContext ctx{module_, editor_};
      const auto watch = std::exchange(editor_.on_erase, nullptr);
      inline_functions(ctx);
      editor_.on_erase = watch;
    } else {
      erase_uncalled();
    }
    budget_ = (count_nodes(module_) + 100) * kRewritesPerNode;
    visit(module_.main());
    // Functions are added on the way.
    for (size_t i = 0; i < module_.functions().size(); ++i) visit(*module_.functions()[i]);
    report_findings();
    eliminate_dead(module_, editor_);
    return std::move(changes_);
  }

  // Only nodes of other kinds than these, without losses, and what cannot be said otherwise stays.
  void run_on_other_kinds(const std::set<Kind>& kept) {
    kept_ = &kept;
    budget_ = (count_nodes(module_) + 100) * kRewritesPerNode;
    visit(module_.main());
    eliminate_dead(module_, editor_);
  }

 private:
  // Rules of differentiation are no part of what runs.
  void erase_uncalled() {
    std::set<std::string> called, uncalled;
    const auto note = [&](const Graph& g) {
      walk(g, [&](Node& n) {
        if (n.is<Call>()) called.insert(n.attrs<Call>().callee);
      });
    };
    note(module_.main());
    const auto order = call_order(module_);
    for (auto f = order.rbegin(); f != order.rend(); ++f)
      if (called.count((*f)->name()))
        note(**f);
      else
        uncalled.insert((*f)->name());
    for (const auto& name : uncalled) module_.erase_function(name);
  }

  void visit(Graph& g) {
    for (Node* n = g.first(); n;) {
      Node* before = n->prev();
      cursors_.push_back(&before);
      const bool changed = rewrite(*n);
      cursors_.pop_back();
      if (changed) {
        n = before ? before->next() : g.first();
        continue;
      }
      for (int i = 0; i < n->num_regions(); ++i) visit(n->region(i));
      n = n->next();
    }
  }

  // True when other nodes took its place.
  bool rewrite(Node& n) {
    if (kept_ && kept_->count(kind_of(n))) return false;
    switch (n.op()) {
      case OpId::Constant:
      case OpId::Parameter:
        if (!storable(dialect_.opset).has(n.result(0)->dtype()))
          note(n, cat("opset ", dialect_.opset, " has no tensors of ", n.result(0)->dtype()));
        return false;
      case OpId::Return:
        return false;
      case OpId::Call:
        if (!module_.find_function(n.attrs<Call>().callee)) return false;  // a node of its own domain
        if (options_.functions == ExportFunctions::inlined) note(n, "inlining it would make the program too large");
        return false;
      case OpId::Check:
        if (options_.checks == ExportChecks::trap) return trap(n);
        if (options_.checks == ExportChecks::refused) {
          note(n, cat("ONNX has no operator that stops a run: '", n.attrs<Check>().message, "'"));
          return false;
        }
        changes_.changes.push_back(
            {n.location(), "check",
             cat("dropped, as ONNX has no operator that stops a run: '", n.attrs<Check>().message, "'")});
        n.graph()->erase(&n);
        return true;
      default:
        break;
    }
    round_reals(n);
    const ExportRow* row = find_row(n.op(), dialect_.opset);
    std::string reason;
    std::optional<NodeProblem> problem;
    try {
      if (row && row->lower) {
        Lowering l(n, dialect_);
        const auto results = row->lower(l);
        if (!results.empty()) {
          replace(n, "export-lower", results,
                  l.why.empty() ? cat(operator_of(n), " of opset ", dialect_.opset, " is said otherwise") : l.why);
          return true;
        }
      }
      problem = find_problem(write_node(n, dialect_), dialect_);
      if (!problem) return false;
      if (widen(n, *problem, false)) return true;
      reason = problem->reason;
    } catch (const Refusal& r) {
      reason = r.reason;
    } catch (const Error& e) {
      throw located_at(e, n);
    }
    if (decompose(n, row, reason)) return true;
    // Better a result of less precision than none.
    if (problem && dialect_.ort() && !kept_ && widen(n, *problem, true)) return true;
    note(n, reason);
    return false;
  }

  // On the way of an output, since runtimes drop what nobody uses. A product with 1 changes no bit of a number.
  bool trap(Node& n) {
    Graph& g = *n.graph();
    const std::string& message = n.attrs<Check>().message;
    std::vector<Value*> outputs = g.outputs();
    const auto it = std::find_if(outputs.begin(), outputs.end(), [](const Value* v) {
      return v && v->type().is_tensor() && (dtypes::numeric.has(v->dtype()) || v->dtype() == DType::boolean);
    });
    if (it == outputs.end()) {
      note(n, cat("no number leaves the graph of the check '", message, "'"));
      return false;
    }
    Builder b(g, g.terminator());
    b.set_location(n.location());
    const DType type = (*it)->dtype();
    // No elements: the product is 1.
    Value* holds = b.make<ReduceProd>({b.make<Cast>({n.operand(0)}, {.to = DType::i64})}, {.keepdims = false});
    Value* one = b.constant(cast_tensor(Tensor::of<int64_t>({1}, {1}), type));
    Value* factor = b.make<Gather>({one, b.make<Sub>({b.scalar<int64_t>(1), holds})});
    factor->set_name(cat("check failed: ", message));
    Value* guarded = type == DType::boolean ? b.make<And>({*it, factor}) : b.make<Mul>({*it, factor});
    guarded->set_name((*it)->name());
    *it = guarded;
    g.set_outputs(outputs);
    changes_.changes.push_back({n.location(), "check", cat("became a lookup that fails: '", message, "'")});
    n.graph()->erase(&n);
    return true;
  }

  bool decompose(Node& n, const ExportRow* row, const std::string& reason) {
    const std::string what = cat("decomposed: ", reason);
    if (row && row->decompose) {
      try {
        Lowering l(n, dialect_);
        replace(n, "export-decompose", row->decompose(l), what);
        return true;
      } catch (const Refusal&) {
        return false;  // the first reason says more
      }
    }
    if (!n.info().decompose) return false;
    if (options_.functions == ExportFunctions::local && n.info().facts->onnx.name.empty()) {
      outline(n);
      return true;
    }
    Builder b(*n.graph(), &n);
    b.set_location(n.location());
    replace(n, "export-decompose", n.info().decompose(b, n), what);
    return true;
  }

  static std::string operator_of(const Node& n) {
    const auto& onnx = n.info().facts->onnx;
    return std::string(onnx.name.empty() ? n.info().name() : onnx.name);
  }

  void replace(Node& n, std::string_view rule, const std::vector<Value*>& results, std::string what) {
    TC_CHECK(static_cast<int>(results.size()) == n.num_results(), n.info().name());
    Edit edit{rule, exact, {}, &n, {}, {}, true};
    for (int j = 0; j < n.num_results(); ++j)
      if (Value* v = results[static_cast<size_t>(j)]) edit.replaced.emplace_back(n.result(j), v);
    commit(n, std::move(edit), std::move(what));
  }

  void commit(Node& n, Edit edit, std::string what) {
    if (--budget_ < 0)
      fail(ErrorCode::limit_rewrites, "export rewrites ", n.info().name(), " at ", n.location(), " without end");
    changes_.changes.push_back({n.location(), std::string(n.info().name()), std::move(what)});
    const std::string described = print(n);
    const char* refused = editor_.commit(std::move(edit));
    TC_CHECK(!refused, described, ": ", refused);
  }

  // Computes in a wider element type than the one that is not accepted, between casts.
  bool widen(Node& n, const NodeProblem& problem, bool lossy) {
    if (!problem.value || !problem.value->type().is_tensor() || n.num_regions() || n.is<Cast>()) return false;
    const DType narrow = problem.value->dtype();
    const char letter = letter_of(n, problem.value);
    if (!letter) return false;
    for (const Wider& w : wider_types(narrow)) {
      if (!n.info().facts->set_of(letter).has(w.type) || w.lossy != lossy) continue;
      if (try_width(n, letter, narrow, w, problem.reason)) return true;
    }
    return false;
  }

  static char letter_of(const Node& n, const Value* v) {
    const Signature& s = n.info().facts->signature;
    for (int i = 0; i < n.num_operands(); ++i)
      if (n.operand(i) == v) return s.operand(i).variable;
    for (int j = 0; j < n.num_results(); ++j)
      if (n.result(j) == v) return s.result(j).variable;
    return 0;
  }

  bool try_width(Node& n, char letter, DType narrow, const Wider& w, const std::string& reason) {
    const Signature& s = n.info().facts->signature;
    std::vector<std::unique_ptr<Node>> made;
    const auto node = [&](OpId op, std::span<Value* const> operands, std::shared_ptr<const void> attrs, int results) {
      made.push_back(make_node(module_, op, operands, std::move(attrs), results, {}, n.location()));
      return made.back().get();
    };
    const auto cast = [&](Value* v, DType to) {
      if (const Tensor* t = v->constant())
        return node(OpId::Constant, {}, std::make_shared<Constant::Attrs>(Constant::Attrs{cast_tensor(*t, to)}), 1)
            ->result(0);
      Value* operands[] = {v};
      return node(OpId::Cast, operands, std::make_shared<Cast::Attrs>(Cast::Attrs{.to = to}), 1)->result(0);
    };
    std::vector<Value*> operands = n.operands();
    for (int i = 0; i < n.num_operands(); ++i) {
      Value*& v = operands[static_cast<size_t>(i)];
      if (v && s.operand(i).variable == letter && v->dtype() == narrow) v = cast(v, w.type);
    }
    Node* wide;
    try {
      wide = node(n.op(), operands, with_dtype(n, narrow, w.type), n.num_results());
      const auto problem = find_problem(write_node(*wide, dialect_), dialect_);
      if (problem && (!problem->value || letter_of(*wide, problem->value) == letter)) return drop(made);
    } catch (const Refusal&) {
      return drop(made);
    } catch (const Error&) {
      return drop(made);  // its attributes hold tensors of the narrow type
    }
    for (int j = 0; j < n.num_results(); ++j)
      if (!wide->result(j)->type().is_tensor() && wide->result(j)->type() != n.result(j)->type()) return drop(made);
    Edit edit{"export-widen", same_rounding, {}, &n, {}, {&n}, true};
    for (int j = 0; j < n.num_results(); ++j) {
      if (n.result(j)->unused() && j > 0) continue;
      Value* r = wide->result(j);
      edit.replaced.emplace_back(n.result(j), r->dtype() == n.result(j)->dtype() ? r : cast(r, n.result(j)->dtype()));
    }
    edit.nodes = std::move(made);
    commit(n, std::move(edit),
           cat("computed in ", w.type, " between casts", w.lossy ? ", which loses precision" : "", ": ", reason));
    return true;
  }

  // The node's attributes, with the element type that names the result's exchanged.
  static std::shared_ptr<const void> with_dtype(const Node& n, DType narrow, DType wide) {
    const AttrsInfo& attrs = n.info().attrs;
    std::shared_ptr<void> copy;
    for (size_t i = 0; i < attrs.fields.size(); ++i) {
      const AttrValue v = attrs.get(n.raw_attrs().get(), i);
      const auto* t = std::get_if<DType>(&v);
      if (!t || *t != narrow) continue;
      if (!copy) copy = attrs.copy(n.raw_attrs().get());
      attrs.set(copy.get(), i, wide);
    }
    return copy ? copy : n.raw_attrs();
  }

  // Users go before what they use.
  static bool drop(std::vector<std::unique_ptr<Node>>& nodes) {
    while (!nodes.empty()) nodes.pop_back();
    return false;
  }

  // The decomposition as a function of its own, one per op, attributes and types.
  void outline(Node& n) {
    std::string key = cat(n.info().name());
    for (size_t i = 0; i < n.info().attrs.fields.size(); ++i)
      key += cat(" ", hash_value(n.info().attrs.get(n.raw_attrs().get(), i)));
    for (const Value* v : n.operands()) key += cat(" ", v ? v->type().str() : "none");
    for (int r = 0; r < n.num_regions(); ++r) key += print(n.region(r), {.locations = false});
    std::string& name = outlined_[key];
    if (name.empty()) {
      for (int k = 1; name.empty() || module_.find_function(name); ++k) name = cat(n.info().name(), "_", k);
      Graph& body = module_.add_function(name);
      std::vector<std::pair<Value*, Value*>> map;
      std::vector<Value*> inputs;
      for (int i = 0; i < n.num_operands(); ++i) {
        const Value* v = n.operand(i);
        const Slot& slot = n.info().facts->signature.operand(i);
        inputs.push_back(
            body.add_input(v ? v->type() : Type(), slot.variadic ? cat(slot.name, i) : std::string(slot.name)));
        if (!v) inputs.back() = nullptr;
      }
      std::vector<std::unique_ptr<Graph>> regions;
      for (int r = 0; r < n.num_regions(); ++r) regions.push_back(clone(n.region(r), module_));
      Builder b(body);
      Node* copy = b.node(n.op(), inputs, n.raw_attrs(), n.num_results(), std::move(regions));
      std::vector<Value*> results;
      for (int j = 0; j < copy->num_results(); ++j) results.push_back(copy->result(j));
      body.set_outputs(results);
      Builder parts(body, copy);
      replace(*copy, "export-decompose", n.info().decompose(parts, *copy), cat("became the local function ", name));
    }
    Builder b(*n.graph(), &n);
    b.set_location(n.location());
    Node* call = b.make_n<Call>(n.operands(), {name}, n.num_results());
    std::vector<Value*> results;
    for (int j = 0; j < call->num_results(); ++j) results.push_back(call->result(j));
    replace(n, "export-outline", results, cat("calls the local function ", name));
  }

  void note(const Node& n, const std::string& reason) {
    std::string where = n.location();
    if (where.empty() && n.num_results()) where = n.result(0)->name();
    ++refused_;
    for (Finding& f : findings_)
      if (f.op == n.info().name() && f.reason == reason) return void(++f.nodes);
    findings_.push_back({n.info().name(), reason, where, 1});
  }

  // All that cannot be expressed, in one error.
  void report_findings() const {
    if (findings_.empty()) return;
    const auto text = [](const Finding& f) {
      const std::string first = f.where.empty() ? "" : ", first at " + f.where;
      if (f.nodes > 1) return cat(f.op, ": ", f.reason, " (", f.nodes, " nodes", first, ")");
      return cat(f.op, f.where.empty() ? "" : " at ", f.where, ": ", f.reason);
    };
    Diagnostic d{ErrorCode::unsupported, text(findings_[0]), {}, {}, {}};
    if (refused_ > 1) d.message = cat(refused_, " nodes cannot be exported, the first: ", d.message);
    for (size_t i = 1; i < std::min(findings_.size(), kMaxFindings); ++i) d.notes.push_back(text(findings_[i]));
    throw Error(std::move(d));
  }

  struct Finding {
    std::string_view op;
    std::string reason, where;
    int nodes;
  };
  Module& module_;
  const Dialect& dialect_;
  const ExportOptions& options_;
  PipelineReport report_;
  EditLimits limits_;
  Editor editor_;
  ExportReport changes_;
  std::vector<Finding> findings_;
  int refused_ = 0;
  std::vector<Node**> cursors_;
  const std::set<Kind>* kept_ = nullptr;
  std::map<std::string, std::string> outlined_;
  int64_t budget_ = 0;
};

}  // namespace

ExportReport legalize(Module& module, const Dialect& dialect, const ExportOptions& options) {
  return Legalizer(module, dialect, options).run();
}

void keep_portable(Module& module, const Module& original, int opset) {
  std::set<Kind> kinds;
  const auto add = [&](Node& n) { kinds.insert(kind_of(n)); };
  walk(original.main(), add);
  for (const auto& f : original.functions()) walk(*f, add);
  const Dialect dialect{opset, ExportTarget::ort};
  Legalizer(module, dialect, {}).run_on_other_kinds(kinds);
}

}  // namespace tc::onnx
