#include "tc/backend/onnx/export.h"

#include <algorithm>
#include <limits>
#include <set>

#include "tc/backend/onnx/legalize.h"
#include "tc/backend/onnx/write.h"
#include "tc/ir/eval/interp.h"
#include "tc/ir/verify.h"
#include "tc/passes/driver.h"

namespace tc {

std::string ExportReport::str() const {
  std::vector<std::pair<std::pair<std::string, std::string>, std::pair<int, std::string>>> lines;
  for (const ExportChange& c : changes) {
    const std::pair<std::string, std::string> key{c.op, c.what};
    const auto it = std::find_if(lines.begin(), lines.end(), [&](const auto& l) { return l.first == key; });
    if (it == lines.end())
      lines.push_back({key, {1, c.location}});
    else
      ++it->second.first;
  }
  std::string out;
  for (const auto& [key, count] : lines) {
    out += cat(key.first, ": ", key.second);
    if (count.first > 1) out += cat(" (", count.first, " times)");
    if (!count.second.empty()) out += cat(count.first > 1 ? ", first at " : ", at ", count.second);
    out += "\n";
  }
  return out;
}

namespace onnx {
namespace {

// protobuf cannot write more.
constexpr uint64_t kMaxModelBytes = std::numeric_limits<int32_t>::max();

Type substitute(const Type& t, const std::map<std::string, int64_t>& dims) {
  switch (t.kind()) {
    case Type::Kind::none:
      return t;
    case Type::Kind::tensor: {
      if (!t.shape().ranked()) return t;
      Dims result;
      for (const Dim& d : t.shape().dims())
        result.push_back(d.substitute([&](const std::string& symbol) -> std::optional<Dim> {
          const auto it = dims.find(symbol);
          return it == dims.end() ? std::nullopt : std::optional<Dim>(it->second);
        }));
      return Type::tensor(t.dtype(), Shape(std::move(result)));
    }
    case Type::Kind::sequence:
      return Type::sequence(substitute(t.element(), dims));
    case Type::Kind::optional:
      return Type::optional(substitute(t.element(), dims));
    case Type::Kind::map:
      return Type::map(t.dtype(), substitute(t.element(), dims));
  }
  return t;
}

// Symbols become numbers everywhere.
void fix_extents(Module& module, const ExportOptions& options) {
  Graph& main = module.main();
  std::map<std::string, int64_t> dims = options.dims;
  for (const auto& [symbol, extent] : dims)
    if (extent < 0) fail(ErrorCode::bad_argument, "extent ", extent, " for the symbol ", symbol);
  if (!options.example_inputs.empty()) {
    if (static_cast<int>(options.example_inputs.size()) != main.num_inputs())
      fail(ErrorCode::bad_argument, options.example_inputs.size(), " example inputs for a program of ",
           main.num_inputs());
    for (const auto& [symbol, extent] : bind_symbols(main, options.example_inputs)) dims[symbol] = extent;
  }
  std::set<std::string> used;
  if (dims.empty() && options.example_inputs.empty()) return;
  for (const Value* v : main.inputs())
    if (v->type().is_tensor() && v->shape().ranked())
      for (const Dim& d : v->shape().dims()) d.for_each_symbol([&](const std::string& s) { used.insert(s); });
  for (const auto& [symbol, extent] : options.dims)
    if (!used.count(symbol)) {
      const std::vector<std::string_view> names(used.begin(), used.end());
      const std::string near = nearest(symbol, names);
      fail(ErrorCode::bad_argument, "no input has an extent named ", symbol,
           near.empty() ? "" : cat(" (did you mean ", near, "?)"));
    }
  const auto fix = [&](Value* v) { v->set_type(substitute(v->type(), dims)); };
  const auto fix_graph = [&](Graph& g) {
    const auto fix_inputs = [&](Graph& inner) {
      for (Value* v : inner.inputs()) fix(v);
    };
    fix_inputs(g);
    walk(g, [&](Node& n) {
      for (int j = 0; j < n.num_results(); ++j) fix(n.result(j));
      for (int r = 0; r < n.num_regions(); ++r) fix_inputs(n.region(r));
    });
  };
  for_each_graph(module, fix_graph);
  for (int i = 0; i < main.num_inputs() && !options.example_inputs.empty(); ++i) {
    const Datum& d = options.example_inputs[static_cast<size_t>(i)];
    if (d.is_tensor() && main.input(i)->type().is_tensor()) main.input(i)->set_type(d.tensor().type());
  }
  infer_types(main);
}

// The opset of ai.onnx.ml before the one that withdraws an operator of the program.
int newest_ml(const Module& module) {
  int newest = INT_MAX;
  const auto look = [&](Node& n) {
    const OnnxName& onnx = n.info().facts->onnx;
    if (onnx.domain != "ai.onnx.ml") return;
    for (const Schema& s : schemas_of(onnx.domain, onnx.name))
      if (s.deprecated) newest = std::min(newest, s.since - 1);
  };
  walk(module.main(), look);
  for (const auto& f : module.functions()) walk(*f, look);
  return newest;
}

struct Prepared {
  std::unique_ptr<Module> module;
  Dialect dialect;
  ExportReport report;
};

Prepared prepare(const Module& module, const ExportOptions& options) {
  if (options.opset < kMinExportOpset || options.opset > kMaxExportOpset)
    fail(ErrorCode::bad_argument, "opset ", options.opset, " cannot be written, only ", kMinExportOpset, " to ",
         kMaxExportOpset);
  if (options.target == ExportTarget::ort && options.opset > kMaxOrtOpset)
    fail(ErrorCode::bad_argument, "ONNX Runtime does not read opset ", options.opset, ", only up to ", kMaxOrtOpset);
  Prepared p{clone(module), {options.opset, options.target, newest_ml(module)}, {}};
  fix_extents(*p.module, options);
  p.report = legalize(*p.module, p.dialect, options);
  verify(*p.module);
  return p;
}

uint64_t weight_bytes(const Module& module) {
  uint64_t bytes = 0;
  const auto count = [&](Node& n) {
    if (n.is<Constant>()) bytes += packed_bytes(n.attrs<Constant>().value);
    if (n.is<Parameter>()) bytes += packed_bytes(n.attrs<Parameter>().value);
  };
  walk(module.main(), count);
  for (const auto& f : module.functions()) walk(*f, count);
  return bytes;
}

// The file's model; what the standard would have and the program cannot give goes to the report.
::onnx::ModelProto written(Prepared& p, const ExportOptions& options, ExternalSink* external) {
  ::onnx::ModelProto model = write_model(*p.module, p.dialect, options, external);
  for (const std::string& name : values_without_rank(model))
    p.report.changes.push_back({{}, "graph", cat("'", name, "' has no shape in the file: its rank is not known")});
  return model;
}

std::string serialize(const ::onnx::ModelProto& model) {
  if (model.ByteSizeLong() > kMaxModelBytes)
    fail(ErrorCode::limit_size, "the model would have ", model.ByteSizeLong(), " bytes, a file holds at most ",
         kMaxModelBytes, "; its weights can go to a file of their own (external data)");
  return model.SerializeAsString();
}

}  // namespace

std::string export_bytes(const Module& module, const ExportOptions& options, ExportReport* report) {
  if (options.external_data == ExternalData::always)
    fail(ErrorCode::bad_argument, "external data needs a file to lie beside");
  Prepared p = prepare(module, options);
  const ::onnx::ModelProto model = written(p, options, nullptr);
  std::string bytes = serialize(model);
  check_model(model);
  if (report) *report = std::move(p.report);
  return bytes;
}

ExportReport export_file(const Module& module, const std::string& path, const ExportOptions& options) {
  Prepared p = prepare(module, options);
  // Half a percent is for what is not weights.
  const bool large = weight_bytes(*p.module) > kMaxModelBytes / 200 * 199;
  const bool external =
      options.external_data == ExternalData::always || (options.external_data == ExternalData::automatic && large);
  AtomicFile file(path);
  if (!external) {
    const ::onnx::ModelProto model = written(p, options, nullptr);
    const std::string bytes = serialize(model);
    check_model(model);
    file.write(bytes.data(), bytes.size());
    file.commit();
    return std::move(p.report);
  }
  const std::string data_path = path + ".data";
  AtomicFile data(data_path);
  ExternalSink sink{data, data_path.substr(data_path.rfind('/') + 1), options.external_threshold};
  const ::onnx::ModelProto model = written(p, options, &sink);
  const std::string bytes = serialize(model);
  check_model(model);
  file.write(bytes.data(), bytes.size());
  file.finish();
  data.commit();
  file.commit();
  return std::move(p.report);
}

}  // namespace onnx
}  // namespace tc
