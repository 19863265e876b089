#include "tc/doors/onnxruntime/session.h"

#include <sys/stat.h>

#include <cstring>

#include "tc/backend/onnx/export.h"
#include "tc/doors/onnxruntime/api.h"
#include "tc/frontend/onnx/file.h"
#include "tc/frontend/onnx/proto.h"
#include "tc/ir/module.h"

namespace tc::dropin {
namespace {

constexpr int64_t kFirstOverridableIr = 4;  // before, every initialiser had to be an input

// Where the bytes of a model are: in a file, or in a copy of what the caller had.
struct Source {
  std::string path;
  std::shared_ptr<const std::vector<uint8_t>> bytes;

  Function load(const LoadOptions& options) const {
    return bytes ? load_onnx(bytes->data(), bytes->size(), bytes, options) : tc::load(path, options);
  }
};

OrtModelMetadata metadata_of(const onnx::ModelProto& model) {
  OrtModelMetadata m;
  m.producer = model.producer_name;
  m.graph_name = model.graph->name;
  m.domain = model.domain;
  m.description = model.doc_string;
  m.graph_description = model.graph->doc_string;
  m.version = model.model_version;
  for (const auto& [key, value] : model.metadata_props) m.custom.emplace(key, value);
  return m;
}

// Import infers the types of outputs anew; the file may know names and extents that follow from nothing.
void add_declared(OrtTypeInfo& t, const onnx::ValueInfoProto& declared) {
  if (!declared.type || t.kind != kTensor || declared.type->kind != onnx::TypeProto::Kind::tensor) return;
  if (!declared.type->shape) return;
  const auto& dims = declared.type->shape->dim;
  OrtTensorTypeAndShapeInfo& known = t.tensor;
  if (!known.has_shape) {
    known.has_shape = true;
    known.dims.assign(dims.size(), -1);
    known.symbols.assign(dims.size(), "");
  }
  if (dims.size() != known.dims.size()) return;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (known.dims[i] >= 0) continue;
    if (dims[i].dim_value && *dims[i].dim_value >= 0)
      known.dims[i] = *dims[i].dim_value;
    else
      known.symbols[i] = dims[i].dim_param;
  }
}

// Extents without a name in the file are named by import; callers see no name.
void take_declared_names(OrtTypeInfo& t, const onnx::ValueInfoProto& declared) {
  if (t.kind != kTensor || !declared.type || !declared.type->shape) return;
  const auto& dims = declared.type->shape->dim;
  for (size_t i = 0; i < std::min(dims.size(), t.tensor.symbols.size()); ++i)
    if (t.tensor.dims[i] < 0) t.tensor.symbols[i] = dims[i].dim_param;
}

const onnx::ValueInfoProto* find(const std::vector<onnx::ValueInfoProto>& all, const std::string& name) {
  for (const auto& v : all)
    if (v.name == name) return &v;
  return nullptr;
}

std::vector<std::string> overridable_of(const onnx::ModelProto& model) {
  std::vector<std::string> names;
  if (model.ir_version < kFirstOverridableIr) return names;
  for (const auto& t : model.graph->initializer)
    if (find(model.graph->input, std::string(t.name))) names.emplace_back(t.name);
  return names;
}

void describe(Session& s, const onnx::ModelProto* model) {
  for (size_t i = 0; i < s.program.inputs.size(); ++i) {
    auto& t = s.input_types.emplace_back(s.program.inputs[i].type);
    if (const auto* d = model ? find(model->graph->input, s.program.inputs[i].name) : nullptr)
      take_declared_names(t, *d);
  }
  for (size_t i = 0; i < s.program.outputs.size(); ++i) {
    auto& t = s.output_types.emplace_back(s.program.outputs[i].type);
    if (const auto* d = model ? find(model->graph->output, s.program.outputs[i].name) : nullptr) add_declared(t, *d);
  }
  if (!model) return;
  s.metadata = metadata_of(*model);
  s.overridable_names = overridable_of(*model);
  for (const auto& name : s.overridable_names) {
    const auto& all = model->graph->initializer;
    const auto t = std::ranges::find_if(all, [&](const auto& i) { return i.name == name; });
    const auto dtype = dtype_from_onnx(t->data_type);
    s.overridable_types.emplace_back(dtype ? Type::tensor(*dtype, Shape::of(t->dims)) : Type());
  }
}

Logger logger_of(const OrtEnv& env, const OrtSessionOptions& o) {
  Logger logger = env.logger;
  if (o.log_function) {
    logger.function = o.log_function;
    logger.param = o.log_param;
  }
  if (o.log_severity >= 0) logger.least = o.log_severity;
  if (!o.log_id.empty()) logger.id = o.log_id;
  return logger;
}

std::shared_ptr<kernels::Team> team_of(const OrtEnv& env, const OrtSessionOptions& o) {
  if (o.own_threads) return make_team(o.threads);
  if (!env.team)
    throw Fault(Code::invalid_argument,
                "the session is to use the environment's threads, and the environment was made without any");
  return env.team;
}

CompilerOptions compiler_options(const OrtEnv& env, const OrtSessionOptions& o) {
  CompilerOptions c;
  c.level = o.level;
  c.team = team_of(env, o);
  if (const auto it = o.entries.find("tc.isa"); it != o.entries.end()) c.isa = it->second;
  if (const auto it = o.entries.find("tc.precision"); it != o.entries.end()) c.precision = it->second;
  return c;
}

LoadOptions load_options(const OrtSessionOptions& o, bool in_memory) {
  LoadOptions load = o.load;
  const auto folder = o.entries.find("session.model_external_initializers_file_folder_path");
  if (in_memory && folder != o.entries.end()) load.external_data_folder = folder->second;
  return load;
}

void write_optimized(const Function& f, const std::string& path) {
  ExportOptions e;
  const auto& metadata = f.module().metadata;
  if (const auto it = metadata.find("opset.ai.onnx"); it != metadata.end()) e.opset = std::atoi(it->second.c_str());
  e.opset = std::clamp(e.opset, kMinExportOpset, kMaxExportOpset);
  export_onnx(f, path, e);
}

[[noreturn]] void explain_unknown_operators(const Error& e, const OrtSessionOptions& o) {
  std::string names;
  for (const auto& name : o.custom_ops) names += (names.empty() ? "" : ", ") + name;
  throw Fault(Code::not_implemented, e.what(), "\n  custom operators are registered (", names,
              "), whose kernels this library does not run");
}

std::shared_ptr<Session> load(const OrtEnv& env, Source source, const OrtSessionOptions& o) {
  auto s = std::make_shared<Session>();
  s->logger = logger_of(env, o);
  const auto check_cancelled = [&] {
    if (o.cancel_load->load()) throw Fault(Code::load_cancelled, "loading was cancelled by the session's options");
  };
  check_cancelled();
  const CompilerOptions compiling = compiler_options(env, o);
  const LoadOptions loading = load_options(o, source.bytes != nullptr);
  Function f;
  try {
    f = source.load(loading);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::unknown_op && !o.custom_ops.empty()) explain_unknown_operators(e, o);
    throw;
  }
  check_cancelled();
  if (!o.optimized_path.empty()) write_optimized(f, o.optimized_path);
  s->program = Program(f, compiling);
  check_cancelled();

  if (source.bytes) {
    const onnx::ModelProto model = onnx::parse_model(*source.bytes, "model in memory");
    describe(*s, &model);
  } else if (!source.path.ends_with(".tc")) {
    const auto file = onnx::MappedFile::open(source.path);
    const onnx::ModelProto model = onnx::parse_model(file->bytes(), source.path);
    describe(*s, &model);
  } else {
    describe(*s, nullptr);
  }
  // The bytes are kept only where they may be read once more.
  if (!s->overridable_names.empty())
    s->make = [source, loading, compiling](std::map<std::string, Tensor>* given) {
      LoadOptions with = loading;
      with.overridable = given;
      return Program(source.load(with), compiling);
    };
  if (o.profile_prefix) {
    s->profile.recording = true;
    s->profile.path = profile_path(*o.profile_prefix);
    s->profile.begin_ns = std::chrono::steady_clock::now().time_since_epoch().count();
  }
  s->logger.log(kInfo, cat("tc runs ", source.bytes ? "a model in memory" : source.path, ": ", s->program.inputs.size(),
                           " inputs, ", s->program.outputs.size(), " outputs"));
  return s;
}

OrtStatus* make_session(const OrtEnv* env, const OrtSessionOptions* options, OrtSession** out,
                        const std::function<Source()>& source) {
  return guard(
      [&] {
        const OrtEnv& e = checked(env);
        result(out) = nullptr;
        const OrtSessionOptions plain;
        const OrtSessionOptions& o = options ? checked(options) : plain;
        auto session = std::make_unique<OrtSession>();
        session->core = load(e, source(), o);
        *out = session.release();
      },
      During::load);
}

Source from_file(const char* path) {
  struct stat info {};
  if (stat(text(path, "model_path"), &info) != 0)
    throw Fault(Code::no_such_file, path, ": cannot open: ", std::strerror(errno));
  return {path, nullptr};
}
Source from_memory(const void* data, size_t size) {
  const auto* bytes = static_cast<const uint8_t*>(data);
  not_null(data, "model_data");
  return {{}, std::make_shared<const std::vector<uint8_t>>(bytes, bytes + size)};
}

// Names and types of inputs, outputs and initialisers by their numbers.
const std::string& name_at(const Names& names, size_t i) {
  if (i >= names.size()) throw Fault(Code::invalid_argument, "there is no number ", i, " among ", names.size());
  return names[i].name;
}
template <class T>
const T& at(const std::vector<T>& all, size_t i) {
  if (i >= all.size()) throw Fault(Code::invalid_argument, "there is no number ", i, " among ", all.size());
  return all[i];
}
const Session& core(const OrtSession* s) {
  return *checked(s).core;
}

}  // namespace

Names::Names(std::vector<ValueInfo> infos) : infos_(std::move(infos)) {
  for (size_t i = 0; i < infos_.size(); ++i) {
    index_.emplace(infos_[i].name, i);
    names_.push_back(infos_[i].name.c_str());
  }
}

Program::Program(const Function& f, const CompilerOptions& options)
    : inputs(f.inputs()), outputs(f.outputs()), compiled(compile(f, options)) {}

const Program& Session::full_program() {
  std::call_once(full_made, [&] { full = make(&overridable); });
  return *full;
}

Session::~Session() {
  if (!profile.recording) return;
  quietly(0, [&] {
    write_profile(profile.path, profile.begin_ns, profile.steps);
    return 0;
  });
}

namespace api {

OrtStatus* CreateSession(const OrtEnv* env, const char* path, const OrtSessionOptions* o, OrtSession** out) {
  return make_session(env, o, out, [&] { return from_file(path); });
}
OrtStatus* CreateSessionFromArray(const OrtEnv* env, const void* data, size_t size, const OrtSessionOptions* o,
                                  OrtSession** out) {
  return make_session(env, o, out, [&] { return from_memory(data, size); });
}
OrtStatus* CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out) {
  return guard([&] { make(out, [&] { return new OrtPrepackedWeightsContainer; }); });
}
void ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* c) {
  release(c);
}
// Sessions pack their own weights: the container is a wish to share them.
OrtStatus* CreateSessionWithPrepackedWeightsContainer(const OrtEnv* env, const char* path, const OrtSessionOptions* o,
                                                      OrtPrepackedWeightsContainer* c, OrtSession** out) {
  return make_session(env, o, out, [&] { return checked(c), from_file(path); });
}
OrtStatus* CreateSessionFromArrayWithPrepackedWeightsContainer(const OrtEnv* env, const void* data, size_t size,
                                                               const OrtSessionOptions* o,
                                                               OrtPrepackedWeightsContainer* c, OrtSession** out) {
  return make_session(env, o, out, [&] { return checked(c), from_memory(data, size); });
}
void ReleaseSession(OrtSession* s) {
  release(s);
}

OrtStatus* SessionGetInputCount(const OrtSession* s, size_t* out) {
  return guard([&] { result(out) = core(s).program.inputs.size(); });
}
OrtStatus* SessionGetOutputCount(const OrtSession* s, size_t* out) {
  return guard([&] { result(out) = core(s).program.outputs.size(); });
}
OrtStatus* SessionGetOverridableInitializerCount(const OrtSession* s, size_t* out) {
  return guard([&] { result(out) = core(s).overridable_names.size(); });
}
OrtStatus* SessionGetInputName(const OrtSession* s, size_t i, OrtAllocator* a, char** out) {
  return guard([&] { make(out, [&] { return copy_text(checked(a), name_at(core(s).program.inputs, i)); }); });
}
OrtStatus* SessionGetOutputName(const OrtSession* s, size_t i, OrtAllocator* a, char** out) {
  return guard([&] { make(out, [&] { return copy_text(checked(a), name_at(core(s).program.outputs, i)); }); });
}
OrtStatus* SessionGetOverridableInitializerName(const OrtSession* s, size_t i, OrtAllocator* a, char** out) {
  return guard([&] { make(out, [&] { return copy_text(checked(a), at(core(s).overridable_names, i)); }); });
}
OrtStatus* SessionGetInputTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(at(core(s).input_types, i)); }); });
}
OrtStatus* SessionGetOutputTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(at(core(s).output_types, i)); }); });
}
OrtStatus* SessionGetOverridableInitializerTypeInfo(const OrtSession* s, size_t i, OrtTypeInfo** out) {
  return guard([&] { make(out, [&] { return new OrtTypeInfo(at(core(s).overridable_types, i)); }); });
}
OrtStatus* SessionGetModelMetadata(const OrtSession* s, OrtModelMetadata** out) {
  return guard([&] { make(out, [&] { return new OrtModelMetadata(core(s).metadata); }); });
}

}  // namespace api
}  // namespace tc::dropin
