// Versions, errors and options.
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "tc/doors/c/handles.h"

namespace tc::c {
namespace {

std::string& last_message() {
  thread_local std::string message;
  return message;
}

}  // namespace

tc_status failed(tc_status status, const char* message) noexcept {
  try {
    last_message() = message;
  } catch (const std::bad_alloc&) {
    last_message().clear();
  }
  return status;
}

tc_status status_of(ErrorCode code) {
  return static_cast<int>(code) + 1;
}

std::shared_ptr<void> lent(void* memory, tc_release release, void* context) {
  return {memory, [release, context](void*) {
            if (release) release(context);
          }};
}

char* copy_of(const std::string& text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

std::optional<std::string> OptionReader::text(const std::string& name) {
  names_.push_back(name);
  const auto it = left_.find(name);
  if (it == left_.end()) return std::nullopt;
  std::string value = std::move(it->second);
  left_.erase(it);
  return value;
}

void OptionReader::refuse(const std::string& name, const std::string& value, const std::string& what) const {
  fail(ErrorCode::bad_argument, reader_, ": option ", name, "=", value, " is not ", what);
}

template <class T>
void OptionReader::parse(const std::string& name, T& value, const char* what) {
  const auto given = text(name);
  if (!given) return;
  const char* end = given->data() + given->size();
  const auto [stop, error] = std::from_chars(given->data(), end, value);
  if (error != std::errc() || stop != end) refuse(name, *given, what);
}

void OptionReader::number(const std::string& name, int& value) {
  parse(name, value, "an integer");
}
void OptionReader::number(const std::string& name, uint64_t& value) {
  parse(name, value, "a count");
}
void OptionReader::number(const std::string& name, double& value) {
  parse(name, value, "a number");
}

void OptionReader::flag(const std::string& name, bool& value) {
  value = choice(name, {"0", "1"}, value) == 1;
}

size_t OptionReader::choice(const std::string& name, const std::vector<std::string>& names, size_t value) {
  const auto given = text(name);
  if (!given) return value;
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (*given == names[i]) return i;
    list += (i ? ", " : "") + names[i];
  }
  refuse(name, *given, "one of " + list);
}

std::map<std::string, int64_t> OptionReader::dims() {
  constexpr std::string_view kPrefix = "dim:";
  names_.emplace_back("dim:NAME");
  std::map<std::string, int64_t> found;
  for (auto it = left_.begin(); it != left_.end();) {
    if (!it->first.starts_with(kPrefix)) {
      ++it;
      continue;
    }
    const std::string& value = it->second;
    int64_t extent = -1;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), extent);
    if (error != std::errc() || stop != value.data() + value.size() || extent < 0)
      refuse(it->first, value, "an extent");
    found[it->first.substr(kPrefix.size())] = extent;
    it = left_.erase(it);
  }
  return found;
}

void OptionReader::finish() const {
  if (left_.empty()) return;
  std::string known;
  for (const std::string& name : names_) known += (known.empty() ? "" : ", ") + name;
  fail(ErrorCode::bad_argument, reader_, " has no option '", left_.begin()->first, "'; it has: ", known);
}

CompilerOptions compiler_options(OptionReader& read) {
  CompilerOptions o;
  read.number("level", o.level);
  read.number("threads", o.threads);
  read.number("idle_contexts", o.idle_contexts);
  read.number("max_memory", o.max_memory);
  read.number("max_steps", o.max_steps);
  read.flag("stop_at_nonfinite", o.stop_at_nonfinite);
  o.isa = read.text("isa").value_or("");
  uint64_t seed = UINT64_MAX;
  read.number("seed", seed);
  if (seed != UINT64_MAX) o.seed = seed;
  return o;
}

}  // namespace tc::c

using namespace tc;
using namespace tc::c;

extern "C" {

const char* tc_version(void) {
  return TC_VERSION;
}

int tc_c_version(void) {
  return TC_C_VERSION;
}

const char* tc_status_name(tc_status status) {
  static constexpr const char* kNames[] = {
      "ok",
#define TC_ERROR(id, spelling, doc) spelling,
#include "tc/ir/diag.def"
#undef TC_ERROR
  };
  return status >= 0 && static_cast<size_t>(status) < std::size(kNames) ? kNames[status] : "unknown";
}

const char* tc_last_message(void) {
  return last_message().c_str();
}

void tc_free(void* memory) {
  std::free(memory);
}

tc_status tc_options_create(tc_options** out) {
  return guard([&] { needed(out, "out") = new tc_options; });
}

tc_status tc_options_set(tc_options* options, const char* name, const char* value) {
  return guard([&] { needed(options, "options").entries[&needed(name, "name")] = &needed(value, "value"); });
}

void tc_options_release(tc_options* options) {
  delete options;
}

}  // extern "C"
