#include "tc/doors/wasm/session.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tc/backend/cpu/run/executable.h"
#include "tc/backend/cpu/run/nonfinite_check.h"
#include "tc/frontend/onnx/import.h"
#include "tc/ir/text/spelling.h"
#include "tc/passes/autodiff/autodiff.h"

using namespace tc;

struct TcSession {
  CompileOptions compile;
  LoadOptions load;
  bool stop_at_nonfinite = false, profiling = false;
  std::string description;
  std::shared_ptr<const Executable> program;
  std::unique_ptr<Context> context;
  std::vector<Datum> made, inputs, outputs;
  std::vector<cpu::StepTiming> timings;
};

namespace {

std::string last_text;
struct {
  std::string text, code;
} last_error;

const char* give(std::string text) {
  last_text = std::move(text);
  return last_text.c_str();
}

// f(), or nothing where it throws, which the last error then tells of.
template <class F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const Error& e) {
    last_error = {e.what(), std::string(to_string(e.code()))};
  } catch (const std::bad_alloc&) {
    last_error = {"out of memory", std::string(to_string(ErrorCode::limit_memory))};
  } catch (const std::exception& e) {
    last_error = {e.what(), std::string(to_string(ErrorCode::internal))};
  }
  return {};
}

std::shared_ptr<const void> hold(void* data) {
  return {data, std::free};
}

// A number as JSON has it.
std::string number(double x) {
  return x == x && x - x == 0 ? cat(x) : "null";
}

std::string described(const std::string& name, const Type& t) {
  constexpr const char* kKinds[] = {"none", "tensor", "sequence", "optional", "map"};
  std::string out = "{\"name\":" + text::json_quoted(name) + ",\"kind\":\"" + kKinds[static_cast<int>(t.kind())] + "\"";
  const Type* element = &t;
  while (element->kind() != Type::Kind::tensor && element->kind() != Type::Kind::none) element = &element->element();
  if (element->is_tensor()) {
    out += ",\"type\":" + std::to_string(info(element->dtype()).onnx) + ",\"shape\":";
    if (!element->shape().ranked()) return out + "null}";
    std::string dims;
    for (const Dim& d : element->shape().dims())
      dims += (dims.empty() ? "" : ",") + (d.is_const() ? std::to_string(d.value()) : text::json_quoted(d.str()));
    out += "[" + dims + "]";
  }
  return out + "}";
}

std::string described(const Graph& g) {
  std::string inputs, outputs;
  for (const Value* v : g.inputs()) inputs += (inputs.empty() ? "" : ",") + described(v->name(), v->type());
  const std::vector<Value*> results = g.outputs();
  for (size_t i = 0; i < results.size(); ++i)
    outputs += (i == 0 ? "" : ",") + described(g.output_names[i], results[i]->type());
  return "{\"inputs\":[" + inputs + "],\"outputs\":[" + outputs + "]}";
}

template <class T>
T parsed(std::string_view key, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(ErrorCode::bad_argument, "option ", key, " is '", text, "', expected a whole number");
  return value;
}

const Executable& program_of(const TcSession* s) {
  if (!s->program) fail(ErrorCode::bad_argument, "the session has no model");
  return *s->program;
}

template <class T>
auto& at(std::vector<T>& list, int i, const char* what) {
  if (i < 0 || static_cast<size_t>(i) >= list.size())
    fail(ErrorCode::bad_argument, what, " ", i, " of a model with ", list.size());
  return list[static_cast<size_t>(i)];
}

Extents extents_of(int rank, const double* extents) {
  if (rank < 0 || rank > kMaxRank) fail(ErrorCode::limit_rank, "a tensor of rank ", rank);
  Extents out;
  for (int i = 0; i < rank; ++i) {
    if (!(extents[i] >= 0 && extents[i] <= 0x1p53)) fail(ErrorCode::bad_shape, "a tensor with an extent ", extents[i]);
    out.push_back(static_cast<int64_t>(extents[i]));
  }
  return out;
}

DType type_of(int code) {
  const std::optional<DType> t = dtype_from_onnx(code);
  if (!t) fail(ErrorCode::bad_type, "no element type has ONNX's code ", code);
  return *t;
}

const Datum& datum(const TcValue* v) {
  return *reinterpret_cast<const Datum*>(v);
}

const TcValue* value(const Datum& d) {
  return reinterpret_cast<const TcValue*>(&d);
}

Datum aligned(const Datum& d) {
  return d.is_tensor() ? Datum(d.tensor().aligned_copy()) : d;
}

}  // namespace

extern "C" {

void* tc_allocate(size_t bytes) {
  return guarded([&] {
    void* const p = std::malloc(bytes == 0 ? 1 : bytes);
    if (p == nullptr) fail(ErrorCode::limit_memory, "out of memory: ", bytes, " bytes");
    return p;
  });
}
void tc_free(void* data) {
  std::free(data);
}
const char* tc_error() {
  return last_error.text.c_str();
}
const char* tc_error_code() {
  return last_error.code.c_str();
}

TcSession* tc_create() {
  return guarded([] { return std::make_unique<TcSession>().release(); });
}
void tc_release(TcSession* session) {
  delete session;
}

int tc_set(TcSession* s, const char* key_text, const char* text) {
  return guarded([&] {
    const std::string_view key = key_text;
    if (key == "level") {
      s->compile.level = parsed<int>(key, text);
      if (s->compile.level < 0 || s->compile.level > 2)
        fail(ErrorCode::bad_argument, "optimisation level ", text, " is not 0, 1 or 2");
    } else if (key == "seed") {
      s->compile.seed = parsed<uint64_t>(key, text);
    } else if (key == "max_memory") {
      s->compile.max_memory = parsed<uint64_t>(key, text);
    } else if (key == "max_steps") {
      s->compile.max_steps = parsed<uint64_t>(key, text);
    } else if (key == "nonfinite") {
      s->stop_at_nonfinite = parsed<int>(key, text) != 0;
    } else if (key.starts_with("dim:")) {
      s->load.dims[std::string(key.substr(4))] = parsed<int64_t>(key, text);
    } else {
      fail(ErrorCode::bad_argument, "unknown option '", key, "'");
    }
    return 1;
  });
}

int tc_add_file(TcSession* s, const char* location, void* data, size_t bytes) {
  const std::shared_ptr<const void> owner = hold(data);
  return guarded([&] {
    s->load.external_files[location] = Tensor::view(DType::u8, {static_cast<int64_t>(bytes)}, data, owner);
    return 1;
  });
}

int tc_load(TcSession* s, void* data, size_t bytes) {
  const std::shared_ptr<const void> owner = hold(data);
  return guarded([&] {
    if (s->program) fail(ErrorCode::bad_argument, "the session has a model already");
    auto module = onnx::import_bytes(data, bytes, owner, "the model", {.differentiate = gradients_at, .load = s->load});
    s->load = {};
    s->description = described(module->main());
    s->program = compile(std::move(module), s->compile);
    s->context = s->program->make_context(1);
    s->inputs.resize(s->program->graph().inputs().size());
    return 1;
  });
}

const char* tc_describe(const TcSession* s) {
  return guarded([&] {
    program_of(s);
    return s->description.c_str();
  });
}

void* tc_input_data(TcSession* s, int input, int type, int rank, const double* extents) {
  return guarded([&]() -> void* {
    Datum& d = at(s->inputs, input, "input");
    if (!d.is_tensor() || info(d.tensor().dtype()).onnx != type || d.tensor().dtype() == DType::str) return nullptr;
    if (d.tensor().extents() != extents_of(rank, extents) || !d.tensor().exclusive()) return nullptr;
    return const_cast<void*>(d.tensor().data());
  });
}
void* tc_push_tensor(TcSession* s, int type, int rank, const double* extents) {
  return guarded([&] {
    Tensor t(type_of(type), extents_of(rank, extents));
    void* const data = t.mutable_data();
    s->made.emplace_back(std::move(t));
    return data;
  });
}
int tc_set_text(TcSession* s, size_t element, const char* text, size_t bytes) {
  return guarded([&] {
    if (s->made.empty() || !s->made.back().is_tensor() || s->made.back().tensor().dtype() != DType::str ||
        element >= static_cast<size_t>(s->made.back().tensor().size()))
      fail(ErrorCode::bad_argument, "there is no text ", element, " to set");
    // The tensor is on the stack alone: nobody else sees this.
    static_cast<std::string*>(const_cast<void*>(s->made.back().tensor().data()))[element].assign(text, bytes);
    return 1;
  });
}
int tc_push_none(TcSession* s) {
  return guarded([&] {
    s->made.emplace_back();
    return 1;
  });
}
int tc_push_sequence(TcSession* s, int count) {
  return guarded([&] {
    if (count < 0 || static_cast<size_t>(count) > s->made.size())
      fail(ErrorCode::bad_argument, "a sequence of ", count, " values that are not there");
    Sequence items;
    const auto first = s->made.end() - count;
    items.items.assign(std::make_move_iterator(first), std::make_move_iterator(s->made.end()));
    s->made.erase(first, s->made.end());
    s->made.emplace_back(std::move(items));
    return 1;
  });
}
int tc_set_input(TcSession* s, int input) {
  return guarded([&] {
    if (s->made.empty()) fail(ErrorCode::bad_argument, "there is no value to set");
    Datum d = std::move(s->made.back());
    s->made.clear();
    at(s->inputs, input, "input") = std::move(d);
    return 1;
  });
}
int tc_feed_back(TcSession* s, int input, int output) {
  return guarded([&] {
    at(s->inputs, input, "input") = at(s->outputs, output, "output");
    return 1;
  });
}

int tc_run(TcSession* s) {
  return guarded([&] {
    const Executable& program = program_of(s);
    const cpu::NonFiniteCheck::Scope checked(s->stop_at_nonfinite);
    s->timings.clear();
    s->outputs.clear();
    s->context->profile_into(s->profiling ? &s->timings : nullptr);
    for (const Datum& d : program.run(s->inputs, *s->context)) s->outputs.push_back(aligned(d));
    return 1;
  });
}

const TcValue* tc_output(const TcSession* s, int output) {
  return guarded([&] { return value(at(const_cast<TcSession*>(s)->outputs, output, "output")); });
}
int tc_kind(const TcValue* v) {
  const Datum& d = datum(v);
  return d.is_tensor() ? 1 : d.is_sequence() ? 2 : d.is_map() ? 3 : 0;
}
int tc_count(const TcValue* v) {
  const Datum& d = datum(v);
  return static_cast<int>(d.is_sequence() ? d.items().size() : d.is_map() ? d.map().entries.size() : 0);
}
const TcValue* tc_item(const TcValue* v, int place) {
  const Datum& d = datum(v);
  const auto i = static_cast<size_t>(place);
  return value(d.is_map() ? d.map().entries[i].second : d.items()[i]);
}
const char* tc_key(const TcValue* v, int place) {
  return guarded([&] {
    const auto& key = datum(v).map().entries[static_cast<size_t>(place)].first;
    const auto* const text = std::get_if<std::string>(&key);
    return give(text ? *text : std::to_string(std::get<int64_t>(key)));
  });
}
int tc_key_is_text(const TcValue* v, int place) {
  return std::holds_alternative<std::string>(datum(v).map().entries[static_cast<size_t>(place)].first);
}
int tc_type(const TcValue* v) {
  return info(datum(v).tensor().dtype()).onnx;
}
int tc_rank(const TcValue* v) {
  return datum(v).tensor().rank();
}
double tc_extent(const TcValue* v, int axis) {
  return static_cast<double>(datum(v).tensor().extent(axis));
}
const void* tc_data(const TcValue* v) {
  return datum(v).tensor().data();
}
const char* tc_text(const TcValue* v, size_t element) {
  return datum(v).tensor().span<std::string>()[element].data();
}
size_t tc_text_bytes(const TcValue* v, size_t element) {
  return datum(v).tensor().span<std::string>()[element].size();
}

void tc_profile(TcSession* s, int on) {
  s->profiling = on != 0;
}
const char* tc_profiled(const TcSession* s) {
  return guarded([&] {
    std::string out;
    for (const cpu::StepTiming& t : s->timings) {
      const Node& n = *t.step->node;
      out += out.empty() ? "[" : ",";
      out += "{\"op\":" + text::json_quoted(n.info().name()) + ",\"node\":" + text::json_quoted(n.location()) +
             ",\"kernel\":" + text::json_quoted(t.step->kernel) + ",\"depth\":" + std::to_string(t.depth) +
             ",\"ms\":" + number(static_cast<double>(t.end_ns - t.begin_ns) * 1e-6) + ",\"flops\":" + number(t.flops) +
             ",\"bytes\":" + std::to_string(t.bytes) + "}";
    }
    return give(out.empty() ? "[]" : out + "]");
  });
}

}  // extern "C"
