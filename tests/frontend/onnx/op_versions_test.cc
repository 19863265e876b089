// Every version of every operator of the standard, as a node of one's own: it imports, with every element type that the
// standard allows, knows every attribute, and an attribute that is left out means what the standard says it does.
// Operators that are missing as a whole are listed in missing_operators.txt.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "standard.h"
#include "tc/frontend/onnx/import.h"
#include "tc/frontend/onnx/typed_writer.h"
#include "tc/ir/module.h"
#include "tc/ir/text/print.h"
#include "test_data.h"
#include "tests/common/coverage.h"

namespace tc {
namespace {

using nlohmann::json;
using standard::Attribute;
using standard::Version;
namespace writer = tc::model_writer;

// Values of attributes that any number of the right kind would not do for; the longest key counts: "Op.attribute",
// "attribute:kind" or "attribute".
const std::map<std::string, const char*> kValues = {{"to", "1"},
                                                    {"Cast.to:string", "\"FLOAT\""},
                                                    {"direction", "\"LEFT\""},
                                                    {"equation", "\"i->i\""},
                                                    {"pads", "[0, 0]"},
                                                    {"paddings", "[0, 0]"},
                                                    {"scales", "[1, 1]"},
                                                    {"Scan.num_scan_inputs", "1"},
                                                    {"shape", "[2, 3]"},
                                                    {"dtype", "1"},
                                                    {"starts", "[0]"},
                                                    {"axes", "[0]"},
                                                    {"pooled_shape", "[1, 1]"},
                                                    {"mode", "\"TFIDF\""},
                                                    {"Momentum.mode", "\"standard\""}};

// Attributes that have to fit each other or the element types: a value, where a variable has one of these types (no
// variable: always). A value of kind tensor has the type of `element`.
struct Fitting {
  const char *op, *attribute, *value;
  const char *variable = "", *types = "";
  const char* element = "";
};
constexpr const char *kStrings = "[\"a\"]", *kOne = "[1]", *kZero = "[0]";
const Fitting kFittings[] = {
    {"CategoryMapper", "cats_strings", kStrings},
    {"CategoryMapper", "cats_int64s", kOne},
    {"DictVectorizer", "string_vocabulary", kStrings, "T1", "str"},
    {"DictVectorizer", "int64_vocabulary", kOne, "T1", "i64"},
    {"FeatureVectorizer", "inputdimensions", kOne},
    {"GridSample", "mode", "\"nearest\"", "T1", "str"},
    {"Imputer", "imputed_value_floats", kOne, "T", "f32 f64"},
    {"Imputer", "imputed_value_int64s", kOne, "T", "i32 i64"},
    {"LabelEncoder", "classes_strings", kStrings},
    {"LabelEncoder", "keys_strings", kStrings, "T1", "str"},
    {"LabelEncoder", "keys_int64s", kOne, "T1", "i64"},
    {"LabelEncoder", "keys_floats", kOne, "T1", "f32"},
    {"LabelEncoder", "keys_tensor", kOne, "T1", "i32 i16 f64", "T1"},
    {"LabelEncoder", "values_strings", kStrings, "T2", "str"},
    {"LabelEncoder", "values_int64s", kOne, "T2", "i64"},
    {"LabelEncoder", "values_floats", kOne, "T2", "f32"},
    {"LabelEncoder", "values_tensor", kOne, "T2", "i32 i16 f64", "T2"},
    {"LinearClassifier", "coefficients", kOne},
    {"LinearClassifier", "classlabels_strings", kStrings, "T2", "str"},
    {"LinearClassifier", "classlabels_ints", kOne, "T2", "i64"},
    {"LinearRegressor", "coefficients", kOne},
    {"OneHotEncoder", "cats_strings", kStrings, "T", "str"},
    {"OneHotEncoder", "cats_int64s", kOne, "T", "i64 i32 f32 f64"},
    {"SVMClassifier", "coefficients", kOne},
    {"SVMClassifier", "rho", kOne},
    {"SVMClassifier", "classlabels_strings", kStrings, "T2", "str"},
    {"SVMClassifier", "classlabels_ints", kOne, "T2", "i64"},
    {"SVMRegressor", "coefficients", kOne},
    {"SVMRegressor", "rho", kOne},
    {"TfIdfVectorizer", "pool_strings", kStrings, "T", "str"},
    {"TfIdfVectorizer", "pool_int64s", kOne, "T", "i32 i64"},
    {"TfIdfVectorizer", "ngram_counts", kZero},
    {"TfIdfVectorizer", "ngram_indexes", kZero},
    {"TreeEnsemble", "leaf_targetids", kZero},
    {"TreeEnsemble", "leaf_weights", kOne, "", "", "T"},
    {"TreeEnsemble", "n_targets", "1"},
    {"TreeEnsemble", "nodes_falseleafs", kOne},
    {"TreeEnsemble", "nodes_falsenodeids", kZero},
    {"TreeEnsemble", "nodes_featureids", kZero},
    {"TreeEnsemble", "nodes_modes", kZero, "", "", "u8"},
    {"TreeEnsemble", "nodes_splits", kOne, "", "", "T"},
    {"TreeEnsemble", "nodes_trueleafs", kOne},
    {"TreeEnsemble", "nodes_truenodeids", kZero},
    {"TreeEnsemble", "tree_roots", kZero},
    {"TreeEnsembleClassifier", "class_ids", kZero},
    {"TreeEnsembleClassifier", "class_nodeids", kZero},
    {"TreeEnsembleClassifier", "class_treeids", kZero},
    {"TreeEnsembleClassifier", "class_weights", kOne},
    {"TreeEnsembleClassifier", "classlabels_strings", kStrings, "T2", "str"},
    {"TreeEnsembleClassifier", "classlabels_int64s", kOne, "T2", "i64"},
    {"TreeEnsembleRegressor", "n_targets", "1"},
    {"TreeEnsembleRegressor", "target_ids", kZero},
    {"TreeEnsembleRegressor", "target_nodeids", kZero},
    {"TreeEnsembleRegressor", "target_treeids", kZero},
    {"TreeEnsembleRegressor", "target_weights", kOne},
    {"ZipMap", "classlabels_strings", kStrings, "T", "str"},
    {"ZipMap", "classlabels_int64s", kOne, "T", "i64"},
};
// One leaf, for both operators of trees.
const Fitting kLeaf[] = {
    {"", "nodes_falsenodeids", kZero}, {"", "nodes_featureids", kZero}, {"", "nodes_modes", "[\"LEAF\"]"},
    {"", "nodes_nodeids", kZero},      {"", "nodes_treeids", kZero},    {"", "nodes_truenodeids", kZero},
    {"", "nodes_values", kZero},
};

// Attributes that name the element type of a variable.
const std::map<std::string, std::pair<const char*, const char*>> kTypeAttributes = {
    {"BitCast", {"to", "T2"}}, {"RandomNormalLike", {"dtype", "T2"}}, {"RandomUniformLike", {"dtype", "T2"}}};

// Operators whose variadic operands and results come in groups.
const std::map<std::string, std::pair<int, int>> kGroups = {
    {"Adagrad", {3, 2}}, {"Adam", {4, 3}}, {"Momentum", {3, 2}}};

// Strings to integers, or back.
bool goes_between_labels(const Version& v) {
  return v.name == "CategoryMapper" || v.str() == "ai.onnx.ml.LabelEncoder-1";
}

// Operands and attributes that the standard leaves optional although a node means nothing without them.
const std::set<std::string> kNeeded = {"Reshape.shape",       "Constant.value",        "Resize.scales",
                                       "Optional.input",      "LinearAttention.decay", "LinearAttention.beta",
                                       "LpPool.kernel_shape", "RegexFullMatch.pattern"};

// Operators that exclude some of their optional operands when others are given.
const std::set<std::string> kExclusive = {"Resize", "Attention"};

// Attributes without which the optional results make no sense.
const std::map<std::string, std::vector<std::pair<std::string, int64_t>>> kForAllResults = {
    {"BatchNormalization-14", {{"training_mode", 1}}}, {"BatchNormalization-15", {{"training_mode", 1}}}};

// Type variables of which the second has to follow the first.
const std::map<std::string, std::pair<std::string, std::string>> kLinked = {{"SequenceInsert", {"S", "T"}},
                                                                            {"BitCast", {"T1", "T2"}}};

// Ranks that import has to know: extents of operands.
const std::map<std::string, std::vector<Extents>> kExtents = {{"PRelu-1", {{2, 3, 4}, {3}}},
                                                              {"PRelu-6", {{2, 3, 4}, {3}}},
                                                              {"GridSample-16", {{1, 1, 2, 2}, {1, 2, 2, 2}}},
                                                              {"GridSample-20", {{1, 1, 2, 2}, {1, 2, 2, 2}}},
                                                              {"GridSample-22", {{1, 1, 2, 2}, {1, 2, 2, 2}}},
                                                              {"ai.onnx.ml.ArrayFeatureExtractor-1", {{2, 3}, {1}}}};

const char* value_of(const Version& v, const Attribute& a) {
  for (const std::string& key : {v.name + "." + a.name + ":" + a.kind, v.name + "." + a.name, a.name})
    if (const auto it = kValues.find(key); it != kValues.end()) return it->second;
  static const std::map<std::string, const char*> by_kind = {
      {"int", "1"},       {"ints", "[1]"},       {"float", "1"},   {"floats", "[1]"},
      {"string", "\"\""}, {"strings", "[\"\"]"}, {"tensor", "[1]"}};
  const auto it = by_kind.find(a.kind);
  return it == by_kind.end() ? nullptr : it->second;
}

std::string attribute(const Attribute& a, const json& value) {
  if (a.kind == "int") return writer::attr_i(a.name, value.get<int64_t>());
  if (a.kind == "ints") return writer::attr_ints(a.name, value.get<std::vector<int64_t>>());
  if (a.kind == "float") return writer::attr_f(a.name, value.get<float>());
  if (a.kind == "floats") return writer::attr_floats(a.name, value.get<std::vector<float>>());
  if (a.kind == "string") return writer::attr_s(a.name, value.get<std::string>());
  if (a.kind == "strings") return writer::attr_strings(a.name, value.get<std::vector<std::string>>());
  if (a.kind == "tensor")
    return writer::attr_t(a.name, writer::tensor("", Tensor::of<float>({1}, value.get<std::vector<float>>())));
  throw std::runtime_error("no value of kind " + a.kind);
}

// One node and the model around it.
struct Sketch {
  const Version& version;
  int opset;
  std::map<std::string, Type> types = {};              // by variable
  bool full = false;                                   // with all optional operands and results
  std::map<std::string, std::string> attributes = {};  // by name

  explicit Sketch(const Version& v, int at) : version(v), opset(at) {
    for (const auto& [variable, allowed] : v.types) types[variable] = allowed[0];
    for (const Attribute& a : v.attributes)
      if (a.required || kNeeded.count(v.name + "." + a.name))
        attributes[a.name] = a.kind == "graph" ? body(a.name) : attribute(a, json::parse(value_of(v, a)));
    if (kLinked.count(v.name)) set_type(kLinked.at(v.name).first, types.at(kLinked.at(v.name).first));
    if (goes_between_labels(v)) set_type("T1", types.at("T1"));
    fit();
  }

  std::unique_ptr<Module> import() const {
    writer::Messages given, results;
    writer::Names inputs, outputs;
    for (const auto& slot : version.inputs) {
      if (slot.optional && !full && !kNeeded.count(version.name + "." + slot.name)) {
        inputs.emplace_back();
        continue;
      }
      Type t = types.at(slot.variable);
      const auto extents = kExtents.find(version.str());
      if (extents != kExtents.end() && inputs.size() < extents->second.size())
        t = Type::tensor(t.dtype(), Shape::of(extents->second[inputs.size()]));
      const auto group = kGroups.find(version.name);
      for (int k = 0; k < (slot.variadic && group != kGroups.end() ? group->second.first : 1); ++k) {
        inputs.push_back(cat("in_", slot.name, k == 0 ? "" : cat("_", k)));
        given.push_back(writer::value_info(inputs.back(), t));
      }
    }
    while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
    if (version.name == "If") given.push_back(writer::value_info("captured", types.at("V")));
    for (const auto& slot : version.outputs) {
      if (slot.optional && !full && !outputs.empty()) break;
      const auto group = kGroups.find(version.name);
      for (int k = 0; k < (slot.variadic && group != kGroups.end() ? group->second.second : 1); ++k) {
        outputs.push_back(cat("out_", slot.name, k == 0 ? "" : cat("_", k)));
        results.push_back(writer::value_info(outputs.back()));
      }
    }
    writer::Messages attrs;
    for (const auto& [name, bytes] : attributes) attrs.push_back(bytes);
    const std::string graph =
        writer::graph({writer::node(version.name, inputs, outputs, attrs, {.domain = version.domain})}, given, results);
    writer::Opsets opsets = {{version.domain, opset}};
    if (!version.domain.empty()) opsets.emplace_back("", standard::newest(""));
    const std::string bytes = writer::model(graph, {.opsets = opsets});
    return onnx::import_bytes(bytes.data(), bytes.size(), nullptr, version.str());
  }

  void set_type(const std::string& variable, const Type& t) {
    types[variable] = t;
    if (goes_between_labels(version))
      types[variable == "T1" ? "T2" : "T1"] =
          Type::tensor(t.dtype() == DType::str ? DType::i64 : DType::str, t.shape());
    link(variable, t);
    fit();
  }

 private:
  void link(const std::string& variable, const Type& t) {
    const auto linked = kLinked.find(version.name);
    if (linked == kLinked.end()) return;
    const auto& [first, second] = linked->second;
    const bool sequence = types.at(first).kind() == Type::Kind::sequence;
    if (variable == second) types[first] = sequence ? Type::sequence(t) : t;
    if (variable == first) types[second] = sequence ? Type(t.element()) : t;
  }

  // Attributes that follow from the types.
  void fit() {
    if (const auto it = kTypeAttributes.find(version.name); it != kTypeAttributes.end())
      attributes[it->second.first] = writer::attr_i(it->second.first, info(types.at(it->second.second).dtype()).onnx);
    for (const Fitting& f : kFittings)
      if (version.name == f.op) fit(f);
    if (version.name == "TreeEnsembleClassifier" || version.name == "TreeEnsembleRegressor")
      for (const Fitting& f : kLeaf) fit(f);
  }

  void fit(const Fitting& f) {
    const auto a = std::find_if(version.attributes.begin(), version.attributes.end(),
                                [&](const Attribute& known) { return known.name == f.attribute; });
    if (a == version.attributes.end()) return;
    attributes.erase(f.attribute);
    if (*f.variable) {
      const Type& t = types.at(f.variable);
      const std::string wanted = cat(" ", f.types, " ");
      if (wanted.find(cat(" ", t.kind() == Type::Kind::sequence ? t.element().dtype() : t.dtype(), " ")) == wanted.npos)
        return;
    }
    const json value = json::parse(f.value);
    if (!*f.element) {
      attributes[f.attribute] = attribute(*a, value);
      return;
    }
    const DType element = types.count(f.element) ? types.at(f.element).dtype() : DType::u8;
    attributes[f.attribute] =
        writer::attr_t(f.attribute, writer::tensor("", Tensor(element, {static_cast<int64_t>(value.size())})));
  }

  // A sub-graph that hands its inputs on, or what it captures where it has none.
  std::string body(const std::string& name) const {
    writer::Messages nodes, inputs, outputs;
    const auto pass = [&](const std::string& in, const Type& t) {
      if (in != "captured") inputs.push_back(writer::value_info(in, t));
      nodes.push_back(writer::node("Identity", {in}, {"copy_of_" + in}));
      outputs.push_back(writer::value_info("copy_of_" + in));
    };
    if (version.name == "If") {
      pass("captured", {});
    } else if (version.name == "Loop") {
      inputs.push_back(writer::value_info("i", Type::tensor(DType::i64, Shape(Dims()))));
      pass("go", Type::tensor(DType::boolean, Shape(Dims())));
      pass("v", {});
    } else {
      for (size_t i = version.name == "Scan" && version.since == 8; i < version.inputs.size(); ++i)
        pass(cat("x", i), {});
    }
    return writer::attr_g(name, writer::graph(nodes, inputs, outputs));
  }
};

struct Table {
  std::set<std::string> missing;  // operators that import does not know, by list

  Table() {
    std::istringstream file(test_data::read(TC_SOURCE_DIR "/tests/frontend/onnx/missing_operators.txt"));
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') missing.insert(line);
  }
  static std::string name(const Version& v) { return (v.domain.empty() ? "" : v.domain + ".") + v.name; }
  bool lists(const Version& v) const { return missing.count(name(v)) > 0; }
};

// Calls f for each version that import has to know; what it throws is a failure.
void for_each_known(const std::function<void(const Version&)>& f) {
  const Table table;
  for (const Version& v : standard::versions()) {
    if (table.lists(v)) continue;
    try {
      f(v);
    } catch (const std::exception& e) {
      ADD_FAILURE() << v.str() << ": " << e.what();
    }
  }
}

TEST(OpVersions, EachImports) {
  const Table table;
  std::set<std::string> found, all;
  int imported = 0;
  for (const Version& v : standard::versions()) all.insert(Table::name(v));
  for (const auto& known : onnx::known_operators())
    found.insert((known.domain.empty() ? "" : known.domain + ".") + known.name);
  for (const std::string& name : all)
    EXPECT_TRUE(found.count(name) || table.missing.count(name)) << "import does not know " << name;
  for (const std::string& name : table.missing)
    if (found.count(name)) std::cout << name << " is there: it can leave missing_operators.txt\n";
  for_each_known([&](const Version& v) {
    Sketch(v, v.since).import();
    Sketch(v, v.until).import();
    ++imported;
  });
  std::cout << imported << " of " << standard::versions().size() << " versions, of "
            << all.size() - table.missing.size() << " of " << all.size() << " operators\n";
}

// An operand left out and one given are different code in many an import row.
TEST(OpVersions, EachImportsWithAllOperands) {
  for_each_known([&](const Version& v) {
    Sketch sketch(v, v.since);
    sketch.full = true;
    if (const auto it = kForAllResults.find(v.str()); it != kForAllResults.end())
      for (const auto& [name, value] : it->second) sketch.attributes[name] = writer::attr_i(name, value);
    if (!kExclusive.count(v.name)) sketch.import();
  });
}

TEST(OpVersions, EachTakesEveryElementType) {
  int types = 0;
  for_each_known([&](const Version& v) {
    for (const auto& [variable, allowed] : v.types)
      for (const Type& t : allowed) {
        Sketch sketch(v, v.since);
        sketch.set_type(variable, t);
        ++types;
        try {
          const auto module = sketch.import();
          if (variable == (v.inputs.empty() ? v.outputs : v.inputs)[0].variable)
            coverage::note("import ", Table::name(v), " ", v.since, " ", t.is_tensor() ? cat(t.dtype()) : "other");
          for (size_t j = 0; j < v.outputs.size() && j < static_cast<size_t>(module->main().num_outputs()); ++j) {
            if (v.outputs[j].variable != variable) continue;
            const bool bound = allowed.size() == 1 ||
                               std::any_of(v.inputs.begin(), v.inputs.end(),
                                           [&](const auto& in) { return in.variable == variable && !in.optional; });
            if (bound) {
              EXPECT_TRUE(compatible(t, module->main().output(static_cast<int>(j))->type()))
                  << v.str() << ": output " << j << " is " << module->main().output(static_cast<int>(j))->type()
                  << " where the standard says " << t;
            }
          }
        } catch (const Error& e) {
          ADD_FAILURE() << v.str() << " with " << variable << " = " << t << ": " << e.what();
        }
      }
  });
  std::cout << types << " combinations of a version, a type variable and an element type\n";
}

TEST(OpVersions, AttributesHaveTheDefaultsOfTheStandard) {
  // The default that the standard gives is misspelt.
  const std::set<std::string> misspelt = {"\"foward\""};
  int defaults = 0;
  for_each_known([&](const Version& v) {
    for (const Attribute& a : v.attributes) {
      if (a.fallback.empty() || misspelt.count(a.fallback)) continue;
      Sketch without(v, v.since), with(v, v.since);
      with.attributes[a.name] = attribute(a, json::parse(a.fallback));
      ++defaults;
      EXPECT_EQ(print(*without.import()), print(*with.import())) << v.str() << ": default of " << a.name;
    }
  });
  std::cout << defaults << " attributes with a default\n";
}

// Values that a node could not have are refused, but for another reason than that the attribute is unknown.
TEST(OpVersions, EachAttributeIsKnown) {
  int attributes = 0;
  for_each_known([&](const Version& v) {
    for (const Attribute& a : v.attributes) {
      const char* value = value_of(v, a);
      if (!a.fallback.empty() || a.required || !value) continue;
      Sketch sketch(v, v.since);
      sketch.attributes[a.name] = attribute(a, json::parse(value));
      ++attributes;
      try {
        sketch.import();
      } catch (const Error& e) {
        EXPECT_EQ(std::string(e.what()).find("unknown attribute"), std::string::npos) << v.str() << ": " << e.what();
      }
    }
  });
  std::cout << attributes << " optional attributes without a default\n";
}

}  // namespace
}  // namespace tc
