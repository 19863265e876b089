// Profiles of sessions and runs, as files.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <sstream>

#include "tc/backend/onnx/atomic_file.h"
#include "tc/doors/onnxruntime/api.h"
#include "tc/doors/onnxruntime/session.h"

namespace tc::dropin {
namespace {

std::string quoted(std::string_view s) {
  std::string r = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\')
      r += '\\', r += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      r += ' ';
    else
      r += c;
  }
  return r + '"';
}

}  // namespace

std::string profile_path(const std::string& prefix) {
  static std::atomic<int> count{0};
  char when[32];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(when, sizeof when, "_%Y-%m-%d_%H-%M-%S", &local);
  const int n = count++;
  return cat(prefix, when, n ? cat("_", n) : "", ".json");
}

void write_profile(const std::string& path, int64_t begin_ns, const std::vector<StepTime>& steps) {
  std::ostringstream out;
  const auto us = [&](int64_t ns) { return static_cast<double>(ns) / 1e3; };
  out << "[";
  const char* separator = "\n";
  for (const StepTime& s : steps) {
    out << separator << "{\"cat\":\"Node\",\"pid\":" << getpid() << ",\"tid\":" << s.depth
        << ",\"ph\":\"X\",\"ts\":" << us(s.begin_ns - begin_ns) << ",\"dur\":" << us(s.end_ns - s.begin_ns)
        << ",\"name\":" << quoted(s.node.empty() ? s.op : s.node) << ",\"args\":{\"op_name\":" << quoted(s.op)
        << ",\"kernel\":" << quoted(s.kernel) << ",\"provider\":\"CPUExecutionProvider\",\"flops\":" << s.flops
        << ",\"bytes\":" << s.bytes << "}}";
    separator = ",\n";
  }
  out << "\n]\n";
  try {
    onnx::write_file(path, out.str());
  } catch (const Error& e) {
    throw Fault(Code::failed, path, ": the profile cannot be written: ", e.what());
  }
}

namespace api {

OrtStatus* SessionEndProfiling(OrtSession* s, OrtAllocator* a, char** out) {
  return guard([&] {
    Profile& p = checked(s).core->profile;
    checked(a);
    const std::lock_guard lock(p.mutex);
    // Without a profile there is an empty name.
    const bool recorded = p.recording.exchange(false);
    if (recorded) write_profile(p.path, p.begin_ns, p.steps);
    p.steps.clear();
    make(out, [&] { return copy_text(*a, recorded ? p.path : ""); });
  });
}
OrtStatus* SessionGetProfilingStartTimeNs(const OrtSession* s, uint64_t* out) {
  return guard([&] { result(out) = static_cast<uint64_t>(checked(s).core->profile.begin_ns); });
}

}  // namespace api
}  // namespace tc::dropin
