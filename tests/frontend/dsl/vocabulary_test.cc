// The DSL's names against NumPy: every row with fixed and with symbolic extents, on the interpreter and compiled; and
// that docs/dsl.md, which is written from the rows, is fresh (TC_BLESS=1 writes it anew).
#include "vocabulary.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "reference.h"
#include "tc/frontend/api/files/npy.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/text/parse.h"
#include "tc/ir/text/print.h"
#include "tc/ir/verify.h"

namespace tc::vocabulary {
namespace {

// Extents above 1 become symbols, equal ones the same.
Function trace_row(const Row& row, const std::vector<Tensor>& inputs, bool symbolic) {
  std::vector<Input> declared;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Input input{std::string(1, static_cast<char>('a' + i)), inputs[i].dtype(), {}};
    for (const int64_t d : inputs[i].extents())
      input.shape.push_back(symbolic && d > 1 ? Extent("n" + std::to_string(d)) : Extent(d));
    declared.push_back(std::move(input));
  }
  return dsl::trace(row.name, declared, row.arity, row.call, Location::current());
}

struct Batch {
  nlohmann::json cases = nlohmann::json::array();
  NamedTensors tensors;

  std::vector<std::string> add(const std::vector<Tensor>& list) {
    std::vector<std::string> keys;
    for (const Tensor& t : list) {
      keys.push_back("t" + std::to_string(tensors.size()));
      tensors.emplace_back(keys.back(), t);
    }
    return keys;
  }
};

TEST(Vocabulary, AgreesWithNumPy) {
  Batch batch;
  uint64_t seed = 0;
  InterpOptions checked;
  checked.check_types = true;
  for (const Group& g : all_groups())
    for (const Row& row : g.rows) {
      SCOPED_TRACE(row.name + ": " + row.numpy);
      std::vector<Tensor> inputs;
      for (const std::string& spec : row.inputs) inputs.push_back(make_input(spec, ++seed));
      const auto input_keys = batch.add(inputs);
      std::string types;
      for (const std::string& spec : row.inputs) types += (types.empty() ? "" : ", ") + spec;
      for (const bool symbolic : {false, true}) {
        if (symbolic && (row.fixed || inputs.empty())) continue;
        try {
          const Function f = trace_row(row, inputs, symbolic);
          verify(f.module());
          const std::string text = print(f.module());
          EXPECT_EQ(print(*parse_module(text, row.name)), text);
          std::map<std::string, std::vector<Tensor>> results;
          for (const Datum& d : interpret(f.module(), {inputs.begin(), inputs.end()}, checked))
            results["interpreted"].push_back(d.tensor());
          results["compiled"] = compile(f)(inputs);
          for (const auto& [how, outputs] : results)
            batch.cases.push_back(
                {{"name", row.name},
                 {"types", types},
                 {"how", how + (symbolic ? ", symbolic" : "")},
                 {"numpy", row.numpy},
                 {"tolerance", row.tolerance},
                 {"loose", row.tolerance != 0 || row.numpy.find("f8") != row.numpy.npos ||
                               row.numpy.find("sigmoid") != row.numpy.npos ||
                               row.numpy.find("softplus") != row.numpy.npos || row.numpy.find("erf") != row.numpy.npos},
                 {"inputs", input_keys},
                 {"outputs", batch.add(outputs)}});
        } catch (const Error& e) {
          ADD_FAILURE() << (symbolic ? "symbolic: " : "") << e.what();
        }
      }
    }
  const std::filesystem::path folder = std::filesystem::path(TC_BINARY_DIR) / "dsl_vocabulary";
  std::filesystem::create_directories(folder);
  write_npz(folder / "tensors.npz", batch.tensors);
  std::ofstream(folder / "cases.json") << batch.cases.dump();
  const std::string command = std::string(TC_PYTHON) + " " TC_SOURCE_DIR "/tests/frontend/dsl/numpy_peer.py " +
                              folder.string() + " >" + (folder / "report.txt").string() + " 2>&1";
  const int status = std::system(command.c_str());
  std::ifstream report(folder / "report.txt");
  std::ostringstream text;
  text << report.rdbuf();
  EXPECT_EQ(status, 0) << text.str();
  std::cout << text.str();
}

// The names of the Array API standard 2024.12 (https://data-apis.org/array-api/2024.12/API_specification).
constexpr const char* kArrayApi =
    "e inf nan newaxis pi "
    "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros "
    "zeros_like "
    "astype can_cast finfo iinfo isdtype result_type __array_namespace_info__ "
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or "
    "bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide "
    "greater "
    "greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and "
    "logical_not "
    "logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal "
    "remainder "
    "round sign signbit sin sinh square sqrt subtract tan tanh trunc "
    "take take_along_axis matmul matrix_transpose tensordot vecdot "
    "broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack "
    "tile "
    "unstack "
    "argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values "
    "argsort "
    "sort cumulative_prod cumulative_sum max mean min prod std sum var all any diff "
    "linalg.cholesky linalg.cross linalg.det linalg.diagonal linalg.eigh linalg.eigvalsh linalg.inv linalg.matmul "
    "linalg.matrix_norm linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.outer linalg.pinv "
    "linalg.qr "
    "linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot "
    "linalg.vector_norm "
    "fft.fft fft.ifft fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfftn fft.irfftn fft.hfft fft.ihfft fft.fftfreq "
    "fft.rfftfreq fft.fftshift fft.ifftshift";

// Those that the DSL spells otherwise, or leaves to C++.
const std::vector<std::pair<std::string, std::string>> kElsewhere = {
    {"e pi", "`<numbers>`"},
    {"inf nan finfo iinfo", "`std::numeric_limits`"},
    {"newaxis", "`tc::newaxis`, in `x[...]`"},
    {"from_dlpack", "`tc::Tensor::borrow`: a host tensor has DLPack's shape"},
    {"can_cast result_type", "`tc::promote`"},
    {"isdtype", "`tc::kind` and the sets in `tc::dtypes`"},
    {"__array_namespace_info__", "`tc-info`"},
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

TEST(Vocabulary, CoversTheArrayApi) {
  std::set<std::string> missing;
  for (const std::string& name : words(kArrayApi)) EXPECT_TRUE(missing.insert(name).second) << name;
  EXPECT_EQ(missing.size(), 176u);
  for (const Group& g : all_groups())
    for (const Row& row : g.rows) missing.erase(row.name);
  for (const auto& [names, where] : kElsewhere)
    for (const std::string& name : words(names)) EXPECT_TRUE(missing.erase(name)) << name << " is there, or unknown";
  for (const std::string& name : missing) ADD_FAILURE() << name << " is neither in a row nor elsewhere";
}

TEST(Vocabulary, SpecialFunctionsAreComparedWithTheTruth) {
  const std::string folder = "tests/frontend/dsl/";
  // Those that have no grid: special_test.cc and special_grids_test.cc compare single values.
  std::set<std::string> single = {"factorial", "gammasgn", "nan_to_num", "xlog1py", "xlogy"};
  size_t count = 0;
  for (const auto& [qualified, declaration] : declarations()) {
    if (!qualified.starts_with("special.") || declaration.header.find("_parts") != std::string::npos) continue;
    const std::string name = qualified.substr(qualified.find('.') + 1);
    ++count;
    const bool grid = std::filesystem::exists(TC_SOURCE_DIR "/" + folder + "special_grids/" + name + ".txt");
    EXPECT_TRUE(grid || single.erase(name)) << name;
  }
  EXPECT_GT(count, 70u);
  EXPECT_TRUE(single.empty()) << *single.begin();
}

// Text of a cell of a table.
std::string cell(std::string text) {
  for (size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string code(const std::string& text) {
  return text.empty() ? "" : "`" + cell(text) + "`";
}

// The functions of a namespace that have no rows: what headers say whose names start like `headers`.
std::string declared(const std::string& title, const std::string& prefix, const std::string& headers,
                     const std::string& introduction) {
  std::string text =
      "\n## " + title + "\n\n" + introduction + "\n\n| name | arguments | remark | header |\n|---|---|---|---|\n";
  for (const auto& [name, d] : declarations())
    if (name.starts_with(prefix) && d.header.starts_with(headers) && d.header.find("_parts") == std::string::npos)
      text += "| " + name + " | " + code(d.arguments) + " | " + cell(d.remark) + " | " + d.header + " |\n";
  return text;
}

std::string option_documentation() {
  std::string text =
      "\n## Options\n\nFields of the structs that functions take as options, with what they are when left out.\n\n"
      "| struct | field | type | default | remark |\n|---|---|---|---|---|\n";
  for (const auto& [name, fields] : options())
    for (const Option& o : fields)
      text += "| " + name + " | " + code(o.name) + " | " + code(o.type) + " | " + code(o.preset) + " | " +
              cell(o.remark) + " |\n";
  return text;
}

std::string group_documentation(const Group& g, const std::map<std::string, Declaration>& known,
                                const std::map<std::string, std::string>& calls) {
  std::string text = "\n## " + g.title +
                     "\n\n| name | arguments | example | operands | becomes | remark |\n|---|---|---|---|---|---|\n";
  std::set<std::string> seen;
  std::map<std::string, std::string> lines;
  for (const Row& row : g.rows) {
    // The commonest type speaks for all.
    const bool better = row.inputs.empty() || row.inputs[0].rfind("f32", 0) == 0;
    if (lines.count(row.name) && !(better && seen.insert(row.name).second)) continue;
    if (better) seen.insert(row.name);
    std::vector<Tensor> inputs;
    std::string operands;
    for (const std::string& spec : row.inputs) {
      inputs.push_back(make_input(spec, 1));
      operands += (operands.empty() ? "" : ", ") + spec.substr(0, spec.find(']') + 1);
    }
    const std::string ops = lowering(trace_row(row, inputs, false).module().main());
    const auto declaration = known.find(row.name);
    const auto written = calls.find(row.name);
    std::string example = written == calls.end() ? "" : written->second;
    // Without a call of its own: the operands by name.
    if (example.empty() && declaration != known.end() && !declaration->second.operands.empty()) {
      example = row.name + "(" + declaration->second.operands + ")";
      if (const size_t dot = example.find('.'); dot < example.find('(')) example.replace(dot, 1, "::");
    }
    lines[row.name] = "| " + row.name + " | " +
                      (declaration == known.end() ? "" : code(declaration->second.arguments)) + " | " + code(example) +
                      " | " + operands + " | " + (ops.empty() ? "its operand" : ops) + " | " +
                      (declaration == known.end() ? "" : cell(declaration->second.remark)) + " |\n";
  }
  for (const auto& [name, line] : lines) text += line;
  return text;
}

std::string documentation() {
  std::string text =
      "# The vocabulary of the DSL\n\n"
      "Functions of `namespace tc`: arguments as the headers in `frontend/dsl` have them (those without a type are "
      "`tc::Arg`: a `Var`, a tensor, a parameter or a number), an example, and the ops that a call on the operands "
      "beside them becomes (constants left out; other operands may need more or fewer). Names and semantics are those "
      "of the Python Array API standard 2024.12, of ONNX for neural networks, of SciPy for special functions. "
      "Generated "
      "from the headers and from `tests/frontend/dsl`, whose rows are also compared with NumPy: `TC_BLESS=1 "
      "build/tests/dsl_vocabulary_test` writes it anew.\n";
  const auto known = declarations();
  const auto calls = examples();
  for (const Group& g : all_groups()) text += group_documentation(g, known, calls);
  text += declared("Special functions", "special.", "special",
                   "Of `namespace tc::special`, with SciPy's names: see the headers for algorithms, domains and edges. "
                   "`tests/frontend/dsl/special_grids` has the values that they are compared with.");
  text += "\n## Names of the standard that are elsewhere\n\n| name | where |\n|---|---|\n";
  for (const auto& [names, where] : kElsewhere) {
    std::string list;
    for (const std::string& name : words(names)) list += (list.empty() ? "" : ", ") + name;
    text += "| " + list + " | " + where + " |\n";
  }
  text += declared("Random numbers", "random.", "random.h", "Of `namespace tc::random`: see [random.md](random.md).");
  text += option_documentation();
  return text;
}

TEST(Vocabulary, DocumentationIsFresh) {
  const std::string path = TC_SOURCE_DIR "/docs/dsl.md", text = documentation();
  if (std::getenv("TC_BLESS")) std::ofstream(path) << text;
  std::ostringstream have;
  have << std::ifstream(path).rdbuf();
  EXPECT_TRUE(have.str() == text) << "docs/dsl.md is stale: TC_BLESS=1 build/tests/dsl_vocabulary_test";
}

}  // namespace
}  // namespace tc::vocabulary
