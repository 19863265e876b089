#include "tc/frontend/api/jit.h"

#include <algorithm>
#include <list>
#include <mutex>

#include "tc/frontend/api/parameters.h"
#include "tc/frontend/dsl/tracer.h"

namespace tc::dsl {

std::string spelled(double parameter) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", parameter);
  return text;
}

std::string spelled(const std::string& parameter) {
  std::string text = "\"";
  for (const char c : parameter) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

Var jit_number(const Arg& number) {
  return Tracer::current().weak_number(number);
}

Arg jit_input(const Param& p) {
  const Tracer* tracer = Tracer::active();
  return tracer && !tracer->eager() ? Arg(p) : Arg(p.value());
}

namespace {

// User code runs under it, and may call other functions of this kind.
std::recursive_mutex& tracing() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

struct JitState::Version {
  std::string key;
  Function function;
  std::vector<Tracer::UsedParameter> parameters;
  std::mutex mutex;  // of what follows
  Compiled compiled;
  std::vector<Tensor> values;  // of the parameters, when it was compiled
  uint64_t last_use = 0;       // under the lock of the list

  explicit Version(std::string k) : key(std::move(k)) {}

  // Compiled for what the parameters are now.
  Compiled ready(const CompilerOptions& options) {
    const std::lock_guard lock(mutex);
    bool stale = values.empty();
    for (size_t i = 0; i < parameters.size() && !stale; ++i)
      stale = values[i].data() != parameters[i].state->value.data();
    if (!stale) return compiled;
    std::vector<Tensor> now;
    NamedTensors named;
    for (const auto& p : parameters) {
      now.push_back(p.state->value);
      named.emplace_back(p.state->name, p.state->value);
    }
    compiled = compile(named.empty() ? function : with_parameters(function, named), options);
    values = std::move(now);
    if (values.empty()) values.emplace_back();  // compiled
    return compiled;
  }
};

struct JitState::Versions {
  mutable std::mutex mutex;
  std::list<std::shared_ptr<Version>> list;
  uint64_t uses = 0;

  std::shared_ptr<Version> find(const std::string& key) {
    const std::lock_guard lock(mutex);
    for (const auto& v : list)
      if (v->key == key) {
        v->last_use = ++uses;
        return v;
      }
    return nullptr;
  }
};

JitState::JitState(JitOptions options, const Location& at)
    : options_(std::move(options)), at_(at), versions_(std::make_unique<Versions>()) {
  const Site site("jit", at);
  if (options_.max_versions == 0) refuse(ErrorCode::bad_argument, "max_versions is 0", {"at least 1 is kept"});
}
JitState::~JitState() = default;

std::string JitState::key(const JitCall& call) const {
  const Site site(options_.name, at_);
  std::string text;
  for (const Arg& a : call.inputs) {
    const auto* v = std::get_if<Var>(&a.content());
    const Type type = v ? v->type() : std::get<Tensor>(a.content()).type();
    text += text.empty() ? "" : ", ";
    if (!type.is_tensor() || options_.shapes == JitShapes::exact || !type.shape().ranked()) {
      text += type.str();
      continue;
    }
    std::string extents;
    for (const Dim& d : type.shape().dims()) extents += cat(extents.empty() ? "" : ",", d.is(1) ? "1" : "?");
    text += cat(type.dtype(), "[", extents, "]");
  }
  return call.parameters.empty() ? text : cat(text, "; ", call.parameters);
}

Function JitState::traced(const std::vector<Tensor>& inputs, const FlatFunction& f, Version& version) const {
  std::vector<Input> declared;
  for (const Tensor& t : inputs) {
    Input input{cat("x", declared.size()), t.dtype(), {}};
    for (int axis = 0; axis < t.rank(); ++axis) {
      const int64_t d = t.extent(axis);
      if (options_.shapes == JitShapes::exact || d == 1)
        input.shape.emplace_back(d);
      else
        input.shape.emplace_back(cat(input.name, "_", axis));
    }
    declared.push_back(std::move(input));
  }
  const FlatFunction noting = [&](const std::vector<Var>& in) {
    Outputs out = f(in);
    version.parameters = Tracer::current().used_parameters();
    return out;
  };
  return trace(options_.name, declared, -1, noting, at_);
}

std::shared_ptr<JitState::Version> JitState::version_of(const std::string& key, const std::vector<Tensor>& inputs,
                                                        const FlatFunction& f) {
  if (auto known = versions_->find(key)) return known;
  const std::lock_guard one_at_a_time(tracing());
  if (auto known = versions_->find(key)) return known;
  auto made = std::make_shared<Version>(key);
  made->function = traced(inputs, f, *made);
  const std::lock_guard lock(versions_->mutex);
  made->last_use = ++versions_->uses;
  versions_->list.push_back(made);
  if (versions_->list.size() > options_.max_versions)
    versions_->list.erase(std::min_element(versions_->list.begin(), versions_->list.end(),
                                           [](const auto& a, const auto& b) { return a->last_use < b->last_use; }));
  return made;
}

std::vector<Var> JitState::call(const JitCall& call, const FlatFunction& f) {
  const Site site(options_.name, at_);
  std::vector<Var> result;
  if (Tracer* tracer = Tracer::active(); tracer && !tracer->eager()) {
    std::vector<Var> inputs;
    for (const Arg& a : call.inputs) inputs.push_back(operand(a));
    const Site::Suspension user;
    for (const Output& o : f(inputs)) result.push_back(o.value);
    return result;
  }
  std::vector<Tensor> inputs;
  for (const Arg& a : call.inputs) {
    const auto* v = std::get_if<Var>(&a.content());
    inputs.push_back(v ? v->tensor() : std::get<Tensor>(a.content()));
    if (!inputs.back().defined()) refuse(ErrorCode::bad_argument, "a tensor argument is undefined");
  }
  const auto version = version_of(key(call), inputs, f);
  const Site::Suspension rest;
  for (Tensor& t : version->ready(options_.compiler)(inputs)) result.push_back(Tracer::array(std::move(t)));
  return result;
}

std::vector<std::string> JitState::versions() const {
  const std::lock_guard lock(versions_->mutex);
  std::vector<std::string> keys;
  for (const auto& v : versions_->list) keys.push_back(v->key);
  return keys;
}

Function JitState::graph(const std::string& key) const {
  const Site site("graph", at_);
  if (const auto known = versions_->find(key)) return known->function;
  std::vector<std::string> notes;
  const auto keys = versions();
  if (const std::string near = nearest(key, {keys.begin(), keys.end()}); !near.empty())
    notes.push_back(cat("did you mean '", near, "'?"));
  refuse(ErrorCode::bad_argument, cat(options_.name, " has no version '", key, "'"), std::move(notes));
}

}  // namespace tc::dsl
