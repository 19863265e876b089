// Every row of tests/edges on the interpreter, and compiled for every tier with and without optimisation, however its
// operands are given.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tc/frontend/onnx/import.h"
#include "tc/ir/eval/interp.h"
#include "tc/kernels/cpu.h"
#include "tc/tc.h"
#include "tests/edges/edge.h"

namespace tc {
namespace {

using edges::all_edges;
using edges::Edge;
using edges::Form;

class Edges : public testing::TestWithParam<size_t> {};

// Runs `run` and says what is wrong with its results, or with the lack of an error.
template <class Run>
std::string verdict(const Edge& edge, Run run) {
  std::vector<Tensor> results;
  try {
    for (Datum& d : run()) {
      if (!d.is_tensor()) return "a result is no tensor";
      results.push_back(d.tensor());
    }
  } catch (const Error& e) {
    if (edge.error.empty()) return e.what();
    return to_string(e.code()) == edge.error ? "" : cat("not the error expected: ", e.what());
  }
  if (!edge.error.empty()) return cat("accepted, expected the error ", edge.error);
  return edges::difference(results, edge.outputs, edge.within);
}

TEST_P(Edges, AreAsTheStandardSays) {
  const Edge& edge = all_edges()[GetParam()];
  SCOPED_TRACE(cat(edge.place, ": ", edge.text));
  for (const Form form : edges::kForms) {
    SCOPED_TRACE(edges::name_of(form));
    const auto bytes = std::make_shared<const std::string>(edges::model_of(edge, form));
    std::vector<Datum> inputs;
    for (auto& [name, value] : edges::inputs_of(edge, form)) inputs.emplace_back(value);
    EXPECT_EQ(verdict(edge,
                      [&] {
                        InterpOptions options;
                        options.check_types = true;
                        const auto module = onnx::import_bytes(bytes->data(), bytes->size(), bytes, edge.place);
                        return interpret(*module, inputs, options);
                      }),
              "")
        << "interpreter";
    for (const auto tier : kernels::usable_tiers()) {
      if (tier > kernels::active_tier()) continue;
      for (const int level : {0, 2})
        EXPECT_EQ(verdict(edge,
                          [&] {
                            CompilerOptions options;
                            options.level = level;
                            options.threads = 1;
                            options.isa = kernels::tier_name(tier);
                            return compile(load_onnx(bytes->data(), bytes->size(), bytes), options).run(inputs);
                          }),
                  "")
            << kernels::tier_name(tier) << " -O" << level;
    }
  }
}

TEST(Differences, PageIsFresh) {
  const std::string path = TC_SOURCE_DIR "/docs/onnx-differences.md", page = edges::page_of_differences();
  if (const char* bless = std::getenv("TC_BLESS"); bless && *bless == '1') std::ofstream(path) << page;
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), page) << "TC_BLESS=1 writes it anew";
}

INSTANTIATE_TEST_SUITE_P(All, Edges, testing::Range<size_t>(0, all_edges().size()), [](const auto& row) {
  std::string name = cat(all_edges()[row.param].op, "_", all_edges()[row.param].place);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace tc
