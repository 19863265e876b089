#include "tc/frontend/api/quantize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "tc/frontend/api/portable.h"
#include "tc/frontend/api/quantize_numbers.h"
#include "tc/frontend/api/tc.h"
#include "tc/ir/builder.h"
#include "tc/ir/eval/move.h"
#include "tc/ir/eval/wide.h"
#include "tc/passes/driver.h"
#include "tc/passes/pipeline.h"

namespace tc {
namespace {

using namespace quantization;

bool is_f32(const Value* v) {
  return v && v->type().is_tensor() && v->dtype() == DType::f32;
}

// A node whose constant weight may be quantised.
struct Layer {
  Node* node;
  int operand;   // the weight
  int channels;  // its axis that outputs have a scale along each, or rows of a table
  int summed;    // its axis that is summed over; -1: none, or several
};

std::optional<Layer> layer_of(Node& n) {
  const auto weight = [&](int i, int rank) {
    const Tensor* t = is_f32(n.operand(i)) ? n.operand(i)->constant() : nullptr;
    return t && (rank < 0 || t->rank() == rank);
  };
  if (n.is<MatMul>() && weight(1, 2)) return Layer{&n, 1, 1, 0};
  if (n.is<Gemm>() && weight(1, 2)) {
    const bool transposed = n.attrs<Gemm>().trans_b;
    return Layer{&n, 1, transposed ? 0 : 1, transposed ? 1 : 0};
  }
  if (n.is<Conv>() && weight(1, -1)) return Layer{&n, 1, 0, -1};
  if (n.is<Gather>() && weight(0, 2) && n.attrs<Gather>().axis == 0) return Layer{&n, 0, 0, -1};
  return {};
}

void check(const ModelQuantization& o, size_t inputs) {
  const bool weights = o.mode == QuantizeMode::weights;
  if (o.bits != 8 && o.bits != 4) fail(ErrorCode::bad_argument, "weights of ", o.bits, " bits; 8 or 4 are possible");
  if (!weights && (o.bits != 8 || o.block))
    fail(ErrorCode::bad_argument, "weights of 4 bits, or in blocks, go with unquantised activations only");
  if (o.block < 0 || o.block % 16)
    fail(ErrorCode::bad_argument, "blocks of ", o.block, " weights; a multiple of 16 is possible");
  if (!(o.percentile > 0 && o.percentile <= 100))
    fail(ErrorCode::bad_argument, "the percentile ", o.percentile, " is not between 0 and 100");
  if (o.mode == QuantizeMode::calibrated && inputs == 0)
    fail(ErrorCode::bad_argument, "ranges of activations are measured, and there are no inputs to run");
}

// Weights that nobody reads any more, and the nodes that were replaced.
void drop_dead(Module& module) {
  PipelineReport report;
  const EditLimits limits;
  Editor editor(report, limits, nullptr);
  eliminate_dead(module, editor);
}

class Quantizer {
 public:
  Quantizer(std::unique_ptr<Module> module, const ModelQuantization& options)
      : module_(std::move(module)), o_(options), excluded_(o_.exclude.begin(), o_.exclude.end()), unused_(excluded_) {}

  QuantizedModel run(const std::vector<std::vector<Datum>>& inputs) {
    std::vector<Layer> layers;
    for_each_graph(*module_, [&](Graph& g) {
      for (const auto& n : g.nodes())
        if (const auto layer = layer_of(*n); layer && wanted(*layer)) layers.push_back(*layer);
    });
    if (o_.mode == QuantizeMode::calibrated) calibrate(layers, inputs);
    if (!unused_.empty())
      fail(ErrorCode::bad_argument, "nothing to exclude: no node and no operator that can be quantised is called '",
           *unused_.begin(), "'");
    for (const Layer& layer : layers) rewrite(layer);
    if (o_.mode == QuantizeMode::calibrated) insert_pairs();
    drop_dead(*module_);
    return {Function(std::shared_ptr<const Module>(std::move(module_))), std::move(report_)};
  }

 private:
  bool excluded(const Node& n) {
    bool found = false;
    for (const std::string& name : {n.location(), std::string(n.info().facts->onnx.name)})
      if (excluded_.contains(name)) unused_.erase(name), found = true;
    return found;
  }
  bool wanted(const Layer& layer) {
    const Node& n = *layer.node;
    const bool product = n.is<MatMul>() || n.is<Gemm>();
    if (o_.mode == QuantizeMode::dynamic && !(product && is_plain(n))) return false;
    if (o_.mode == QuantizeMode::calibrated && n.graph() != &module_->main()) return false;
    return n.operand(layer.operand)->constant()->size() >= o_.least && !excluded(n);
  }
  // Of a Gemm: the product of its operands, and a sum.
  static bool is_plain(const Node& n) {
    if (!n.is<Gemm>()) return true;
    const auto& g = n.attrs<Gemm>();
    return !g.trans_a && g.alpha == 1 && (!n.operand(2) || g.beta == 1);
  }

  // The quantised weight, which layers may share; `transposed`: as the right operand of a product.
  const QuantizedWeight& weight_of(const Layer& layer, bool transposed) {
    const Value* v = layer.node->operand(layer.operand);
    const bool blocks = o_.mode == QuantizeMode::weights && layer.summed >= 0 && (o_.block || o_.bits == 4);
    const auto key = std::tuple(v, blocks ? layer.summed : layer.channels, transposed);
    const auto [it, fresh] = weights_.try_emplace(key);
    if (fresh) {
      Tensor t = *v->constant();
      int channels = layer.channels;
      if (transposed) t = transposed_matrix(t), channels = 1 - channels;
      it->second = blocks ? by_blocks(t, layer.summed, o_.block ? o_.block : 32, o_.bits) : per_channel(t, channels);
    }
    const Node& n = *layer.node;
    report_.push_back({n.location(), std::string(n.info().facts->onnx.name),
                       fresh ? static_cast<int64_t>(v->constant()->bytes()) : 0, fresh ? it->second.bytes() : 0,
                       it->second.error});
    return it->second;
  }
  static Tensor transposed_matrix(const Tensor& t) {
    Tensor to(DType::f32, {t.extent(1), t.extent(0)});
    copy_strided(t, 0, {1, t.extent(1)}, to, 0, {t.extent(0), 1}, to.extents());
    return to;
  }

  void rewrite(const Layer& layer) {
    Node& n = *layer.node;
    Builder b(*n.graph(), &n);
    b.set_location(n.location());
    if (n.is<Gather>()) return rewrite_table(b, layer);
    if (o_.mode == QuantizeMode::dynamic) return rewrite_dynamic(b, layer);
    const QuantizedWeight& w = weight_of(layer, false);
    const bool blocks = w.scales.rank() > 1;
    const int64_t axis = blocks ? layer.summed : layer.channels, block = blocks ? (o_.block ? o_.block : 32) : 0;
    Value* zeros = w.zeros.defined() ? b.constant(w.zeros) : b.constant(Tensor(DType::i8, w.scales.extents()));
    n.set_operand(layer.operand, b.make<DequantizeLinear>({b.constant(w.values), b.constant(w.scales), zeros},
                                                          {.axis = axis, .block_size = block}));
    if (o_.mode == QuantizeMode::calibrated) rewrite_bias(b, n, w);
  }
  // The bias of a convolution in units of its products, which is how runtimes take it beside bytes.
  void rewrite_bias(Builder& b, Node& n, const QuantizedWeight& w) {
    const auto it = ranges_.find(n.operand(0));
    if (!n.is<Conv>() || !n.operand(2) || !n.operand(2)->constant() || it == ranges_.end()) return;
    const float x_scale = affine_of(it->second.low(), it->second.high()).scale;
    const std::vector<float> bias = n.operand(2)->constant()->to_vector<float>(), scales = w.scales.to_vector<float>();
    std::vector<int32_t> units(bias.size());
    std::vector<float> unit_scales(bias.size());
    for (size_t i = 0; i < bias.size(); ++i) {
      unit_scales[i] = x_scale * scales[i];
      const double units_of = std::nearbyint(bias[i] / static_cast<double>(unit_scales[i]));
      if (!(std::abs(units_of) < 1 << 30)) return;
      units[i] = static_cast<int32_t>(units_of);
    }
    const Extents extents{std::ssize(bias)};
    n.set_operand(2, b.make<DequantizeLinear>(
                         {b.constant(Tensor::of<int32_t>(extents, units)),
                          b.constant(Tensor::of<float>(extents, unit_scales)), b.constant(Tensor(DType::i32, extents))},
                         {.axis = 0}));
  }
  // Rows of a table are taken before they are widened, each with the scale of its own.
  void rewrite_table(Builder& b, const Layer& layer) {
    Node& n = *layer.node;
    const QuantizedWeight& w = weight_of(layer, false);
    Value* rows = b.make<Gather>({b.constant(w.values), n.operand(1)});
    Value* scales = b.make<Gather>({b.constant(w.scales.reshaped({w.scales.size(), 1})), n.operand(1)});
    Value* y = b.make<Mul>({b.make<Cast>({rows}, {.to = DType::f32}), scales});
    n.result()->replace_all_uses_with(y);
    if (auto range = ranges_.extract(n.result())) {
      range.key() = y;
      ranges_.insert(std::move(range));
    }
  }
  void rewrite_dynamic(Builder& b, const Layer& layer) {
    Node& n = *layer.node;
    Value* const x = n.operand(0);
    auto& [bytes, scale, zero] = dynamic_[{x, n.graph()}];
    if (!bytes) {
      Node* q = b.make_n<DynamicQuantizeLinear>({x}, {}, 3);
      bytes = q->result(0), scale = q->result(1), zero = q->result(2);
    }
    const QuantizedWeight& w = weight_of(layer, layer.channels == 0);
    Value* sums = b.make<MatMulInteger>({bytes, b.constant(w.values), zero});
    Value* scales = b.make<Mul>({scale, b.constant(w.scales)});
    Value* y = b.make<Mul>({b.make<Cast>({sums}, {.to = DType::f32}), scales});
    if (n.is<Gemm>() && n.operand(2)) y = b.make<Add>({y, n.operand(2)});
    n.result()->replace_all_uses_with(y);
  }

  // Nodes that take quantised activations besides the layers: what lies between convolutions.
  static bool carries(const Node& n) {
    const auto from_conv = [](const Value* v) {
      const Node* d = v->def();
      while (d && (d->is<Relu>() || d->is<Clip>() || d->is<DequantizeLinear>())) d = d->operand(0)->def();
      return d && d->is<Conv>();
    };
    if (n.is<Add>()) return is_f32(n.result()) && (from_conv(n.operand(0)) || from_conv(n.operand(1)));
    return n.is<MaxPool>() || n.is<GlobalAveragePool>() || n.is<AveragePool>();
  }
  // The result behind an activation that only bounds it.
  static Value* bounded(Value* v) {
    while (v->single_use() && (v->first_use()->user()->is<Relu>() || v->first_use()->user()->is<Clip>()))
      v = v->first_use()->user()->result();
    return v;
  }
  void calibrate(const std::vector<Layer>& layers, const std::vector<std::vector<Datum>>& inputs) {
    Graph& g = module_->main();
    std::vector<Value*> seen;
    const auto note = [&](Value* v) {
      if (is_f32(v) && !v->constant() && ranges_.try_emplace(v).second) seen.push_back(v);
    };
    for (const Layer& layer : layers) {
      Node& n = *layer.node;
      if (n.is<Gather>()) continue;
      takers_.insert(&n);
      note(n.operand(0));
    }
    for (const auto& n : g.nodes())
      if (carries(*n) && !excluded(*n)) {
        takers_.insert(n.get());
        for (int i = 0; i < n->num_operands(); ++i) note(n->operand(i));
      }
    for (Node* n : takers_)
      if (n->is<Conv>() || carries(*n)) note(bounded(n->result()));
    measure(seen, inputs);
  }
  void measure(const std::vector<Value*>& seen, const std::vector<std::vector<Datum>>& inputs) {
    Graph& g = module_->main();
    const std::vector<Value*> outputs = g.outputs();
    const std::vector<std::string> names = g.output_names;
    g.set_outputs(seen);
    g.output_names.clear();
    for (size_t i = 0; i < seen.size(); ++i) g.output_names.push_back(cat("activation", i));
    const Compiled run = compile(Function(std::shared_ptr<const Module>(clone(*module_))));
    g.set_outputs(outputs);
    g.output_names = names;
    const bool histogram = o_.calibration != Calibration::min_max;
    for (int pass = 0; pass < (histogram ? 2 : 1); ++pass)
      for (const auto& of_run : inputs) {
        const std::vector<Datum> values = run.run(of_run);
        for (size_t i = 0; i < seen.size(); ++i)
          pass ? ranges_.at(seen[i]).count(values[i].tensor()) : ranges_.at(seen[i]).see(values[i].tensor());
      }
    for (Value* v : seen) {
      if (o_.calibration == Calibration::percentile) ranges_.at(v).cut_to_percentile(o_.percentile);
      if (o_.calibration == Calibration::entropy) ranges_.at(v).cut_to_entropy();
    }
  }
  // Behind every measured value, for its takers.
  void insert_pairs() {
    Graph& g = module_->main();
    for (const auto& [v, range] : ranges_) {
      std::vector<Use*> uses = v->uses();
      std::erase_if(uses, [&](const Use* u) { return !takers_.contains(u->user()); });
      if (uses.empty()) continue;
      Builder b(g, v->def() ? v->def()->next() : g.first());
      if (v->def()) b.set_location(v->def()->location());
      const Affine a = affine_of(range.low(), range.high());
      Value *scale = b.scalar(a.scale), *zero = b.scalar(a.zero);
      Value* y = b.make<DequantizeLinear>({b.make<QuantizeLinear>({v, scale, zero}), scale, zero});
      for (Use* u : uses) u->user()->set_operand(u->index(), y);
    }
  }

  std::unique_ptr<Module> module_;
  const ModelQuantization& o_;
  std::set<std::string> excluded_, unused_;
  std::map<std::tuple<const Value*, int, bool>, QuantizedWeight> weights_;
  struct Bytes {
    Value *values = nullptr, *scale = nullptr, *zero = nullptr;
  };
  std::map<std::pair<const Value*, const Graph*>, Bytes> dynamic_;
  std::map<Value*, SeenRange> ranges_;
  std::set<Node*> takers_;
  std::vector<QuantizedLayer> report_;
};

std::unique_ptr<Module> prepared(const Function& f) {
  auto module = clone(f.module());
  optimize(*module, portable_passes());
  return module;
}

}  // namespace

QuantizedModel quantize(const Function& f, const ModelQuantization& options,
                        const std::vector<std::vector<Datum>>& inputs) {
  check(options, inputs.size());
  return Quantizer(prepared(f), options).run(inputs);
}

QuantizedModel convert_weights(const Function& f, DType to, int64_t least) {
  if (to != DType::f16 && to != DType::bf16)
    fail(ErrorCode::bad_argument, "weights cannot be converted to ", name(to), "; f16 and bf16 are possible");
  auto module = clone(f.module());
  QuantizedModel result;
  for_each_graph(*module, [&](Graph& g) {
    for (Node *n = g.first(), *next; n; n = next) {
      next = n->next();
      if (!n->is<Constant>() || !is_f32(n->result()) || !n->result()->constant()) continue;
      const Tensor& from = *n->result()->constant();
      if (from.size() < least || n->result()->unused()) continue;
      const Tensor narrow = converted(from, to);
      ErrorSum error;
      const std::vector<float> before = from.to_vector<float>(),
                               after = converted(narrow, DType::f32).to_vector<float>();
      for (size_t i = 0; i < before.size(); ++i) error.add(before[i], after[i]);
      if (!std::isfinite(error.errors)) continue;
      const Use* use = n->result()->first_use();
      result.layers.push_back({use->user()->location(), std::string(use->user()->info().facts->onnx.name),
                               static_cast<int64_t>(from.bytes()), static_cast<int64_t>(narrow.bytes()),
                               error.relative()});
      Builder b(g, next);
      Value* wide = b.make<Cast>({b.constant(narrow)}, {.to = DType::f32});
      n->result()->replace_all_uses_with(wide);
      g.erase(n);
    }
  });
  result.function = Function(std::shared_ptr<const Module>(std::move(module)));
  return result;
}

namespace {

void compare(const Tensor& a, const Tensor& b, OutputError& e) {
  const std::vector<double> x = widen<double>(a), y = widen<double>(b);
  if (a.extents() != b.extents()) fail(ErrorCode::bad_shape, "output '", e.output, "' has another shape");
  double xx = 0, yy = 0, xy = 0, most = 0, difference = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += x[i] * x[i], yy += y[i] * y[i], xy += x[i] * y[i];
    most = std::max(most, std::abs(x[i])), difference = std::max(difference, std::abs(x[i] - y[i]));
  }
  if (xx > 0 && yy > 0) e.cosine = std::min(e.cosine, xy / std::sqrt(xx * yy));
  if (most > 0) e.relative = std::max(e.relative, difference / most);
}

// Rows along the last axis, and those of them with the largest element in the same place.
std::pair<int64_t, int64_t> top1(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = widen<double>(a), y = widen<double>(b);
  const int64_t width = a.rank() ? a.extent(a.rank() - 1) : 1, rows = width ? a.size() / width : 0;
  int64_t same = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const auto place = [&](const std::vector<double>& v) {
      const auto begin = v.begin() + r * width;
      return std::max_element(begin, begin + width) - begin;
    };
    same += place(x) == place(y) ? 1 : 0;
  }
  return {rows, same};
}

}  // namespace

std::vector<OutputError> compare_outputs(const Function& a, const Function& b,
                                         const std::vector<std::vector<Datum>>& inputs) {
  const Compiled run_a = compile(a), run_b = compile(b);
  const auto outputs = a.outputs();
  std::vector<OutputError> errors;
  std::vector<std::pair<int64_t, int64_t>> rows(outputs.size());
  for (const auto& o : outputs) errors.push_back({o.name});
  for (const auto& of_run : inputs) {
    const std::vector<Datum> x = run_a.run(of_run), y = run_b.run(of_run);
    for (size_t i = 0; i < x.size(); ++i) {
      if (!x[i].is_tensor() || kind(x[i].tensor().dtype()) != DTypeKind::floating) continue;
      compare(x[i].tensor(), y[i].tensor(), errors[i]);
      const auto [all, same] = top1(x[i].tensor(), y[i].tensor());
      rows[i].first += all, rows[i].second += same;
    }
  }
  for (size_t i = 0; i < errors.size(); ++i)
    if (rows[i].first) errors[i].same_top1 = static_cast<double>(rows[i].second) / static_cast<double>(rows[i].first);
  return errors;
}

}  // namespace tc
