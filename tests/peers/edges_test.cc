// The rows of tests/edges in ONNX Runtime: it agrees, or differs in just the way that a row says.
#include "tests/edges/edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "peer.h"

namespace tc::peers {
namespace {

using edges::Edge;
using Runtime = Edge::Runtime;

// The peer's interface knows the element types that NumPy has.
bool can_carry(const Edge& e) {
  const auto known = [](const Tensor& t) { return t.dtype() == DType::str || !info(t.dtype()).numpy.empty(); };
  return std::all_of(e.inputs.begin(), e.inputs.end(), [&](const auto& t) { return !t || known(*t); }) &&
         std::all_of(e.outputs.begin(), e.outputs.end(), [&](const auto& t) { return !t || known(t->value); });
}

// What ONNX Runtime did where it is not `expected`.
std::string difference(const Outcome& outcome, const std::vector<std::optional<edges::Expected>>& expected,
                       double within) {
  if (!outcome.error.empty()) return "refuses: " + outcome.error;
  std::vector<Tensor> results;
  for (size_t j = 0; j < expected.size(); ++j)
    if (expected[j]) results.push_back(find(outcome.outputs, cat("out", j)));
  std::string text = edges::difference(results, expected, within);
  if (text.empty()) return text;
  text += "\n  ort:";
  for (const Tensor& t : results) text += cat(&t == results.data() ? " " : "; ", edges::spelled(t));
  return text;
}

TEST(Edges, OnnxRuntimeDiffersOnlyWhereARowSaysSo) {
  if (node_modules().empty()) GTEST_SKIP() << "no npm packages; ./dev test fetches them";
  std::vector<const Edge*> rows;
  std::vector<Job> jobs;
  for (const Edge& e : edges::all_edges()) {
    if (e.ort == Runtime::not_run || !can_carry(e)) continue;
    rows.push_back(&e);
    jobs.push_back(
        {.model = {}, .inputs = edges::inputs_of(e, edges::Form::fed), .bytes = edges::model_of(e, edges::Form::fed)});
  }
  const auto outcomes = onnx_runtime(jobs);
  size_t differing = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Edge& e = *rows[i];
    SCOPED_TRACE(cat(e.place, ": ", e.text));
    // Sums in another order, functions by other polynomials.
    const double within = std::max(e.within, 1e-5);
    switch (e.ort) {
      case Runtime::agrees:
        if (e.error.empty())
          EXPECT_EQ(difference(outcomes[i], e.outputs, within), "");
        else
          EXPECT_NE(outcomes[i].error, "") << "accepted";
        break;
      case Runtime::differs:
        ++differing;
        EXPECT_EQ(difference(outcomes[i], e.ort_outputs, within), "");
        break;
      case Runtime::refuses:
        ++differing;
        EXPECT_NE(outcomes[i].error, "") << "accepted";
        break;
      case Runtime::not_run:
        break;
    }
    if (e.ort == Runtime::differs && e.error.empty()) {
      EXPECT_NE(edges::difference(
                    [&] {
                      std::vector<Tensor> values;
                      for (const auto& x : e.ort_outputs)
                        if (x) values.push_back(x->value);
                      return values;
                    }(),
                    e.outputs, e.within),
                "")
          << "the row says what the standard says";
    }
  }
  std::cout << rows.size() << " of " << edges::all_edges().size() << " rows run, " << differing << " differ\n";
}

}  // namespace
}  // namespace tc::peers
