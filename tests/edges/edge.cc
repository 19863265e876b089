#include "tests/edges/edge.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tc/frontend/onnx/typed_writer.h"
#include "tc/ir/eval/wide.h"

namespace edges {
namespace {

using tc::DType;
using tc::DTypeKind;
using tc::Tensor;

// One line, read from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) { skip(); }

  bool done() const { return rest_.empty(); }
  bool eat(std::string_view s) {
    if (!rest_.starts_with(s)) return false;
    rest_.remove_prefix(s.size());
    skip();
    return true;
  }
  void expect(std::string_view s) {
    if (!eat(s)) throw std::runtime_error("expected '" + std::string(s) + "' before '" + std::string(rest_) + "'");
  }
  // Up to one of the characters, which stays.
  std::string until(std::string_view ends) {
    const std::string word(rest_.substr(0, rest_.find_first_of(ends)));
    rest_.remove_prefix(word.size());
    skip();
    return word;
  }
  std::string quoted() {
    rest_.remove_prefix(1);
    std::string s;
    for (; !rest_.empty() && rest_[0] != '"'; rest_.remove_prefix(1)) s += rest_[0];
    expect("\"");
    return s;
  }
  char next() const { return rest_.empty() ? '\0' : rest_[0]; }

 private:
  void skip() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }
  std::string_view rest_;
};

std::vector<std::string> list(Reader& in) {
  std::vector<std::string> items;
  in.expect("[");
  while (!in.eat("]")) {
    items.push_back(in.next() == '"' ? in.quoted() : in.until(", ]"));
    in.eat(",");
  }
  return items;
}

bool integral(const std::string& s) {
  return !s.empty() && std::all_of(s.begin() + (s[0] == '-'), s.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string attribute(Reader& in) {
  const std::string name = in.until("=");
  in.expect("=");
  if (in.next() == '"') return tc::model_writer::attr_s(name, in.quoted());
  if (in.next() == '[') {
    const bool texts = in.eat("[\"");
    if (texts) throw std::runtime_error("lists of strings are not among the attributes");
    const auto items = list(in);
    if (std::all_of(items.begin(), items.end(), integral)) {
      std::vector<int64_t> values;
      for (const auto& s : items) values.push_back(std::stoll(s));
      return tc::model_writer::attr_ints(name, values);
    }
    std::vector<float> values;
    for (const auto& s : items) values.push_back(std::stof(s));
    return tc::model_writer::attr_floats(name, values);
  }
  const std::string word = in.until(": ");
  if (integral(word)) return tc::model_writer::attr_i(name, std::stoll(word));
  if (const auto t = tc::dtype_from_name(word)) return tc::model_writer::attr_i(name, tc::info(*t).onnx);
  return tc::model_writer::attr_f(name, std::stof(word));
}

// As std::stod, but subnormal numbers are numbers too.
double number(const std::string& s) {
  char* end = nullptr;
  const double v = std::strtod(s.c_str(), &end);
  if (s.empty() || *end) throw std::runtime_error("'" + s + "' is no number");
  return v;
}

template <class W>
W parse(const std::string& s) {
  if constexpr (std::is_same_v<W, double>)
    return number(s);
  else if constexpr (std::is_same_v<W, int64_t>)
    return s == "true" ? 1 : s == "false" ? 0 : std::stoll(s);
  else if constexpr (std::is_same_v<W, uint64_t>)
    return std::stoull(s);
  else if constexpr (std::is_same_v<W, std::string>)
    return s;
  else
    throw std::runtime_error("complex numbers are not among the rows");
}

Expected tensor(Reader& in) {
  const std::string spelled = in.until("[");
  const auto dtype = tc::dtype_from_name(spelled);
  if (!dtype) throw std::runtime_error("unknown element type '" + spelled + "'");
  tc::Extents extents;
  for (const auto& s : list(in)) extents.push_back(std::stoll(s));
  Tensor t(*dtype, extents);
  const auto n = static_cast<size_t>(t.size());
  std::vector<std::string> words;
  while (words.size() < n && !in.done() && in.next() != ';') {
    if (in.next() == '"') {
      words.push_back(in.quoted());
      continue;
    }
    std::string word = in.until(" ;");
    if (word.ends_with("...")) {
      word.resize(word.size() - 3);
      words.resize(n, word);
    } else {
      words.push_back(std::move(word));
    }
  }
  if (words.size() != n) throw std::runtime_error(std::to_string(words.size()) + " elements for " + tc::cat(t.type()));
  tc::visit_wide(*dtype, [&]<class W>() {
    std::vector<W> values;
    for (const auto& w : words) values.push_back(parse<W>(w));
    tc::narrow(values, t);
  });
  std::vector<bool> signs;
  for (const auto& w : words) signs.push_back(w == "-0" || w == "+0");
  return {std::move(t), std::move(signs)};
}

std::vector<std::optional<Expected>> tensors(std::string_view text) {
  std::vector<std::optional<Expected>> all;
  Reader in(text);
  while (!in.done()) {
    if (in.eat("_"))
      all.emplace_back();
    else
      all.emplace_back(tensor(in));
    if (!in.done()) in.expect(";");
  }
  return all;
}

void parse_row(const std::string& line, Edge& e) {
  Reader in(line);
  const std::string name = in.until(": ");
  const size_t dash = name.rfind('-'), dot = name.rfind('.');
  e.since = std::stoi(name.substr(dash + 1));
  e.op = name.substr(0, dash);
  if (dot != std::string::npos) {
    e.domain = e.op.substr(0, dot);
    e.op = e.op.substr(dot + 1);
  }
  while (!in.eat(":")) e.attributes.push_back(attribute(in));
  std::string rest = in.until("");
  const size_t arrow = rest.find("->");
  if (arrow == std::string::npos) throw std::runtime_error("no results");
  for (auto& t : tensors(rest.substr(0, arrow)))
    e.inputs.push_back(t ? std::optional(std::move(t->value)) : std::nullopt);
  Reader results(std::string_view(rest).substr(arrow + 2));
  if (results.eat("error"))
    e.error = results.until(" ");
  else
    e.outputs = tensors(std::string_view(rest).substr(arrow + 2));
}

void parse_clause(const std::string& line, Edge& e) {
  const size_t colon = line.find(':');
  const std::string key = line.substr(0, colon);
  std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
  value.erase(0, value.find_first_not_of(' '));
  if (key == "within") {
    e.within = number(value);
  } else if (key == "numpy") {
    e.numpy = value;
  } else if (key == "why") {
    e.why = value;
  } else if (key == "ort") {
    e.ort_text = value;
    e.ort = value == "refuses"   ? Edge::Runtime::refuses
            : value == "not run" ? Edge::Runtime::not_run
                                 : Edge::Runtime::differs;
    if (e.ort == Edge::Runtime::differs) e.ort_outputs = tensors(value);
  } else {
    throw std::runtime_error("unknown clause '" + key + "'");
  }
}

}  // namespace

std::string spelled(const Tensor& t) {
  std::string text = tc::cat(t.type());
  tc::visit_wide(t.dtype(), [&]<class W>() {
    for (const W& v : tc::widen<W>(t)) {
      if constexpr (std::is_same_v<W, std::string>)
        text += tc::cat(" \"", v, "\"");
      else if constexpr (std::is_integral_v<W>)
        text += t.dtype() == DType::boolean ? (v ? " true" : " false") : tc::cat(" ", v);
      else
        text += tc::cat(" ", v);
    }
  });
  return text;
}

namespace {

std::vector<Edge> read_all() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TC_SOURCE_DIR "/tests/edges"))
    if (entry.path().extension() == ".txt" && entry.path().filename() != "CMakeLists.txt")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Edge> all;
  for (const auto& path : files) {
    std::ifstream file(path);
    std::string topic;
    bool in_topic = false;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::string place = path.filename().string() + ":" + std::to_string(number);
      try {
        if (line.empty()) continue;
        if (line[0] == '#') {
          topic = in_topic ? topic + line.substr(1) : line.substr(2);
          in_topic = true;
          continue;
        }
        in_topic = false;
        if (line[0] == ' ') {
          if (all.empty()) throw std::runtime_error("a clause without a row");
          parse_clause(line.substr(line.find_first_not_of(' ')), all.back());
          continue;
        }
        Edge e;
        e.place = place, e.topic = topic, e.text = line;
        parse_row(line, e);
        all.push_back(std::move(e));
      } catch (const std::exception& error) {
        throw std::runtime_error(place + ": " + error.what());
      }
    }
  }
  return all;
}

bool is_constant(Form form, size_t operand) {
  return form == Form::constant || (form == Form::half_constant && operand > 0);
}

std::string operand_name(size_t i) {
  return "in" + std::to_string(i);
}

std::string element_difference(const Tensor& t, const Expected& e, double within) {
  return tc::visit_wide(t.dtype(), [&]<class W>() -> std::string {
    const auto x = tc::widen<W>(t), y = tc::widen<W>(e.value);
    for (size_t i = 0; i < x.size(); ++i) {
      if constexpr (std::is_same_v<W, double>) {
        if (std::isnan(x[i]) && std::isnan(y[i])) continue;
        if (x[i] == y[i] && !(e.sign_counts[i] && std::signbit(x[i]) != std::signbit(y[i]))) continue;
        if (std::isfinite(x[i]) && std::isfinite(y[i]) && x[i] != y[i] &&
            std::abs(x[i] - y[i]) <= within * std::abs(y[i]))
          continue;
      } else if (x[i] == y[i]) {
        continue;
      }
      return tc::cat("element ", i, " is ", x[i], ", expected ", y[i]);
    }
    return "";
  });
}

}  // namespace

const std::vector<Edge>& all_edges() {
  static const std::vector<Edge> all = read_all();
  return all;
}

const char* name_of(Form form) {
  constexpr const char* kNames[] = {"fed", "symbolic", "half constant", "constant"};
  return kNames[static_cast<size_t>(form)];
}

std::string model_of(const Edge& edge, Form form) {
  using namespace tc::model_writer;
  Messages given, constants, results;
  Names inputs, outputs;
  for (size_t i = 0; i < edge.inputs.size(); ++i) {
    inputs.push_back(edge.inputs[i] ? operand_name(i) : "");
    if (!edge.inputs[i]) continue;
    const Tensor& t = *edge.inputs[i];
    if (is_constant(form, i)) {
      constants.push_back(tc::model_writer::tensor(inputs.back(), t));
      continue;
    }
    tc::Dims dims;
    for (int k = 0; k < t.rank(); ++k)
      dims.push_back(form == Form::symbolic ? tc::Dim::symbol(tc::cat("d", i, "_", k)) : tc::Dim(t.extent(k)));
    given.push_back(value_info(inputs.back(), tc::Type::tensor(t.dtype(), tc::Shape(dims))));
  }
  for (size_t j = 0; j < std::max<size_t>(1, edge.outputs.size()); ++j) {
    const bool known = j < edge.outputs.size();
    outputs.push_back(known && !edge.outputs[j] ? "" : "out" + std::to_string(j));
    if (outputs.back().empty()) continue;
    results.push_back(
        value_info(outputs.back(), known ? tc::Type::tensor(edge.outputs[j]->value.dtype(), tc::Shape()) : tc::Type()));
  }
  Opsets opsets = {{edge.domain, edge.since}};
  if (!edge.domain.empty()) opsets.emplace_back("", 18);
  return model(
      graph({node(edge.op, inputs, outputs, edge.attributes, {.domain = edge.domain})}, given, results, constants),
      {.opsets = opsets, .ir_version = 10});
}

std::vector<std::pair<std::string, Tensor>> inputs_of(const Edge& edge, Form form) {
  std::vector<std::pair<std::string, Tensor>> values;
  for (size_t i = 0; i < edge.inputs.size(); ++i)
    if (edge.inputs[i] && !is_constant(form, i)) values.emplace_back(operand_name(i), *edge.inputs[i]);
  return values;
}

std::string page_of_differences() {
  std::string page =
      "# Where ONNX Runtime differs\n\n"
      "The standard's text decides what an operator means; where it is silent, NumPy's behaviour. The rows below are "
      "those\n"
      "of `tests/edges/*.txt` in which ONNX Runtime " TC_ORT_VERSION
      " (its CPU provider, by onnxruntime-node) does something\n"
      "else. `edges_test` holds tc to the third column on every engine, `edges_peer_test` ONNX Runtime to the fourth, "
      "so\n"
      "this page is true of both. It is generated: `TC_BLESS=1 build/tests/edges_test`.\n";
  std::string file;
  for (const Edge& e : all_edges()) {
    if (e.ort == Edge::Runtime::agrees || e.why.empty()) continue;
    const std::string of = e.place.substr(0, e.place.find('.'));
    if (of != file)
      page += "\n## " + of + "\n\n| operator | operands | tc | ONNX Runtime | why |\n|---|---|---|---|---|\n";
    file = of;
    const size_t colon = e.text.find(": "), arrow = e.text.find("->");
    page += "| `" + e.text.substr(0, colon) + "` | `" + e.text.substr(colon + 2, arrow - colon - 3) + "` | `" +
            e.text.substr(arrow + 3) + "` | " +
            (e.ort == Edge::Runtime::differs ? "`" + e.ort_text + "`" : e.ort_text) + " | " + e.why + " |\n";
  }
  return page;
}

std::string difference(const std::vector<Tensor>& actual, const std::vector<std::optional<Expected>>& expected,
                       double within) {
  size_t k = 0;
  for (size_t j = 0; j < expected.size(); ++j) {
    if (!expected[j]) continue;
    if (k >= actual.size()) return "too few results";
    const Tensor& t = actual[k++];
    const Tensor& e = expected[j]->value;
    if (t.dtype() != e.dtype() || t.extents() != e.extents())
      return tc::cat("result ", j, " is ", t.type(), ", expected ", e.type());
    if (const std::string d = element_difference(t, *expected[j], within); !d.empty())
      return tc::cat("result ", j, ": ", d);
  }
  return k == actual.size() ? "" : "too many results";
}

}  // namespace edges
