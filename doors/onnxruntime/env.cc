// Environments: logging, and threads that sessions share. Lists of keys and values.
#include <cstdio>
#include <cstring>

#include "tc/doors/onnxruntime/api.h"

namespace tc::dropin {
namespace {

int severity_of(int level) {
  if (level < kVerbose || level > kFatal)
    throw Fault(Code::invalid_argument, "log severity ", level, " is none of 0 to 4");
  return level;
}

OrtEnv* make_env(LogFunction function, void* param, int level, const char* id, const OrtThreadingOptions* threading) {
  auto env = std::make_unique<OrtEnv>();
  env->logger = {function, param, severity_of(level), text(id, "logid")};
  if (threading) env->team = make_team(threading->threads);
  return env.release();
}

// The argument of CreateEnvWithOptions, whose layout callers know.
struct CreationOptions {
  uint32_t version;
  int32_t severity;
  const char* log_id;
  LogFunction log_function;
  void* log_param;
  const OrtThreadingOptions* threading;
  const OrtKeyValuePairs* entries;
};

OrtStatus* set_threads(OrtThreadingOptions* o, int n) {
  return guard([&] {
    if (n < 0) throw Fault(Code::invalid_argument, "a pool of ", n, " threads");
    checked(o).threads = n;
  });
}

}  // namespace

void Logger::log(int severity, const std::string& message) const {
  if (severity < least) return;
  if (function) return function(param, severity, "tc", id.c_str(), "", message.c_str());
  std::fprintf(stderr, "[%c:tc:%s] %s\n", "VIWEF"[severity], id.c_str(), message.c_str());
}

void OrtKeyValuePairs::index() {
  keys.clear();
  values.clear();
  for (const auto& [k, v] : entries) {
    keys.push_back(k.c_str());
    values.push_back(v.c_str());
  }
}

namespace api {

OrtStatus* CreateEnv(int level, const char* id, OrtEnv** out) {
  return guard([&] { make(out, [&] { return make_env(nullptr, nullptr, level, id, nullptr); }); });
}
OrtStatus* CreateEnvWithCustomLogger(LogFunction function, void* param, int level, const char* id, OrtEnv** out) {
  return guard([&] { make(out, [&] { return make_env(function, param, level, id, nullptr); }); });
}
OrtStatus* CreateEnvWithGlobalThreadPools(int level, const char* id, const OrtThreadingOptions* o, OrtEnv** out) {
  return guard([&] { make(out, [&] { return make_env(nullptr, nullptr, level, id, &checked(o)); }); });
}
OrtStatus* CreateEnvWithCustomLoggerAndGlobalThreadPools(LogFunction function, void* param, int level, const char* id,
                                                         const OrtThreadingOptions* o, OrtEnv** out) {
  return guard([&] { make(out, [&] { return make_env(function, param, level, id, &checked(o)); }); });
}
OrtStatus* CreateEnvWithOptions(const void* given, OrtEnv** out) {
  return guard([&] {
    not_null(given, "options");
    const auto& o = *static_cast<const CreationOptions*>(given);
    if (o.threading) checked(o.threading);
    make(out, [&] { return make_env(o.log_function, o.log_param, o.severity, o.log_id, o.threading); });
  });
}
void ReleaseEnv(OrtEnv* env) {
  release(env);
}
OrtStatus* UpdateEnvWithCustomLogLevel(OrtEnv* env, int level) {
  return guard([&] { checked(env).logger.least = severity_of(level); });
}
// Nothing is ever reported to anyone.
OrtStatus* EnableTelemetryEvents(const OrtEnv* env) {
  return guard([&] { checked(env); });
}
OrtStatus* DisableTelemetryEvents(const OrtEnv* env) {
  return guard([&] { checked(env); });
}
OrtStatus* SetLanguageProjection(const OrtEnv* env, int) {
  return guard([&] { checked(env); });
}

OrtStatus* CreateThreadingOptions(OrtThreadingOptions** out) {
  return guard([&] { make(out, [&] { return new OrtThreadingOptions; }); });
}
void ReleaseThreadingOptions(OrtThreadingOptions* o) {
  release(o);
}
OrtStatus* SetGlobalIntraOpNumThreads(OrtThreadingOptions* o, int n) {
  return set_threads(o, n);
}
// Steps run one after the other: there is no second pool.
OrtStatus* SetGlobalInterOpNumThreads(OrtThreadingOptions* o, int n) {
  return guard([&] {
    checked(o);
    if (n < 0) throw Fault(Code::invalid_argument, "a pool of ", n, " threads");
  });
}
OrtStatus* SetGlobalSpinControl(OrtThreadingOptions* o, int) {
  return guard([&] { checked(o); });
}
OrtStatus* SetGlobalDenormalAsZero(OrtThreadingOptions* o) {
  return guard([&] { checked(o); });
}

void CreateKeyValuePairs(OrtKeyValuePairs** out) {
  if (out) *out = quietly(static_cast<OrtKeyValuePairs*>(nullptr), [] { return new OrtKeyValuePairs; });
}
void AddKeyValuePair(OrtKeyValuePairs* pairs, const char* key, const char* value) {
  quietly(0, [&] {
    auto& p = checked(pairs);
    if (!key || !*key) return 0;  // as ONNX Runtime has it
    p.entries[key] = value ? value : "";
    p.index();
    return 0;
  });
}
const char* GetKeyValue(const OrtKeyValuePairs* pairs, const char* key) {
  return quietly(static_cast<const char*>(nullptr), [&]() -> const char* {
    const auto& p = checked(pairs);
    const auto it = p.entries.find(text(key, "key"));
    return it == p.entries.end() ? nullptr : it->second.c_str();
  });
}
void GetKeyValuePairs(const OrtKeyValuePairs* pairs, const char* const** keys, const char* const** values, size_t* n) {
  if (!keys || !values || !n) return;
  const bool genuine = pairs && pairs->genuine();
  *keys = genuine ? pairs->keys.data() : nullptr;
  *values = genuine ? pairs->values.data() : nullptr;
  *n = genuine ? pairs->keys.size() : 0;
}
void RemoveKeyValuePair(OrtKeyValuePairs* pairs, const char* key) {
  quietly(0, [&] {
    auto& p = checked(pairs);
    p.entries.erase(text(key, "key"));
    p.index();
    return 0;
  });
}
void ReleaseKeyValuePairs(OrtKeyValuePairs* pairs) {
  release(pairs);
}

}  // namespace api
}  // namespace tc::dropin
