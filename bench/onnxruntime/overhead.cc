// What the C API's layer adds to a run: the same models by tc::Compiled and by Run of libonnxruntime.so.1, in turn, one
// thread.
//
//   onnxruntime_overhead LIBRARY
//
// Prints nanoseconds of a call, the least of many blocks.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tc/frontend/onnx/model_writer.h"
#include "tc/tc.h"

namespace {

using namespace tc;
namespace w = model_writer;

enum Slot : int {
#define TC_SLOT_OWN(name) k##name,
#define TC_SLOT_STATUS(name) k##name,
#define TC_SLOT_NOTHING(name) k##name,
#include "tc/doors/onnxruntime/slots.def"
};

void* const* table;
template <class R, class... A>
R call(Slot slot, A... a) {
  return reinterpret_cast<R (*)(A...)>(table[slot])(a...);
}
template <class... A>
void ok(Slot slot, A... a) {
  if (void* s = call<void*>(slot, a...)) throw std::runtime_error(call<const char*>(kGetErrorMessage, s));
}

// y = x0 + x1 + ... and `steps` times x0 more.
std::string chain(int inputs, int steps, int64_t width) {
  w::Messages nodes, infos;
  for (int i = 0; i < inputs; ++i) infos.push_back(w::value_info(cat("x", i), w::kF32, {width}));
  std::string last = "x0";
  for (int i = 1; i < inputs + steps; ++i) {
    const std::string next = i + 1 == inputs + steps ? "y" : cat("t", i);
    nodes.push_back(w::node("Add", {last, cat("x", i < inputs ? i : 0)}, {next}));
    last = next;
  }
  return w::model(w::graph(nodes, infos, {w::value_info("y", w::kF32, {width})}));
}

double ns_of(const std::function<void()>& f) {
  using Clock = std::chrono::steady_clock;
  double best = 1e18;
  int calls = 8;
  for (int block = 0; block < 60; ++block) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) f();
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = std::min(best, ns / calls);
    if (ns < 2e6) calls *= 2;
  }
  return best;
}

void measure(const char* name, int inputs, int steps, int64_t width) {
  const auto model = std::make_shared<const std::string>(chain(inputs, steps, width));
  const Compiled compiled = compile(load_onnx(model->data(), model->size(), model), {.threads = 1});
  std::vector<Tensor> tensors;
  for (int i = 0; i < inputs; ++i) tensors.emplace_back(f32, Extents{width});
  void *env, *options, *session, *memory;
  ok(kCreateEnv, 3, "bench", &env);
  ok(kCreateSessionOptions, &options);
  ok(kSetIntraOpNumThreads, options, 1);
  ok(kCreateSessionFromArray, env, static_cast<const void*>(model->data()), model->size(), options, &session);
  ok(kCreateCpuMemoryInfo, 0, 0, &memory);
  std::vector<std::string> names;
  std::vector<const char*> in;
  std::vector<void*> values(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) names.push_back(cat("x", i));
  for (size_t i = 0; i < tensors.size(); ++i) {
    in.push_back(names[i].c_str());
    ok(kCreateTensorWithDataAsOrtValue, memory, tensors[i].mutable_data(), tensors[i].bytes(), &width, size_t{1}, 1,
       &values[i]);
  }
  const char* out = "y";
  const std::function<void()> own = [&] { compiled.run({tensors.begin(), tensors.end()}); };
  const std::function<void()> by_api = [&] {
    void* y = nullptr;
    ok(kRun, session, static_cast<void*>(nullptr), in.data(), values.data(), in.size(), &out, size_t{1}, &y);
    call<void>(kReleaseValue, y);
  };
  double a = 1e18, b = 1e18;
  for (int i = 0; i < 3; ++i) a = std::min(a, ns_of(own)), b = std::min(b, ns_of(by_api));
  std::printf("%-28s tc %9.0f ns   C API %9.0f ns   %+6.0f ns, %+.1f %%\n", name, a, b, b - a, 100 * (b - a) / a);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: onnxruntime_overhead LIBRARY");
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error(dlerror());
  struct Base {
    void* const* (*api)(uint32_t);
  };
  table = reinterpret_cast<const Base* (*)()>(dlsym(library, "OrtGetApiBase"))()->api(23);
  measure("one step", 1, 1, 4);
  measure("100 numbers, 50 inputs", 50, 0, 100);
  measure("1000 inputs", 1000, 0, 4);
  measure("10^5 numbers, 20 steps", 2, 20, 100000);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
