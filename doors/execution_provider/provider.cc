// tc as an execution provider of ONNX Runtime, in a library that programs register: whole graphs where tc reads all of
// their nodes, else the runs of nodes that it reads; the rest stays with the host.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "tc/doors/execution_provider/abi.h"
#include "tc/doors/execution_provider/model.h"

namespace tc::provider {
namespace {

constexpr const char* kName = "TcExecutionProvider";
constexpr const char* kVendor = "tc";
constexpr const char* kVersion = "0.1.0";
constexpr int kCpu = 0;
// Fewer nodes than this are not worth a call, unless one of them is heavy.
constexpr size_t kLeastNodes = 3;

struct Provider : Ep {
  CompilerOptions options;
};

struct Program : NodeComputeInfo {
  Compiled compiled;
  std::vector<size_t> inputs, outputs;  // of the program, by the fused node's
  size_t num_inputs = 0;
};

bool has_operators(const void* node, std::initializer_list<const char*> names) {
  const char* op = get<const char*>(kNode_GetOperatorType, node);
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return std::strcmp(op, n) == 0; });
}
bool is_heavy(const void* node) {
  return has_operators(
      node, {"Conv", "ConvTranspose", "Gemm", "MatMul", "LSTM", "GRU", "RNN", "Attention", "Einsum", "QLinearConv",
             "QLinearMatMul", "ConvInteger", "MatMulInteger", "LayerNormalization", "Softmax"});
}

// Imports the part, and says whether that works. Type inference of import is what rejects parts.
bool can_read(const Part& part) {
  try {
    write(part).load();
    return true;
  } catch (const Error&) {
    return false;
  }
}

bool all_plain(const std::vector<const void*>& values) {
  return std::all_of(values.begin(), values.end(), [](const void* v) { return !v || is_plain(v); });
}

// The names of initialisers of the graph.
std::vector<std::string> weights_of(const void* graph) {
  std::vector<std::string> names;
  for (const void* v : list(kGraph_GetNumInitializers, kGraph_GetInitializers, graph)) names.push_back(name_of(v));
  std::sort(names.begin(), names.end());
  return names;
}

// Nodes by themselves: what they read of others and of the graph's inputs goes in, all that they make comes out.
// Nothing where a fused node could not be made of them, whose values are tensors.
std::optional<Part> part_of(const void* graph, const std::vector<const void*>& nodes,
                            const std::vector<std::string>& weights) {
  Part part{graph, nodes, {}, {}};
  std::set<std::string> known(weights.begin(), weights.end());
  for (const void* n : nodes) {
    auto read = list(kNode_GetNumInputs, kNode_GetInputs, n);
    const auto implicit = list(kNode_GetNumImplicitInputs, kNode_GetImplicitInputs, n);
    read.insert(read.end(), implicit.begin(), implicit.end());
    for (const void* v : read)
      if (v && !name_of(v).empty() && known.insert(name_of(v)).second) part.inputs.push_back(v);
    for (const void* v : list(kNode_GetNumOutputs, kNode_GetOutputs, n))
      if (v && !name_of(v).empty() && known.insert(name_of(v)).second) part.outputs.push_back(v);
  }
  if (!all_plain(part.inputs) || !all_plain(part.outputs)) return std::nullopt;
  return part;
}

bool can_read(const void* graph, const std::vector<const void*>& nodes, const std::vector<std::string>& weights) {
  const auto part = part_of(graph, nodes, weights);
  return part && can_read(*part);
}

void claim(void* support, const std::vector<const void*>& nodes) {
  const NodeFusionOptions options;
  check(call_ep<Status*>(kAddNodesToFuse, support, nodes.data(), nodes.size(), &options));
}

// Nodes that follow each other in a topological order may become one: none outside lies between them.
void claim_runs(const void* graph, const std::vector<const void*>& nodes, void* support) {
  const auto weights = weights_of(graph);
  std::vector<const void*> run;
  const auto finish = [&] {
    const bool worth_it = run.size() >= kLeastNodes || std::any_of(run.begin(), run.end(), is_heavy);
    if (worth_it && can_read(graph, run, weights)) claim(support, run);
    run.clear();
  };
  for (const void* n : nodes) {
    if (can_read(graph, {n}, weights))
      run.push_back(n);
    else
      finish();
  }
  finish();
}

Status* capability(Ep*, const void* graph, void* support) {
  return guard([&] {
    // Graphs inside of nodes go with their nodes.
    if (get<const void*>(kGraph_GetParentNode, graph)) return;
    Part whole{graph, list(kGraph_GetNumNodes, kGraph_GetNodes, graph), {}, {}};
    if (whole.nodes.empty()) return;
    const auto weights = weights_of(graph);
    for (const void* v : list(kGraph_GetNumInputs, kGraph_GetInputs, graph))
      if (!std::binary_search(weights.begin(), weights.end(), name_of(v))) whole.inputs.push_back(v);
    whole.outputs = list(kGraph_GetNumOutputs, kGraph_GetOutputs, graph);
    if (all_plain(whole.inputs) && all_plain(whole.outputs) && can_read(whole))
      claim(support, whole.nodes);
    else
      claim_runs(graph, whole.nodes, support);
  });
}

void* get_output(void* kernel, size_t index, const Extents& e) {
  void* value = nullptr;
  ok(kKernelContext_GetOutput, kernel, index, e.data(), e.size(), &value);
  return value;
}

// Elements of 2 and 4 bits as the API has them.
void pack(const Tensor& t, uint8_t* out) {
  const int bits = tc::info(t.dtype()).bits, per_byte = 8 / bits;
  const auto* in = static_cast<const uint8_t*>(t.data());
  for (int64_t i = 0; i < t.size(); ++i) {
    uint8_t& byte = out[i / per_byte];
    if (i % per_byte == 0) byte = 0;
    byte = static_cast<uint8_t>(byte | (in[i] & ((1 << bits) - 1)) << (i % per_byte * bits));
  }
}

Status* create_state(NodeComputeInfo* self, void*, void** state) {
  *state = self;
  return nullptr;
}
void release_state(NodeComputeInfo*, void*) {}

// Writes an output into the memory that the host has for it.
void give(void* kernel, size_t index, const Tensor& t) {
  const auto& e = t.extents();
  void* value = get_output(kernel, index, e);
  if (t.dtype() == DType::str) {
    std::vector<const char*> texts;
    for (const auto& s : t.span<std::string>()) texts.push_back(s.c_str());
    ok(kFillStringTensor, value, texts.data(), texts.size());
    return;
  }
  void* data = get<void*>(kGetTensorMutableData, value);
  if (dtypes::sub_byte.has(t.dtype()))
    pack(t, static_cast<uint8_t*>(data));
  else if (t.size())
    std::memcpy(data, t.data(), t.bytes());
}

Status* compute(NodeComputeInfo* self, void*, void* kernel) {
  return guard([&] {
    auto& p = static_cast<Program&>(*self);
    std::vector<Datum> given(p.num_inputs);
    for (size_t i = 0; i < p.inputs.size(); ++i)
      if (const void* value = get<const void*>(kKernelContext_GetInput, static_cast<const void*>(kernel), i))
        given[p.inputs[i]] = view_of(value);
    const auto made = p.compiled.run(std::move(given));
    for (size_t i = 0; i < p.outputs.size(); ++i) give(kernel, i, made[p.outputs[i]].tensor());
  });
}

// Where each name is among the infos.
std::vector<size_t> places(const std::vector<const void*>& values, const std::vector<ValueInfo>& infos) {
  std::vector<size_t> result;
  for (const void* v : values) {
    const std::string name = name_of(v);
    const auto it = std::find_if(infos.begin(), infos.end(), [&](const auto& i) { return i.name == name; });
    if (it == infos.end()) fail(ErrorCode::internal, "the fused node has '", name, "', its graph has not");
    result.push_back(static_cast<size_t>(it - infos.begin()));
  }
  return result;
}

std::unique_ptr<Program> make_program(const void* graph, const void* fused, const CompilerOptions& options) {
  const Part part{graph, list(kGraph_GetNumNodes, kGraph_GetNodes, graph),
                  list(kNode_GetNumInputs, kNode_GetInputs, fused), list(kNode_GetNumOutputs, kNode_GetOutputs, fused)};
  const Function f = write(part).load_own();
  auto p = std::make_unique<Program>();
  p->create_state = create_state;
  p->compute = compute;
  p->release_state = release_state;
  p->compiled = compile(f, options);
  p->num_inputs = f.inputs().size();
  p->inputs = places(part.inputs, f.inputs());
  p->outputs = places(part.outputs, f.outputs());
  return p;
}

void release_infos(Ep*, NodeComputeInfo** infos, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    delete static_cast<Program*>(infos[i]);
    infos[i] = nullptr;
  }
}

Status* compile_graphs(Ep* self, const void** graphs, const void** fused, size_t count, NodeComputeInfo** infos,
                       void** context_nodes) {
  std::fill_n(infos, count, nullptr);
  if (context_nodes) std::fill_n(context_nodes, count, nullptr);
  Status* status = guard([&] {
    for (size_t i = 0; i < count; ++i)
      infos[i] = make_program(graphs[i], fused[i], static_cast<Provider&>(*self).options).release();
  });
  if (status) release_infos(self, infos, count);
  return status;
}

const char* ep_name(const Ep*) {
  return kName;
}

// An option of the provider, which the host keeps among the session's; empty where it is not given.
std::string option(const void* session_options, const char* name) {
  const std::string key = std::string("ep.tcexecutionprovider.") + name;
  size_t size = 0;
  if (!get<int>(kHasSessionConfigEntry, session_options, key.c_str())) return {};
  ok(kGetSessionConfigEntry, session_options, key.c_str(), static_cast<char*>(nullptr), &size);
  std::string value(size, '\0');
  ok(kGetSessionConfigEntry, session_options, key.c_str(), value.data(), &size);
  value.resize(size ? size - 1 : 0);
  return value;
}
int number(const std::string& text, const char* name, int otherwise) {
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const long n = std::strtol(text.c_str(), &end, 10);
  if (*end || n < 0 || n > 1 << 16) fail(ErrorCode::bad_argument, "option '", name, "' of ", kName, " is '", text, "'");
  return static_cast<int>(n);
}

Status* create(Factory*, const void* const*, const void* const*, size_t, const void* session_options, const void*,
               Ep** out) {
  return guard([&] {
    auto p = std::make_unique<Provider>();
    p->name = ep_name;
    p->capability = capability;
    p->compile = compile_graphs;
    p->release_infos = release_infos;
    p->options.level = number(option(session_options, "level"), "level", 2);
    p->options.isa = option(session_options, "isa");
    p->options.precision = option(session_options, "precision");
    p->options.team = make_team(number(option(session_options, "threads"), "threads", 0));
    *out = p.release();
  });
}

Status* devices(Factory* self, const void* const* hardware, size_t count, void** out, size_t max, size_t* made) {
  return guard([&] {
    *made = 0;
    for (size_t i = 0; i < count && *made < max; ++i) {
      if (call<int>(kHardwareDevice_Type, hardware[i]) != kCpu) continue;
      check(call_ep<Status*>(kCreateEpDevice, self, hardware[i], static_cast<const void*>(nullptr),
                             static_cast<const void*>(nullptr), &out[*made]));
      ++*made;
    }
  });
}

// 24 of 1.24.0.
int minor_of(const char* version) {
  const char* dot = std::strchr(version, '.');
  return dot ? std::atoi(dot + 1) : 0;
}

std::unique_ptr<Factory> make_factory() {
  auto f = std::make_unique<Factory>();
  f->name = [](const Factory*) { return kName; };
  f->vendor = [](const Factory*) { return kVendor; };
  f->devices = devices;
  f->create = create;
  f->release = [](Factory*, Ep* e) { delete static_cast<Provider*>(e); };
  f->vendor_id = [](const Factory*) { return 0xffffu; };
  f->version_text = [](const Factory*) { return kVersion; };
  f->data_transfer = [](Factory*, void** out) -> Status* {
    *out = nullptr;
    return nullptr;
  };
  f->stream_aware = [](const Factory*) { return false; };
  return f;
}

}  // namespace

extern "C" {
// What the host looks for in the library.
__attribute__((visibility("default"))) Status* CreateEpFactories(const char*, const HostApiBase* base, const void*,
                                                                 Factory** factories, size_t max, size_t* count) {
  *count = 0;
  host_api = base->api(kApiVersion);
  if (!host_api) {
    // Without its table the host cannot even be told so; it takes no factories for a library without any.
    return nullptr;
  }
  host_ep_api = call<void* const*>(kGetEpApi);
  host_gives_shapes = minor_of(base->version()) >= 24;
  return guard([&] {
    if (max < 1 || !host_ep_api) fail(ErrorCode::bad_argument, "the host has no room for a provider");
    factories[0] = make_factory().release();
    *count = 1;
  });
}
__attribute__((visibility("default"))) Status* ReleaseEpFactory(Factory* factory) {
  delete factory;
  return nullptr;
}
}

}  // namespace tc::provider
