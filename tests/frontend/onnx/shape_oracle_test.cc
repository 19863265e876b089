// libonnx's shape inference as the oracle: on every case of the ONNX test data that it can read, what it finds out
// about a value from the model alone must be known to ours too. First with the inputs' extents as declared, then with a
// symbol in place of each.
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "tc/frontend/onnx/import.h"
#include "test_data.h"

namespace tc {
namespace {

namespace oracle = ::onnx;

constexpr int64_t kNewestOpsetOfOracle = 17;

struct Counts {
  int models = 0, models_newer = 0, models_missing = 0, models_refused = 0, values = 0, values_known = 0, dims = 0,
      dims_known = 0, dims_more = 0, ranks_more = 0;
};

// Compares the types of one model's values. Symbols that the oracle made up stand for equality only.
class Comparison {
 public:
  Comparison(const std::set<std::string>& declared, bool retired_broadcasting, Counts& counts)
      : declared_(declared), retired_broadcasting_(retired_broadcasting), counts_(counts) {}
  // What is wrong with ours; empty: nothing.
  std::string difference(const Type& ours, const oracle::TypeProto& theirs) {
    switch (theirs.value_case()) {
      case oracle::TypeProto::kTensorType:
        return tensor(ours, theirs.tensor_type(), false);
      case oracle::TypeProto::kSequenceType:
        if (ours.kind() != Type::Kind::sequence) return "the oracle finds a sequence";
        // Extents of the elements may differ, so that symbols are equal to nothing.
        if (!theirs.sequence_type().elem_type().has_tensor_type()) return {};
        return tensor(ours.element(), theirs.sequence_type().elem_type().tensor_type(), true);
      case oracle::TypeProto::kOptionalType:
        if (ours.kind() != Type::Kind::optional) return "the oracle finds an optional";
        return difference(ours.element(), theirs.optional_type().elem_type());
      default:
        return {};
    }
  }

 private:
  std::string tensor(const Type& ours, const oracle::TypeProto_Tensor& theirs, bool each_its_own) {
    if (!ours.is_tensor()) return "the oracle finds a tensor";
    if (theirs.elem_type() != 0 && theirs.elem_type() != info(ours.dtype()).onnx)
      return cat("the oracle finds the element type ", theirs.elem_type());
    if (!theirs.has_shape()) {
      counts_.ranks_more += ours.shape().ranked();
      return {};
    }
    if (!ours.shape().ranked()) return cat("the oracle finds the rank ", theirs.shape().dim_size());
    if (ours.shape().rank() != theirs.shape().dim_size())
      return cat("the oracle finds the rank ", theirs.shape().dim_size());
    for (int k = 0; k < theirs.shape().dim_size(); ++k) {
      ++counts_.dims;
      const auto& dim = theirs.shape().dim(k);
      const Dim& own = ours.shape()[k];
      if (dim.has_dim_value()) {
        ++counts_.dims_known;
        if (!own.is(dim.dim_value())) return cat("the oracle finds the extent ", dim.dim_value(), " of axis ", k);
      } else if (declared_.count(dim.dim_param()) && !own.is_const() && !each_its_own) {
        ++counts_.dims_known;
        // Before opset 8 operands had to agree where NumPy's rule would let one of them be 1.
        bool may_be = own == Dim::symbol(dim.dim_param());
        if (retired_broadcasting_ && own.str().starts_with("broadcast("))
          own.for_each_symbol([&](const std::string& s) { may_be = may_be || s == dim.dim_param(); });
        if (!may_be) return cat("the oracle finds ", dim.dim_param(), " as axis ", k);
      } else {
        counts_.dims_more += !own.is_symbol() || !own.symbol_name().starts_with('?');
        if (dim.dim_param().empty() || each_its_own) continue;
        const auto [it, fresh] = made_up_.emplace(dim.dim_param(), own);
        if (!fresh) {
          ++counts_.dims_known;
          if (it->second != own) return cat("the oracle finds axis ", k, " to be ", it->second, ", as elsewhere");
        }
      }
    }
    return {};
  }

  const std::set<std::string>& declared_;
  const bool retired_broadcasting_;
  Counts& counts_;
  std::map<std::string, Dim> made_up_;
};

void forget_shape(oracle::TypeProto& type) {
  if (type.has_tensor_type()) type.mutable_tensor_type()->clear_shape();
  if (type.has_sequence_type()) forget_shape(*type.mutable_sequence_type()->mutable_elem_type());
  if (type.has_optional_type()) forget_shape(*type.mutable_optional_type()->mutable_elem_type());
}

// The oracle trusts what a model says about the shapes of its values, which some cases do wrongly.
void forget_shapes(oracle::GraphProto& graph) {
  graph.clear_value_info();
  for (auto* list : {graph.mutable_input(), graph.mutable_output()})
    for (auto& v : *list)
      if (v.has_type()) forget_shape(*v.mutable_type());
  for (auto& n : *graph.mutable_node())
    for (auto& a : *n.mutable_attribute())
      if (a.has_g()) forget_shapes(*a.mutable_g());
}

// Every value of the main graph becomes an output, and no shape is declared but the inputs'.
void expose_values(oracle::GraphProto& graph) {
  const auto inputs = graph.input();
  forget_shapes(graph);
  *graph.mutable_input() = inputs;
  std::set<std::string> outputs;
  for (const auto& o : graph.output()) outputs.insert(o.name());
  for (const auto& n : graph.node())
    for (const auto& o : n.output())
      if (!o.empty() && outputs.insert(o).second) graph.add_output()->set_name(o);
}

void make_symbolic(oracle::GraphProto& graph) {
  std::set<std::string> initialised;
  for (const auto& t : graph.initializer()) initialised.insert(t.name());
  for (auto& in : *graph.mutable_input()) {
    if (!in.type().has_tensor_type() || !in.type().tensor_type().has_shape() || initialised.count(in.name())) continue;
    auto* shape = in.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int k = 0; k < shape->dim_size(); ++k)
      shape->mutable_dim(k)->set_dim_param(in.name() + "_" + std::to_string(k));
  }
}

std::set<std::string> symbols_of(const oracle::GraphProto& graph) {
  std::set<std::string> symbols;
  for (const auto& in : graph.input())
    for (const auto& d : in.type().tensor_type().shape().dim())
      if (!d.dim_param().empty()) symbols.insert(d.dim_param());
  return symbols;
}

// `open`: values where ours is not what the oracle finds, and why that is right.
void compare_all(bool symbolic, const std::map<std::string, std::string>& open) {
  const auto paths = test_data::files_below(test_data::kFolder, ".onnx");
  if (paths.empty()) GTEST_SKIP() << test_data::kFolder << " is not there";
  Counts counts;
  for (const std::string& path : paths) {
    const std::string name =
        std::filesystem::relative(std::filesystem::path(path).parent_path(), test_data::kFolder).string();
    oracle::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(test_data::read(path))) << path;
    ++counts.models;
    int64_t opset = 1;
    for (const auto& o : model.opset_import())
      if (o.domain().empty() || o.domain() == "ai.onnx") opset = o.version();
    if (opset > kNewestOpsetOfOracle) {
      ++counts.models_newer;
      continue;
    }
    expose_values(*model.mutable_graph());
    if (symbolic) make_symbolic(*model.mutable_graph());
    const std::string bytes = model.SerializeAsString();
    try {
      oracle::shape_inference::InferShapes(model, oracle::OpSchemaRegistry::Instance(), {false, 0, true});
    } catch (const std::exception& e) {
      ++counts.models_refused;
      continue;
    }
    std::unique_ptr<Module> module;
    try {
      module = onnx::import_bytes(bytes.data(), bytes.size(), nullptr, name,
                                  {.load = {.external_data_folder = std::filesystem::path(path).parent_path()}});
    } catch (const Error& e) {
      // Some nodes need values, and Gradient needs passes.
      if (e.code() == ErrorCode::unsupported && (symbolic || name.starts_with("simple/test_gradient_of_")))
        ++counts.models_missing;
      else
        ADD_FAILURE() << name << ": " << e.what();
      continue;
    }
    const std::set<std::string> declared = symbols_of(model.graph());
    Comparison compare(declared, opset < 8, counts);
    const Graph& graph = module->main();
    for (int i = 0; i < model.graph().output_size(); ++i) {
      ++counts.values;
      const auto& theirs = model.graph().output(i);
      if (!theirs.has_type()) continue;
      ++counts.values_known;
      const Type& ours = graph.output(i)->type();
      const std::string difference = compare.difference(ours, theirs.type());
      EXPECT_EQ(difference.empty(), !open.count(name + " " + theirs.name()))
          << name << ": value '" << theirs.name() << "' of type " << ours << ": " << difference;
    }
  }
  std::cout << counts.models << " models: " << counts.models_newer << " newer than the oracle, "
            << counts.models_refused << " refused by it, " << counts.models_missing
            << " with operators that are missing here; " << counts.values << " values, " << counts.values_known
            << " typed by the oracle; " << counts.dims << " extents, of which " << counts.dims_known
            << " it knows, and of the rest we know " << counts.dims_more << "; " << counts.ranks_more
            << " ranks known to us alone\n";
  EXPECT_GE(counts.dims_known, 1000);
}

constexpr auto kInserted = "the loop inserts elements of another rank than the model says";

TEST(ShapeOracle, DeclaredExtents) {
  compare_all(false, {{"node/test_loop13_seq seq_res", kInserted}});
}

TEST(ShapeOracle, SymbolicExtents) {
  compare_all(true, {{"node/test_loop13_seq seq_res", kInserted},
                     {"node/test_maxunpool_export_without_output_shape y", "xT_1 and xI_1 are equal"},
                     {"node/test_scan9_sum y", "the sum of a state and an element may be longer than the state"},
                     {"node/test_scan_sum y", "the same"},
                     {"node/test_scan_sum z", "x_0 and initial_0 are equal"},
                     {"simple/test_sequence_model7 out", "X_1 among the elements of a sequence is any"}});
}

}  // namespace
}  // namespace tc
