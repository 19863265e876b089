// Programs: loading, gradients, export.
#include "tc/doors/c/handles.h"

namespace {

std::vector<tc_function::Value> described(const std::vector<tc::ValueInfo>& infos) {
  std::vector<tc_function::Value> values;
  for (const tc::ValueInfo& info : infos) {
    tc_function::Value& v = values.emplace_back();
    v.name = info.name;
    v.type = tc::cat(info.type);
    if (!info.type.is_tensor()) continue;
    v.dtype = tc::c::code_of(info.type.dtype());
    const tc::Shape& shape = info.type.shape();
    if (!shape.ranked()) continue;
    v.rank = shape.rank();
    for (const tc::Dim& d : shape.dims()) v.extents.push_back(d.is_const() ? d.value() : -1);
  }
  return values;
}

}  // namespace

tc_function::tc_function(tc::Function f)
    : function(std::move(f)), inputs(described(function.inputs())), outputs(described(function.outputs())) {}

namespace tc::c {
namespace {

LoadOptions load_options(const tc_options* options, const char* reader) {
  OptionReader read(options, reader);
  LoadOptions o;
  o.dims = read.dims();
  o.external_data_folder = read.text("external_data_folder").value_or("");
  read.flag("shared_symbols", o.shared_symbols);
  read.finish();
  return o;
}

ExportOptions export_options(const tc_options* options, const char* reader) {
  OptionReader read(options, reader);
  ExportOptions o;
  read.number("opset", o.opset);
  o.target = static_cast<ExportTarget>(read.choice("target", {"standard", "ort"}, 0));
  o.functions = static_cast<ExportFunctions>(read.choice("functions", {"inlined", "local"}, 0));
  o.checks = static_cast<ExportChecks>(read.choice("checks", {"dropped", "refused", "trap"}, 0));
  o.random = static_cast<ExportRandom>(read.choice("random", {"generator", "keys", "inputs", "onnx"}, 0));
  o.external_data = static_cast<ExternalData>(read.choice("external_data", {"automatic", "never", "always"}, 0));
  read.number("level", o.level);
  o.dims = read.dims();
  read.finish();
  return o;
}

tc_status describe(const tc_function* f, size_t index, tc_value_info* info, bool input) {
  return guard([&] {
    const auto& values = input ? needed(f, "f").inputs : needed(f, "f").outputs;
    if (index >= values.size())
      fail(ErrorCode::bad_argument, input ? "input " : "output ", index, " of a program that has ", values.size());
    const tc_function::Value& v = values[index];
    needed(info, "info") = {v.name.c_str(), v.type.c_str(), v.dtype, v.rank, v.extents.data()};
  });
}

}  // namespace
}  // namespace tc::c

using namespace tc;
using namespace tc::c;

extern "C" {

tc_status tc_load(const char* path, const tc_options* options, tc_function** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_function(load(&needed(path, "path"), load_options(options, "tc_load")));
  });
}

tc_status tc_load_memory(const void* data, size_t size, tc_release release, void* context, const tc_options* options,
                         tc_function** out) {
  return guard([&] {
    const std::shared_ptr<const void> owner = lent(const_cast<void*>(data), release, context);
    needed(out, "out");
    if (!data) fail(ErrorCode::bad_argument, "'data' is null");
    *out = new tc_function(load_onnx(data, size, owner, load_options(options, "tc_load_memory")));
  });
}

tc_status tc_parse(const char* text, tc_function** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_function(parse(&needed(text, "text")));
  });
}

size_t tc_function_input_count(const tc_function* f) {
  return f ? f->inputs.size() : 0;
}

size_t tc_function_output_count(const tc_function* f) {
  return f ? f->outputs.size() : 0;
}

tc_status tc_function_input(const tc_function* f, size_t index, tc_value_info* info) {
  return describe(f, index, info, true);
}

tc_status tc_function_output(const tc_function* f, size_t index, tc_value_info* info) {
  return describe(f, index, info, false);
}

tc_status tc_function_text(const tc_function* f, char** out) {
  return guard([&] {
    needed(out, "out");
    *out = copy_of(needed(f, "f").function.str());
  });
}

tc_status tc_function_parameters(const tc_function* f, tc_tensors** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_tensors{parameters_of(needed(f, "f").function)};
  });
}

tc_status tc_function_with_parameters(const tc_function* f, const tc_tensors* parameters, tc_function** out) {
  return guard([&] {
    needed(out, "out");
    *out = new tc_function(with_parameters(needed(f, "f").function, needed(parameters, "parameters").list));
  });
}

tc_status tc_function_value_and_grad(const tc_function* f, const char* const* names, size_t count, tc_function** out) {
  return guard([&] {
    needed(out, "out");
    std::vector<std::string> wrt;
    if (count) needed(names, "names");
    for (size_t i = 0; i < count; ++i) wrt.emplace_back(&needed(names[i], "names[i]"));
    *out = new tc_function(value_and_grad(needed(f, "f").function, wrt));
  });
}

tc_status tc_export(const tc_function* f, const char* path, const tc_options* options) {
  return guard(
      [&] { export_onnx(needed(f, "f").function, &needed(path, "path"), export_options(options, "tc_export")); });
}

tc_status tc_export_memory(const tc_function* f, const tc_options* options, void** data, size_t* size) {
  return guard([&] {
    needed(data, "data");
    needed(size, "size");
    const std::string bytes = export_onnx_bytes(needed(f, "f").function, export_options(options, "tc_export_memory"));
    *data = copy_of(bytes);
    *size = bytes.size();
  });
}

void tc_function_release(tc_function* f) {
  delete f;
}

}  // extern "C"
