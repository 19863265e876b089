#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "tc/tools/bench/engine.h"
#include "tc/tools/bench/ort_api.h"

namespace tc::bench {
namespace {

const ort::ApiBase& library(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail(ErrorCode::bad_file, "cannot load ONNX Runtime: ", dlerror());
  using GetBase = const ort::ApiBase* (*)();
  const auto get = reinterpret_cast<GetBase>(dlsym(handle, "OrtGetApiBase"));
  const ort::ApiBase* base = get ? get() : nullptr;
  if (!base || !base->get_api(ort::kApiVersion))
    fail(ErrorCode::bad_file, path, " is no ONNX Runtime of a fitting version");
  return *base;
}

class OrtEngine : public Engine {
 public:
  explicit OrtEngine(const EngineOptions& o) : base_(library(o.library)), api_(base_.get_api(ort::kApiVersion)) {
    check(api_.create_env(ort::kLogErrors, "tc-bench", &env_));
    check(api_.disable_telemetry(env_));
    ort::SessionOptions* options = nullptr;
    check(api_.create_session_options(&options));
    check(api_.set_optimization_level(options, ort::kOptimizeAll));
    check(api_.set_intra_op_threads(options, o.threads));
    check(api_.set_inter_op_threads(options, 1));
    if (o.exact) check(api_.add_session_entry(options, "session.x64quantprecision", "1"));
    ort::Status* created = api_.create_session(env_, o.model.c_str(), options, &session_);
    api_.release_session_options(options);
    check(created);
    ort::MemoryInfo* memory = nullptr;
    check(api_.cpu_memory(ort::kDeviceAllocator, ort::kDefaultMemory, &memory));
    input_names_ = names(api_.input_count, api_.input_name);
    output_names_ = names(api_.output_count, api_.output_name);
    for (const auto& name : input_names_) {
      const auto it = std::find_if(o.inputs.begin(), o.inputs.end(), [&](const auto& i) { return i.first == name; });
      if (it == o.inputs.end()) fail(ErrorCode::bad_input, "no value for input '", name, "'");
      tensors_.push_back(it->second.aligned_copy());
      const Tensor& t = tensors_.back();
      ort::Value* value = nullptr;
      check(api_.tensor_with_data(memory, const_cast<void*>(t.data()), t.bytes(), t.extents().data(),
                                  t.extents().size(), info(t.dtype()).onnx, &value));
      inputs_.push_back(value);
      input_pointers_.push_back(name.c_str());
    }
    for (const auto& name : output_names_) output_pointers_.push_back(name.c_str());
    outputs_.resize(output_names_.size());
    api_.release_memory(memory);
  }
  ~OrtEngine() override {
    release(outputs_);
    release(inputs_);
    if (session_) api_.release_session(session_);
    if (env_) api_.release_env(env_);
  }

  std::string version() const override { return cat("ONNX Runtime ", base_.version()); }
  void run() override {
    release(outputs_);
    check(api_.run(session_, nullptr, input_pointers_.data(), inputs_.data(), inputs_.size(), output_pointers_.data(),
                   output_pointers_.size(), outputs_.data()));
  }
  NamedTensors outputs() override {
    NamedTensors named;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      int is_tensor = 0, type = 0;
      check(api_.is_tensor(outputs_[i], &is_tensor));
      if (!is_tensor) continue;
      ort::TensorInfo* info = nullptr;
      check(api_.tensor_info(outputs_[i], &info));
      size_t rank = 0;
      check(api_.element_type(info, &type));
      check(api_.rank(info, &rank));
      Extents extents(rank);
      check(api_.dims(info, extents.data(), rank));
      api_.release_tensor_info(info);
      const auto dtype = dtype_from_onnx(type);
      if (!dtype) fail(ErrorCode::unsupported, "an output of ONNX element type ", type);
      Tensor t(*dtype, extents);
      void* data = nullptr;
      check(api_.tensor_data(outputs_[i], &data));
      if (t.bytes()) std::memcpy(t.mutable_data(), data, t.bytes());
      named.emplace_back(output_names_[i], t);
    }
    return named;
  }

 private:
  void check(ort::Status* status) const {
    if (!status) return;
    const std::string message = api_.message(status);
    api_.release_status(status);
    fail(ErrorCode::check_failed, "ONNX Runtime: ", message);
  }
  template <class Count, class Name>
  std::vector<std::string> names(const Count& count, const Name& name) {
    size_t n = 0;
    check(count(session_, &n));
    ort::Allocator* allocator = nullptr;
    check(api_.default_allocator(&allocator));
    std::vector<std::string> result;
    for (size_t i = 0; i < n; ++i) {
      char* text = nullptr;
      check(name(session_, i, allocator, &text));
      result.emplace_back(text);
      check(api_.allocator_free(allocator, text));
    }
    return result;
  }
  void release(std::vector<ort::Value*>& values) {
    for (auto& v : values) {
      if (v) api_.release_value(v);
      v = nullptr;
    }
  }

  const ort::ApiBase& base_;
  ort::Api api_;
  ort::Env* env_ = nullptr;
  ort::Session* session_ = nullptr;
  std::vector<std::string> input_names_, output_names_;
  std::vector<const char*> input_pointers_, output_pointers_;
  std::vector<Tensor> tensors_;  // own the inputs' data
  std::vector<ort::Value*> inputs_, outputs_;
};

}  // namespace

std::unique_ptr<Engine> make_ort_engine(const EngineOptions& options) {
  return std::make_unique<OrtEngine>(options);
}

}  // namespace tc::bench
