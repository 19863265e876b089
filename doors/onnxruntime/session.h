// A loaded model, behind OrtSession and whatever runs on after its release.
//
// Invariants: immutable but for the profile and the second program, which have locks; runs may be concurrent.
#pragma once

#include <cstring>

#include "tc/doors/onnxruntime/types.h"

namespace tc::dropin {

// Inputs or outputs of a program, found by name.
class Names {
 public:
  Names() = default;
  Names(Names&&) = default;
  Names& operator=(Names&&) = default;
  explicit Names(std::vector<ValueInfo> infos);
  size_t size() const { return infos_.size(); }
  const ValueInfo& operator[](size_t i) const { return infos_[i]; }
  static constexpr size_t kNone = static_cast<size_t>(-1);
  bool is(size_t i, const char* name) const { return i < names_.size() && name && !std::strcmp(names_[i], name); }
  // Most callers have them in order: `guess` is tried first.
  size_t find(const char* name, size_t guess) const {
    if (is(guess, name)) return guess;
    const auto it = index_.find(name);
    return it == index_.end() ? kNone : it->second;
  }

 private:
  std::vector<ValueInfo> infos_;
  std::vector<const char*> names_;  // theirs
  std::map<std::string, size_t, std::less<>> index_;
};

struct Program {
  Program() = default;
  Program(const Function& f, const CompilerOptions& options);
  Names inputs, outputs;
  Compiled compiled;
};

// What runs of a session did, until someone asks for the file.
struct Profile {
  std::atomic<bool> recording = false;
  std::mutex mutex;
  std::string path;
  int64_t begin_ns = 0;
  std::vector<StepTime> steps;
};
std::string profile_path(const std::string& prefix);
// Trace events as Chromium and Perfetto show them.
void write_profile(const std::string& path, int64_t begin_ns, const std::vector<StepTime>& steps);

struct Session {
  Logger logger;
  Program program;
  std::vector<OrtTypeInfo> input_types, output_types;  // as the file declares them, where that says more
  OrtModelMetadata metadata;
  Profile profile;

  // Initialisers that a caller may give as inputs. The program that takes them is made when one first does.
  std::map<std::string, Tensor> overridable;
  std::vector<std::string> overridable_names;
  std::vector<OrtTypeInfo> overridable_types;
  const Program& full_program();

  std::function<Program(std::map<std::string, Tensor>*)> make;  // with initialisers as inputs where that is set
  std::once_flag full_made;
  std::optional<Program> full;

  ~Session();
};

// outputs[i] is written into where it is not null, made otherwise.
void run(Session& session, const OrtRunOptions* options, const char* const* input_names, const OrtValue* const* inputs,
         size_t num_inputs, const char* const* output_names, size_t num_outputs, OrtValue** outputs);

}  // namespace tc::dropin
