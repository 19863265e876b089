// Random graphs: every way of running one gives the same, ONNX Runtime's included where it runs them.
//
//   TC_GRAPHS=N       how many
//   TC_GRAPH_SEED=S   of the first one
//   TC_GRAPH_SHOW=1   prints what runs with other inputs, for what ends the process
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "../../peers/peer.h"
#include "../guard.h"
#include "judge.h"
#include "tc/ir/text/parse.h"
#include "tc/tc.h"

namespace tc::fuzz {
namespace {

uint64_t from_environment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : fallback;
}

// What ONNX Runtime is known to do otherwise: operators whose results depend on the machine, or differ from the
// standard's. A graph that has one is not compared with it.
bool differs_by_rule(const Module& m) {
  bool found = false;
  walk(m.main(), [&](Node& n) {
    switch (n.op()) {
      case OpId::ArgMax:  // NaN
      case OpId::ArgMin:
      case OpId::Max:
      case OpId::Min:
      case OpId::MaxPool:
      case OpId::GlobalMaxPool:
      case OpId::Resize:  // of extents that scales do not divide
      case OpId::TopK:    // order of equal elements
      case OpId::Unique:
      case OpId::Mod:
      case OpId::MaxRoiPool:
      case OpId::RoiAlign:
      case OpId::GridSample:
      case OpId::AffineGrid:  // of one element, corners aligned
      case OpId::NonZero:     // of scalars
      case OpId::Pow:
      case OpId::Cast:  // out of range
        found = true;
        return;
      case OpId::Gemm:  // fractions of integers, logarithms of negative ones, what rounds to 1
      case OpId::Erf:
      case OpId::ReduceLogSum:
      case OpId::ReduceLogSumExp:
        found = found || !dtypes::floats.has(n.result()->dtype());
        return;
      case OpId::Conv:  // of no channels in f16: it never ends
        found = found || n.operand(0)->dtype() == DType::f16;
        return;
      default:
        return;
    }
  });
  return found;
}

struct Tried {
  uint64_t seed;
  RandomGraph graph;
  std::array<Truth, kBindings> truth;
};

class Graphs {
 public:
  void add(uint64_t seed) {
    watch(cat("TC_GRAPH_SEED=", seed, " TC_GRAPHS=1"), kSanitized ? 240 : 60);
    try {
      RandomGraph g = random_graph(seed);
      walk(g.module->main(), [&](Node& n) {
        operators_.insert(n.op());
        ++nodes_;
      });
      Random random(seed);
      if (const std::string bad = unnamed_error(g, random); !bad.empty()) {
        ++failures_;
        ADD_FAILURE() << "TC_GRAPH_SEED=" << seed << " TC_GRAPHS=1, other inputs: " << bad;
      }
      const std::string wrong = disagreement(g);
      if (!wrong.empty())
        report(seed, g, wrong);
      else if (!peers::node_modules().empty() && !differs_by_rule(*g.module))
        keep(seed, std::move(g));
    } catch (const std::exception& e) {
      ADD_FAILURE() << "TC_GRAPH_SEED=" << seed << " TC_GRAPHS=1: " << e.what();
    }
    unwatch();
    if (kept_.size() >= 500) compare_with_peer();
  }

  void compare_with_peer() {
    std::vector<peers::Job> jobs;
    for (const Tried& t : kept_) {
      peers::Job job;
      const auto inputs = t.graph.module->main().inputs();
      for (size_t i = 0; i < inputs.size(); ++i)
        job.inputs.emplace_back(inputs[i]->name(), t.graph.inputs[0][i].tensor());
      job.bytes = export_onnx_bytes(Function(std::shared_ptr<const Module>(clone(*t.graph.module))),
                                    {.opset = 21, .target = ort});
      job.exact = true;
      jobs.push_back(std::move(job));
    }
    const auto outcomes = peers::onnx_runtime(jobs);
    for (size_t i = 0; i < kept_.size(); ++i) compare(kept_[i], outcomes[i]);
    kept_.clear();
  }

  void summary(uint64_t graphs) {
    std::cout << graphs << " graphs of " << nodes_ << " nodes, " << operators_.size() << " operators; " << failures_
              << " disagree; ONNX Runtime ran " << ran_ << ", refused " << refused_ << ", differs in " << other_
              << "\n";
  }
  size_t operators() const { return operators_.size(); }
  size_t ran() const { return ran_; }

 private:
  void report(uint64_t seed, const RandomGraph& g, const std::string& wrong) {
    ++failures_;
    std::string smaller = "no smaller graph";
    try {
      const RandomGraph r = reduced(g, [](const RandomGraph& x) { return !disagreement(x).empty(); });
      smaller = cat(disagreement(r), "\n", described(r));
    } catch (const std::exception& e) {
      smaller = e.what();
    }
    ADD_FAILURE() << "TC_GRAPH_SEED=" << seed << " TC_GRAPHS=1: " << wrong << "\nreduced: " << smaller;
  }

  void keep(uint64_t seed, RandomGraph g) {
    const auto inputs = g.module->main().inputs();
    bool nothing = false, reduces = false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i]->type().is_tensor()) return;
      nothing = nothing || g.inputs[0][i].tensor().size() == 0;
    }
    walk(g.module->main(), [&](Node& n) { reduces = reduces || n.info().family == Family::reduce; });
    if (nothing && reduces) return;  // results of ranks of its own
    try {
      export_onnx_bytes(Function(std::shared_ptr<const Module>(clone(*g.module))), {.opset = 21, .target = ort});
    } catch (const Error& e) {
      if (e.code() == ErrorCode::unsupported) return;
      throw;
    }
    Tried t{seed, std::move(g), {}};
    t.truth[0] = truth_of(*t.graph.module, t.graph.inputs[0]);
    t.truth[0].special = t.graph.special;
    kept_.push_back(std::move(t));
  }

  void compare(const Tried& t, const peers::Outcome& outcome) {
    if (!outcome.error.empty()) {
      ++refused_;
      return;
    }
    ++ran_;
    std::vector<Datum> actual;
    for (const auto& [name, tensor] : outcome.outputs) actual.emplace_back(tensor);
    const std::string wrong = judge(actual, t.truth[0], true);
    if (wrong.empty()) return;
    ++other_;
    ADD_FAILURE() << "TC_GRAPH_SEED=" << t.seed << " TC_GRAPHS=1: ONNX Runtime, " << wrong << "\n"
                  << described(t.graph);
  }

  std::set<OpId> operators_;
  std::vector<Tried> kept_;
  size_t nodes_ = 0, failures_ = 0, ran_ = 0, refused_ = 0, other_ = 0;
};

TEST(Graphs, AreTheSameEverywhere) {
  const uint64_t first = from_environment("TC_GRAPH_SEED", 1), count = from_environment("TC_GRAPHS", 500);
  Graphs graphs;
  for (uint64_t i = 0; i < count; ++i) graphs.add(first + i);
  graphs.compare_with_peer();
  graphs.summary(count);
  if (count < 500) return;
  EXPECT_GE(graphs.operators(), 150U);
  if (!peers::node_modules().empty()) {
    EXPECT_GT(graphs.ran(), count / 10);
  }
}

// What reports a difference, finds the smallest graph of it.
TEST(Graphs, ReducesToWhatMatters) {
  RandomGraph g{parse_module(R"(graph @main(%x: f32[2], %z: f32[2]) {
  %0 = neg %x : f32[2]
  %1 = exp %0 : f32[2]
  %2 = add %1, %z : f32[2]
  %3 = abs %z : f32[2]
  return %2, %3 : "y", "w"
})",
                             "test"),
                {},
                false};
  for (auto& inputs : g.inputs) inputs = {Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({2}, {3, 4})};
  const auto has_exp = [](const RandomGraph& r) {
    bool found = false;
    walk(r.module->main(), [&](Node& n) { found = found || n.op() == OpId::Exp; });
    return found;
  };
  const RandomGraph r = reduced(g, has_exp);
  EXPECT_EQ(r.module->main().nodes().size(), 2U) << described(r);  // exp and return
  EXPECT_EQ(disagreement(r), "");
}

TEST(Graphs, JudgesWhatIsWrong) {
  const auto m = parse_module("graph @main(%x: f32[2]) {\n  %0 = floor %x : f32[2]\n  return %0 : \"y\"\n}\n", "test");
  const Truth t = truth_of(*m, {Tensor::of<float>({2}, {1.5f, 2})});
  const auto of = [](float a, float b) { return std::vector<Datum>{Tensor::of<float>({2}, {a, b})}; };
  EXPECT_EQ(judge(of(1, 2), t), "");
  EXPECT_EQ(judge(of(1, 1), t), "");  // 2 is on the edge
  EXPECT_NE(judge(of(2, 2), t), "");
  EXPECT_NE(judge({Tensor::of<float>({1}, {1})}, t), "");
}

}  // namespace
}  // namespace tc::fuzz
