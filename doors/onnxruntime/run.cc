// Runs: at once, later on a thread of their own, and with values that were bound before.
#include <thread>

#include "tc/doors/onnxruntime/api.h"
#include "tc/doors/onnxruntime/session.h"

namespace tc::dropin {
namespace {

// The session's program, or the one that takes initialisers as inputs when one is given.
const Program& program_for(Session& s, const char* const* names, size_t n) {
  if (s.overridable_names.empty()) return s.program;
  for (size_t i = 0; i < n; ++i)
    if (std::ranges::find(s.overridable_names, text(names[i], "input_names")) != s.overridable_names.end())
      return s.full_program();
  return s.program;
}

// All inputs in their order, as most callers have them; else an empty list.
std::vector<Datum> gather_in_order(const Program& p, const char* const* names, const OrtValue* const* values,
                                   size_t n) {
  std::vector<Datum> given;
  if (n != p.inputs.size()) return given;
  given.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    if (!p.inputs.is(i, names[i]) || !values[i]) return {};
    const OrtValue& v = checked(values[i]);
    if (v.packed || v.datum.empty()) return {};
    given.push_back(v.datum);
  }
  return given;
}

std::vector<Datum> gather(const Session& s, const Program& p, const char* const* names, const OrtValue* const* values,
                          size_t n) {
  std::vector<Datum> given = gather_in_order(p, names, values, n);
  if (!given.empty()) return given;
  given.resize(p.inputs.size());
  for (size_t i = 0; i < n; ++i) {
    const size_t k = p.inputs.find(text(names[i], "input_names"), i);
    if (k == Names::kNone) throw Fault(Code::invalid_argument, "the model has no input '", names[i], "'");
    if (!given[k].empty()) throw Fault(Code::invalid_argument, "input '", names[i], "' is given twice");
    if (!values[i]) throw Fault(Code::invalid_argument, "the value of input '", names[i], "' is null");
    given[k] = datum_of(checked(values[i]));
  }
  for (size_t k = 0; k < given.size(); ++k) {
    if (!given[k].empty() || p.inputs[k].type.kind() == Type::Kind::optional) continue;
    // The initialisers are there once the program that takes them is.
    const bool is_weight = &p != &s.program && s.overridable.count(p.inputs[k].name);
    if (!is_weight) throw Fault(Code::invalid_argument, "input '", p.inputs[k].name, "' is missing");
    given[k] = s.overridable.at(p.inputs[k].name);
  }
  return given;
}

// A list that needs no memory of its own when it is short: a run of a small model takes less time than an allocation or
// two.
template <class T>
class Few {
 public:
  explicit Few(size_t n) : size_(n), more_(n > kShort ? std::make_unique<T[]>(n) : nullptr) {}
  T* begin() { return more_ ? more_.get() : few_; }
  T* end() { return begin() + size_; }
  T& operator[](size_t i) { return begin()[i]; }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kShort = 4;
  size_t size_;
  T few_[kShort] = {};
  std::unique_ptr<T[]> more_;
};

void find_outputs(const Program& p, const char* const* names, Few<size_t>& wanted) {
  if (wanted.size() == 0) throw Fault(Code::invalid_argument, "a run for no outputs");
  for (size_t i = 0; i < wanted.size(); ++i) {
    wanted[i] = p.outputs.find(text(names[i], "output_names"), i);
    if (wanted[i] == Names::kNone) throw Fault(Code::invalid_argument, "the model has no output '", names[i], "'");
  }
}

// Only new values are written to `outputs`, and those last, so that a failed run leaves nothing behind.
void hand_out(Few<size_t>& wanted, std::vector<Datum> made, OrtValue** outputs) {
  Few<std::unique_ptr<OrtValue>> fresh(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    Datum& d = made[wanted[i]];
    if (outputs[i]) {
      write_into(checked(outputs[i]), d);
    } else if (std::find(wanted.begin() + i + 1, wanted.end(), wanted[i]) != wanted.end()) {
      fresh[i] = std::make_unique<OrtValue>(value_of(d));
    } else {
      fresh[i] = std::make_unique<OrtValue>(value_of(std::move(d)));
    }
  }
  for (size_t i = 0; i < wanted.size(); ++i)
    if (fresh[i]) outputs[i] = fresh[i].release();
}

std::vector<Datum> run_program(Session& s, const Program& p, const OrtRunOptions* options, std::vector<Datum> given) {
  const bool recorded = s.profile.recording, own_file = options && options->profile_prefix;
  if (!options && !recorded) return p.compiled.run(std::move(given));
  RunOptions run;
  std::vector<StepTime> steps;
  if (options) run.cancel = &options->terminate;
  if (recorded || own_file) run.profile = &steps;
  const auto begin = std::chrono::steady_clock::now().time_since_epoch().count();
  auto made = p.compiled.run(std::move(given), run);
  if (own_file) write_profile(profile_path(*options->profile_prefix), begin, steps);
  if (recorded) {
    const std::lock_guard lock(s.profile.mutex);
    s.profile.steps.insert(s.profile.steps.end(), steps.begin(), steps.end());
  }
  if (options && options->entries.count("memory.enable_memory_arena_shrinkage")) p.compiled.trim();
  return made;
}

// What a call of RunAsync has to keep.
struct LaterRun {
  std::shared_ptr<Session> session;
  const OrtRunOptions* options;
  std::vector<std::string> input_names, output_names;
  std::vector<const OrtValue*> inputs;
  OrtValue** outputs;
  RunAsyncCallback callback;
  void* user_data;

  void operator()() const {
    const auto pointers = [](const std::vector<std::string>& names) {
      std::vector<const char*> p;
      for (const auto& n : names) p.push_back(n.c_str());
      return p;
    };
    OrtStatus* status = guard([&] {
      const auto in = pointers(input_names), out = pointers(output_names);
      run(*session, options, in.data(), inputs.data(), in.size(), out.data(), out.size(), outputs);
    });
    callback(user_data, outputs, output_names.size(), status);
  }
};

}  // namespace

void run(Session& s, const OrtRunOptions* options, const char* const* input_names, const OrtValue* const* inputs,
         size_t num_inputs, const char* const* output_names, size_t num_outputs, OrtValue** outputs) {
  list(input_names, num_inputs, "input_names");
  list(inputs, num_inputs, "inputs");
  list(output_names, num_outputs, "output_names");
  list(outputs, num_outputs, "outputs");
  try {
    const Program& p = program_for(s, input_names, num_inputs);
    Few<size_t> wanted(num_outputs);
    find_outputs(p, output_names, wanted);
    hand_out(wanted, run_program(s, p, options, gather(s, p, input_names, inputs, num_inputs)), outputs);
  } catch (const std::exception& e) {
    if (options && options->terminate) throw Fault(Code::failed, "the run was ended by RunOptionsSetTerminate");
    s.logger.log(kError, cat("a run failed: ", e.what()));
    throw;
  }
}

namespace api {

OrtStatus* Run(OrtSession* s, const OrtRunOptions* o, const char* const* input_names, const OrtValue* const* inputs,
               size_t num_inputs, const char* const* output_names, size_t num_outputs, OrtValue** outputs) {
  return guard([&] {
    run(*checked(s).core, o ? &checked(o) : nullptr, input_names, inputs, num_inputs, output_names, num_outputs,
        outputs);
  });
}

OrtStatus* RunAsync(OrtSession* s, const OrtRunOptions* o, const char* const* input_names,
                    const OrtValue* const* inputs, size_t num_inputs, const char* const* output_names,
                    size_t num_outputs, OrtValue** outputs, RunAsyncCallback callback, void* user_data) {
  return guard([&] {
    LaterRun later{checked(s).core, o ? &checked(o) : nullptr, {}, {}, {}, outputs, callback, user_data};
    if (!callback) throw Fault(Code::invalid_argument, "the argument 'run_async_callback' is null");
    list(input_names, num_inputs, "input_names");
    list(output_names, num_outputs, "output_names");
    list(inputs, num_inputs, "input");
    list(outputs, num_outputs, "output");
    for (size_t i = 0; i < num_inputs; ++i) later.input_names.emplace_back(text(input_names[i], "input_names"));
    for (size_t i = 0; i < num_outputs; ++i) later.output_names.emplace_back(text(output_names[i], "output_names"));
    later.inputs.assign(inputs, inputs + num_inputs);
    std::thread(std::move(later)).detach();
  });
}

OrtStatus* CreateIoBinding(OrtSession* s, OrtIoBinding** out) {
  return guard([&] {
    auto b = std::make_unique<OrtIoBinding>();
    b->core = checked(s).core;
    make(out, [&] { return b.release(); });
  });
}
void ReleaseIoBinding(OrtIoBinding* b) {
  release(b);
}
OrtStatus* BindInput(OrtIoBinding* b, const char* name, const OrtValue* v) {
  return guard([&] {
    checked(b);
    checked(v);
    if (program_for(*b->core, &name, 1).inputs.find(text(name, "name"), 0) == Names::kNone)
      throw Fault(Code::invalid_argument, "the model has no input '", name, "'");
    std::erase_if(b->inputs, [&](const auto& i) { return i.first == name; });
    b->inputs.emplace_back(name, *v);
  });
}

static void bind_output(OrtIoBinding* b, const char* name, const OrtValue* v) {
  checked(b);
  if (b->core->program.outputs.find(text(name, "name"), 0) == Names::kNone)
    throw Fault(Code::invalid_argument, "the model has no output '", name, "'");
  const auto it = std::ranges::find_if(b->outputs, [&](const auto& o) { return o.name == name; });
  OrtIoBinding::Output& o = it == b->outputs.end() ? b->outputs.emplace_back() : *it;
  o = {name, v ? std::optional<OrtValue>(*v) : std::nullopt, v != nullptr};
}
OrtStatus* BindOutput(OrtIoBinding* b, const char* name, const OrtValue* v) {
  return guard([&] {
    // A value that holds nothing yet is one to be made.
    bind_output(b, name, checked(v).datum.empty() ? nullptr : v);
  });
}
OrtStatus* BindOutputToDevice(OrtIoBinding* b, const char* name, const OrtMemoryInfo* m) {
  return guard([&] {
    of_the_cpu(m);
    bind_output(b, name, nullptr);
  });
}
OrtStatus* RunWithBinding(OrtSession* s, const OrtRunOptions* o, const OrtIoBinding* binding) {
  return guard([&] {
    Session& core = *checked(s).core;
    if (o) checked(o);
    auto& b = const_cast<OrtIoBinding&>(checked(binding));
    if (b.core.get() != &core) throw Fault(Code::invalid_argument, "the binding belongs to another session");
    std::vector<const char*> in_names, out_names;
    std::vector<const OrtValue*> in;
    std::vector<OrtValue*> out;
    for (const auto& [name, value] : b.inputs) {
      in_names.push_back(name.c_str());
      in.push_back(&value);
    }
    for (auto& output : b.outputs) {
      out_names.push_back(output.name.c_str());
      out.push_back(output.given ? &*output.value : nullptr);
    }
    run(core, o, in_names.data(), in.data(), in.size(), out_names.data(), out.size(), out.data());
    for (size_t i = 0; i < out.size(); ++i) {
      if (b.outputs[i].given) continue;
      const std::unique_ptr<OrtValue> made(out[i]);
      b.outputs[i].value = *made;
    }
  });
}
OrtStatus* GetBoundOutputNames(const OrtIoBinding* b, OrtAllocator* a, char** buffer, size_t** lengths, size_t* n) {
  return guard([&] {
    checked(a);
    needed(buffer, "buffer") = nullptr;
    needed(lengths, "lengths") = nullptr;
    needed(n, "count") = checked(b).outputs.size();
    if (*n == 0) return;
    std::string all;
    for (const auto& o : b->outputs) all += o.name;
    *lengths = static_cast<size_t*>(allocate(*a, *n * sizeof(size_t)));
    for (size_t i = 0; i < *n; ++i) (*lengths)[i] = b->outputs[i].name.size();
    *buffer = copy_text(*a, all);
  });
}
OrtStatus* GetBoundOutputValues(const OrtIoBinding* b, OrtAllocator* a, OrtValue*** out, size_t* n) {
  return guard([&] {
    checked(a);
    result(out) = nullptr;
    needed(n, "output_count") = 0;
    const auto& outputs = checked(b).outputs;
    if (outputs.empty()) return;
    auto** values = static_cast<OrtValue**>(allocate(*a, outputs.size() * sizeof(OrtValue*)));
    for (size_t i = 0; i < outputs.size(); ++i)
      values[i] = outputs[i].value ? new OrtValue(*outputs[i].value) : new OrtValue;
    *out = values;
    *n = outputs.size();
  });
}
void ClearBoundInputs(OrtIoBinding* b) {
  if (b && b->genuine()) b->inputs.clear();
}
void ClearBoundOutputs(OrtIoBinding* b) {
  if (b && b->genuine()) b->outputs.clear();
}
// All memory is the host's: there is nothing to wait for.
OrtStatus* SynchronizeBoundInputs(OrtIoBinding* b) {
  return guard([&] { checked(b); });
}
OrtStatus* SynchronizeBoundOutputs(OrtIoBinding* b) {
  return guard([&] { checked(b); });
}

}  // namespace api
}  // namespace tc::dropin
